"""A table that is being thought up: the game, its seats and options, how long one may think, who the bots are."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoville_client.clocks import clock_terms
from scoville_client.language import told, words
from scoville_client.start import DEFAULT_GAME, USUAL_PLAYERS
from scoville_client.wishes import parse_clock
from scoville_shared.bots.base import USUAL, strengths
from scoville_shared.games import registry
from scoville_shared.kit.phrases import Phrase
from scoville_shared.wire.messages import GameInfo, TableClock

_FAR = 100
"""Numbers from here on go by steps of their own size; the digits between can be typed."""
_DIGITS = 6

_OPTIONS = {
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
    "cap": Phrase("Largest total"),
    "die_scores": Phrase("Scores 1 to 12"),
    "shuffle": Phrase("Shuffle Hot Pile"),
    "turn_limit": Phrase("Turn limit"),
}
"""The options of the games that are at home here; those of others are shown by their names."""

_BOTS = {"greedy": Phrase("sensible"), "random": Phrase("play at random")}
_CLOCKS = ("off", "15", "30", "60", "120", "300+5", "600+10", "1800+15")
"""The clocks to choose from, as `wishes.parse_clock` reads them."""


class Wish(NamedTuple):
    """A table to open; `clock` is its thinking time as `wishes.parse_clock` reads it, `bots` a strength."""

    game: str
    seats: int
    options: dict[str, bool | int]
    clock: dict[str, float]
    bots: str


class Line(NamedTuple):
    """A line of the draft: its id, what it is about, and what it says now."""

    id: str
    label: str
    value: str


def offered() -> list[GameInfo]:
    """Describe the games that are installed here as a server does, the usual one first."""
    return [_info(slug) for slug in sorted(registry.slugs(), key=lambda slug: slug != DEFAULT_GAME)]


class Draft:
    """Starts from what the game `first` usually is; `wish` is what it has come to."""

    def __init__(self, games: Sequence[GameInfo], first: str) -> None:
        self._games = games
        self._number, self._seats, self._clock, self._bots = 0, 0, 0, USUAL
        self._options: dict[str, bool | int] = {}
        self._typed = ("", "")
        self._choose(next((number for number, game in enumerate(games) if game.slug == first), 0))

    @property
    def wish(self) -> Wish:
        """The table as it stands."""
        return Wish(self._game.slug, self._seats, self._options, parse_clock(_CLOCKS[self._clock]), self._bots)

    def lines(self) -> Iterator[Line]:
        """Write the draft down."""
        fewest, most = self._game.official
        unofficial = "" if fewest <= self._seats <= most else f"  ({words('unofficial')})"
        yield Line("game", words("Game"), self._game.title)
        yield Line("seats", words("Seats"), f"{self._seats}{unofficial}")
        for key, value in self._options.items():
            yield Line(key, _named(key), _written(value))
        yield Line("clock", words("Thinking time"), clock_terms(TableClock(**self.wish.clock)))
        yield Line("bots", words("Bots"), told(_BOTS[self._bots]) if self._bots in _BOTS else self._bots)

    def change(self, line: str, step: int) -> None:
        """Go one step on or back in what a line says."""
        self._typed = ("", "")
        match line:
            case "game":
                self._choose((self._number + step) % len(self._games))
            case "seats":
                fewest, most = self._game.seats
                self._seats = min(max(self._seats + step, fewest), most)
            case "clock":
                self._clock = (self._clock + step) % len(_CLOCKS)
            case "bots":
                known = strengths(self._game.slug)
                self._bots = known[(known.index(self._bots) + step) % len(known)]
            case _:
                self._options[line] = _changed(self._options[line], step)

    def type(self, line: str, digit: str) -> None:
        """Take a digit of a number; another line begins another number."""
        before = self._typed[1] if self._typed[0] == line else ""
        typed = (before + digit)[:_DIGITS]
        fewest, most = self._game.seats
        if line == "seats" and fewest <= int(typed) <= most:
            self._seats = int(typed)
        elif _is_number(self._options.get(line)):
            self._options[line] = int(typed)
            self._typed = (line, typed)

    def erase(self, line: str) -> None:
        """Take the last digit of a number away."""
        value = self._options.get(line)
        if _is_number(value):
            self._options[line] = int(str(value)[:-1] or 0)
            self._typed = (line, str(value)[:-1])

    @property
    def _game(self) -> GameInfo:
        return self._games[self._number]

    def _choose(self, number: int) -> None:
        self._number = number
        fewest, most = self._game.official
        self._seats = min(max(USUAL_PLAYERS, fewest), most)
        self._options = {key: value for key, value in self._game.options.items() if isinstance(value, bool | int)}
        if self._bots not in strengths(self._game.slug):
            self._bots = USUAL


def _info(slug: str) -> GameInfo:
    game = registry.load(slug)
    return GameInfo(
        slug=slug,
        title=game.info.title,
        seats=game.info.seats,
        official=game.info.official,
        rules_version=game.info.rules_version,
        options=game.codec.plain(game.codec.options({})),
    )


def _is_number(value: bool | int | None) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _changed(value: bool | int, step: int) -> bool | int:
    if isinstance(value, bool):
        return not value
    size = 10 ** (len(str(value)) - 1) if value > _FAR else 1
    return max(value + step * size, 1)


def _named(key: str) -> str:
    known = _OPTIONS.get(key)
    return key.replace("_", " ").capitalize() if known is None else told(known)


def _written(value: bool | int) -> str:
    return words("yes" if value else "no") if isinstance(value, bool) else str(value)
