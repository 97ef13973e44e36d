"""The coach's playouts of No Thanks!: whole games, after each move in the same worlds.

The functions use only the part of Python that numba compiles (see `bots.machine`). A world is an order of the cards
face down and a policy for each opponent; rounds that follow are dealt in it once, for all moves alike.
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.no_thanks.kernel import (
    AS_POLICY,
    FEATURES,
    PASS_FIRST,
    extends_run,
    play_round,
    wants_card,
    weigh_card,
)
from scoville_shared.bots.random_numbers import next_random, shuffle_front
from scoville_shared.coach.tally import COLUMNS, FIRST, SECOND, add_results, add_seats, note_results

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

DEALT = 24
"""Cards of a round."""

FEWER = -1
"""Fewer points are better."""


def arrange_world(cards: Numbers, count: int, number: int) -> int:
    """Bring the choice of `count` cards with this number to the front, in its order; returns what the number leaves."""
    size = len(cards)
    for place in range(count):
        other = place + number % (size - place)
        number = number // (size - place)
        kept = cards[place]
        cards[place] = cards[other]
        cards[other] = kept
    return number


def compare_answers(
    me: int, chips: Sequence[int], owned: Sequence[int], points: Sequence[int], unseen: Numbers, left: int, card: int,
    pot: int, totals: Sequence[int], whole: Numbers, rounds: int, chips_each: int, firsts: Sequence[int],
    weights: Sequence[int], population: int, start: int, worlds: int, rng: Numbers, scratch: Numbers, results: Floats,
    sums: Floats, products: Floats,
) -> None:  # fmt: skip
    """Play the game out after each first move in `firsts`, and add up what it led to.

    Args:
        me: The seat that decides; it goes on by policy 0, each opponent by a random one of the `population`.
        unseen: The cards that may be face down, ascending.
        whole: All cards that can be in a deck; shuffled in place.
        rounds: How many rounds follow this one.
        start: The number of the first world, where `rng` is empty and worlds are numbered.
        scratch: Working space for eight numbers a seat, and one for each unseen card.
        results: Working space for the columns of each move.
    """
    seats = len(chips)
    work_chips, work_owned, work_points = scratch[:seats], scratch[seats : 2 * seats], scratch[2 * seats : 3 * seats]
    policies, later = scratch[3 * seats : 4 * seats], scratch[4 * seats : 5 * seats]
    appeals = scratch[5 * seats : 7 * seats]
    deck = scratch[8 * seats : 8 * seats + len(unseen)]
    for world in range(start, start + worlds):
        for place in range(len(unseen)):
            deck[place] = unseen[place]
        if len(rng) == 0:
            _number_policies(policies, arrange_world(deck, left, world), me, population)
        else:
            shuffle_front(deck, len(deck), left, rng)
            for seat in range(seats):
                policies[seat] = 0 if seat == me else next_random(rng) % population
        _play_later(
            later, rounds, chips_each, whole, weights, policies, rng, work_chips, work_owned, work_points, appeals
        )
        for number in range(len(firsts)):
            _set_up(chips, owned, points, work_chips, work_owned, work_points)
            play_round(
                work_chips, work_owned, work_points, deck, left, card, pot, me, firsts[number], weights, policies,
                appeals,
            )  # fmt: skip
            _add_final_scores(totals, later, work_chips, work_points)
            at = number * COLUMNS
            note_results(me, work_points, FEWER, results, at)
            results[at + FIRST] = 0.0
            results[at + SECOND] = 0.0
            if firsts[number] == PASS_FIRST:
                results[at + FIRST] = comes_back(me, chips, owned, left, card, pot, weights, policies)
        add_results(results, len(firsts), sums, products)


def expect_scores(
    mover: int, chips: Sequence[int], owned: Sequence[int], points: Sequence[int], unseen: Numbers, left: int,
    card: int, pot: int, totals: Sequence[int], whole: Numbers, rounds: int, chips_each: int, weights: Sequence[int],
    population: int, worlds: int, rng: Numbers, scratch: Numbers, sums: Floats,
) -> None:  # fmt: skip
    """Play the game out in random worlds, everybody by a random policy, and add up everybody's scores and wins."""
    seats = len(chips)
    work_chips, work_owned, work_points = scratch[:seats], scratch[seats : 2 * seats], scratch[2 * seats : 3 * seats]
    policies, later = scratch[3 * seats : 4 * seats], scratch[4 * seats : 5 * seats]
    appeals = scratch[5 * seats : 7 * seats]
    for _ in range(worlds):
        shuffle_front(unseen, len(unseen), left, rng)
        for seat in range(seats):
            policies[seat] = next_random(rng) % population
        _play_later(
            later, rounds, chips_each, whole, weights, policies, rng, work_chips, work_owned, work_points, appeals
        )
        _set_up(chips, owned, points, work_chips, work_owned, work_points)
        if card:
            play_round(
                work_chips, work_owned, work_points, unseen, left, card, pot, mover, AS_POLICY, weights, policies,
                appeals,
            )  # fmt: skip
        _add_final_scores(totals, later, work_chips, work_points)
        add_seats(work_points, FEWER, sums)


