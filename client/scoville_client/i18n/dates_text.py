"""The user's next dates in words: moves of correspondence, tournaments, dates of clubs, and the daily deal."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from scoville_client.i18n.clock_text import day_and_time, local_day, time_of_day
from scoville_client.i18n.daily_text import weekday_text
from scoville_client.i18n.language import tr
from scoville_client.i18n.table_text import game_title
from scoville_client.i18n.tournament_text import stage_text
from scoville_shared.protocol.messages import ClubDate, DailyDeal, GameInfo, TableInfo, TournamentInfo

_WEEK: Final = 7
_OVER_MS: Final = 3_600_000
"""How long after its start a date of a club is still shown: those who are late look for it."""


class NextDate(NamedTuple):
    """A date of the user, at a time in milliseconds since 1970.

    `where` is the id of the table, tournament or club; empty for the daily deal. `is_limit` says whether the user has
    until then, and does not begin then; `is_waiting` whether a table of the tournament waits for them.
    """

    due_ms: int
    kind: Literal["turn", "tournament", "club", "daily"]
    where: str
    what: str
    is_limit: bool = False
    is_waiting: bool = False

    def when_text(self, now_ms: int) -> str:
        """Return when it is, as briefly as that is clear: now, at a time of today, on a weekday, or on a date."""
        if self.due_ms <= now_ms:
            return tr("now")
        days = local_day(self.due_ms) - local_day(now_ms)
        when = time_of_day(self.due_ms)
        if days == 1:
            when = tr("tomorrow {time}", time=when)
        elif 1 < days < _WEEK:
            when = f"{weekday_text(local_day(self.due_ms))} {when}"
        elif days >= _WEEK:
            when = day_and_time(self.due_ms)
        return tr("by {time}", time=when) if self.is_limit else when


class KnownDates(NamedTuple):
    """The user's dates that a client knows; `turns` are tables with the time until which the user must move."""

    turns: Iterable[tuple[TableInfo, int]]
    tournaments: Iterable[TournamentInfo]
    club_dates: Iterable[ClubDate]
    daily: DailyDeal | None


def sort_dates(known: KnownDates, games: Sequence[GameInfo], now_ms: int) -> list[NextDate]:
    """Return the user's dates, the nearest first."""
    return sorted(_list_dates(known, games, now_ms), key=lambda date: date.due_ms)


def _list_dates(known: KnownDates, games: Sequence[GameInfo], now_ms: int) -> Iterator[NextDate]:
    for table, due_ms in known.turns:
        others = [seat.name for number, seat in enumerate(table.seats) if seat.name and number != table.your_seat]
        what = tr("your move: {game} ({names})", game=game_title(table.game, games), names=", ".join(others))
        yield NextDate(due_ms, "turn", table.table, what, is_limit=True)
    for info in known.tournaments:
        stage = f", {stage_text(info)}" if info.stage == "running" else ""
        what = tr("{name} ({game})", name=info.name, game=game_title(info.game, games))
        yield NextDate(info.starts_ms, "tournament", info.id, f"{what}{stage}", is_waiting=info.your_table is not None)
    for date in known.club_dates:
        if date.starts_ms > now_ms - _OVER_MS:
            what = tr("{name}, club {club}", name=date.name, club=date.club_name)
            yield NextDate(date.starts_ms, "club", date.club, what)
    deal = known.daily
    if deal is not None and deal.state in ("open", "playing") and deal.closes_in_ms is not None:
        what = tr("daily deal: {game}", game=game_title(deal.game, games))
        yield NextDate(now_ms + deal.closes_in_ms, "daily", "", what, is_limit=True)
