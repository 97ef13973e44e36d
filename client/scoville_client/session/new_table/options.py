"""Draft of a new table: game, seats, options, clock, bots and settings."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import UNSET, convert
from msgspec.structs import replace

from scoville_client.i18n.clock_text import clock_terms, night_terms
from scoville_client.i18n.game_text import (
    game_tagline,
    is_described,
    option_choices,
    option_help,
    option_name,
    option_range,
)
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.option_text import add_equal_bots, bot_levels, list_equal_bots, option_value
from scoville_client.session.new_table.adaptive_bots import ADAPTIVE
from scoville_client.session.new_table.option_input import fault_of, find_local_zone, parse_clock, parse_night
from scoville_client.session.new_table.settings import TableSettingsDraft
from scoville_client.session.start_options import DEFAULT_GAME, USUAL_PLAYERS
from scoville_outside import guard
from scoville_shared.bots.registry import find_bot, list_levels
from scoville_shared.engine.phrases import Phrase
from scoville_shared.game_info import describe_game
from scoville_shared.games import registry
from scoville_shared.protocol.messages import GameInfo, TableClock

_FAR = 100
"""Value from which a number changes in larger steps; any value can be typed."""
_DIGITS = 6

_CLOCKS = ("off", "15", "30", "60", "120", "300+5", "600+10", "1800+15")
"""Clocks to choose from, in the form of `option_input.parse_clock`."""
_DAYS = ("1d", "2d", "3d", "7d")
"""Clocks of games by correspondence, in the same form; alone and against bots nobody needs them."""
_NIGHTS = ("off", "22-7", "23-7", "23-8", "0-8")
"""Nights to choose from, in the form of `option_input.parse_night`."""
_ABOUT = {
    "seats": Phrase("Number of players; bots take the free seats."),
    "clock": Phrase("When it is over, a bot makes the move. 30 is seconds a move, 300+5 a game."),
    "night": Phrase("Hours in which no clock runs, by the time of this machine."),
}
_NUMBER, _CLOCK = "0123456789", "0123456789+d"


Setting = bool | int | str | None
"""The value of an option; None where a number has no limit."""


class NewTable(NamedTuple):
    """A table to create; `clock` is in the form of `option_input.parse_clock`.

    `settings` holds the table settings that differ from the default; an empty `password` means none.
    """

    game: str
    seats: int
    options: dict[str, Setting]
    clock: dict[str, Any]
    settings: dict[str, Any]
    password: str


class Line(NamedTuple):
    """A line of the draft: its id, its label and its value as text."""

    id: str
    label: str
    value: str


def list_offered_games() -> list[GameInfo]:
    """Return the installed games as a server describes them, the default one first."""
    slugs = sorted(guard.list_usable(), key=lambda slug: slug != DEFAULT_GAME)
    return [describe_game(guard.load_game(slug)) for slug in slugs]


class Draft:
    """A table to create, beginning with the defaults of the game `first`; `table` is the result.

    `shared` adds the table settings: access, spectators and how the game starts. Bots move at the pace `pace_ms`.
    """

    def __init__(self, games: Sequence[GameInfo], first: str, *, shared: bool = False, pace_ms: int = 0) -> None:
        self._games = games
        self._number, self._seats, self._clock, self._night = 0, 0, _CLOCKS[0], _NIGHTS[0]
        self._options: dict[str, Setting] = {}
        self._typed = ("", "")
        self._settings = TableSettingsDraft(pace_ms)
        self._shared = shared
        self._choose_game(next((number for number, game in enumerate(games) if game.slug == first), 0))

    @property
    def table(self) -> NewTable:
        """The table as it is set now."""
        settings = self._settings
        return NewTable(self._game.slug, self._seats, self._options, self._terms, settings.changed, settings.password)

    def find_fault(self) -> str | None:
        """Return why the table cannot be opened like this; None if it can."""
        return self._find_fault(self._options)

    def list_lines(self) -> Iterator[Line]:
        """Return the lines of the draft."""
        fewest, most = self._game.official_range
        unofficial = "" if fewest <= self._seats <= most else f"  ({tr('unofficial')})"
        yield Line("game", tr("Game"), self._game.title)
        yield Line("seats", tr("Seats"), f"{self._seats}{unofficial}")
        for key, value in self._options.items():
            yield Line(key, option_name(self._game.slug, key), option_value(value, self._game.slug, key))
        yield Line("clock", tr("Thinking time"), self._clock_value())
        if self._table_clock.by_days:
            yield Line("night", tr("Night"), night_terms(self._table_clock.night) or tr("off"))
        yield Line("bots", tr("Bots"), bot_levels(self._settings.settings))
        if self._shared:
            yield from (Line(*line) for line in self._settings.list_lines(self._table_clock))

    @property
    def most_lines(self) -> int:
        """The number of lines of the game with the most options, with the settings that are shown now."""
        others = sum(1 for _ in self.list_lines()) - len(self._options)
        return others + max(len(_list_switchable(game)) for game in self._games)

    def explain_line(self, line: str) -> str:
        """Explain a line, or the level of the bots; bots that are not installed here are not known."""
        settings = self._settings.settings
        level = settings.bot_level
        if line in _ABOUT:
            return render(_ABOUT[line])
        if line == "game":
            return game_tagline(self._game.slug)
        if line == "absent_level":
            about = self._settings.explain_line(line)
            return add_equal_bots(about, self._game.slug, self._seats, settings.absent_level or level)
        if line != "bots":
            return self._settings.explain_line(line) or option_help(self._game.slug, line)
        known = level in list_levels(self._game.slug)
        described = [render(find_bot(self._game.slug, level).description)] if known else []
        if level == ADAPTIVE:
            described = [tr("become better when you win, so that you win about two games of five")]
        if equal := list_equal_bots(self._game.slug, self._seats, level):
            # In place of the digits, for which there is no room left: the keys below the list show them, too.
            return "; ".join([*described, equal])
        varied = [tr("{first} to {last}: another level for that seat", first=1, last=self._seats)]
        return "; ".join([*described, *(varied if len(self._game.levels) > 1 else [])])

    def takes_character(self, line: str, char: str) -> bool:
        """Whether a character can be typed on a line."""
        if self._settings.has_line(line):
            return self._settings.takes_character(line, char)
        if line == "clock":
            return char in _CLOCK
        if line == "bots":
            return char in _NUMBER and 1 <= int(char) <= self._seats
        return char in _NUMBER and (line == "seats" or self._is_number(line))

    def change_line(self, line: str, step: int) -> None:
        """Change the value of a line by one step, forwards or backwards."""
        self._typed = ("", "")
        match line:
            case "game":
                self._choose_game((self._number + step) % len(self._games))
            case "seats":
                fewest, most = self._game.seat_range
                self._seats = min(max(self._seats + step, fewest), most)
            case "clock":
                clocks = (*_CLOCKS, *_DAYS) if self._shared else _CLOCKS
                self._clock = _next_of(clocks, self._clock, step)
            case "night":
                self._night = _next_of(_NIGHTS, self._night, step)
            case "bots":
                self._settings.change_level(self._levels, step)
            case "absent_level":
                self._settings.change_absent_level(self._game.levels, step)
            case _ if self._settings.has_line(line):
                self._settings.change_line(line, step)
            case _:
                self._step_option(line, step)

    def type_character(self, line: str, char: str) -> None:
        """Type a character of a number, a clock or a password; on another line a new number begins."""
        if self._settings.has_line(line):
            self._settings.type_character(line, char)
            return
        if line == "bots":
            self._settings.vary_level(self._game.levels, int(char) - 1)
            return
        # A number that was stepped to is not continued: the first digit begins another one.
        typed = (self._typed[1] if self._typed[0] == line else "") + char
        fewest, most = self._game.seat_range
        if line == "clock":
            self._type_clock(typed)
        elif line == "seats" and fewest <= int(typed[-_DIGITS:]) <= most:
            self._seats = int(typed[-_DIGITS:])
        elif self._is_number(line):
            self._options[line] = self._number_of(line, typed[:_DIGITS])
            self._typed = (line, typed[:_DIGITS])

    def erase_character(self, line: str) -> None:
        """Delete the last character."""
        if self._settings.has_line(line):
            self._settings.erase_character(line)
        elif line == "clock":
            self._type_clock(self._typed[1][:-1] if self._typed[0] == line else "")
        elif self._is_number(line):
            left = str(self._options[line] or 0)[:-1]
            self._options[line] = self._number_of(line, left)
            self._typed = (line, left)

    # --- numbers ----------------------------------------------------------------------------------------

    def _is_number(self, key: str) -> bool:
        """Whether an option is a number, or was one before it became unlimited."""
        if option_choices(self._game.slug, key):
            return False
        usual = self._game.options.get(key)
        return isinstance(usual, int) and not isinstance(usual, bool)

    def _step_option(self, key: str, step: int) -> None:
        """Change an option by a step, within the bounds of the game."""
        now = self._options[key]
        few = option_choices(self._game.slug, key)
        if few and isinstance(now, int | str):
            self._options[key] = few[(few.index(now) + step) % len(few)] if now in few else few[0]
            return
        if not isinstance(now, int) and now is not None:
            return
        if not self._is_number(key):
            self._options[key] = not now
            return
        then = self._game.options[key] if now is None else _step_number(now, step)
        if self._find_fault({key: then}) is not None:
            # Below the least number comes no limit, where the game allows that: no digit stands for it.
            then = None if step < 0 and self._find_fault({key: None}) is None else now
        self._options[key] = then

    def _number_of(self, key: str, digits: str) -> int | None:
        """Return a typed number; nothing typed means no limit, where the game allows that."""
        number = int(digits or 0)
        return None if number == 0 and self._find_fault({key: 0}) and not self._find_fault({key: None}) else number

    def _find_fault(self, options: dict[str, Setting]) -> str | None:
        """Return why options are not allowed; what this client does not know of them, the server judges."""
        slug = self._game.slug
        # A game of another package has no bounds that this client could know without its rules.
        if not is_described(slug):
            return fault_of(slug, options) if slug in registry.list_slugs() else None
        for key, value in options.items():
            bounds = option_range(slug, key)
            if bounds is not None and not (isinstance(value, int) and bounds[0] <= value <= bounds[1]):
                least, most = bounds
                label = option_name(slug, key)
                return tr("{option} must be from {least} to {most}.", option=label, least=least, most=most)
        return None

    # --- the clock --------------------------------------------------------------------------------------

    def _type_clock(self, typed: str) -> None:
        """Accept typed text as long as it can still become a clock; nothing and 0 mean no limit."""
        try:
            self._clock = typed if any(parse_clock(typed or "off").values()) else "off"
        except ValueError:
            # "300+" is no clock yet, and the only way to 300+5.
            if not (typed.endswith("+") and typed.count("+") == 1 and typed != "+"):
                return
        self._typed = ("clock", typed)

    def _clock_value(self) -> str:
        if self._typed[0] == "clock" and self._typed[1].endswith("+"):
            return f"{self._typed[1]}_"
        # Without the night, which has a line of its own.
        return tr("no limit") if self._clock == "off" else clock_terms(replace(self._table_clock, night=UNSET))

    @property
    def _table_clock(self) -> TableClock:
        """The clock as it is set now; one that is being typed counts as far as it is complete."""
        return convert(self._terms, TableClock)

    @property
    def _terms(self) -> dict[str, Any]:
        """The fields of TableClock that differ from the default."""
        clock = parse_clock(self._clock)
        night = parse_night(self._night, find_local_zone())
        return {**clock, **night} if convert(clock, TableClock).by_days else clock

    # --- the game ---------------------------------------------------------------------------------------

    @property
    def _levels(self) -> list[str]:
        """The levels for all bots: those of the game, and adaptive ones where there is something to choose from."""
        levels = self._game.levels
        return [*levels, ADAPTIVE] if len(levels) > 1 else levels

    @property
    def _game(self) -> GameInfo:
        return self._games[self._number]

    def _choose_game(self, number: int) -> None:
        self._number = number
        fewest, most = self._game.official_range
        self._seats = min(max(USUAL_PLAYERS, fewest), most)
        self._options = _list_switchable(self._game)
        self._settings.fit_levels(self._levels)


def _list_switchable(game: GameInfo) -> dict[str, Setting]:
    """Return the options that can be changed on a line: switches, numbers, and short lists of values."""
    return {
        key: value
        for key, value in game.options.items()
        if isinstance(value, bool | int) or (isinstance(value, str) and option_choices(game.slug, key))
    }


def _next_of(choices: Sequence[str], now: str, step: int) -> str:
    """Return the next of some choices; from a typed one, the one after the first."""
    # A typed clock is none of the choices, and has no neighbours among them.
    return choices[((choices.index(now) if now in choices else 0) + step) % len(choices)]


def _step_number(value: int, step: int) -> int:
    # By its leading digit: nobody presses a key two hundred times.
    size = 10 ** (len(str(value)) - 1) if value > _FAR else 1
    return max(value + step * size, 0)
