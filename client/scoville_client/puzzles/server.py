"""Puzzles of a server: rated there, each attempted once, and one of them the puzzle of the day."""

from scoville_client.puzzles.source import PuzzleCount, PuzzleSource
from scoville_client.session.changes import Request
from scoville_shared.protocol.messages import (
    AnswerPuzzleRequest,
    PosePuzzleReply,
    PosePuzzleRequest,
    PuzzleAnswer,
    PuzzleInfo,
    ShowPuzzlesReply,
    ShowPuzzlesRequest,
)
from scoville_shared.puzzles.rating import CERTAIN, PuzzleSkill
from scoville_shared.values import Plain


class ServerPuzzles(PuzzleSource):
    """Poses a server's puzzles; `daily` that of the day first."""

    def __init__(self, request: Request, *, daily: bool = False) -> None:
        self._request = request
        self._daily = daily

    async def show(self) -> ShowPuzzlesReply:
        """Request the user's rating and attempts."""
        return await self._request(ShowPuzzlesRequest(), ShowPuzzlesReply)

    async def list_counts(self) -> list[PuzzleCount]:
        counts = (await self.show()).puzzle_counts
        return [PuzzleCount(each.game, each.puzzle_count, each.tried_count, each.solved_count) for each in counts]

    async def read_rating(self) -> PuzzleSkill:
        shown = await self.show()
        # The protocol says whether a rating is provisional, and not its doubt: any above or below the bound will do.
        doubt = 2 * CERTAIN if shown.provisional else 0.0
        return PuzzleSkill(float(shown.your_rating), doubt, shown.attempt_count)

    async def pose_next(self, game: str = "", besides: str = "") -> PuzzleInfo | None:
        if self._daily:
            self._daily = False
            daily = await self._request(PosePuzzleRequest(daily=True), PosePuzzleReply)
            if daily.answer is None and daily.posed is not None:
                return daily.posed
        wanted = PosePuzzleRequest(game=game or None, besides=besides or None)
        return (await self._request(wanted, PosePuzzleReply)).posed

    async def answer(self, posed: PuzzleInfo, move: Plain) -> PuzzleAnswer:
        return await self._request(AnswerPuzzleRequest(puzzle=posed.id, move=move), PuzzleAnswer)
