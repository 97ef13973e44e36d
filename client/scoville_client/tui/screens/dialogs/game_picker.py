"""Game picker: a game, and on request its options."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.widgets import Static

from scoville_client.i18n.game_text import game_tagline
from scoville_client.i18n.language import tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.new_table.options import list_offered_games
from scoville_client.session.start_options import Start
from scoville_client.tui.drawing.canvas import Canvas, fit_text
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.create_table import CreateDialog
from scoville_client.tui.screens.dialogs.dialog import Dialog, columns_of_box
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tutorial.lesson import has_lesson
from scoville_shared.protocol.messages import GameInfo

_INDENT = 6
_ROWS = 3
_AROUND = 8
"""Rows of the terminal around the games: the edges of the box, its heading and its keys."""


class GameMenu(Menu):
    """A menu with three rows for each game, or as many as what it is about needs, where all have room."""

    def __init__(self, items: list[Item], first: str) -> None:
        super().__init__(items, at_once=True)
        self.index = next((number for number, item in enumerate(items) if item.id == first), 0)

    def fit_rows(self, columns: int, rows: int) -> None:
        """Take the rows that all games need in `columns`, at most so many: further games come as the mark moves on."""
        self.styles.height = max(_ROWS, min(sum(self._list_heights(columns, rows)), rows))

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        heights = self._list_heights(width, height)
        room = len(heights) if sum(heights) <= height else max(1, height // _ROWS)
        first = max(0, min(self.index - room + 1, len(self.items) - room))
        y = 0
        for row, item in enumerate(self.items[first : first + room]):
            rows, marked = heights[first + row], first + row == self.index
            canvas.link(0, y, width, rows - 1, item.id)
            canvas.put(1, y, "▸" if marked else " ", "target")
            canvas.put(3, y, item.label, "title" if marked else "text")
            lines = list(wrap_lines(item.more, width - _INDENT))
            if len(lines) >= rows:
                lines[rows - 2] = fit_text(f"{lines[rows - 2]} …", width - _INDENT)
            for offset, line in enumerate(lines[: rows - 1]):
                canvas.put(_INDENT, y + 1 + offset, line, "text" if marked else "muted")
            y += rows
        return canvas

    def _list_heights(self, columns: int, rows: int) -> list[int]:
        """List the rows of each game: a title and all lines of what it is about, or three where those have no room."""
        whole = [max(_ROWS, 1 + len(list(wrap_lines(item.more, columns - _INDENT)))) for item in self.items]
        return whole if sum(whole) <= rows else [_ROWS] * len(self.items)


class GameChoice(NamedTuple):
    """The slug of a game, and whether the user wants to see its options first."""

    game: str
    options: bool


class GamePickerDialog(Dialog[GameChoice | None]):
    """Returns the chosen game, or None. A letter of its title or Enter chooses a game; `options` offers its options."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("o", "options", show=False),
    ]

    def __init__(self, heading: str, games: list[GameInfo], first: str, *, options: bool = True) -> None:
        super().__init__()
        self._has_options = options
        self._heading = heading
        self._games = games
        self._first = first
        self._letters = _assign_letters(games)

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield Static(self._heading, classes="heading")
            yield GameMenu([self._make_item(game) for game in self._games], self._first)
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_resize(self) -> None:
        """Leave room for the heading and the keys."""
        self.query_one(GameMenu).fit_rows(columns_of_box(self.size.width), self.size.height - _AROUND)

    def on_key(self, event: Key) -> None:
        slug = self._letters.get(event.character or "")
        if slug is not None:
            event.stop()
            self.dismiss(GameChoice(slug, options=False))

    def on_menu_taken(self, message: Menu.Taken) -> None:
        self.dismiss(GameChoice(message.item, options=False))

    def action_options(self) -> None:
        if self._has_options:
            self.dismiss(GameChoice(self.query_one(GameMenu).marked or self._first, options=True))

    def action_back(self) -> None:
        self.dismiss(None)

    def _make_item(self, game: GameInfo) -> Item:
        letter = next((letter for letter, slug in self._letters.items() if slug == game.slug), " ")
        return Item(game.slug, f"{letter}  {game.title}", game_tagline(game.slug))

    def _list_hints(self) -> Sequence[Hint]:
        options = (("o", tr("options")),) if self._has_options else ()
        return ((tr("Enter"), tr("play")), *options, (tr("Esc"), tr("back")))


def choose_tutorial(shell: Shell, first: str) -> None:
    """Ask for one of the games with guided rounds, at first `first`, and open them."""
    games = [game for game in list_offered_games() if has_lesson(game.slug)]

    def begin(choice: GameChoice | None) -> None:
        if choice is not None:
            shell.navigation.open_tutorial(choice.game)

    shell.open_dialog(GamePickerDialog(tr("Two guided rounds"), games, first, options=False), begin)


async def ask_for_game(shell: Shell, heading: str, start: Start) -> Start | None:
    """Ask for a game, and on request for its options; returns `start` with them, or None."""
    games = list_offered_games()
    choice = await shell.ask_user(GamePickerDialog(heading, games, start.game))
    if choice is None:
        return None
    start = replace(start, game=choice.game)
    if not choice.options:
        return start
    new = await shell.ask_user(
        CreateDialog(games, choice.game, shared=start.kind == "host", calm=shell.preferences.calm)
    )
    if new is None:
        return None
    start = replace(
        start,
        game=new.game,
        players=new.seats,
        options=new.options,
        clock=new.clock,
    )
    return replace(start, settings=new.settings, password=new.password)


def _assign_letters(games: list[GameInfo]) -> dict[str, str]:
    """Give every game the first free letter of its title; o and q have other meanings here."""
    taken: dict[str, str] = {}
    for game in games:
        free = (char for char in game.title.casefold() if char.isalpha() and char not in taken and char not in "oq")
        letter = next(free, None)
        if letter is not None:
            taken[letter] = game.slug
    return taken
