"""Puzzles as they are sent: the question without its answer, and the answer after an attempt."""

from scoville_shared.protocol.messages import PuzzleAnswer, PuzzleChoice, PuzzleInfo, PuzzleStep
from scoville_shared.puzzles.pool import Pool
from scoville_shared.puzzles.puzzle import Puzzle


def describe_puzzle(pool: Pool, puzzle: Puzzle) -> PuzzleInfo:
    """Return the question of a puzzle."""
    return PuzzleInfo(
        id=puzzle.id,
        game=pool.game,
        rules_version=pool.rules_version,
        options=puzzle.options,
        seat_count=puzzle.seats,
        seat=puzzle.seat,
        view=puzzle.view,
        past_steps=[PuzzleStep(seat=step.seat, facts=step.facts) for step in puzzle.history],
    )


def make_answer(
    puzzle: Puzzle, place: int, *, puzzle_rating: int, before: int, after: int, rated: bool
) -> PuzzleAnswer:
    """Return the answer of a puzzle to a player who chose the choice at `place`, with the ratings of the attempt."""
    return PuzzleAnswer(
        place=place,
        choices=[PuzzleChoice(moves=each.moves, win=each.win, behind=each.behind) for each in puzzle.choices],
        reason=puzzle.reason,
        exact=puzzle.exact,
        puzzle_rating=puzzle_rating,
        before=before,
        after=after,
        rated=rated,
    )
