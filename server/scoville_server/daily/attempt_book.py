"""Attempts of users at daily deals, with an index that counts and ranks them, and the days played."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from scoville_server.daily.days import DailyDays
from scoville_server.daily.model.attempts import Attempt, DailyPlayer, RankedAttempt, rank_result
from scoville_server.daily.model.calendar import Streak, count_streak, with_day
from scoville_server.daily.model.deals import DrawnDeal
from scoville_server.journal.base import Journal
from scoville_server.journal.books import PackedBook
from scoville_server.limits.live import Live
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId

MOST_ATTEMPTS: Final = 20_000
"""Attempts at one deal, about 300 bytes each; later users play tomorrow."""

MOST_REPLAYS: Final = 2_000
"""Finished attempts at one deal whose moves are kept, about a kilobyte each."""


class PlayedDays:
    """The days on which each user has finished the deal, and the streaks that follow from them."""

    def __init__(self, days: DailyDays, journal: Journal) -> None:
        self._days = days
        self._book = PackedBook("daily.players", DailyPlayer, journal)

    def __contains__(self, user: UserId) -> bool:
        return user in self._book

    def streak_of(self, user: UserId) -> tuple[Streak, int]:
        """Return a user's streak, and their longest one."""
        player = self._book.get(user) or DailyPlayer()
        return self._count_streak(player.played), player.best_streak

    def list_days(self, user: UserId) -> list[int]:
        """List the days on which a user has finished the deal, oldest first."""
        player = self._book.get(user) or DailyPlayer()
        return [day for first, last in player.played for day in range(first, last + 1)]

    async def count_day(self, user: UserId, day: int) -> None:
        """Count a day on which a user has finished; a second time it changes nothing. Raises JournalError."""

        def count_day(kept: DailyPlayer | None) -> DailyPlayer:
            player = kept or DailyPlayer()
            played = with_day(player.played, day)
            return DailyPlayer(played=played, best_streak=max(player.best_streak, self._count_streak(played).longest))

        await self._book.change_row(user, count_day)

    async def forget_user(self, user: UserId) -> None:
        """Delete the days of a user. Raises JournalError."""
        await self._book.drop_row(user)

    def _count_streak(self, played: Sequence[tuple[int, int]]) -> Streak:
        # A deal that can still be played breaks no streak yet.
        open_days = {day.day for day in self._days.latest_days() if self._days.is_open(day)}
        return count_streak(played, self._days.offered_days(), self._days.today, open_days)


