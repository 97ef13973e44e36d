"""Welcome of a user who begins with a game against bots: the aim of each game, and guided rounds before the first."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.game_text import game_tagline
from scoville_client.i18n.language import tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.start_options import Start
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_outside import guard


def welcome_user(shell: Shell, start: Start, open_connection: Callable[[Start], None]) -> None:
    """Say what the games are about, and offer guided rounds, before the first game begins."""

    def go_on(chosen: str | None) -> None:
        shell.settings.note_first_start()
        if chosen == "tutorial":
            shell.navigation.open_tutorial(start.game)
        elif chosen == "play":
            open_connection(start)

    shell.show_notice("")
    shell.open_dialog(WelcomeDialog(start.game), go_on)


class _Aims(CanvasWidget):
    """Shows each game with its aim in one sentence; the one that is about to be played is marked."""

    def __init__(self, game: str) -> None:
        super().__init__(classes="aims")
        self._game = game

    def draw(self, width: int, height: int) -> Canvas:
        canvas, y = Canvas(width, height), 0
        slugs = sorted(guard.list_usable(), key=lambda slug: slug != self._game)
        written = [(slug, list(wrap_lines(game_tagline(slug), width - 2))) for slug in slugs]
        apart = sum(2 + len(rows) for _, rows in written) <= height
        for slug, rows in written:
            mark = "▸" if slug == self._game else " "
            canvas.put(0, y, f"{mark} {guard.load_game(slug).info.title}", "title")
            for offset, row in enumerate(rows, 1):
                canvas.put(2, y + offset, row, "text")
            y += 1 + len(rows) + apart
        return canvas


class WelcomeDialog(Dialog[str]):
    """Returns "play", "tutorial" or "menu"."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,p", "choose('play')", show=False),
        Binding("g", "choose('tutorial')", show=False),
        Binding("escape,q", "choose('menu')", show=False),
        Binding("r", "do('rules')", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, game: str) -> None:
        super().__init__()
        self._game = game

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide tall"):
            yield LiveText(lambda: tr("Welcome! These games are played here:"), classes="heading")
            yield _Aims(self._game)
            yield KeyHints(
                lambda: (
                    ("g", tr("two guided rounds")),
                    (tr("Enter"), tr("play against bots")),
                    ("L", tr("language")),
                    (tr("Esc"), tr("menu")),
                )
            )
        yield TooSmall()

    def action_choose(self, chosen: str) -> None:
        self.dismiss(chosen)
