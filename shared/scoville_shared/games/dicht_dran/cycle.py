"""A cycle's beginning and end: the set-up of the rulebook, and the scoring."""

from msgspec.structs import replace

from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran.cards import DECK, HIGHEST, LOWEST, peppers_by_card
from scoville_shared.games.dicht_dran.facts import CycleEnd, CycleScored, Fact, RoundBegan
from scoville_shared.games.dicht_dran.options import Options
from scoville_shared.games.dicht_dran.state import HAND_SIZE, Secret, State
from scoville_shared.games.dicht_dran.view import Board

Scores = tuple[int, ...]


def first_cycle(options: Options, seats: int, dice: Dice) -> State:
    """Lay out the first cycle."""
    return _lay_out(options, seats, dice, cycles=())


def begin_round(board: Board, secret: Secret) -> State:
    """Wait for everybody's choice."""
    seats = len(secret.hands)
    return State(board, secret, (False,) * seats, (None,) * seats, (0,) * seats)


def round_began(board: Board) -> RoundBegan:
    """Tell which card is the target now, and the gap it leaves."""
    low, high = board.gap
    return RoundBegan(cycle=board.cycle, round=board.round, target=board.target_card, low=low, high=high)


def end_cycle(board: Board, secret: Secret, reason: CycleEnd) -> tuple[State, list[Fact]]:
    """Score the cycle: won peppers less those left in hand (A18, A20); then comes the next one, or the end (A21)."""
    scored = score_cycle(board, secret, reason)
    cycles = (*board.cycles, scored.scores)
    if len(cycles) == board.options.cycles:
        return begin_round(_closed(board, cycles, scored.totals), secret), [scored]
    state = _lay_out(board.options, len(secret.hands), secret.dice, cycles)
    return state, [scored, round_began(state.board)]


def score_cycle(board: Board, secret: Secret, reason: CycleEnd) -> CycleScored:
    """Count every seat's won peppers, the peppers left in hand, and the difference."""
    peppers = peppers_by_card(board.options.peppers)
    plus = tuple(sum(peppers[card] for card in won) for won in secret.won)
    minus = tuple(sum(peppers[card] for card in hand) for hand in secret.hands)
    scores = tuple(won - left for won, left in zip(plus, minus, strict=True))
    totals = tuple(map(sum, zip(board.totals, scores, strict=True)))
    return CycleScored(cycle=board.cycle, reason=reason, plus=plus, minus=minus, scores=scores, totals=totals)


def _lay_out(options: Options, seats: int, dice: Dice, cycles: tuple[Scores, ...]) -> State:
    cycle = len(cycles) + 1
    deck = dice.stream(f"dicht_dran/cycle/{cycle}/deck").shuffled(DECK)
    circle, rest = deck[:4], deck[4:]
    dealt = seats * HAND_SIZE
    secret = Secret(
        dice=dice,
        hands=tuple(tuple(sorted(rest[start : start + HAND_SIZE])) for start in range(0, dealt, HAND_SIZE)),
        won=((),) * seats,
        pile=tuple(rest[dealt:]),
        discard=(),
    )
    board = Board(
        options=options,
        cycle=cycle,
        round=1,
        circle=(LOWEST, *circle[:2], HIGHEST, *circle[2:]),
        target=1,
        hands=(HAND_SIZE,) * seats,
        won=(0,) * seats,
        won_peppers=(0,) * seats if options.open_won else None,
        pile=len(secret.pile),
        discard=0,
        cycles=cycles,
        totals=tuple(map(sum, zip(*cycles, strict=True))) if cycles else (0,) * seats,
        over=False,
    )
    return begin_round(board, secret)


def _closed(board: Board, cycles: tuple[Scores, ...], totals: Scores) -> Board:
    return replace(board, cycles=cycles, totals=totals, over=True)
