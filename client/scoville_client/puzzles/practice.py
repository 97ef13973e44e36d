"""Practice of puzzles in this client, with a rating that is kept in the user's data folder."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.puzzles.source import PuzzleCount, PuzzleSource
from scoville_runtime.atomic_files import replace_file
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import PuzzleAnswer, PuzzleInfo
from scoville_shared.puzzles.pool import Pool, describe_puzzle, list_pools, make_answer
from scoville_shared.puzzles.puzzle import Puzzle
from scoville_shared.puzzles.rating import PuzzleSkill, first_skill, rate_attempt
from scoville_shared.values import Plain

_FILE: Final = "puzzles.json"
_LONGEST: Final = 2**20


class Practice(Struct, frozen=True, kw_only=True):
    """A user's practice at puzzles: their rating, and of each puzzle that they tried whether it is solved."""

    scoville_puzzles: Literal[1] = 1
    skill: PuzzleSkill = PuzzleSkill()
    tried: Annotated[dict[str, bool], Meta(max_length=20_000)] = {}


class _PooledPuzzle(NamedTuple):
    """A puzzle and its pool."""

    pool: Pool
    puzzle: Puzzle


class PracticePuzzles(PuzzleSource):
    """Poses the puzzles that come with this client, those first that are about as hard as the user is good.

    An attempt is written before its answer is shown; only the first one at a puzzle is rated. `path` is the file of
    what the user has made of them, None for a user without a home folder: then it is forgotten with this process.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._forgotten = Practice()

    async def list_counts(self) -> list[PuzzleCount]:
        practice = self._read_practice()
        return [
            PuzzleCount(
                pool.game,
                len(pool.puzzles),
                sum(puzzle.id in practice.tried for puzzle in pool.puzzles),
                sum(practice.tried.get(puzzle.id, False) for puzzle in pool.puzzles),
            )
            for pool in list_pools()
        ]

    async def read_rating(self) -> PuzzleSkill:
        return self._read_practice().skill

    async def pose_next(self, game: str = "", besides: str = "") -> PuzzleInfo | None:
        """Pose the puzzle that fits the user best among those that they have not solved; None when all are solved."""
        practice = self._read_practice()
        left = [
            place
            for place in _list_places(game)
            if not practice.tried.get(place.puzzle.id, False) and place.puzzle.id != besides
        ]
        new = [place for place in left if place.puzzle.id not in practice.tried]
        if not left:
            return None
        wanted = practice.skill.mu
        # The id settles ties, so that the order of the files says nothing.
        chosen = min(new or left, key=lambda each: (abs(each.puzzle.rating - wanted), each.puzzle.id))
        return describe_puzzle(chosen.pool, chosen.puzzle)

    async def answer(self, posed: PuzzleInfo, move: Plain) -> PuzzleAnswer:
        puzzle = next((each.puzzle for each in _list_places(posed.game) if each.puzzle.id == posed.id), None)
        place = None if puzzle is None else puzzle.find_choice(move)
        if puzzle is None or place is None:
            raise ScovilleError("no_choice", tr("You have nothing to decide now."))
        practice, right = self._read_practice(), place == 0
        before = after = practice.skill
        is_first = puzzle.id not in practice.tried
        if is_first:
            # The puzzle's rating comes with the client; one user's attempts do not change it.
            after = rate_attempt(before, first_skill(puzzle.rating), right=right).player
        solved = right or practice.tried.get(puzzle.id, False)
        self._write_practice(replace(practice, skill=after, tried={**practice.tried, puzzle.id: solved}))
        return make_answer(
            puzzle, place, puzzle_rating=puzzle.rating, before=before.rating, after=after.rating, rated=is_first
        )

    def _read_practice(self) -> Practice:
        if self._path is None:
            return self._forgotten
        try:
            with self._path.open("rb") as file:
                return msgspec.json.decode(file.read(_LONGEST), type=Practice)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            # Of a later version, or damaged: the user starts again rather than being kept from puzzles.
            return self._forgotten

    def _write_practice(self, practice: Practice) -> None:
        self._forgotten = practice
        if self._path is not None:
            with suppress(OSError):  # on a full disk the puzzle can be solved all the same
                self._path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._path, msgspec.json.encode(practice))


def users_puzzles() -> PracticePuzzles:
    """Return the practice of the user who runs this process."""
    from platformdirs import user_data_path

    try:
        return PracticePuzzles(user_data_path("scoville", appauthor=False) / _FILE)
    except RuntimeError:
        return PracticePuzzles(None)


def _list_places(game: str) -> Iterable[_PooledPuzzle]:
    return [_PooledPuzzle(pool, puzzle) for pool in list_pools() if game in ("", pool.game) for puzzle in pool.puzzles]
