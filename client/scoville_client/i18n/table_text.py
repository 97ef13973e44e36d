"""Tables of the lobby as text, sorted by what concerns the user."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from math import ceil, inf
from typing import Any, NamedTuple

from scoville_client.i18n.clock_text import short_seconds
from scoville_client.i18n.language import current_language, render, tr
from scoville_client.i18n.option_text import unusual_clock, unusual_options, unusual_settings
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import GameInfo, TableInfo

_STATES = {"waiting": Phrase("waiting"), "playing": Phrase("playing"), "finished": Phrase("over")}
_YOUR_TURN, _PAUSED, _FULL = Phrase("your turn"), Phrase("paused"), Phrase("full")


_Facts = tuple[TableInfo, GameInfo | None, int | None, str, str]
"""What a line is written from: the table, its game, the seconds until it starts, who invites, and the language."""


class Listed(NamedTuple):
    """A table in a list: `state` is one word, `urgent` means that it waits for the user, `terms` are its rules."""

    table: str
    game: str
    seats: str
    state: str
    users: str
    terms: list[str]
    urgent: bool


class Countdowns:
    """Countdowns of the listed tables, continued from the seconds in the server's last message.

    Times are monotonic seconds.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[TableInfo, float]] = {}

    @property
    def run(self) -> bool:
        """Whether any countdown runs."""
        return bool(self._seen)

    def note_tables(self, tables: Iterable[TableInfo], now: float) -> None:
        """Take over the listed tables; new values count from `now`."""
        counting = [table for table in tables if table.starts_in_ms is not None]
        self._seen = {table.table: (table, self._counts_since(table, now)) for table in counting}

    def _counts_since(self, table: TableInfo, now: float) -> float:
        known, since = self._seen.get(table.table, (None, now))
        return since if known is table else now

    def left(self, table: TableInfo, now: float) -> int | None:
        """Return the seconds until a table's countdown ends; None without one."""
        if table.starts_in_ms is None or table.table not in self._seen:
            return seconds_of(table.starts_in_ms)
        return max(0, ceil(table.starts_in_ms / 1000 - (now - self._seen[table.table][1])))


def seconds_of(duration_ms: int | None) -> int | None:
    """Round a duration in milliseconds up to seconds."""
    return None if duration_ms is None else ceil(duration_ms / 1000)


def may_sit(table: TableInfo) -> bool:
    """Whether this user may take a seat: one is open, or theirs is kept by a bot."""
    # Seats of a tournament are kept for those who play there.
    if table.status == "waiting" and table.tournament is None and any(seat.kind == "open" for seat in table.seats):
        return True
    return table.status != "finished" and table.your_seat is not None


def sort_for_user(tables: Iterable[TableInfo], invited: Container[str] = ()) -> list[TableInfo]:
    """Sort tables: the user's seats, invitations, then waiting tables, running games and finished ones.

    Among themselves they keep their order: a turn or a seat that is taken moves no table under the mark.
    """

    def rank(table: TableInfo) -> int:
        if table.your_seat is not None and table.status != "finished":
            return 0
        if table.table in invited:
            return 1
        return {"waiting": 2, "playing": 3}.get(table.status, 4)

    return sorted(tables, key=rank)


def sort_by_deadline(tables: Iterable[TableInfo], deadline_of: Callable[[str], float]) -> list[TableInfo]:
    """Sort tables by when the user's thinking time ends there; those without a clock keep their order."""
    return sorted(tables, key=lambda table: deadline_of(table.table))


def next_table_of(
    tables: Iterable[TableInfo], here: str | None, deadline_of: Callable[[str], float] = lambda _: inf
) -> TableInfo | None:
    """Return the table that this user should go to next: one with their turn, else with their seat, in a circle.

    The circle begins with the nearest deadline.
    """
    mine = [table for table in tables if table.your_seat is not None and table.status != "finished"]
    mine = sort_by_deadline(mine, deadline_of)
    others = [table for table in mine if table.table != here]
    turns = [table for table in others if table.your_turn]
    return _first_after(here, mine, turns or others)


