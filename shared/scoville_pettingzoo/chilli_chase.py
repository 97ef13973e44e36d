"""Chilli Chase in numbers. Actions: 0 to 83 play a card, 84 keeps the Chilli Score, 85 to 204 take a new one.

Action 14 × (card − 1) + 2 × operation + side plays a card: the operations are + − × ÷ ^ root mod, side 0 writes the
total first, 1 the card. New Chilli Scores are −60 to −1 and 1 to 60; the rules know no bound but the table's cap.
"""

from collections.abc import Iterator, Mapping, Sequence

from scoville_pettingzoo.encoding import Encoding, count_cards
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import KEEP, VALUES, Left, Move, NewScore, Op, Play, View

_FARTHEST = 60
_MOVES: tuple[Move, ...] = (
    *(Play(card, op, left) for card in VALUES for op in Op for left in Left),
    KEEP,
    *(NewScore(score) for score in range(-_FARTHEST, _FARTHEST + 1) if score),
)
_ACTIONS = {move: action for action, move in enumerate(_MOVES)}


class ChilliChase(Encoding):
    """Two hundred and five actions."""

    actions = len(_MOVES)

    def move(self, action: int) -> Move:
        return _MOVES[action]

    def legal(self, view: View) -> Iterator[int]:
        if view.board.choosing:
            yield _ACTIONS[KEEP]
            # Not by the game's own list, which may have two million numbers.
            for action, move in enumerate(_MOVES):
                if isinstance(move, NewScore) and check_score(view.board, move.score) is None:
                    yield action
        else:
            yield from (_ACTIONS[move] for move in self.game.moves(view))

    def parts(self, view: View) -> Mapping[str, Sequence[int]]:
        """Return the total, the Hot Pile, all players' scores and points, and the own cards."""
        board, seat = view.board, view.seat
        assert seat is not None, "an agent has a seat"
        return {
            "total": [board.total],
            "turn": [board.turn, board.options.turn_limit],
            "to_act": [(board.mover - seat) % self.seats],
            "choosing": [int(board.choosing)],
            "target": [board.options.points],
            "deck": [board.deck, board.recycled],
            "hot": count_cards(board.hot, VALUES),
            "top": [board.hot[-1]],
            "scores": self.around(board.scores, seat),
            "points": self.around(board.points, seat),
            "hands": self.around(board.hands, seat),
            "hand": count_cards(view.hand, VALUES),
        }
