"""Who owes a card, what is legal, and what a choice leads to."""

from functools import cache
from typing import TypeGuard

from scoville_shared.engine.contract import Addressed, Outcome, Refusal, Step, places
from scoville_shared.engine.tuples import replaced
from scoville_shared.games.dicht_dran.facts import Chosen, Fact, TookBack
from scoville_shared.games.dicht_dran.options import Options
from scoville_shared.games.dicht_dran.round import resolve
from scoville_shared.games.dicht_dran.state import MOST_SEATS, TAKE_BACKS, Ending, Move, Play, Reason, State
from scoville_shared.ids import Seat

_NOBODY: frozenset[Seat] = frozenset()
_CHOSEN = tuple((Addressed[Fact](None, Chosen(Seat(seat))),) for seat in range(MOST_SEATS))
_TOOK_BACK = tuple((Addressed[Fact](None, TookBack(Seat(seat))),) for seat in range(MOST_SEATS))


def pending(state: State) -> frozenset[Seat]:
    """Name the seats that have not chosen yet: a round is one simultaneous phase (1st action)."""
    return _NOBODY if state.board.over else _undecided(state.chosen)


def take_backs_left(options: Options, taken_back: int) -> int:
    """Count how often a seat may still change its mind in this round (A25)."""
    return TAKE_BACKS - taken_back if options.take_back else 0


def check(state: State, seat: Seat, move: Move) -> Refusal | None:
    """Judge a move: a card in the hand of a seat that has not chosen, or the taking back of a choice."""
    if state.board.over:
        return Refusal(Reason.GAME_OVER)
    if isinstance(move, Play):
        return _check_play(state, seat, move.card)
    return _check_take_back(state, seat)


def apply(state: State, seat: Seat, move: Move) -> Step[State, Fact]:
    """Keep a choice, or resolve the round with the last one; or give a choice back."""
    if not isinstance(move, Play):
        return _take_back(state, seat)
    picks = replaced(state.picks, seat, move.card)
    if _complete(picks):
        return resolve(state, picks)
    chosen = replaced(state.chosen, seat, True)
    return Step(State(state.board, state.secret, chosen, picks, state.taken_back), _CHOSEN[seat])


def outcome(state: State) -> Outcome | None:
    """Rank the totals of all cycles; ties share the win (A22)."""
    if not state.board.over:
        return None
    totals = state.board.totals
    return Outcome(scores=totals, places=places(totals), reason=Ending.CYCLES_PLAYED)


def round_of(state: State) -> tuple[int, ...]:
    """Number the cycle, and the round within it."""
    return (state.board.cycle, state.board.round)


def _check_play(state: State, seat: Seat, card: int) -> Refusal | None:
    pick = state.picks[seat]
    if pick is not None:
        return Refusal(Reason.ALREADY_CHOSEN, {"card": pick})
    if card not in state.secret.hands[seat]:
        return Refusal(Reason.NOT_IN_HAND, {"card": card})
    return None


def _check_take_back(state: State, seat: Seat) -> Refusal | None:
    options = state.board.options
    if not options.take_back:
        return Refusal(Reason.TAKE_BACK_OFF)
    if state.picks[seat] is None:
        return Refusal(Reason.NOTHING_TO_TAKE_BACK)
    if not take_backs_left(options, state.taken_back[seat]):
        return Refusal(Reason.NO_TAKE_BACKS_LEFT, {"limit": TAKE_BACKS})
    return None


def _take_back(state: State, seat: Seat) -> Step[State, Fact]:
    chosen = replaced(state.chosen, seat, False)
    picks = replaced(state.picks, seat, None)
    taken_back = replaced(state.taken_back, seat, state.taken_back[seat] + 1)
    return Step(State(state.board, state.secret, chosen, picks, taken_back), _TOOK_BACK[seat])


@cache
def _undecided(chosen: tuple[bool, ...]) -> frozenset[Seat]:
    return frozenset(Seat(seat) for seat, has in enumerate(chosen) if not has)


def _complete(picks: tuple[int | None, ...]) -> TypeGuard[tuple[int, ...]]:
    return None not in picks
