"""What each seat sees of a state, and what it may do then: the allow-list of ruling A24."""

from collections.abc import Sequence

from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.rules import take_backs_left
from scoville_shared.games.dicht_dran.state import PLAYS, TAKE_BACK, Move, Play, State
from scoville_shared.games.dicht_dran.view import View
from scoville_shared.ids import Seat


def seen_by(state: State, seat: Seat | None) -> View:
    """Build the View of `seat`; a spectator sees the open board and who has chosen, no more."""
    if seat is None:
        return View(board=state.board, chosen=state.chosen, seat=None, hand=(), pick=None, won=(), take_backs=0)
    return View(
        board=state.board,
        chosen=state.chosen,
        seat=seat,
        hand=state.secret.hands[seat],
        pick=state.picks[seat],
        won=state.secret.won[seat],
        take_backs=take_backs_left(state.board.options, state.taken_back[seat]),
    )


def moves(view: View) -> Sequence[Move]:
    """List the cards to choose from; once one is chosen, at most its taking back."""
    if view.board.over:
        return ()
    if view.pick is None:
        return [PLAYS[card] for card in view.hand]
    return (TAKE_BACK,) if view.take_backs else ()


def fallback(view: View) -> Play:
    """Choose for somebody absent: the card closest to the target, of two the one with more peppers."""
    target = view.board.target_card
    peppers = peppers_by_card(view.board.options.peppers)
    return PLAYS[min(view.hand, key=lambda card: (abs(card - target), -peppers[card], -card))]