def _first_after(here: str | None, order: list[TableInfo], some: list[TableInfo]) -> TableInfo | None:
    """Return the first of `some` that comes after the table `here` in an order, or the first of all."""
    ids = [table.table for table in order]
    place = ids.index(here) if here in ids else -1
    later = (table for table in some if ids.index(table.table) > place)
    return next(later, some[0] if some else None)


def game_title(slug: str, games: Iterable[GameInfo]) -> str:
    """Return the title of a game by its slug, as the server has it; the slug of one that the server does not name."""
    return next((game.title for game in games if game.slug == slug), slug)


def list_table(
    table: TableInfo, games: Mapping[str, GameInfo], starts_in: int | None, *, invited_by: str = ""
) -> Listed:
    """Return a table as a line of a list."""
    game = games.get(table.game)
    taken = [seat.name or "" for seat in table.seats if seat.kind != "open"]
    return Listed(
        table.table,
        table.game if game is None else game.title,
        f"{len(taken)}/{len(table.seats)}",
        render(_state_phrase(table)),
        ", ".join(taken) or tr("nobody yet"),
        [*_sign_texts(table, starts_in, invited_by), *unusual_terms(table, {} if game is None else game.options)],
        table.your_turn,
    )


class TableLines:
    """Tables as lines of a list, with their countdowns; a line is written again only when something in it has changed.

    A crowd that arrives changes each lobby every second, and writing a line costs sixty times as much as comparing it.
    """

    def __init__(self) -> None:
        self._countdowns = Countdowns()
        self._written: dict[str, tuple[_Facts, Listed]] = {}

    @property
    def count_down(self) -> bool:
        """Whether any countdown runs."""
        return self._countdowns.run

    def list_tables(
        self, tables: Iterable[TableInfo], games: Iterable[GameInfo], invited_by: Mapping[str, str], now: float
    ) -> list[Listed]:
        """Return tables as lines, at `now` in monotonic seconds; `invited_by` names who invites, by table id."""
        tables, by_slug, language = [*tables], {game.slug: game for game in games}, current_language()
        self._countdowns.note_tables(tables, now)
        before, self._written = self._written, {}
        for table in tables:
            starts_in, host = self._countdowns.left(table, now), invited_by.get(table.table, "")
            facts = table, by_slug.get(table.game), starts_in, host, language
            known = before.get(table.table)
            if known is None or known[0] != facts:
                known = facts, list_table(table, by_slug, starts_in, invited_by=host)
            self._written[table.table] = known
        return [line for _, line in self._written.values()]


def unusual_terms(table: TableInfo, usual: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences from a default table."""
    if table.tournament is not None:
        yield tr("of a tournament")
    if table.settings.private:
        yield tr("private")
    if table.locked:
        yield tr("with a password")
    yield from unusual_options(table.game, table.options, usual)
    yield from unusual_clock(table.clock)
    yield from unusual_settings(table.settings, table.clock, begun=table.status != "waiting", rated=table.rated)


def _state_phrase(table: TableInfo) -> Phrase:
    if table.your_turn:
        return _YOUR_TURN
    if table.paused:
        return _PAUSED
    if table.status == "waiting" and all(seat.kind != "open" for seat in table.seats):
        return _FULL
    return _STATES[table.status]


def _sign_texts(table: TableInfo, starts_in: int | None, invited_by: str) -> Iterator[str]:
    """Yield present facts: invitation, own seat, countdown, spectators."""
    if invited_by:
        yield tr("{name} invites you", name=invited_by)
    if table.your_seat is not None and table.status != "finished":
        yield tr("your seat")
    if starts_in is not None and table.status == "waiting":
        yield tr("starts in {time}", time=short_seconds(starts_in))
    if not table.creator and table.tournament is None:
        yield tr("default table")
    if table.spectator_count:
        yield render(
            Phrase("{n} spectator", {"n": table.spectator_count}, many="{n} spectators", number=table.spectator_count)
        )
