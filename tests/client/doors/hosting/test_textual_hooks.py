"""Private hooks of Textual that hosting relies on: each fails here when a version changes it.

Textual is pinned exactly. After a new pin, read what fails here before changing anything else: most of these hooks fail
silently, as colours of other users, screens that stand still or memory that grows.
"""

import inspect
import sys
from functools import partial
from importlib.metadata import version
from typing import Any

import pytest
import textual._parser
import textual._xterm_parser
import textual.app
import textual.constants
from rich.console import Console
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.driver import Driver
from textual.events import Key, Ready
from textual.widgets import Static

from scoville_client.doors.hosting.process import forget_environment, restore_task_factory
from tests.support import frames as frames  # Textual without waits
from tests.support.idle import eventually

PINNED = "8.2.8"


class Silent(Driver):
    """A minimal driver; `written` is its output."""

    written: list[str]

    def write(self, data: str) -> None:
        self.written.append(data)

    def start_application_mode(self) -> None:
        self.written = []

    def stop_application_mode(self) -> None: ...

    def disable_input(self) -> None: ...


class Recording(App[int]):
    """Records the arguments of its hooks."""

    def __init__(self, **options: Any) -> None:
        self.updates: list[object] = []
        self.ready = 0
        super().__init__(**options)

    def compose(self) -> ComposeResult:
        yield Static("one", id="one")
        yield Static("two")

    def _display(self, screen: Any, renderable: Any) -> None:
        if renderable is not None:
            self.updates.append(renderable)
        super()._display(screen, renderable)

    def on_ready(self, _: Ready) -> None:
        self.ready += 1


async def run(app: App[int], size: tuple[int, int] = (30, 6)) -> Any:
    import asyncio

    return asyncio.get_running_loop().create_task(app.run_async(mouse=False, size=size))


def test_the_version_that_the_hooks_were_read_in() -> None:
    assert version("textual") == PINNED


async def test_a_partial_driver_class_gets_the_size() -> None:
    app = Recording(driver_class=partial(Silent))
    task = await run(app)
    await eventually(lambda: app.ready)
    assert app.size == (30, 6)
    assert isinstance(app._driver, Silent)
    app.exit(3)
    await task
    assert app.return_value == 3


async def test_display_gets_a_whole_layout_and_then_spans_of_rows() -> None:
    app = Recording(driver_class=partial(Silent))
    task = await run(app)
    await eventually(lambda: any(isinstance(update, LayoutUpdate) for update in app.updates))
    whole = next(update for update in app.updates if isinstance(update, LayoutUpdate))
    assert (whole.region.width, whole.region.height) == (30, 6)
    assert sum(strip.cell_length for strip in next(iter(whole.strips))) == 30
    app.updates.clear()
    app.query_one("#one", Static).update("six", layout=False)
    await eventually(lambda: app.updates)
    spans = app.updates[0]
    assert isinstance(spans, ChopsUpdate)
    assert [(y, x1, x2) for y, x1, x2 in spans.spans] == [(0, 0, 30)]
    assert len(spans.chops) == len(spans.chop_ends) == 6
    assert list(spans.chops[0]) == [0]
    assert spans.chop_ends[0] == [30]
    app.exit()
    await task


async def test_driver_gets_what_an_update_renders() -> None:
    class Marked(CompositorUpdate):
        def render_segments(self, console: Console) -> str:
            return "marked"

    app = Recording(driver_class=partial(Silent))
    task = await run(app)
    await eventually(lambda: app.ready)
    assert isinstance(app._driver, Silent)
    app._driver.written.clear()
    app._display(app.screen, Marked())
    assert "".join(app._driver.written).startswith("marked")
    app.exit()
    await task


async def test_the_first_layout_is_sent_once() -> None:
    app = Recording(driver_class=partial(Silent))
    task = await run(app)
    await eventually(lambda: app.ready)
    app.screen.refresh(layout=True)
    await eventually(lambda: len(app.updates) > 1)
    assert app.ready == 1
    app.exit()
    await task


async def test_a_refresh_of_the_screen_draws_all_of_it() -> None:
    app = Recording(driver_class=partial(Silent))
    task = await run(app)
    await eventually(lambda: app.ready)
    app.updates.clear()
    app.screen.refresh()
    await eventually(lambda: app.updates)
    assert isinstance(app.updates[0], LayoutUpdate)
    app.exit()
    await task


async def test_messages_that_wait_are_counted() -> None:
    app = Recording(driver_class=partial(Silent))
    task = await run(app)
    await eventually(lambda: app.ready and not app.message_queue_size)
    for _ in range(5):
        app.post_message(Key("a", "a"))
    assert app.message_queue_size == 5
    app.exit()
    await task


async def test_an_exception_ends_in_fatal_error_and_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    class Kept(Recording):
        faults = 0

        def _fatal_error(self) -> None:
            self.faults += 1
            self._close_messages_no_wait()

    app = Kept(driver_class=partial(Silent))
    task = await run(app)
    await eventually(lambda: app.ready)
    app.call_later(lambda: 1 / 0)
    await task
    assert app.faults == 1
    assert capsys.readouterr().err == ""


def test_a_lone_escape_needs_a_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = XTermParser()
    assert list(parser.feed("\x1b")) == []
    assert list(parser.tick()) == []
    monkeypatch.setattr(textual._parser, "get_time", lambda: float("inf"))
    assert [event.key for event in parser.tick() if isinstance(event, Key)] == ["escape"]
    assert textual.constants.ESCAPE_DELAY == 0.1


def test_an_empty_feed_ends_the_cached_generator() -> None:
    parser = XTermParser()
    assert list(parser.feed("\x1b[200~never ends")) == []
    assert list(parser.feed("")) == []
    assert parser.is_eof
    assert inspect.getgeneratorstate(parser._gen) == inspect.GEN_CLOSED


def test_these_two_names_replace_the_process_streams() -> None:
    source = inspect.getsource(App._process_messages)
    assert "with redirect_stdout(self._capture_stdout)" in source
    assert "with redirect_stderr(self._capture_stderr)" in source
    assert callable(vars(textual.app)["redirect_stdout"])
    assert callable(vars(textual.app)["redirect_stderr"])


def test_the_hooks_that_are_overridden_exist() -> None:
    hooks = (
        "_display",
        "_fatal_error",
        "_register_child",
        "_start_widget",
        "_process_messages",
        "_set_pointer_shape",
        "get_driver_class",
        "save_screenshot",
    )
    assert [name for name in hooks if not callable(getattr(App, name, None))] == []
    assert [name for name in ("deliver_binary", "open_url", "send_message") if not hasattr(Driver, name)] == []


def test_the_app_reads_colours_from_an_attribute() -> None:
    assert "self.no_color = environ.pop(" in inspect.getsource(App.__init__)


async def test_the_task_factory_of_the_loop_is_its_own_again() -> None:
    import asyncio

    loop = asyncio.get_running_loop()
    assert ("eager_task_factory" in inspect.getsource(App.run_async)) == (sys.version_info < (4,))
    loop.set_task_factory(lambda loop, coroutine, **_: asyncio.Task(coroutine, loop=loop))
    restore_task_factory()
    assert loop.get_task_factory() is None


def test_variables_that_textual_reads_are_removed() -> None:
    environment = {"NO_COLOR": "1", "TEXTUAL_THEME": "x", "ESCDELAY": "5", "TERM": "dumb", "PATH": "/bin", "LANG": "de"}
    forget_environment(environment)
    assert environment == {"PATH": "/bin", "LANG": "de"}
