"""Bots for No Thanks! that decide by rules of thumb."""

from scoville_shared.bots.base import Bot
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import PASS, TAKE, Move, View
from scoville_shared.ids import Seat

PATIENCE = 10
"""How dear a card may be for somebody with no chip to spare: what waiting for a better one would cost."""

CHIP_WORTH = 0.5
"""How much less a card may cost for each chip in hand: who is rich can wait."""

SAFETY = 9
"""How much a card has to cost all others before one may let chips gather on a card that one wants."""


class Easy(Bot):
    """Takes a card when that costs nothing, and whenever no chip is left."""

    description = Phrase("takes only cards that cost nothing")

    def choose(self, view: View, chance: Stream) -> Move:  # noqa: ARG002 - it needs no chance
        """Take a card whose chips outweigh it."""
        taking = view.board.taking(view.board.mover)
        assert taking is not None, "somebody has to decide on a card"
        return PASS if taking.change > 0 and view.chips else TAKE


class Sensible(Bot):
    """Compares a card's points with its chips and with the cost of waiting."""

    description = Phrase("weighs points, chips and what others want")

    def choose(self, view: View, chance: Stream) -> Move:  # noqa: ARG002 - it needs no chance
        """Take a card that is cheap for the chips in hand; pass a card that nobody else wants."""
        if not view.chips or view.seat is None:
            return TAKE
        change = _change(view, view.seat)
        if change > PATIENCE - CHIP_WORTH * view.chips:
            return PASS if change > 0 else TAKE
        return PASS if _nobody_else_wants_it(view) else TAKE


def _change(view: View, seat: Seat) -> int:
    taking = view.board.taking(seat)
    assert taking is not None, "somebody has to decide on a card"
    return taking.change


def _nobody_else_wants_it(view: View) -> bool:
    others = (Seat(seat) for seat in range(len(view.board.cards)) if seat != view.seat)
    return all(_change(view, seat) > SAFETY for seat in others)
