"""Comparison of taking and passing in No Thanks!: both are played out in the same worlds, by everybody's policy.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.no_thanks.counting import play_counting
from scoville_shared.bots.no_thanks.kernel import play_round, utility_of_round
from scoville_shared.bots.random_numbers import next_random, shuffle_front

Numbers = MutableSequence[int]
Floats = MutableSequence[float]


def draw_policy(chances: Sequence[int], at: int, count: int, word: int) -> int:
    """Return which of `count` things a random word draws; their cumulated chances begin at `at`."""
    for number in range(count - 1):
        if word < chances[at + number]:
            return number
    return count - 1


def compare_answers(
    me: int, chips: Sequence[int], owned: Sequence[int], points: Sequence[int], unseen: Numbers, left: int, card: int,
    pot: int, totals: Sequence[int], final: bool, counting: bool, weights: Sequence[int], chances: Sequence[int],
    alike: int, decisions: Sequence[int], mine: Sequence[int], playouts: int, rng: Numbers, scratch: Numbers,
    sums: Floats,
) -> None:  # fmt: skip
    """Play the rest of a round by each plan, in the same worlds with the same opponents.

    A plan is this decision and the policy by which the seat goes on.

    Args:
        me: The seat that decides.
        unseen: The cards that may be face down; they are shuffled in place.
        counting: Whether `weights` are those of policies that count.
        chances: For each seat, and for all of them together if they are alike, the cumulated chances of all
            policies, of 2**32.
        alike: The chance that all opponents have the same policy, of 2**32.
        decisions: For each plan `PASS_FIRST` or `TAKE_FIRST`; for each policy in `mine` there are equally many plans.
        mine: The policies by which `me` may go on.
        scratch: Working space for six numbers a seat.
        sums: Gets added, for each plan, its utility, the difference to that of the first plan with the same policy,
            and the square of that.
    """
    seats = len(chips)
    population = len(chances) // (seats + 1)
    size = len(decisions) // len(mine)
    work_chips, work_owned, work_points = scratch[:seats], scratch[seats : 2 * seats], scratch[2 * seats : 3 * seats]
    policies, appeals = scratch[3 * seats : 4 * seats], scratch[4 * seats :]
    for _ in range(playouts):
        shuffle_front(unseen, len(unseen), left, rng)
        if alike and next_random(rng) < alike:
            same = draw_policy(chances, seats * population, population, next_random(rng))
            for seat in range(seats):
                policies[seat] = same
        else:
            for seat in range(seats):
                policies[seat] = draw_policy(chances, seat * population, population, next_random(rng))
        reference = 0.0
        for plan in range(len(decisions)):
            policies[me] = mine[plan // size]
            for seat in range(seats):
                work_chips[seat] = chips[seat]
                work_owned[seat] = owned[seat]
                work_points[seat] = points[seat]
            first = decisions[plan]
            if counting:
                play_counting(
                    work_chips, work_owned, work_points, unseen, left, card, pot, me, first, weights, policies, appeals
                )
            else:
                play_round(
                    work_chips, work_owned, work_points, unseen, left, card, pot, me, first, weights, policies, appeals
                )
            worth = utility_of_round(me, work_chips, work_points, totals, final)
            if plan % size == 0:
                reference = worth
            sums[3 * plan] += worth
            sums[3 * plan + 1] += worth - reference
            sums[3 * plan + 2] += (worth - reference) * (worth - reference)