class AttemptBook:
    """Stores attempts, one for each user and deal.

    Args:
        days: The days and their deals.
        journal: Where everything is kept.
        most: How many attempts are kept in total: results of the oldest deals make room for new ones.

    Attributes:
        players: The days that each user has played.
        running: The table of each running attempt, by deal and key.
        finished: The standing of each finished attempt, by deal and key.
    """

    def __init__(self, days: DailyDays, journal: Journal, most: Live[int]) -> None:
        self.days = days
        self.players = PlayedDays(days, journal)
        self._most = most
        self._is_indexed = False
        self._book = PackedBook("daily.attempts", Attempt, journal, self._follow_attempt)
        self.running: defaultdict[str, dict[str, TableId]] = defaultdict(dict)
        self.finished: defaultdict[str, dict[str, RankedAttempt]] = defaultdict(dict)
        self._unfinished: defaultdict[str, set[str]] = defaultdict(set)
        self._origins: defaultdict[str, dict[str, int]] = defaultdict(dict)
        """The network of each attempt, by deal and key."""

    def index_rows(self) -> None:
        """Index all rows once they and the days are restored, and follow their changes from then on."""
        self._is_indexed = True
        for _, attempt in self._book.items():  # noqa: PERF102 - a book has no values()
            self._note_attempt(attempt)

    def _follow_attempt(self, key: str, _: Attempt | None, attempt: Attempt | None) -> None:
        """Keep the index up to date, whichever node has written an attempt."""
        # While a journal is read the days may still be missing, without which a result has no standing.
        if not self._is_indexed:
            return
        if attempt is None:
            self._forget_attempt(key.rpartition("/")[0], key)
        else:
            self._note_attempt(attempt)

    def find_deal(self, attempt: Attempt) -> DrawnDeal | None:
        """Return the deal of an attempt; None for a day that is not kept."""
        day = self.days.day_of(attempt.day)
        return None if day is None else day.find_deal(attempt.deal)

    def find_attempt(self, deal: str, user: UserId) -> Attempt | None:
        """Return a user's attempt at a deal; None if they have not begun it."""
        return self._book.get(f"{deal}/{user}")

    def get_attempt(self, key: str) -> Attempt | None:
        """Return an attempt by its key."""
        return self._book.get(key)

    def count_attempts(self, deal: str) -> int:
        """Count the attempts at a deal."""
        return len(self.running[deal]) + len(self.finished[deal]) + len(self._unfinished[deal])

    @property
    def total(self) -> int:
        """The number of all attempts that are kept."""
        return sum(
            len(of_deal) for index in (self.running, self.finished, self._unfinished) for of_deal in index.values()
        )

    def count_from(self, deal: str, origin: int) -> int:
        """Count the attempts at a deal that were begun from a network."""
        return [*self._origins[deal].values()].count(origin)

    def list_attempts(self, user: UserId) -> list[Attempt]:
        """List everything that a user has made of deals."""
        deals = {*self.running, *self.finished, *self._unfinished}
        return [attempt for deal in sorted(deals) if (attempt := self.find_attempt(deal, user)) is not None]

    async def make_room(self, deal: str) -> None:
        """Make room for one more attempt at a deal: the results of the oldest deals that are over are deleted.

        Raises ScovilleError `too_many`, JournalError.
        """
        if self.count_attempts(deal) >= MOST_ATTEMPTS:
            raise _too_many()
        # Deal by deal: if single results went, the ranks of the others would change.
        while self.total >= self._most.value:
            old = (drawn.name for day in self.days.revealed_days() for drawn in day.deals)
            oldest = next((name for name in old if self.count_attempts(name)), None)
            if oldest is None:
                raise _too_many()
            await self.drop_deal(oldest)

    async def create_attempt(self, attempt: Attempt) -> None:
        """Store a new attempt. Raises Conflict if its user has one already, JournalError."""
        await self._book.create_row(attempt.key, attempt)

    async def change_attempt(self, key: str, change: Callable[[Attempt], Attempt]) -> Attempt | None:
        """Change an attempt, and return it; None if it is gone. Raises JournalError."""
        return (await self._book.change_row(key, lambda kept: None if kept is None else change(kept)))[1]

    async def replace_attempts(self, attempts: Mapping[str, Attempt | None]) -> None:
        """Change the rows of attempts, all or none; None drops one. Raises JournalError."""
        if attempts:
            await self._book.write_rows(attempts)

    async def drop_deal(self, deal: str) -> None:
        """Delete all attempts at a deal. Raises JournalError."""
        keys = [*self.running[deal], *self.finished[deal], *self._unfinished[deal]]
        if keys:
            await self._book.write_rows(dict.fromkeys(keys))
        # The rows have left the index already; only empty entries of the deal remain.
        for index in (self.running, self.finished, self._unfinished, self._origins):
            index.pop(deal, None)

    def _note_attempt(self, attempt: Attempt) -> None:
        """Keep the index up to date."""
        # Taken out first: an attempt that has ended must not be counted as running as well.
        deal, key = attempt.deal, attempt.key
        self._forget_attempt(deal, key)
        if attempt.origin is not None:
            self._origins[deal][key] = attempt.origin
        if attempt.state == "running":
            self.running[deal][key] = attempt.table
        elif attempt.state == "unfinished":
            self._unfinished[deal].add(key)
        elif (drawn := self.find_deal(attempt)) is not None:
            self.finished[deal][key] = _standing_of(attempt, drawn)

    def _forget_attempt(self, deal: str, key: str) -> None:
        self.running[deal].pop(key, None)
        self.finished[deal].pop(key, None)
        self._unfinished[deal].discard(key)
        self._origins[deal].pop(key, None)


def _too_many() -> ScovilleError:
    sentence = "Too many users play this daily deal; come back tomorrow."
    return ScovilleError(Code.TOO_MANY, sentence, {"why": "daily"})


def _standing_of(attempt: Attempt, deal: DrawnDeal) -> RankedAttempt:
    seat = deal.player
    return RankedAttempt(
        id=attempt.id,
        key=attempt.key,
        user=attempt.user,
        place=attempt.places[seat],
        score=attempt.scores[seat],
        rank=rank_result(attempt.scores, attempt.places, seat),
    )
