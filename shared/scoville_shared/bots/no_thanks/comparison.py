"""Comparison of taking and passing in No Thanks!: both are played out in the same worlds, by everybody's policy.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.no_thanks.counting import Players, draw_policies, play_counting
from scoville_shared.bots.no_thanks.kernel import Seats, Turn, play_round, utility_of_round
from scoville_shared.bots.random_numbers import shuffle_front
from scoville_shared.bots.utility import add_utility

Numbers = MutableSequence[int]
Floats = MutableSequence[float]


class Plans(NamedTuple):
    """What is compared: decisions now, each with a policy by which the seat goes on.

    Attributes:
        decisions: For each plan `PASS_FIRST` or `TAKE_FIRST`; for each policy in `mine` there are equally many plans.
        mine: The policies by which the mover may go on.
        final: Whether the end of this round is that of the game.
        counting: Whether the policies are those that count.
    """

    decisions: Sequence[int]
    mine: Sequence[int]
    final: bool
    counting: bool


def compare_answers(
    seats: Seats, turn: Turn, totals: Sequence[int], plans: Plans, players: Players, playouts: int, rng: Numbers,
    scratch: Numbers, sums: Floats,
) -> None:  # fmt: skip
    """Play the rest of a round by each plan, in the same worlds with the same opponents.

    Args:
        seats: What the seats have.
        turn: The card in the middle; `deck` are all cards that may be face down, which are shuffled in place.
        totals: The scores before this round.
        plans: What is compared.
        players: The policies that opponents may have.
        playouts: The number of worlds.
        rng: The state of the random numbers.
        scratch: Working space for six numbers a seat.
        sums: Gets added, for each plan, its utility, the difference to that of the first plan with the same policy,
            and the square of that.
    """
    me, count = turn.mover, len(seats.chips)
    size = len(plans.decisions) // len(plans.mine)
    # Parts of one array: views of it where this is compiled, copies in plain Python. Both do, since nobody reads it.
    work = Seats(scratch[:count], scratch[count : 2 * count], scratch[2 * count : 3 * count])
    policies, appeals, none = scratch[3 * count : 4 * count], scratch[4 * count :], scratch[:0]
    for _ in range(playouts):
        shuffle_front(turn.deck, len(turn.deck), turn.left, rng)
        draw_policies(players, policies, rng)
        reference = 0.0
        for plan in range(len(plans.decisions)):
            policies[me] = plans.mine[plan // size]
            copy_seats(seats, work)
            if plans.counting:
                play_counting(work, turn, plans.decisions[plan], players.weights, policies, appeals, none)
            else:
                play_round(work, turn, plans.decisions[plan], players.weights, policies, appeals)
            worth = utility_of_round(me, work.chips, work.points, totals, plans.final)
            if plan % size == 0:
                reference = worth
            add_utility(sums, plan, worth, reference)


def copy_seats(seats: Seats, work: Seats) -> None:
    """Copy what the seats have to the working space of a playout."""
    for seat in range(len(seats.chips)):
        work.chips[seat] = seats.chips[seat]
        work.owned[seat] = seats.owned[seat]
        work.points[seat] = seats.points[seat]
