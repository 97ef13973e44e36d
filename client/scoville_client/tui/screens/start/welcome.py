"""Welcome of a user who begins with a game against bots: the aim of each game, and guided rounds before the first."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import tr
from scoville_client.session.start_options import Start
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.reading import about_game, about_in_short, picture_of_game
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_outside import guard


def welcome_user(shell: Shell, start: Start, open_connection: Callable[[Start], None]) -> None:
    """Describe the games, and offer guided rounds, before the first game begins."""

    def go_on(chosen: str | None) -> None:
        shell.settings.note_first_start()
        if chosen == "tutorial":
            shell.navigation.open_tutorial(start.game)
        elif chosen == "play":
            open_connection(start)

    shell.show_notice("")
    shell.open_dialog(WelcomeDialog(start.game), go_on)


class _Aims(CanvasWidget):
    """Shows each game with its aim, and a picture of its rules where there is room; the one to be played is marked."""

    def __init__(self, game: str) -> None:
        super().__init__(classes="aims")
        self._game = game

    def draw(self, width: int, height: int) -> Canvas:
        canvas, y = Canvas(width, height), 0
        slugs = sorted(guard.list_usable(), key=lambda slug: slug != self._game)
        parts = {slug: about_game(slug, guard.load_game(slug).info.title, width - 2) for slug in slugs}
        if sum(map(len, parts.values())) > height:
            parts = {slug: about_in_short(slug, guard.load_game(slug).info.title, width - 2) for slug in slugs}
        free = height - sum(map(len, parts.values()))
        for slug in slugs:
            picture = picture_of_game(slug, width - 2)
            if picture and len(picture) < free:
                parts[slug] += [[], *picture]
                free -= len(picture) + 1
        apart = 1 if free >= len(slugs) - 1 else 0
        for slug, rows in parts.items():
            canvas.put(0, y, "▸" if slug == self._game else " ", "title")
            for row in rows:
                column = 2
                for style, text in row:
                    column = canvas.put(column, y, text, style)
                y += 1
            y += apart
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
