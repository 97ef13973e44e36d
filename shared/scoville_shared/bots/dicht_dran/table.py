"""A cycle of Dicht dran on the table, in plain numbers."""

from collections.abc import Sequence

from msgspec import Struct

from scoville_shared.bots.dicht_dran.comparison import Desk, Insight
from scoville_shared.bots.dicht_dran.fitted import FIGURES, describe_hand
from scoville_shared.bots.dicht_dran.foresight import NUMBERS, choose_farsighted, count_unknown
from scoville_shared.bots.dicht_dran.kernel import (
    COUNTS,
    MOST_CARDS,
    SLOTS,
    STRIDE,
    Cycle,
    Seen,
    Space,
    Worth,
    choose_card,
)
from scoville_shared.bots.dicht_dran.policies import (
    FORESIGHT,
    GUMBEL,
    LOGARITHMS,
    WEIGHTS,
    chances_by_rank,
    likelihood_at,
)
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.state import Board


class KnownCycle(Struct, frozen=True, kw_only=True):
    """A cycle with the knowledge of a player with a good memory: the peppers won, the cards in the discard."""

    circle: list[int]
    slot: int
    sizes: list[int]
    won: list[int]
    discard: list[int]
    pile: int
    peppers: list[int]
    totals: list[int]
    cycles: int


def read_cycle(board: Board, discard: Sequence[int], won: Sequence[int]) -> KnownCycle:
    """Return a board in plain numbers, with the discard and all players' won peppers."""
    return KnownCycle(
        circle=list(board.circle),
        slot=board.target,
        sizes=list(board.hands),
        won=list(won),
        discard=list(discard),
        pile=board.pile,
        peppers=list(peppers_by_card(board.options.peppers)),
        totals=list(board.totals),
        cycles=board.options.cycles - board.cycle,
    )


def list_seen(machine: Machine, known: KnownCycle, me: int, hand: Sequence[int], unseen: Sequence[int]) -> Seen:
    """Return a seat's knowledge in a machine's numbers; with seat -1 `hand` holds all hands (see `Seen`)."""
    numbers = machine.numbers
    return Seen(
        me, numbers(known.circle), known.slot, numbers(hand), numbers(known.sizes), numbers(known.won),
        numbers(unseen), known.pile, numbers(known.discard), numbers(known.totals), known.cycles,
    )  # fmt: skip


def list_worth(machine: Machine, peppers: Sequence[int], seats: int) -> Worth:
    """Return in a machine's numbers the worth of cards by the policies at a table of this size."""
    return Worth(machine.numbers(peppers), machine.floats(chances_by_rank(seats)), machine.floats(WEIGHTS))


def make_space(machine: Machine, seats: int) -> Space:
    """Return working space for a table of this size."""
    one, two, three, four = (machine.numbers([0] * seats) for _ in range(4))
    cycle = Cycle(
        machine.numbers([0] * SLOTS), machine.numbers([0] * (seats * STRIDE)), one, two,
        machine.numbers([0] * MOST_CARDS), machine.numbers([0] * MOST_CARDS), machine.numbers([0] * COUNTS),
    )  # fmt: skip
    return Space(cycle, three, four, machine.numbers([0]))


def list_insight(machine: Machine, seats: int) -> Insight:
    """Return in a machine's numbers how players with foresight and fitted ones choose at a table of this size."""
    return Insight(*map(machine.floats, (FORESIGHT, likelihood_at(seats), LOGARITHMS, GUMBEL)))


def make_desk(machine: Machine) -> Desk:
    """Return working space for choosing."""
    return Desk(
        machine.numbers([0] * NUMBERS), machine.numbers([0] * NUMBERS), machine.floats([0.0] * STRIDE),
        machine.floats([0.0] * (STRIDE * FIGURES)), machine.numbers([0] * STRIDE),
    )  # fmt: skip


def choose_by_policy(board: Board, hand: Sequence[int], policy: int) -> int:
    """Return the card of a hand that a policy plays."""
    cycle = Cycle(list(board.circle), list(hand), [len(hand)], [], [], [], [0, 0, 0, board.target])
    worth = list_worth(INTERPRETED, peppers_by_card(board.options.peppers), len(board.hands))
    return choose_card(cycle, 0, worth, policy)


def choose_with_foresight(board: Board, seat: int, hand: Sequence[int], unseen: Sequence[int]) -> int:
    """Return the card of a seat's hand that the farsighted policy plays, where the `unseen` cards are not known."""
    cycle, unknown = _look_from_seat(board, seat, hand, unseen)
    peppers = peppers_by_card(board.options.peppers)
    return choose_farsighted(cycle, seat, peppers, FORESIGHT, LOGARITHMS, unknown, [0.0] * len(hand))


def describe_choice(board: Board, seat: int, hand: Sequence[int], unseen: Sequence[int]) -> list[list[float]]:
    """Return the figures of each card of a seat's hand by which the fitted policy draws one (see `fitted`)."""
    cycle, unknown = _look_from_seat(board, seat, hand, unseen)
    worth = list_worth(INTERPRETED, peppers_by_card(board.options.peppers), len(board.hands))
    figures = [0.0] * (FIGURES * len(hand))
    describe_hand(cycle, seat, worth, unknown, figures)
    return [figures[at : at + FIGURES] for at in range(0, len(figures), FIGURES)]


def _look_from_seat(board: Board, seat: int, hand: Sequence[int], unseen: Sequence[int]) -> tuple[Cycle, list[int]]:
    """Return a cycle in which only a seat's own hand is known, and how many unknown cards there are up to each."""
    cycle = Cycle(
        list(board.circle), [*[0] * (seat * STRIDE), *hand], list(board.hands), [], [], [], [0, 0, 0, board.target]
    )
    marks, unknown = [0] * NUMBERS, [0] * NUMBERS
    for card in unseen:
        marks[card] = 1
    count_unknown(marks, cycle.hands, seat, len(hand), unknown)
    return cycle, unknown
