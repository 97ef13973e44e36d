"""The attempts at daily deals as they are stored, with an index by which they are counted and ranked."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from scoville_server.daily.model.attempts import Attempt, Standing, rank_result
from scoville_server.daily.model.deals import DrawnDeal
from scoville_server.journal.base import Journal
from scoville_server.journal.books import PackedBook
from scoville_shared.ids import TableId, UserId

FindDeal = Callable[[Attempt], DrawnDeal | None]
"""Finds the deal of an attempt; None for a day that is not kept."""

MOST_ATTEMPTS: Final = 20_000
"""Attempts at one deal, about 300 bytes each; who comes later plays tomorrow."""

MOST_REPLAYS: Final = 2_000
"""Finished attempts at one deal whose moves are kept, about a kilobyte each."""


class AttemptBook:
    """Stores attempts, one for each user and deal.

    Attributes:
        running: The table of each running attempt, by deal and key.
        finished: The standing of each finished attempt, by deal and key.
    """

    def __init__(self, journal: Journal, find_deal: FindDeal) -> None:
        self._book = PackedBook("daily.attempts", Attempt, journal)
        self._find_deal = find_deal
        self.running: defaultdict[str, dict[str, TableId]] = defaultdict(dict)
        self.finished: defaultdict[str, dict[str, Standing]] = defaultdict(dict)
        self._unfinished: defaultdict[str, set[str]] = defaultdict(set)
        self._origins: defaultdict[str, dict[str, int]] = defaultdict(dict)
        """The network of each attempt, by deal and key."""

    def index_rows(self) -> None:
        """Index what is kept, once all rows and the days are there."""
        for _, attempt in self._book.items():  # noqa: PERF102 - a book has no values()
            self._note_attempt(attempt)

    def find(self, deal: str, user: UserId) -> Attempt | None:
        """Return what a user has made of a deal; None if they have not begun it."""
        return self._book.get(f"{deal}/{user}")

    def read(self, key: str) -> Attempt | None:
        """Return an attempt by its key."""
        return self._book.get(key)

    def count(self, deal: str) -> int:
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

    def list_of(self, user: UserId) -> list[Attempt]:
        """List everything that a user has made of deals."""
        deals = {*self.running, *self.finished, *self._unfinished}
        return [attempt for deal in sorted(deals) if (attempt := self.find(deal, user)) is not None]

    async def create(self, attempt: Attempt) -> None:
        """Store a new attempt. Raises Conflict if its user has one already, JournalError."""
        await self._book.create_row(attempt.key, attempt)
        self._note_attempt(attempt)

    async def put(self, attempt: Attempt) -> None:
        """Store an attempt in place of an earlier form. Raises JournalError."""
        await self._book.put_row(attempt.key, attempt)
        self._note_attempt(attempt)

    async def replace(self, attempts: Mapping[str, Attempt | None], of: Iterable[Attempt]) -> None:
        """Change the rows of attempts, all or none; None drops one. Raises JournalError."""
        if attempts:
            await self._book.write_rows(attempts)
        for attempt in of:
            self._forget_attempt(attempt.deal, attempt.key)
        for changed in attempts.values():
            if changed is not None:
                self._note_attempt(changed)

    async def drop_deal(self, deal: str) -> None:
        """Delete all attempts at a deal. Raises JournalError."""
        keys = [*self.running[deal], *self.finished[deal], *self._unfinished[deal]]
        if keys:
            await self._book.write_rows(dict.fromkeys(keys))
        for index in (self.running, self.finished, self._unfinished, self._origins):
            index.pop(deal, None)

    def _note_attempt(self, attempt: Attempt) -> None:
        """Keep the index up to date."""
        deal, key = attempt.deal, attempt.key
        self._forget_attempt(deal, key)
        if attempt.origin is not None:
            self._origins[deal][key] = attempt.origin
        if attempt.state == "running":
            self.running[deal][key] = attempt.table
        elif attempt.state == "unfinished":
            self._unfinished[deal].add(key)
        elif (drawn := self._find_deal(attempt)) is not None:
            self.finished[deal][key] = _standing_of(attempt, drawn)

    def _forget_attempt(self, deal: str, key: str) -> None:
        self.running[deal].pop(key, None)
        self.finished[deal].pop(key, None)
        self._unfinished[deal].discard(key)
        self._origins[deal].pop(key, None)


def _standing_of(attempt: Attempt, deal: DrawnDeal) -> Standing:
    seat = deal.player
    return Standing(
        id=attempt.id,
        key=attempt.key,
        user=attempt.user,
        place=attempt.places[seat],
        score=attempt.scores[seat],
        rank=rank_result(attempt.scores, attempt.places, seat),
    )
