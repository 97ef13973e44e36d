"""Handlers of puzzles."""

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.users import Users
from scoville_server.daily.days import DailyDays
from scoville_server.limits.budgets import Budgets
from scoville_server.puzzles.model import Tried
from scoville_server.puzzles.service import PlacedPuzzle, PuzzleService
from scoville_shared.protocol import messages as m
from scoville_shared.puzzles.pool import describe_puzzle, make_answer
from scoville_shared.puzzles.puzzle import Puzzle


class PuzzleHandlers:
    """Handlers of puzzles. Nothing of an answer is sent before the attempt."""

    def __init__(self, puzzles: PuzzleService, days: DailyDays, users: Users, budgets: Budgets) -> None:
        self._puzzles = puzzles
        self._days = days
        self._users = users
        self._budgets = budgets
        self.by_request: Handlers = {
            m.ShowPuzzlesRequest: self._show_puzzles,
            m.PosePuzzleRequest: self._pose_puzzle,
            m.AnswerPuzzleRequest: self._answer_puzzle,
        }

    async def _show_puzzles(self, connection: ConnectedClient, _: m.ShowPuzzlesRequest) -> m.ShowPuzzlesReply:
        self._budgets.count_action(connection.source)
        player = self._puzzles.player_of(connection.user.id)
        daily, today = await self._puzzles.find_daily(), self._days.today
        tried = player.tried.get(daily.puzzle.id)
        counts: dict[str, list[Puzzle]] = {}
        for pool, puzzle in self._puzzles.list_puzzles():
            counts.setdefault(pool.game, []).append(puzzle)
        figures = self._puzzles.figures_of(daily.puzzle)
        return m.ShowPuzzlesReply(
            today=today,
            next_in_ms=max(0, self._days.calendar.begins_ms(today + 1) - self._days.now_ms()),
            daily_game=daily.pool.game,
            daily_state="open" if tried is None else "solved" if tried.place == 0 else "failed",
            daily_tried_count=figures.tried,
            daily_solved_count=0 if tried is None else figures.solved,
            your_rating=player.skill.rating,
            provisional=not player.skill.certain,
            attempt_count=player.skill.attempts,
            puzzle_counts=[
                m.PuzzleCount(
                    game=game,
                    puzzle_count=len(puzzles),
                    tried_count=sum(puzzle.id in player.tried for puzzle in puzzles),
                    solved_count=sum(
                        puzzle.id in player.tried and player.tried[puzzle.id].place == 0 for puzzle in puzzles
                    ),
                )
                for game, puzzles in sorted(counts.items())
            ],
        )

    async def _pose_puzzle(self, connection: ConnectedClient, p: m.PosePuzzleRequest) -> m.PosePuzzleReply:
        self._budgets.count_action(connection.source)
        user = connection.user.id
        if not p.daily:
            found = self._puzzles.find_next(user, p.game, p.besides)
            return m.PosePuzzleReply(posed=None if found is None else describe_puzzle(*found))
        daily = await self._puzzles.find_daily()
        tried = self._puzzles.player_of(user).tried.get(daily.puzzle.id)
        return m.PosePuzzleReply(
            posed=describe_puzzle(*daily), answer=None if tried is None else _describe_attempt(daily, tried)
        )

    async def _answer_puzzle(self, connection: ConnectedClient, p: m.AnswerPuzzleRequest) -> m.PuzzleAnswer:
        self._budgets.count_action(connection.source)
        # Stored before the attempt, which names the user.
        await self._users.write_user(connection.user)
        return _describe_attempt(*await self._puzzles.attempt_puzzle(connection.user, p.puzzle, p.move))


def _describe_attempt(placed: PlacedPuzzle, tried: Tried) -> m.PuzzleAnswer:
    return make_answer(
        placed.puzzle, tried.place, puzzle_rating=tried.puzzle, before=tried.before, after=tried.after, rated=True
    )
