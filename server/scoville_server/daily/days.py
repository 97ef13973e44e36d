"""The days of the daily deal: drawn a week before, opened, closed after 36 hours, and revealed."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from msgspec.structs import replace

from scoville_runtime.clock import Alarm, CallLater
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.daily.model.calendar import Calendar, DailySettings
from scoville_server.daily.model.deals import DailyDay, DrawnDeal, draw_day
from scoville_server.journal.base import Conflict, Journal
from scoville_server.journal.books import ConditionalBook
from scoville_server.limits.live import Live
from scoville_server.tables.catalog import GameCatalog
from scoville_server.trusted_time import TrustedTime
from scoville_shared.engine.dice import DealTerms
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games.registry import is_ours

AHEAD: Final = 7
"""Days whose deals are drawn and committed to beforehand."""

SHOWN: Final = 8
"""Days that are listed, today included."""

KEPT_DAYS: Final = 60
"""Days for which results are kept. Streaks, seeds and commitments stay."""

LONGEST_WAIT_SECONDS: Final = 900.0
"""Seconds after which the calendar is looked at again at the latest: the system's clock may have been set."""

CLOSING_SECONDS: Final = 5.0
"""Seconds between two attempts to reveal a deal whose tables are being closed."""

SignTerms = Callable[[str, DealTerms], tuple[bytes, bytes]]
"""Signs a commitment, hex, and its terms; returns the server's public key and the signature."""


class PlayedDeals(Protocol):
    """The attempts at the deals, as the calendar needs them."""

    async def end_running(self, deal: str) -> bool:
        """End the games of a deal that still run; returns whether nothing runs any more. Raises JournalError."""

    async def drop_results(self, deal: str) -> None:
        """Delete the results of a deal. Raises JournalError."""


class Dealer:
    """Draws the deals of days and commits to them.

    Args:
        catalog: The games, and their options.
        sign_terms: Signs the commitments.
    """

    def __init__(self, catalog: GameCatalog, sign_terms: SignTerms) -> None:
        self._catalog = catalog
        self._sign_terms = sign_terms

    def list_games(self) -> list[str]:
        """List the games that are dealt: ours, since bots of a package may answer one player and not the next."""
        return [slug for slug in self._catalog.list_slugs() if is_ours(slug)]

    def can_deal(self, day: DailyDay) -> bool:
        """Return whether a day that was drawn can be played by the rules that are installed now."""
        games = self.list_games()
        return all(deal.game in games and self._can_play(deal) for deal in day.deals)

    def _can_play(self, deal: DrawnDeal) -> bool:
        info = self._catalog.find_game(deal.game).info
        fewest, most = info.seats
        return info.rules_version == deal.rules_version and fewest <= len(deal.levels) <= most

    def draw_day(self, number: int, now_ms: int) -> DailyDay:
        """Draw the deals of a day, and sign their commitments."""
        drawn = draw_day(
            number,
            now_ms,
            self.list_games(),
            self._catalog.find_game,
            self._catalog.complete_options,
            secrets.token_bytes,
        )
        return replace(drawn, deals=tuple(self._sign_deal(deal) for deal in drawn.deals))

    def _sign_deal(self, deal: DrawnDeal) -> DrawnDeal:
        key, signature = self._sign_terms(deal.commitment, deal.terms)
        return replace(deal, server_key=key, commitment_signature=signature)


