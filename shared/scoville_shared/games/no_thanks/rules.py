"""Who decides, what is legal, and what a decision leads to."""

from msgspec.structs import replace

from scoville_shared.engine.contract import Addressed, Outcome, Refusal, Step, places
from scoville_shared.engine.tuples import replaced
from scoville_shared.games.no_thanks.cards import DECK_SIZE, MOST_SEATS
from scoville_shared.games.no_thanks.facts import Fact, Passed, Took, TurnedUp
from scoville_shared.games.no_thanks.round import finish
from scoville_shared.games.no_thanks.runs import card_points, run_of
from scoville_shared.games.no_thanks.state import Action, Ending, Move, Reason, Secret, State
from scoville_shared.ids import Seat

_NOBODY: frozenset[Seat] = frozenset()
_ALONE = tuple(frozenset({Seat(seat)}) for seat in range(MOST_SEATS))


def pending(state: State) -> frozenset[Seat]:
    """Name the seat that has to decide on the card."""
    return _NOBODY if state.board.over else _ALONE[state.board.mover]


def check(state: State, seat: Seat, move: Move) -> Refusal | None:
    """Judge a move: in turn, and with a chip to pay for a pass (B2)."""
    board = state.board
    if board.over:
        return Refusal(Reason.GAME_OVER)
    if seat != board.mover:
        return Refusal(Reason.NOT_YOUR_TURN, {"mover": board.mover})
    if move.action is Action.PASS and not state.chips[seat]:
        return Refusal(Reason.NO_CHIPS, {"card": board.card_up})
    return None


def apply(state: State, seat: Seat, move: Move) -> Step[State, Fact]:
    """Carry out a decision; all of it is public."""
    return _pass(state, seat) if move.action is Action.PASS else _take(state, seat)


def outcome(state: State) -> Outcome | None:
    """Rank the totals of all rounds: fewest points win, ties share (B11)."""
    if not state.board.over:
        return None
    totals = state.board.totals
    return Outcome(scores=totals, places=places([-total for total in totals]), reason=Ending.ROUNDS_PLAYED)


def round_of(state: State) -> tuple[int, ...]:
    """Number the round, and the card within it: who may look on a round late sees what became of each card."""
    return (state.board.round, DECK_SIZE - state.board.left)


def _pass(state: State, seat: Seat) -> Step[State, Fact]:
    """Pay a chip; the left-hand neighbour faces the same decision."""
    board = state.board
    chips = replaced(state.chips, seat, state.chips[seat] - 1)
    after = replace(
        board,
        pot=board.pot + 1,
        mover=Seat((seat + 1) % len(chips)),
        chips=chips if board.options.open_chips else None,
    )
    paid: Fact = Passed(seat, board.card_up, after.pot)
    return Step(State(after, state.secret, chips), (Addressed(None, paid),))


def _take(state: State, seat: Seat) -> Step[State, Fact]:
    """Take the card and its chips, then turn up the next card; the last card ends the round at once (B8)."""
    board, card = state.board, state.board.card_up
    mine = tuple(sorted((*board.cards[seat], card)))
    taken = State(
        replace(board, cards=replaced(board.cards, seat, mine)),
        state.secret,
        replaced(state.chips, seat, state.chips[seat] + board.pot),
    )
    told: list[Fact] = [Took(seat, card, board.pot, run_of(card, mine), card_points(mine))]
    after, further = _turn_up(taken, seat) if board.left else finish(taken)
    return Step(after, [Addressed(None, fact) for fact in (*told, *further)])


def _turn_up(state: State, seat: Seat) -> tuple[State, list[Fact]]:
    """Turn the next card; the taker faces it first (B7)."""
    secret = state.secret
    card, *deck = secret.deck
    board = replace(
        state.board,
        card=card,
        pot=0,
        left=len(deck),
        chips=state.chips if state.board.options.open_chips else None,
    )
    after = State(board, Secret(secret.dice, tuple(deck), secret.removed), state.chips)
    return after, [TurnedUp(seat, card, len(deck))]
