"""A heuristic bot for No Thanks!: compares a card's points with its chips and with the cost of waiting."""

from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import Stream
from scoville_shared.games.no_thanks.state import PASS, TAKE, Move, View
from scoville_shared.ids import Seat

PATIENCE = 10
"""How dear a card may be for somebody with no chip to spare: what waiting for a better one would cost."""

CHIP_WORTH = 0.5
"""How much less a card may cost for each chip in hand: who is rich can wait."""

SAFETY = 9
"""How much a card has to cost all others before one may let chips gather on a card that one wants."""


def greedy(game: AnyGame, view: View, chance: Stream) -> Move:  # noqa: ARG001 - it plays one game, without chance
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