class DailyDays:
    """Keeps the days and their deals.

    Args:
        settings: Whether there is a daily deal, and when a day begins.
        journal: Where the days are kept.
        dealer: Draws the deals of a day.
        time: The server's time, which never goes back and does not trust a clock that jumps.
        later: Sets timers.
        background: Runs writes for which nobody waits.
    """

    def __init__(
        self,
        settings: Live[DailySettings],
        journal: Journal,
        dealer: Dealer,
        time: TrustedTime,
        later: CallLater,
        background: BackgroundTasks,
    ) -> None:
        self._settings = settings
        self._dealer = dealer
        self._time = time
        self._call_later = later
        self._background = background
        self._days = ConditionalBook("daily.days", DailyDay, journal)
        self._changing = KeyedLocks()
        self._played: PlayedDeals | None = None
        self._alarm: Alarm | None = None
        self._advancing: Awaitable[None] | None = None
        self._serves = self._advances = False

    def start_serving(self, played: PlayedDeals) -> None:
        """Follow the calendar from now on."""
        self._played, self._advances = played, True
        if self.enabled:
            self._serves = True
            self._background.insist_on_write(self.advance)

    def stop_serving(self) -> None:
        """Follow the calendar no more: another node does, or none."""
        self._serves = self._advances = False
        if self._alarm is not None:
            self._alarm.cancel()

    @property
    def enabled(self) -> bool:
        """Whether there is a daily deal here."""
        return self._settings.value.enabled and bool(self._dealer.list_games())

    @property
    def calendar(self) -> Calendar:
        """The days of this server."""
        return Calendar(self._settings.value.start_hour)

    @property
    def today(self) -> int:
        """The present day. It never goes back, whatever the clock does: a day that was opened stays so."""
        opened = (day.day for _, day in self._days.items() if day.opened_ms)
        return max([self.calendar.find_day(self.now_ms()), *opened])

    def now_ms(self) -> int:
        """Return the server's time, in milliseconds since 1970."""
        return self._time.now_ms()

    def find_day(self, day: int | None = None) -> DailyDay:
        """Return a day that has begun, today by default. Raises ScovilleError."""
        number = self.today if day is None else day
        found = self._days.get(key_of_day(number))
        if found is None or not (found.opened_ms or found.revealed_ms):
            raise ScovilleError(Code.NO_DAILY, "There is no daily deal for that day.", {"day": number})
        return found

    def latest_days(self) -> list[DailyDay]:
        """List the latest days that had a deal, today's first."""
        opened = [day for _, day in self._days.items() if day.opened_ms]
        return sorted(opened, key=lambda day: -day.day)[:SHOWN]

    def revealed_days(self) -> list[DailyDay]:
        """List the days whose deals are revealed, oldest first."""
        return sorted((day for _, day in self._days.items() if day.revealed_ms), key=lambda day: day.day)

    def coming_days(self) -> list[DailyDay]:
        """List the days that have not begun, the next one first."""
        today = self.today
        return sorted((day for _, day in self._days.items() if day.day > today), key=lambda day: day.day)

    def offered_days(self) -> list[int]:
        """List all days that had a deal, oldest first."""
        return sorted(day.day for _, day in self._days.items() if day.opened_ms)

    def day_of(self, number: int) -> DailyDay | None:
        """Return a day, whether it has begun or not."""
        return self._days.get(key_of_day(number))

    async def change_day(self, number: int, change: Callable[[DailyDay], DailyDay]) -> None:
        """Store a day as a change makes it of the day that is stored then. Raises JournalError."""
        key = key_of_day(number)
        async with self._changing.hold_keys([key]):
            await self._days.change_row(key, lambda day: None if day is None else change(day))

    def is_open(self, day: DailyDay) -> bool:
        """Whether the deal of a day can be played."""
        return bool(day.opened_ms) and not day.revealed_ms and self.now_ms() < self.calendar.closes_ms(day.day)

    async def advance(self) -> None:
        """Bring the calendar up to date: draw, open, close and reveal. Raises JournalError.

        One of several nodes does so; the others have what that one has written.
        """
        if not self.enabled:
            raise ScovilleError(Code.NO_DAILY, "This server has no daily deal.")
        if not self._advances:
            return
        if self._advancing is None:
            # One run for all who ask at this moment.
            self._advancing = self._background.start_task(self._advance_calendar())
        await self._background.shield_task(self._advancing)

    async def _advance_calendar(self) -> None:
        try:
            today = self.today
            prepared = {
                number: self._prepare_day(number, is_today=number == today) for number in self._list_drawn_days(today)
            }
            changed = {key_of_day(n): day for n, day in prepared.items() if day is not self.day_of(n)}
            if changed:
                # In one write: a new server draws eight days, and its users must not wait for eight syncs.
                await self._write_days(changed)
            for day in [day for _, day in self._days.items() if not day.revealed_ms and day.day < today]:
                await self._close_day(day)
            await self._drop_old(today)
        finally:
            self._advancing = None
            self._set_alarm()

    async def _write_days(self, changed: Mapping[str, DailyDay]) -> None:
        """Write days that were prepared. Raises JournalError, Conflict where another node has drawn one of them."""
        try:
            await self._days.replace_rows(changed)
        except Conflict:
            for key in changed:
                await self._days.read_row(key)
            raise

    @staticmethod
    def _list_drawn_days(today: int) -> range:
        """Return today and the days whose deals are drawn beforehand."""
        return range(today, today + 1 + AHEAD)

    def _prepare_day(self, number: int, *, is_today: bool) -> DailyDay:
        """Return a day as it has to be stored: drawn, and opened if it is today."""
        day = self.day_of(number)
        if day is None or (is_today and not day.opened_ms and not self._dealer.can_deal(day)):
            # An upgrade has changed the rules since the day was drawn: its commitment could not be kept.
            day = self._dealer.draw_day(number, self.now_ms())
        if is_today and not day.opened_ms:
            # At least 1: 0 stands for a day that was not opened.
            day = replace(day, opened_ms=max(1, self.now_ms()))
        return day

    async def _close_day(self, day: DailyDay) -> None:
        """End what still runs when the time of a deal is over, and reveal the deal once nothing runs any more."""
        if day.opened_ms and self.now_ms() < self.calendar.closes_ms(day.day):
            return
        assert self._played is not None, "the calendar is followed"
        if all([await self._played.end_running(deal.name) for deal in day.deals]):
            # Only now: the revealed seed must not help a user who is still playing the deal.
            await self.change_day(day.day, lambda stored: replace(stored, revealed_ms=max(1, self.now_ms())))

    async def _drop_old(self, today: int) -> None:
        assert self._played is not None, "the calendar is followed"
        for day in [day for _, day in self._days.items() if day.revealed_ms and day.day < today - KEPT_DAYS]:
            for deal in day.deals:
                await self._played.drop_results(deal.name)

    def _set_alarm(self) -> None:
        """Look at the calendar again when a day begins or a deal closes."""
        if self._alarm is not None:
            self._alarm.cancel()
        if not self._serves:
            return
        now, today = self.now_ms(), self.today
        unrevealed = [day for _, day in self._days.items() if day.opened_ms and not day.revealed_ms]
        dues = [self.calendar.begins_ms(today + 1), *(self.calendar.closes_ms(day.day) for day in unrevealed)]
        waits = [(due - now) / 1000 if due > now else CLOSING_SECONDS for due in dues]
        self._alarm = self._call_later(min(*waits, LONGEST_WAIT_SECONDS), self._look_at_calendar)

    def _look_at_calendar(self) -> None:
        self._background.write_soon(self.advance())


def key_of_day(day: int) -> str:
    """Return the key of a day's row: keys sort as days do."""
    return f"{day:06}"
