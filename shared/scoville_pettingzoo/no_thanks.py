"""No Thanks! in numbers. Actions: 0 passes, 1 takes the card."""

from collections.abc import Iterator, Mapping, Sequence

from scoville_pettingzoo.encoding import UNKNOWN, Encoding, count_cards
from scoville_shared.games.no_thanks.state import CARDS, PASS, TAKE, Move, View

_MOVES = (PASS, TAKE)


class NoThanks(Encoding):
    """Two actions. Chips of others are unknown unless the table shows them; an agent can count them."""

    actions = len(_MOVES)

    def move(self, action: int) -> Move:
        return _MOVES[action]

    def legal(self, view: View) -> Iterator[int]:
        return (_MOVES.index(move) for move in self.game.moves(view))

    def parts(self, view: View) -> Mapping[str, Sequence[int]]:
        """Return the card and its chips, what is left, and all players' cards, scores and chips."""
        board, seat = view.board, view.seat
        assert seat is not None, "an agent has a seat"
        chips = list(board.chips or [UNKNOWN] * self.seats)
        chips[seat] = view.chips if view.chips is not None else UNKNOWN
        return {
            "card": [board.card or 0],
            "pot": [board.pot],
            "left": [board.left],
            "round": [board.round, board.options.rounds],
            "to_act": [(board.mover - seat) % self.seats],
            "chips": self.around(chips, seat),
            "totals": self.around(board.totals, seat),
            "cards": [
                number
                for each in self.around(range(self.seats), seat)
                for number in count_cards(board.cards[each], CARDS)
            ],
        }
