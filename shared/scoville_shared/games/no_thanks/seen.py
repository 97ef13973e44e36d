"""What each seat sees of a state, and what it may do then: the allow-list of rulings B4, B5 and B9."""

from collections.abc import Sequence

from scoville_shared.games.no_thanks.state import PASS, TAKE, Move, State
from scoville_shared.games.no_thanks.view import View
from scoville_shared.ids import Seat


def seen_by(state: State, seat: Seat | None) -> View:
    """Build the View of `seat`: the open board and its own chips; a spectator sees the board alone."""
    return View(board=state.board, seat=seat, chips=None if seat is None else state.chips[seat])


def moves(view: View) -> Sequence[Move]:
    """Offer to take, and with a chip in hand to pass (B2)."""
    if view.board.over or view.seat != view.board.mover:
        return ()
    return (TAKE, PASS) if view.chips else (TAKE,)


def fallback(view: View) -> Move:
    """Decide for somebody absent: take what costs nothing or cannot be declined."""
    taking = view.board.taking(view.board.mover)
    costs = taking is not None and taking.change > 0
    return PASS if costs and view.chips else TAKE
