"""A published rule for No Thanks! as a reference opponent: RaggedR's weighted sum of twelve features.

Its author describes it at github.com/RaggedR/no-thanks: the features, each brought to about -1 to 1, and the weights
that evolved in games of three against itself. A card is taken when their sum is below a threshold. The feature that
needs the chips of others leaves them out here, as its weight is next to nothing.
"""

from typing import Final

from scoville_shared.bots.base import Bot
from scoville_shared.bots.no_thanks import kernel
from scoville_shared.bots.no_thanks.heuristics import bits_of
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import CARDS, DECK_SIZE, PASS, TAKE, Move, View

THRESHOLD: Final = 0.58845
WEIGHTS: Final = (
    0.00732, -2.58656, 1.27126, 0.73122, 0.06829, -0.20615, -0.07023, -0.75037, -0.00034, 0.77522, 0.66695, -0.01519,
)  # fmt: skip

_SPAN: Final = CARDS[-1] - CARDS[0]
_CHIPS: Final = 11
_DEAREST: Final = CARDS[-1]
_MOST_CHIPS: Final = 33


class Evolved(Bot):
    """Takes a card when the weighted sum of its features is low."""

    description = Phrase("plays RaggedR's published rule")

    def choose_move(self, view: View, chance: Stream) -> Move:  # noqa: ARG002 - it needs no chance
        """Take the card if the sum is below the threshold, or if there is no chip."""
        total = sum(weight * feature for weight, feature in zip(WEIGHTS, features_of(view), strict=True))
        return TAKE if not view.chips or total < THRESHOLD else PASS


def features_of(view: View) -> tuple[float, ...]:
    """Return the twelve features of a View whose seat decides on a card."""
    board, seat, chips = view.board, view.board.mover, view.chips or 0
    card, cards = board.card_up, board.cards[seat]
    dearer = kernel.points_added(bits_of(cards), card)
    run = card - 1 in cards or card + 1 in cards
    best = min(points for other, points in enumerate(board.points) if other != seat)
    return (
        (card - CARDS[0]) / _SPAN,
        board.pot / _MOST_CHIPS,
        (card - board.pot) / _DEAREST,
        chips / _CHIPS,
        float(run),
        float(card - 1 in cards and card + 1 in cards),
        min((abs(own - card) for own in cards), default=_SPAN) / _SPAN,
        board.left / DECK_SIZE,
        _bound_feature((board.points[seat] - chips - best) / _DEAREST),
        _bound_feature((dearer - board.pot) / _DEAREST),
        1 - (chips / _CHIPS) ** 0.5,
        max(0, card - dearer) / _SPAN if run else 0.0,
    )


def _bound_feature(number: float) -> float:
    return max(-1.0, min(1.0, number))
