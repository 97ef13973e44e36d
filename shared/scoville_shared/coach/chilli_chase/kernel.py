"""The coach's playouts of Chilli Chase: whole games, after each choice in the same worlds.

The functions use only the part of Python that numba compiles (see `bots.machine`); `bots.chilli_chase.kernel` describes
the sequences of a table. A world is a deal of the unseen cards.
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.chilli_chase.careful import play_on
from scoville_shared.bots.chilli_chase.kernel import (
    CARDS,
    DECK,
    HAND,
    HOT,
    TOP,
    TURN,
    lay_card,
    lay_out,
    take_score,
)
from scoville_shared.bots.random_numbers import next_random, shuffle_front
from scoville_shared.coach.tally import COLUMNS, FIRST, SECOND, add_results, add_seats, note_results

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

MORE = 1
"""More points are better."""

HORIZON = 15
"""How often the turn goes round the table in a playout; the player who leads then has won, as at the turn limit."""

NOW = 8
"""Numbers of a table's `now`."""


def compare_choices(
    me: int, now: Sequence[int], rules: Sequence[int], hands: Sequence[int], scores: Sequence[int],
    points: Sequence[int], unseen: Numbers, hot: Sequence[int], candidates: Sequence[int], population: int, worlds: int,
    rng: Numbers, scratch: Numbers, results: Floats, sums: Floats, products: Floats,
) -> None:  # fmt: skip
    """Play the game out after each of the candidates, and add up what it led to.

    The game's own columns are whether an opponent scores between the candidate and the seat's next turn, and whether
    the seat scores in that turn.

    Args:
        me: The seat that decides: the mover.
        hands: All hands; those of the others are dealt from `unseen`.
        unseen: The cards in the others' hands and in the deck; they are shuffled in place.
        candidates: Pairs of a place in the hand and a total, or of -1 and a Chilli Score.
        population: From how many policies each seat's is drawn; the trained one is the first.
        scratch: Working space, `scratch_size` numbers.
        results: Working space for the columns of each candidate.
    """
    seats = len(scores)
    work_now, work_scores, work_points, work_hands, deck, pile, stream, policies = _split_scratch(scratch, seats)
    for _ in range(worlds):
        shuffle_front(unseen, len(unseen), len(unseen) - 1, rng)
        draw_policies(policies, population, rng)
        same = next_random(rng) | 1
        for number in range(len(candidates) // 2):
            lay_out(me, now, hands, scores, points, unseen, hot, work_now, work_hands, work_scores, work_points, deck)
            for place in range(len(hot)):
                pile[place] = hot[place]
            stream[0] = same
            place, value = candidates[2 * number], candidates[2 * number + 1]
            if place < 0:
                take_score(value, work_now, rules, work_hands, work_scores, deck, pile, stream)
            else:
                lay_card(place, value, work_now, rules, work_hands, work_scores, work_points, deck, pile, stream)
            at = number * COLUMNS
            mine, others = work_points[me], total_of(work_points)
            to_next = now[TURN] + seats - work_now[TURN]
            play_on(to_next, work_now, rules, work_hands, work_scores, work_points, deck, pile, stream, policies)
            others = total_of(work_points) - others - (work_points[me] - mine)
            results[at + FIRST] = 1.0 if others > 0 else 0.0
            mine = work_points[me]
            play_on(1, work_now, rules, work_hands, work_scores, work_points, deck, pile, stream, policies)
            results[at + SECOND] = 1.0 if work_points[me] > mine else 0.0
            play_on(
                HORIZON * seats, work_now, rules, work_hands, work_scores, work_points, deck, pile, stream, policies
            )
            note_results(me, work_points, MORE, results, at)
        add_results(results, len(candidates) // 2, sums, products)


def expect_scores(
    now: Sequence[int], rules: Sequence[int], hands: Sequence[int], scores: Sequence[int], points: Sequence[int],
    cards: Numbers, hot: Sequence[int], population: int, worlds: int, rng: Numbers, scratch: Numbers, sums: Floats,
) -> None:  # fmt: skip
    """Play the game out with these hands, and add up everybody's scores and wins; `cards` are the deck, shuffled."""
    seats = len(scores)
    work_now, work_scores, work_points, work_hands, deck, pile, _, policies = _split_scratch(scratch, seats)
    for _ in range(worlds):
        shuffle_front(cards, len(cards), len(cards) - 1, rng)
        for place in range(NOW):
            work_now[place] = now[place]
        for place in range(len(hands)):
            work_hands[place] = hands[place]
        for seat in range(seats):
            work_scores[seat] = scores[seat]
            work_points[seat] = points[seat]
        for place in range(len(cards)):
            deck[place] = cards[place]
        for place in range(len(hot)):
            pile[place] = hot[place]
        work_now[TOP], work_now[DECK], work_now[HOT] = 0, len(cards), len(hot)
        draw_policies(policies, population, rng)
        play_on(HORIZON * seats, work_now, rules, work_hands, work_scores, work_points, deck, pile, rng, policies)
        add_seats(work_points, MORE, sums)


def draw_policies(policies: Numbers, population: int, rng: Numbers) -> None:
    """Draw everybody's policy."""
    for seat in range(len(policies)):
        policies[seat] = next_random(rng) % population


def total_of(points: Sequence[int]) -> int:
    """Return the points of all seats together."""
    total = 0
    for seat in range(len(points)):
        total += points[seat]
    return total


def scratch_size(seats: int) -> int:
    """Return how many numbers of working space are needed."""
    return NOW + (HAND + 3) * seats + 2 * CARDS + 1


def _split_scratch(scratch: Numbers, seats: int) -> tuple[Numbers, ...]:
    """Return the parts of the working space."""
    by_seat = scratch[NOW:]
    rest = by_seat[(HAND + 2) * seats :]
    return (
        scratch[:NOW], by_seat[:seats], by_seat[seats : 2 * seats], by_seat[2 * seats : (HAND + 2) * seats],
        rest[:CARDS], rest[CARDS : 2 * CARDS], rest[2 * CARDS : 2 * CARDS + 1], rest[2 * CARDS + 1 :],
    )  # fmt: skip
