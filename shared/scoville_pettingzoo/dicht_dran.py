"""Dicht dran in numbers. Actions: 0 to 99 choose the cards 1 to 100.

All agents of a round choose before anything is revealed, one after another; nobody observes what others have chosen.
A choice is final here: the option `take_back` has no effect.
"""

from collections.abc import Iterator, Mapping, Sequence

from scoville_pettingzoo.encoding import UNKNOWN, Encoding, count_cards
from scoville_shared.games.dicht_dran.cards import HIGHEST, LOWEST, peppers_by_card
from scoville_shared.games.dicht_dran.state import PLAYS, Move, Play, View

_DECK = range(LOWEST, HIGHEST + 1)


class DichtDran(Encoding):
    """A hundred actions, one for each card."""

    actions = len(_DECK)

    def move(self, action: int) -> Move:
        return PLAYS[_DECK[action]]

    def legal(self, view: View) -> Iterator[int]:
        return (move.card - LOWEST for move in self.game.moves(view) if isinstance(move, Play))

    def parts(self, view: View) -> Mapping[str, Sequence[int]]:
        """Return the circle, the target, the piles, all players' counts and scores, and the own cards."""
        board, seat = view.board, view.seat
        assert seat is not None, "an agent has a seat"
        peppers = peppers_by_card(board.options.peppers)
        return {
            "circle": board.circle,
            "peppers": [peppers[card] for card in board.circle],
            "target": [board.target, board.target_card],
            "gap": board.gap,
            "cycle": [board.cycle, board.options.cycles],
            "piles": [board.pile, board.discard],
            "hands": self.around(board.hands, seat),
            "won": self.around(board.won, seat),
            "won_peppers": self.around(board.won_peppers or [UNKNOWN] * self.seats, seat),
            "totals": self.around(board.totals, seat),
            "chosen": self.around([int(chosen) for chosen in view.chosen], seat),
            "pick": [view.pick or 0],
            "hand": count_cards(view.hand, _DECK),
            "own_won": count_cards(view.won, _DECK),
        }
