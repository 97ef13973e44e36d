"""A cycle of Dicht dran on the table, in plain numbers."""

from collections.abc import Sequence

from msgspec import Struct

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
from scoville_shared.bots.dicht_dran.policies import WEIGHTS, chances_by_rank
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.state import Board


class KnownCycle(Struct, frozen=True, kw_only=True):
    """A cycle with what a player with a good memory knows: the peppers won, the cards in the discard."""

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
    """Return a board in plain numbers, with the discard and everybody's won peppers."""
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
    """Return in a machine's numbers what a seat knows; with seat -1 `hand` holds all hands (see `Seen`)."""
    numbers = machine.numbers
    return Seen(
        me, numbers(known.circle), known.slot, numbers(hand), numbers(known.sizes), numbers(known.won),
        numbers(unseen), known.pile, numbers(known.discard), numbers(known.totals), known.cycles,
    )  # fmt: skip


def list_worth(machine: Machine, peppers: Sequence[int], seats: int) -> Worth:
    """Return in a machine's numbers what cards are worth to the policies at a table of this size."""
    return Worth(machine.numbers(peppers), machine.floats(chances_by_rank(seats)), machine.floats(WEIGHTS))


def make_space(machine: Machine, seats: int) -> Space:
    """Return working space for a table of this size."""
    one, two, three, four = (machine.numbers([0] * seats) for _ in range(4))
    cycle = Cycle(
        machine.numbers([0] * SLOTS), machine.numbers([0] * (seats * STRIDE)), one, two,
        machine.numbers([0] * MOST_CARDS), machine.numbers([0] * MOST_CARDS), machine.numbers([0] * COUNTS),
    )  # fmt: skip
    return Space(cycle, three, four, machine.numbers([0]))


def choose_by_policy(board: Board, hand: Sequence[int], policy: int) -> int:
    """Return the card of a hand that a policy plays."""
    cycle = Cycle(list(board.circle), list(hand), [len(hand)], [], [], [], [0, 0, 0, board.target])
    worth = list_worth(INTERPRETED, peppers_by_card(board.options.peppers), len(board.hands))
    return choose_card(cycle, 0, worth, policy)
