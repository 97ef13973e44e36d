"""Bots for No Thanks! that decide by rules of thumb."""

from scoville_shared.bots.base import Bot, MixedBot
from scoville_shared.bots.no_thanks import kernel
from scoville_shared.bots.no_thanks.policies import TRAINED
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import PASS, TAKE, Move, View

SENSIBLE = TRAINED[2]
"""The third generation of the training: the next one is better against it and worse against weaker players."""


class Easy(Bot):
    """Takes a card when that costs nothing, and whenever no chip is left."""

    description = Phrase("takes only cards that cost nothing")

    def choose_move(self, view: View, chance: Stream) -> Move:  # noqa: ARG002 - it needs no chance
        taking = view.board.weigh_taking(view.board.mover)
        assert taking is not None, "somebody has to decide on a card"
        return PASS if taking.change > 0 and view.chips else TAKE


class Sensible(Bot):
    """Decides by a trained rule from the View alone."""

    description = Phrase("weighs points, chips and what others want")

    def choose_move(self, view: View, chance: Stream) -> Move:  # noqa: ARG002 - it needs no chance
        """Take a card that the rule finds worth its points."""
        return TAKE if wants_card(view, SENSIBLE) else PASS


class Casual(MixedBot):
    """Chooses each move as one of its `kinds` would, by chance: easier than the better of them."""

    kinds = (Easy, Sensible)


def wants_card(view: View, policy: tuple[int, ...]) -> bool:
    """Whether the View's seat takes the card by a policy of the kernel; without a chip it has to."""
    board, seat = view.board, view.board.mover
    if not view.chips:
        return True
    fits = [kernel.extends_run(bits_of(cards), board.card_up) for cards in board.cards]
    mine, rivals, following = bits_of(board.cards[seat]), sum(fits) - fits[seat], fits[(seat + 1) % len(fits)]
    appealing = kernel.weigh_card(mine, board.card_up, board.left, rivals, following, policy, 0)
    return kernel.wants_card(appealing, fits[seat], board.pot, view.chips, policy, 0)


def bits_of(cards: tuple[int, ...]) -> int:
    """Return cards as the bits of one number."""
    return sum(1 << card for card in cards)
