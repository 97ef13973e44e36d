"""The private parts of Textual's App that the client overrides do what they are overridden for."""

import asyncio
import gc
import weakref
from typing import Any

from textual.app import App, ComposeResult
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widgets import Static

from scoville_client.tui.textual_hooks.app import HookedApp, dismantle_app
from tests.support import frames as frames  # Textual without waits
from tests.support.idle import eventually


class Recorded(HookedApp):
    """Records what its hooks report."""

    def __init__(self) -> None:
        super().__init__()
        self.reported: list[str] = []
        self.widgets: list[object] = []

    def get_default_screen(self) -> Screen[None]:
        return Screen(id="_default")  # the one of our apps shows nothing

    def compose(self) -> ComposeResult:
        yield Static("one", id="one")

    def change_picture(self, picture: Any) -> Any:
        self.reported.append("picture")
        return picture

    def note_written(self, screen: Screen[Any], started_at: float) -> None:
        assert started_at
        self.reported.append("written")

    def note_widget(self, widget: object) -> None:
        if hasattr(self, "widgets"):
            self.widgets.append(widget)

    def prepare_loop(self) -> None:
        self.reported.append("loop")


def test_the_hooks_are_textuals() -> None:
    overridden = ("_display", "_end_batch", "_fatal_error", "_get_screen", "_process_messages", "_register_child")
    for name in (
        *overridden,
        "_register",
        "_set_pointer_shape",
        "_shutdown",
        "_start_widget",
        "get_default_screen",
        "panic",
    ):
        assert callable(getattr(App, name, None)), f"Textual's App has no {name} any more"
    kept = {"_batch_count", "_disable_notifications", "_disable_tooltips", "_driver", "_exception", "_exit"}
    assert kept <= {*vars(App())}
    assert {"_closed", "_closing", "_running"} <= {*vars(MessagePump())}


async def test_each_picture_is_changed_and_then_reported() -> None:
    app = Recorded()
    async with app.run_test():
        await eventually(lambda: "written" in app.reported)
        assert app.reported[0] == "loop"
        assert app.reported.index("picture") < app.reported.index("written")
        assert app.driver is not None
        assert not app.is_ending
        app.exit()
        assert app.is_ending


async def test_widgets_are_reported_also_when_mounted_later() -> None:
    app = Recorded()
    async with app.run_test():
        later = Static("two")
        await app.mount(later)
        assert later in app.widgets
        assert app.query_one("#one") in app.widgets


async def test_a_dismantled_app_is_freed_without_a_collection() -> None:
    app: Recorded | None = Recorded()
    assert app is not None
    made = app.widgets
    async with app.run_test():
        pass
    gc.collect()
    gc.disable()
    try:
        await dismantle_app([*made, app])
        gone = [weakref.ref(widget) for widget in made if isinstance(widget, Static)]
        made.clear()
        app = None
        assert [each for each in gone if each() is not None] == []
    finally:
        gc.enable()


class SlowlyEnding(Recorded):
    """Never ends by itself, as on a machine that is too busy for the time that a session has to end."""

    def __init__(self) -> None:
        super().__init__()
        self.ends = asyncio.Event()

    async def _close_all(self) -> None:
        self.ends.set()
        await asyncio.Event().wait()


async def test_dismantled_app_has_ended() -> None:
    app = SlowlyEnding()
    running = asyncio.create_task(app.run_async(headless=True))
    await eventually(lambda: "written" in app.reported)
    app.exit()
    await app.ends.wait()
    running.cancel()
    await asyncio.wait([running])
    await dismantle_app([*app.widgets, app])
    assert [task for task in asyncio.all_tasks() if "_shutdown" in repr(task)] == []


async def test_a_fault_is_kept_and_nothing_is_printed(capsys: Any) -> None:
    app = Recorded()
    try:
        async with app.run_test():
            app.call_later(lambda: 1 / 0)
            await eventually(lambda: app.fault is not None)
    except ZeroDivisionError:  # the pilot raises it once more
        pass
    assert isinstance(app.fault, ZeroDivisionError)
    assert capsys.readouterr().err == ""
