"""Asks what a new table should play, in plain words."""

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from scoville_client.actions import bindings
from scoville_client.clocks import clock_terms
from scoville_client.language import told, words
from scoville_client.screens.page import Dialog, TooSmall, keys
from scoville_client.widgets.menu import Item, Menu
from scoville_client.wishes import parse_clock
from scoville_shared.kit.phrases import Phrase
from scoville_shared.wire.messages import GameInfo, TableClock

_MOST = 9
"""Larger numbers are no matter for two keys; they keep their default here."""

_WORDS = {
    "cycles": Phrase("Cycles"),
    "open_won": Phrase("Won peppers open"),
    "take_back": Phrase("May take back"),
    "rounds": Phrase("Rounds"),
    "open_chips": Phrase("Chips open"),
    "show_removed": Phrase("Show removed"),
    "tactical": Phrase("Tactical"),
    "points": Phrase("Points to win"),
    "extended": Phrase("Roots, remainder"),
    "zero": Phrase("Zero allowed"),
    "die_scores": Phrase("Scores 1 to 12"),
    "shuffle": Phrase("Shuffle Hot Pile"),
}
"""The options of the games that are at home here; those of others are shown by their names."""


_CLOCKS = ("off", "15", "30", "60", "120", "300+5", "600+10", "1800+15")
"""The clocks to choose from, as `wishes.parse_clock` reads them."""


class Wish(NamedTuple):
    """A table to open; `clock` is its thinking time as `wishes.parse_clock` reads it."""

    game: str
    seats: int
    options: dict[str, bool | int]
    clock: dict[str, float]


class CreateDialog(Dialog[Wish | None]):
    """Left and right change the marked line; Enter opens the table. None when no table is wanted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("create") if binding.action in {"up", "down"}],
        Binding("escape,q", "back", show=False),
        Binding("left", "change(-1)", show=False),
        Binding("right,space", "change(1)", show=False),
        Binding("enter", "done", show=False, priority=True),
    ]

    def __init__(self, games: list[GameInfo], first: str) -> None:
        super().__init__()
        self._games = games
        self._number, self._seats, self._clock = 0, 0, 0
        self._options: dict[str, bool | int] = {}
        self._choose(next((number for number, game in enumerate(games) if game.slug == first), 0))

    def compose(self) -> ComposeResult:
        """Arrange the list."""
        with Vertical(classes="box wide"):
            yield Static(words("A new table"), classes="heading")
            yield Menu(self._items(), label_width=18)
            yield Static(self._keys(), classes="keys")
        yield TooSmall()

    def _keys(self) -> Content:
        return keys(
            ("↑ ↓", words("line")),
            ("← →", words("change")),
            (words("Enter"), words("open it")),
            (words("Esc"), words("back")),
        )

    def action_back(self) -> None:
        """Open no table."""
        self.dismiss(None)

    def action_done(self) -> None:
        """Open the table."""
        self.dismiss(Wish(self._game.slug, self._seats, self._options, self._time))

    def action_change(self, step: int) -> None:
        """Change what the marked line says."""
        menu = self.query_one(Menu)
        line = menu.items[menu.index].id
        if line == "game":
            self._choose((self._number + step) % len(self._games))
        elif line == "seats":
            fewest, most = self._game.seats
            self._seats = min(max(self._seats + step, fewest), most)
        elif line == "clock":
            self._clock = (self._clock + step) % len(_CLOCKS)
        else:
            self._options[line] = _changed(self._options[line], step)
        menu.fill(self._items())

    @property
    def _time(self) -> dict[str, float]:
        return parse_clock(_CLOCKS[self._clock])

    @property
    def _game(self) -> GameInfo:
        return self._games[self._number]

    def _choose(self, number: int) -> None:
        self._number = number
        game = self._game
        self._seats = min(max(4, game.official[0]), game.official[1])
        self._options = {
            key: value for key, value in game.options.items() if isinstance(value, bool | int) and value <= _MOST
        }

    def _items(self) -> list[Item]:
        fewest, most = self._game.official
        unofficial = "" if fewest <= self._seats <= most else f"  ({words('unofficial')})"
        return [
            Item("game", words("Game"), f"◂ {self._game.title} ▸"),
            Item("seats", words("Seats"), f"◂ {self._seats} ▸{unofficial}"),
            *[Item(key, _words(key), f"◂ {_value(value)} ▸") for key, value in self._options.items()],
            Item("clock", words("Thinking time"), f"◂ {clock_terms(TableClock(**self._time))} ▸"),
        ]


def _changed(value: bool | int, step: int) -> bool | int:
    return not value if isinstance(value, bool) else min(max(value + step, 1), _MOST)


def _words(key: str) -> str:
    known = _WORDS.get(key)
    return key.replace("_", " ").capitalize() if known is None else told(known)


def _value(value: bool | int) -> str:
    return words("yes" if value else "no") if isinstance(value, bool) else str(value)
