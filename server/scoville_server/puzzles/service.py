"""Puzzles of a server: poses them by rating and by day, and counts each user's first attempt at each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scoville_server.accounts.orphans import IsKnown, drop_orphans
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.daily.days import DailyDays, key_of_day
from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book, PackedBook
from scoville_server.puzzles.model import (
    PuzzleDay,
    PuzzleFigures,
    PuzzlePlayer,
    Tried,
    choose_daily,
    is_kept_back,
)
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import PastPuzzle
from scoville_shared.puzzles.pool import Pool, list_pools
from scoville_shared.puzzles.puzzle import Puzzle
from scoville_shared.puzzles.rating import PuzzleSkill, first_skill, rate_attempt
from scoville_shared.values import Plain


class PlacedPuzzle(NamedTuple):
    """A puzzle and the pool that it is from."""

    pool: Pool
    puzzle: Puzzle


class PuzzleService(UserObserver):
    """Keeps the attempts of users, the ratings of puzzles and the puzzles of days.

    An attempt is written before its answer is sent, so that a crash gives nobody a second one; the rating of the
    puzzle comes after it, and may miss an attempt. Puzzles that are kept back are answered from their day on.

    Args:
        list_games: Lists the games that this server offers.
        days: The server's calendar.
        journal: Where everything is kept.
        background: Runs writes for which nobody waits.
    """

    def __init__(
        self,
        list_games: Callable[[], Sequence[str]],
        days: DailyDays,
        journal: Journal,
        background: BackgroundTasks,
    ) -> None:
        self._list_games = list_games
        self._days = days
        self._background = background
        self._players = PackedBook("puzzles.players", PuzzlePlayer, journal)
        self._figures = Book("puzzles.figures", PuzzleFigures, journal)
        self._chosen = Book("puzzles.days", PuzzleDay, journal)
        self._changing = KeyedLocks()
        self._unsaved: dict[str, PuzzleFigures] = {}
        """The newest figures by puzzle, while they are being written."""

    def player_of(self, user: UserId) -> PuzzlePlayer:
        """Return a user's rating and attempts."""
        return self._players.get(user) or PuzzlePlayer()

    def _list_past(self, user: UserId) -> list[PastPuzzle]:
        """List a user's attempts, oldest first."""
        return [
            PastPuzzle(puzzle=puzzle, at_ms=tried.ms, right=tried.place == 0, before=tried.before, after=tried.after)
            for puzzle, tried in self.player_of(user).tried.items()
        ]

    def export_user(self, user: User) -> Mapping[str, Any]:
        return {"past_puzzles": self._list_past(user.id)}

    def _list_pools(self) -> list[Pool]:
        offered = self._list_games()
        return [pool for pool in list_pools() if pool.game in offered]

    def list_puzzles(self) -> list[PlacedPuzzle]:
        """List all puzzles that this server offers."""
        return [PlacedPuzzle(pool, puzzle) for pool in self._list_pools() for puzzle in pool.puzzles]

    def figures_of(self, puzzle: Puzzle) -> PuzzleFigures:
        """Return the results of users at a puzzle."""
        return self._unsaved.get(puzzle.id) or self._figures.get(puzzle.id) or PuzzleFigures(first_skill(puzzle.rating))

    async def find_daily(self) -> PlacedPuzzle:
        """Return the puzzle of the present day. Raises ScovilleError where there is none, JournalError."""
        day = self._days.today
        async with self._changing.hold_keys(["day"]):
            kept = self._chosen.get(key_of_day(day))
            found = None if kept is None else self._find_placed(kept.puzzle)
            if found is None:
                # Written before anybody is shown it: a later version may have other puzzles.
                used = {each.puzzle for _, each in self._chosen.items()}
                chosen = choose_daily(self._list_pools(), day, used)
                found = None if chosen is None else self._find_placed(chosen.puzzle)
                if chosen is None or found is None:
                    raise ScovilleError(Code.NO_PUZZLE, "This server has no puzzles.")
                await (self._chosen.create_row if kept is None else self._chosen.put_row)(key_of_day(day), chosen)
        return found

    def find_next(self, user: UserId, game: str | None, besides: str | None) -> PlacedPuzzle | None:
        """Return the puzzle that fits a user best among those that they have not tried; None if there is none left."""
        player = self.player_of(user)
        left = [
            each
            for each in self.list_puzzles()
            if game in (None, each.pool.game)
            and each.puzzle.id != besides
            and each.puzzle.id not in player.tried
            and not is_kept_back(each.puzzle)
        ]
        # The id settles ties, so that the order of the files says nothing.
        return min(
            left,
            key=lambda each: (abs(self.figures_of(each.puzzle).skill.mu - player.skill.mu), each.puzzle.id),
            default=None,
        )

    async def attempt_puzzle(self, user: User, wanted: str, move: Plain) -> tuple[PlacedPuzzle, Tried]:
        """Count a user's first attempt at a puzzle; a later one returns the first. Raises ScovilleError."""
        placed = self._find_placed(wanted)
        if placed is None or (is_kept_back(placed.puzzle) and not self._has_had_its_day(wanted)):
            raise ScovilleError(Code.NO_PUZZLE, "There is no such puzzle.")
        puzzle = placed.puzzle
        place = puzzle.find_choice(move)
        if place is None:
            raise ScovilleError(Code.BAD_MOVE, "This move is not legal in this puzzle.")
        async with self._changing.hold_keys([user.id]):
            player = self.player_of(user.id)
            before = player.tried.get(wanted)
            if before is not None:
                return placed, before
            figures = self.figures_of(puzzle)
            rated = rate_attempt(player.skill, figures.skill, right=place == 0)
            tried = Tried(place, player.skill.rating, rated.player.rating, figures.skill.rating, self._days.now_ms())
            # Conditional: another node that also believes that it serves must not overwrite attempts, nor this one its.
            await self._players.replace_rows({user.id: player.add_attempt(wanted, tried, rated.player)})
        if user.claimed:
            # Guests could try as often as they like.
            await self._note_figures(puzzle, player.skill, solved=place == 0)
        return placed, tried

    async def _note_figures(self, puzzle: Puzzle, skill: PuzzleSkill, *, solved: bool) -> None:
        """Count an attempt by a player who had that skill before it."""
        figures = self.figures_of(puzzle)
        rated = rate_attempt(skill, figures.skill, right=solved)
        self._unsaved[puzzle.id] = PuzzleFigures(
            skill=rated.puzzle, tried=figures.tried + 1, solved=figures.solved + solved
        )
        # Many users attempt the puzzle of the day at once: the first to hold the lock writes for all who wait.
        async with self._changing.hold_keys([puzzle.id]):
            newest = self._unsaved.get(puzzle.id)
            if newest is None:
                return
            try:
                await self._figures.put_row(puzzle.id, newest)
            finally:
                if self._unsaved[puzzle.id] is newest:
                    del self._unsaved[puzzle.id]

    def _find_placed(self, wanted: str) -> PlacedPuzzle | None:
        return next((each for each in self.list_puzzles() if each.puzzle.id == wanted), None)

    def _has_had_its_day(self, wanted: str) -> bool:
        today = key_of_day(self._days.today)
        return any(each.puzzle == wanted and day <= today for day, each in self._chosen.items())

    def users_restored(self, is_known: IsKnown) -> None:
        self._background.plan_tidying(lambda: drop_orphans(self._players, is_known))

    def user_forgotten(self, user: UserId) -> None:
        if user in self._players:
            self._background.insist_on_write(lambda: self._players.drop_row(user))