def comes_back(
    me: int, chips: Sequence[int], owned: Sequence[int], left: int, card: int, pot: int, weights: Sequence[int],
    policies: Sequence[int],
) -> float:  # fmt: skip
    """Return 1 if everybody else passes on the card too, else 0."""
    seats = len(chips)
    fitting = 0
    for seat in range(seats):
        fitting += extends_run(owned[seat], card)
    for step in range(1, seats):
        seat = (me + step) % seats
        if chips[seat] == 0:
            return 0.0
        run, following = extends_run(owned[seat], card), extends_run(owned[(seat + 1) % seats], card)
        at = policies[seat] * FEATURES
        appealing = weigh_card(owned[seat], card, left, fitting - run, following, weights, at)
        if wants_card(appealing, run, pot + step, chips[seat], weights, at):
            return 0.0
    return 1.0


def _number_policies(policies: Numbers, number: int, me: int, population: int) -> None:
    """Give each opponent the policy that the number of a world says."""
    for seat in range(len(policies)):
        policies[seat] = 0
        if seat != me:
            policies[seat] = number % population
            number = number // population


def _set_up(
    chips: Sequence[int], owned: Sequence[int], points: Sequence[int], work_chips: Numbers, work_owned: Numbers,
    work_points: Numbers,
) -> None:  # fmt: skip
    for seat in range(len(chips)):
        work_chips[seat] = chips[seat]
        work_owned[seat] = owned[seat]
        work_points[seat] = points[seat]


def _add_final_scores(totals: Sequence[int], later: Sequence[int], chips: Sequence[int], points: Numbers) -> None:
    """Turn the points of a round into final scores."""
    for seat in range(len(chips)):
        points[seat] += totals[seat] + later[seat] - chips[seat]


def _play_later(
    later: Numbers, rounds: int, chips_each: int, whole: Numbers, weights: Sequence[int], policies: Sequence[int], rng:
    Numbers, chips: Numbers, owned: Numbers, points: Numbers, appeals: Numbers,
) -> None:  # fmt: skip
    """Play the rounds that follow, and put everybody's scores in them into `later`."""
    seats = len(chips)
    for seat in range(seats):
        later[seat] = 0
    for _ in range(rounds):
        shuffle_front(whole, len(whole), DEALT, rng)
        for seat in range(seats):
            chips[seat] = chips_each
            owned[seat] = 0
            points[seat] = 0
        starter = next_random(rng) % seats
        play_round(
            chips, owned, points, whole[1:DEALT], DEALT - 1, whole[0], 0, starter, AS_POLICY, weights, policies,
            appeals,
        )  # fmt: skip
        for seat in range(seats):
            later[seat] += points[seat] - chips[seat]
