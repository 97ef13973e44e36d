"""Screens are laid out and painted once when they are opened, and still whenever there is a reason."""

from typing import Any

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.screen import Screen
from textual.widget import Widget

from scoville_client.tui.textual_hooks.screen import BottomScreen, HookedScreen
from tests.support.screens import at_the_screen


class Counted:
    """Counts layouts by kind of screen, and paintings of whole screens."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.layouts: list[str] = []
        self.widgets_drawn = 0
        lay_out, render = Screen._refresh_layout, Widget.render_lines

        def counted(screen: Screen[Any], *arguments: Any, **options: Any) -> None:
            self.layouts.append(type(screen).__name__)
            lay_out(screen, *arguments, **options)

        def drawn(widget: Widget, *arguments: Any) -> Any:
            self.widgets_drawn += 1
            return render(widget, *arguments)

        monkeypatch.setattr(Screen, "_refresh_layout", counted)
        monkeypatch.setattr(Widget, "render_lines", drawn)

    def begin(self) -> None:
        self.layouts.clear()
        self.widgets_drawn = 0


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


async def test_a_dialog_is_laid_out_twice(counted: Counted) -> None:
    async with at_the_screen() as player:
        await player.sees("Practise")
        counted.begin()
        await player.press("?")
        await player.until(lambda: player.sees_dialog("HelpDialog"))
        await player.pilot.pause()
        assert counted.layouts.count("HelpDialog") <= 3
        assert counted.widgets_drawn > 0


async def test_the_screen_beneath_all_others_costs_nothing(counted: Counted) -> None:
    async with at_the_screen() as player:
        await player.sees("Practise")
        assert isinstance(player.app.screen_stack[0], BottomScreen)
        assert "Screen" not in counted.layouts


async def test_another_size_is_a_reason(counted: Counted) -> None:
    async with at_the_screen() as player:
        await player.press("?")
        await player.until(lambda: player.sees_dialog("HelpDialog"))
        counted.begin()
        await player.pilot.resize_terminal(100, 30)
        await player.until(lambda: "HelpDialog" in counted.layouts)
        assert player.app.screen.size == (100, 30)
        await player.press("escape")
        await player.sees("Practise")
        assert player.app.screen.size == (100, 30)
        assert len(player.text.splitlines()) == 30


def test_the_hooks_are_textuals() -> None:
    for owner, name in [
        (App, "_get_screen"),
        (App, "get_default_screen"),
        (App, "_register"),
        (Screen, "_on_screen_resume"),
        (Screen, "_screen_resized"),
        (Screen, "_refresh_layout"),
        (Widget, "mount_composed_widgets"),
        (Compositor, "render_full_update"),
    ]:
        assert hasattr(owner, name), f"Textual's {owner.__name__} has no {name} any more"
    assert {"_disable_tooltips", "_disable_notifications"} <= {*vars(App())}
    assert {"_on_screen_resume", "_screen_resized", "mount_composed_widgets"} <= {*vars(HookedScreen)}
