"""Mouse: a click becomes the key that it stands for, and passes the same filter; the wheel is ↑ and ↓."""

from typing import Any

from textual.app import App
from textual.errors import NoWidget
from textual.events import Key, MouseDown, MouseEvent, MouseScrollDown, MouseScrollUp
from textual.geometry import Offset
from textual.widget import Widget
from textual.widgets import Input

from scoville_client.tui.drawing.key_names import character_of
from scoville_client.tui.drawing.targets import Press, Target
from scoville_client.tui.widgets.canvas_widget import CanvasWidget

_LEFT = 1
_WHEEL: dict[type[MouseEvent], str] = {MouseScrollUp: "up", MouseScrollDown: "down"}


class TargetClicked(Key):
    """A click on what no key stands for, such as a card. It waits its turn among the keys, and is filtered as one."""

    def __init__(self, widget: CanvasWidget, target: Target) -> None:
        super().__init__("click", None)
        self.widget = widget
        self.target = target


def key_of(app: App[Any], event: MouseEvent) -> Key | None:
    """Return what the user has pressed by a click or the wheel, typed when the event happened; None for nothing."""
    key = _wheel(event) if type(event) in _WHEEL else _click(app, event)
    if key is not None:
        key.time = event.time
    return key


def is_for_text(app: App[Any], event: MouseEvent) -> bool:
    """Whether Textual handles the event: in a line of text the mouse sets the cursor."""
    return app.mouse_captured is not None or isinstance(_under(app, event)[0], Input)


def _wheel(event: MouseEvent) -> Key:
    return Key(_WHEEL[type(event)], None)


def _click(app: App[Any], event: MouseEvent) -> Key | None:
    if not isinstance(event, MouseDown) or event.button != _LEFT:
        return None
    widget, at = _under(app, event)
    target = widget.target_at(at.x, at.y, event.time) if isinstance(widget, CanvasWidget) else None
    if target is None or not isinstance(widget, CanvasWidget):
        return None
    return Key(target.key, character_of(target.key)) if isinstance(target, Press) else TargetClicked(widget, target)


def _under(app: App[Any], event: MouseEvent) -> tuple[Widget | None, Offset]:
    """Return the widget under the pointer, and where in it the pointer is."""
    if not app.screen_stack:
        return None, Offset()
    try:
        widget, region = app.screen.get_widget_at(event.x, event.y)
    except NoWidget:
        return None, Offset()
    return widget, Offset(event.x, event.y) - region.offset
