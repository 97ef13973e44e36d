"""The terminal of this process gets changed cells only, in the colours that it has."""

import asyncio
from typing import Any

import pytest
from rich.segment import Segment
from rich.text import Text
from textual.app import ComposeResult
from textual.color import Color
from textual.driver import Driver
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from scoville_client.session.start_options import Start
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.terminal.colours import local_colours
from scoville_client.tui.terminal.output import TerminalOutput
from scoville_client.tui.terminal.traits import local_traits
from scoville_client.tui.textual_hooks.app import HookedApp
from tests.support import frames as frames  # Textual without waits
from tests.support.idle import eventually


@pytest.mark.parametrize(
    ("is_windows", "environment", "colours"),
    [
        (False, {"TERM": "xterm-256color"}, "256"),
        (False, {"TERM": "foot"}, "true"),
        (False, {"TERM": "linux"}, "16"),
        (False, {"TERM": "vt100"}, "none"),
        (False, {}, "none"),
        (True, {}, "true"),
        (True, {"NO_COLOR": "1"}, "none"),
        (True, {"TERM": "xterm-256color"}, "256"),
    ],
)
def test_the_colours_of_this_terminal(is_windows: bool, environment: dict[str, str], colours: str) -> None:
    assert local_colours(is_windows=is_windows, environment=environment) == colours


class Written(Driver):
    """Keeps what is written."""

    text = ""

    def write(self, data: str) -> None:
        self.text += data

    def start_application_mode(self) -> None: ...

    def stop_application_mode(self) -> None: ...

    def disable_input(self) -> None: ...


class Two(HookedApp):
    """Two words."""

    def __init__(self) -> None:
        super().__init__()
        self.output = TerminalOutput(self, local_traits(Preferences(colours="true"))._replace(start_reports=1))

    def change_picture(self, picture: Any) -> Any:
        return self.output.rewrite_picture(picture)

    def on_resize(self, event: Resize) -> None:
        self.output.note_size(event)

    def compose(self) -> ComposeResult:
        yield Static("constant")
        yield Static(Text("before", style="#ff0000"), id="changed")

    def get_default_screen(self) -> Screen[None]:
        return Screen(id="_default")

    def get_driver_class(self) -> type[Driver]:
        return Written


async def test_only_changed_cells_are_written() -> None:
    app = Two()
    task = asyncio.get_running_loop().create_task(app.run_async(mouse=False, size=(30, 6)))
    await eventually(lambda: isinstance(app._driver, Written) and "before" in app._driver.text)
    driver = app._driver
    assert isinstance(driver, Written)
    assert "38;2;255;0;0" in driver.text
    driver.text = ""
    app.query_one("#changed", Static).update("behind")
    await eventually(lambda: "hind" in driver.text)
    assert "constant" not in driver.text
    driver.text = ""
    app.post_message(Resize(Size(30, 6), Size(30, 6)))
    await eventually(lambda: "constant" in driver.text)
    driver.text = ""
    app.output.redraw_all()
    await eventually(lambda: "constant" in driver.text)
    app.exit()
    await task


def test_a_row_that_is_drawn_again_is_not_filtered_again() -> None:
    app, row = ScovilleApp(Start()), Strip([Segment("a│b")])
    one, other = (row.apply_filter(app.get_line_filters()[-1], Color(0, 0, 0)) for _ in range(2))
    assert one is other
