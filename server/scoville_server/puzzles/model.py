"""Puzzles as values: what users have made of them, and which one belongs to a day."""

import hashlib
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.daily.model.calendar import weekday_of
from scoville_shared.puzzles.pool import Pool
from scoville_shared.puzzles.puzzle import Puzzle
from scoville_shared.puzzles.rating import PuzzleSkill

WEEK: Final = 7
KEPT_BACK: Final = 3
"""One puzzle of so many is for days alone: nobody has had it before its day, whatever they practise here."""


class Tried(Struct, frozen=True, array_like=True):
    """A user's attempt at a puzzle: the place of the choice, 0 for the right one, and the ratings that it led to."""

    place: int
    before: int
    after: int
    puzzle: int
    ms: int


class PuzzlePlayer(Struct, frozen=True, kw_only=True):
    """A user's record at puzzles: their rating, and their attempts by the puzzle's id."""

    skill: PuzzleSkill = PuzzleSkill()
    tried: dict[str, Tried] = {}

    def add_attempt(self, puzzle: str, tried: Tried, skill: PuzzleSkill) -> "PuzzlePlayer":
        """Return the same with another attempt."""
        return replace(self, skill=skill, tried={**self.tried, puzzle: tried})


class PuzzleFigures(Struct, frozen=True, array_like=True):
    """Results of users at a puzzle: its rating, and how many of those who tried have solved it."""

    skill: PuzzleSkill
    tried: int = 0
    solved: int = 0


class PuzzleDay(Struct, frozen=True, array_like=True):
    """The puzzle of a day."""

    game: str
    puzzle: str


def is_kept_back(puzzle: Puzzle) -> bool:
    """Whether a puzzle is posed on its day alone."""
    return hashlib.sha256(puzzle.id.encode()).digest()[0] % KEPT_BACK == 0


def choose_daily(pools: Sequence[Pool], day: int, used: Collection[str]) -> PuzzleDay | None:
    """Choose the puzzle of a day; None without any.

    Games take turns by day, another one than that of the daily deal; puzzles get harder from Monday to Sunday. One that
    was `used` on another day comes again only when there is no other for this weekday.
    """
    games = [pool for pool in pools if any(map(is_kept_back, pool.puzzles))]
    if not games:
        return None
    pool = games[(day + 1) % len(games)]
    order = sorted(filter(is_kept_back, pool.puzzles), key=lambda each: (each.rating, each.id))
    weekday = weekday_of(day)
    band = order[len(order) * weekday // WEEK : len(order) * (weekday + 1) // WEEK] or order
    fresh = [each for each in band if each.id not in used] or band
    drawn = hashlib.sha256(f"scoville/puzzle of day {day}".encode()).digest()
    return PuzzleDay(pool.game, fresh[int.from_bytes(drawn[:4]) % len(fresh)].id)
