"""Where puzzles come from: this client's own, or a server's."""

from abc import ABC, abstractmethod
from typing import NamedTuple

from scoville_shared.protocol.messages import PuzzleAnswer, PuzzleInfo
from scoville_shared.puzzles.rating import PuzzleSkill
from scoville_shared.values import Plain


class PuzzleCount(NamedTuple):
    """How many puzzles of a game there are, how many the user has tried, and how many they have solved."""

    game: str
    puzzles: int
    tried: int
    solved: int


class PuzzleSource(ABC):
    """Poses puzzles and answers attempts. Every method raises ScovilleError, and LinkError where a server is asked."""

    @abstractmethod
    async def list_counts(self) -> list[PuzzleCount]:
        """Count the puzzles of each game."""

    @abstractmethod
    async def read_rating(self) -> PuzzleSkill:
        """Return the user's rating."""

    @abstractmethod
    async def pose_next(self, game: str = "", besides: str = "") -> PuzzleInfo | None:
        """Pose a puzzle of a game, of any by default; another one than `besides`. None if there is none left."""

    @abstractmethod
    async def answer(self, posed: PuzzleInfo, move: Plain) -> PuzzleAnswer:
        """Attempt a puzzle with a move, as plain data."""
