"""Bots for Chilli Chase that look at most one turn ahead."""

from scoville_shared.bots.base import Bot, MixedBot
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase
from scoville_shared.engine.tuples import without_item
from scoville_shared.games.chilli_chase.arithmetic import Reach, list_choices, list_reaches
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import HAND_SIZE, KEEP, VALUES, Board, Move, NewScore, View

OWN_POINT = 3.0
THEIR_POINT = -1.0
DANGER = -1.0
"""Cost of a total from which the next player is sure to hit their own score."""

PROMISE = 0.3
"""Worth of a card that would hit one's own score from here, shared with all players in between."""

FAR = 60
"""From this distance on it does not matter how far the total is from one's score."""


class Easy(Bot):
    """Hits its own score if it can, else goes as close to it as possible."""

    description = Phrase("hits its own Chilli Score if it can")

    def choose_move(self, view: View, chance: Stream) -> Move:  # noqa: ARG002 - it needs no chance
        """Play the total closest to the own score; keep that score."""
        board = view.board
        if board.choosing:
            return KEEP
        mine = board.scores[board.mover]
        return min((way for _, way in list_choices(view)), key=lambda way: abs(way.total - mine)).plays[0]


class Sensible(Bot):
    """Hits its own score, gives little away, and leaves the next player no easy hit."""

    description = Phrase("weighs what it and the next player can hit")

    def choose_move(self, view: View, chance: Stream) -> Move:
        """Play the total that is worth most now and in the next turn; take a Chilli Score that the hand can hit."""
        if view.board.choosing:
            return new_score(view)
        ranked = rank_plays(view)
        equals = [way for value, way in ranked if value == ranked[0][0]]
        return equals[chance.draw_below(len(equals))].plays[0]


class Casual(MixedBot):
    """Chooses each move as one of its `kinds` would, by chance: easier than the better of them."""

    kinds = (Easy, Sensible)


def rank_plays(view: View) -> list[tuple[float, Reach]]:
    """List the choices of a turn with their estimated worth, the best first."""
    worth = [(_worth_of_total(view, card, way.total), way) for card, way in list_choices(view)]
    return sorted(worth, key=lambda choice: -choice[0])


def _worth_of_total(view: View, card: int, total: int) -> float:
    board = view.board
    mine = board.scores[board.mover]
    rest = without_item(view.hand, card)
    hits = sum(_hits_score(other, total, mine, board) for other in rest)
    return (
        _points_won(board, total, mine)
        + DANGER * _danger_of_total(board, total)
        + PROMISE * hits / (len(board.scores) - 1)
        # At most a tenth of a point: it decides only between totals that are equal otherwise.
        - min(abs(total - mine), FAR) / (10 * FAR)
    )


def _points_won(board: Board, total: int, mine: int) -> float:
    if total == mine:
        return OWN_POINT
    return THEIR_POINT if total in board.scores else 0.0


def _danger_of_total(board: Board, total: int) -> float:
    """Estimate how likely the next player holds a card that hits the own score."""
    following = board.scores[(board.mover + 1) % len(board.scores)]
    hitting = sum(_hits_score(card, total, following, board) for card in VALUES)
    return float(1 - (1 - hitting / len(VALUES)) ** HAND_SIZE)


def _hits_score(card: int, total: int, score: int, board: Board) -> bool:
    return any(way.total == score for way in list_reaches(card, total, board.options))


def new_score(view: View) -> Move:
    """Take the free number that most of the own cards reach from here, the closest to zero of those."""
    board = view.board
    within = [way.total for card in view.hand for way in list_reaches(card, board.total, board.options)]
    free = [score for score in within if check_score(board, score) is None]
    if not free:
        return KEEP
    best = max(free, key=lambda score: (within.count(score), -abs(score), score))
    kept = within.count(board.scores[board.mover])
    return KEEP if kept >= within.count(best) else NewScore(best)
