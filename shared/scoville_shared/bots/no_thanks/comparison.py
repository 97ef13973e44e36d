"""Comparison of taking and passing in No Thanks!: both are played out in the same worlds, each player by their policy.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.no_thanks.counting import Players, draw_policies, play_counting
from scoville_shared.bots.no_thanks.kernel import Seats, Turn, copy_seats, play_round, utility_of_round
from scoville_shared.bots.no_thanks.leanings import Habits
from scoville_shared.bots.no_thanks.opinions import Vague, form_opinions, respect_passes
from scoville_shared.bots.random_numbers import shuffle_front
from scoville_shared.bots.utility import add_utility

Numbers = MutableSequence[int]
Floats = MutableSequence[float]


class Plans(NamedTuple):
    """The candidates: decisions now, each with a policy by which the seat goes on.

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
    seats: Seats, turn: Turn, totals: Sequence[int], plans: Plans, players: Players, scales: Sequence[int],
    spread: Sequence[int], playouts: int, rng: Numbers, scratch: Numbers, sums: Floats,
) -> None:  # fmt: skip
    """Play the rest of a round by each plan, in the same worlds with the same opponents.

    Args:
        seats: The chips and cards of the seats.
        turn: The card in the middle; `deck` are all cards that may be face down, which are shuffled in place.
        totals: The scores before this round.
        plans: The candidates.
        players: The policies that opponents may have.
        scales: For each policy how far opinions of cards are from it (see `Vague`); none where nobody has opinions.
        spread: Equally likely opinions.
        playouts: The number of worlds.
        rng: The state of the random numbers.
        scratch: Working space for seven numbers a seat, and with opinions for one more of each card.
        sums: Gets added, for each plan, its utility, the difference to that of the first plan with the same policy,
            the square of that, and one world.
    """
    me, count = turn.mover, len(seats.chips)
    size = len(plans.decisions) // len(plans.mine)
    # Parts of one array: views of it where this is compiled, copies in plain Python. Both do, since nobody reads it.
    work = Seats(scratch[:count], scratch[count : 2 * count], scratch[2 * count : 3 * count])
    policies, appeals = scratch[3 * count : 4 * count], scratch[4 * count : 6 * count]
    vague, opinions = Vague(scratch[6 * count : 7 * count], spread), scratch[7 * count :]
    # Leading or trailing is not expected to change how a player decides.
    habits, lapses = Habits(spread[:0], spread[:0], spread[:0]), spread[:0]
    for _ in range(playouts):
        shuffle_front(turn.deck, len(turn.deck), turn.left, rng)
        draw_policies(players, policies, rng)
        if len(opinions) > 0:
            for seat in range(count):
                # The mover's plans are compared, so none of them is left to chance.
                vague.scales[seat] = scales[policies[seat]] if seat != me else 0
            form_opinions(vague, players.weights, policies, turn.left + 1, rng, opinions)
            respect_passes(seats, turn, vague, players.weights, policies, rng, work, opinions, habits)
        reference = 0.0
        for plan in range(len(plans.decisions)):
            policies[me] = plans.mine[plan // size]
            copy_seats(seats, work)
            if plans.counting:
                play_counting(
                    work, turn, plans.decisions[plan], players.weights, policies, appeals, opinions, habits, lapses
                )
            else:
                play_round(work, turn, plans.decisions[plan], players.weights, policies, appeals)
            worth = utility_of_round(me, work.chips, work.points, totals, plans.final)
            if plan % size == 0:
                reference = worth
            add_utility(sums, plan, worth, reference)
