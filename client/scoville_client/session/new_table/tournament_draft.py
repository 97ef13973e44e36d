"""Draft of a new tournament: its format, its name, how long it is and when it starts, and the tables of its games."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from scoville_client.i18n import tournament_text
from scoville_client.i18n.game_text import game_tagline
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.option_text import add_equal_bots, level_name
from scoville_client.session.new_table.option_input import read_time_until
from scoville_client.session.new_table.options import Draft, Line
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import MOST_TEAM, SHORT_CHARACTERS, TOURNAMENT_ROUNDS, ClubInfo, GameInfo

_MINUTE_MS: Final = 60_000
_WAITS: Final = (5, 10, 15, 30, 60, 120)
"""Minutes until the start to choose from."""
_LENGTHS: Final = (15, 30, 45, 60, 90, 120)
"""Minutes of an arena to choose from."""
_TIME_LENGTH: Final = len("2026-12-24T20:30")
_NO_OPTIONS: Final = ("game", "seats", "clock", "bots", "night")
"""Lines of the draft of a table that are no options of its game."""
_ABOUT: Final = {
    "name": Phrase("Type a name, which everybody here reads."),
    "seats": Phrase("Players at each table. Bots take seats that stay free."),
    "length": Phrase("How long it takes. There is no need to stay until the end."),
    "teams": Phrase("Members of a team have the sum of their points."),
    "start": Phrase("Choose with the arrows, or type a time of day such as 20:30."),
    "clock": Phrase("Type 30 for seconds a move, or 300+5 for a game."),
    "level": Phrase("How well the bots play that take free seats."),
}


class TournamentDraft:
    """A tournament to call, of the `club` if there is one; `fields` are those of its request."""

    def __init__(
        self, games: Sequence[GameInfo], first: str, club: ClubInfo | None = None, clock: Clock = SYSTEM
    ) -> None:
        self._table = Draft(games, first)
        self._games = {game.slug: game for game in games}
        self._club = club
        self._date_ms = clock.date_ms
        self._format = "swiss"
        self._name = ""
        self._rounds, self._minutes, self._team_size, self._wait = 4, 45, 0, 15
        self._time = ""
        """The typed part of a time of day; empty for a number of minutes."""
        self._level = ""

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the request. Raises ValueError for a time that is none."""
        table, of_format = self._table.table, self._format
        return {
            "format": of_format,
            "name": self._name.strip() or tr("Tournament"),
            "game": table.game,
            "options": table.options,
            "seat_count": table.seats,
            "starts_in_ms": self._find_wait_ms(),
            **{field: value for field, value in self._length_fields.items() if value is not None},
            **({"team_size": self._team_size} if of_format == "duplicate" else {}),
            **({"level": self._level_now} if self._level_now else {}),
            **({"clock": table.clock} if table.clock else {}),
            **({} if self._club is None else {"club": self._club.club}),
        }

    def find_fault(self) -> str | None:
        """Return why the tournament cannot be called like this; None if it can."""
        try:
            self._find_wait_ms()
        except ValueError as error:
            return str(error)
        return self._table.find_fault()

    @property
    def most_lines(self) -> int:
        """The number of lines of the format and the game with the most."""
        # The format, the name, the length, teams, the start and the level; the table has bots for the last one.
        return self._table.most_lines + 5

    def list_lines(self) -> Iterator[Line]:
        """Return the lines: what it is, then its tables."""
        yield Line("format", tr("Format"), tournament_text.name_of_format(self._format))
        yield Line("name", tr("Name"), self._name or tr("Tournament"))
        lines = {line.id: line for line in self._table.list_lines()}
        yield lines["game"]
        if length := tournament_text.write_length(self._format, **self._length_fields):
            yield Line("length", tr("Length"), length)
        yield Line("start", tr("Start"), self._start_text())
        yield lines["seats"]._replace(label=tr("Players a table"))
        if self._format == "duplicate":
            yield Line("teams", tr("Teams"), tr("of {n}", n=self._team_size) if self._team_size else tr("none"))
        clock = lines["clock"]
        yield clock if self._table.table.clock else clock._replace(value=tr("as in quick matches"))
        yield Line("level", tr("Bots"), level_name(self._level_now))
        yield from (line for line in lines.values() if line.id not in _NO_OPTIONS)

    def explain_line(self, line: str) -> str:
        """Explain a line."""
        if line == "format":
            return tournament_text.explain_format(self._format)
        if line == "game":
            return game_tagline(self._table.table.game)
        if line == "level":
            table = self._table.table
            return add_equal_bots(render(_ABOUT[line]), table.game, table.seats, self._level_now)
        return render(_ABOUT[line]) if line in _ABOUT else self._table.explain_line(line)

    def takes_character(self, line: str, char: str) -> bool:
        """Whether a character can be typed on a line."""
        if line == "name":
            return char.isprintable()
        if line == "start":
            return char in "0123456789:-T"
        return self._is_of_table(line) and self._table.takes_character(line, char)

    def change_line(self, line: str, step: int) -> None:
        """Change the value of a line by one step, forwards or backwards."""
        match line:
            case "format":
                self._format = _step_in([*tournament_text.FORMATS], self._format, step)
            case "length" if self._format == "arena":
                self._minutes = _step_in(_LENGTHS, self._minutes, step)
            case "length":
                least, most = TOURNAMENT_ROUNDS
                self._rounds = min(max(self._rounds + step, least), most)
            case "teams":
                self._team_size = _step_in((0, *range(2, MOST_TEAM + 1)), self._team_size, step)
            case "start":
                self._wait, self._time = _step_in(_WAITS, self._wait, 0 if self._time else step), ""
            case "level":
                self._level = _step_in(self._levels, self._level_now, step)
            case "name":
                pass  # it is only typed
            case _:
                self._table.change_line(line, step)

    def type_character(self, line: str, char: str) -> None:
        """Type a character of the name, a time or a number."""
        if line == "name":
            self._name = (self._name + char)[:SHORT_CHARACTERS]
        elif line == "start":
            self._time = (self._time + char)[:_TIME_LENGTH]
        else:
            self._table.type_character(line, char)

    def erase_character(self, line: str) -> None:
        """Delete the last character."""
        if line == "name":
            self._name = self._name[:-1]
        elif line == "start":
            self._time = self._time[:-1]
        elif self._is_of_table(line):
            self._table.erase_character(line)

    def _is_of_table(self, line: str) -> bool:
        return line not in ("format", "length", "teams", "level")

    def _find_wait_ms(self) -> int:
        """Return the milliseconds until the start. Raises ValueError for a time that is none."""
        return read_time_until(self._time, self._date_ms()) if self._time else self._wait * _MINUTE_MS

    def _start_text(self) -> str:
        if self._time:
            return f"{self._time}_"
        return tr("in {time}", time=tournament_text.write_minutes(self._wait))

    @property
    def _length_fields(self) -> dict[str, int | None]:
        """Return the length as the format counts it: minutes or rounds; a knock-out has none."""
        return {
            "round_count": self._rounds if self._format in ("swiss", "duplicate") else None,
            "lasts_ms": self._minutes * _MINUTE_MS if self._format == "arena" else None,
        }

    @property
    def _levels(self) -> Sequence[str]:
        return self._games[self._table.table.game].levels

    @property
    def _level_now(self) -> str:
        """The chosen level, or the usual one where the game does not have it."""
        levels = self._levels
        if self._level in levels or not levels:
            return self._level if levels else ""
        return "sensible" if "sensible" in levels else levels[0]


def _step_in(choices: Sequence[Any], now: Any, step: int) -> Any:
    """Return the choice so many steps further, round about."""
    return choices[(choices.index(now) + step) % len(choices)]
