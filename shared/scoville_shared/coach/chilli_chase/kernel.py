"""The coach's playouts of Chilli Chase: whole games, after each choice in the same worlds.

The functions use only the part of Python that numba compiles (see `bots.machine`). A world is a deal of the unseen
cards and a policy for each seat.
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.chilli_chase import kernel as playouts
from scoville_shared.bots.chilli_chase.careful import play_on
from scoville_shared.bots.chilli_chase.comparison import make_choice
from scoville_shared.bots.chilli_chase.kernel import MOVER, TURN, Table, lay_out_table
from scoville_shared.bots.random_numbers import draw_policies, next_random, shuffle_front
from scoville_shared.coach.tally import COLUMNS, FIRST, SECOND, add_results, add_seats, note_results

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

MORE = 1
"""More points are better."""

HORIZON = 15
"""How often the turn goes round the table in a playout; the player who leads then has won, as at the turn limit."""


class Space(NamedTuple):
    """Working space: that of playouts, and the columns of each choice."""

    playing: playouts.Space
    results: Floats


def compare_choices(
    me: int, seen: Table, unseen: Numbers, candidates: Sequence[int], known: Sequence[int], population: int,
    worlds: int, rng: Numbers, space: Space, sums: Floats, products: Floats,
) -> None:  # fmt: skip
    """Play the game out after each of the candidates, and add up the results.

    The game's own columns are whether an opponent scores between the candidate and the seat's next turn, and whether
    the seat scores in that turn.

    Args:
        me: The seat that decides: the mover.
        seen: The table as the seat knows it (see `lay_out_table`).
        unseen: The cards that may be in hands or in the deck; they are shuffled in place.
        candidates: Pairs of a place in the hand and a total, or of -1 and a Chilli Score.
        known: The policy of each seat, -1 where it is drawn.
        population: From how many policies it is drawn.
        worlds: How many worlds there are.
        rng: The state of the random numbers.
        space: Working space.
        sums: Gets added the columns of each candidate.
        products: Gets added the products of every two compared columns.
    """
    playing = space.playing
    table, policies, stream = playing.table, playing.policies, playing.stream
    points, results, seats = table.points, space.results, len(policies)
    for _ in range(worlds):
        # One draw less than there are cards: the last one has a single place.
        shuffle_front(unseen, len(unseen), len(unseen) - 1, rng)
        draw_policies(policies, known, population, rng)
        same = next_random(rng) | 1
        for number in range(len(candidates) // 2):
            lay_out_table(me, seen, unseen, table)
            stream[0] = same
            make_choice(table, candidates[2 * number], candidates[2 * number + 1], stream)
            at = number * COLUMNS
            mine, others = points[me], total_of(points)
            # Up to the seat's next turn. The candidate has ended this one, unless a Chilli Score has yet to be chosen
            # in it.
            play_on(playing, seen.now[TURN] + seats - table.now[TURN], stream)
            others = total_of(points) - others - (points[me] - mine)
            results[at + FIRST] = 1.0 if others > 0 else 0.0
            mine = points[me]
            play_on(playing, 1, stream)
            results[at + SECOND] = 1.0 if points[me] > mine else 0.0
            play_on(playing, HORIZON * seats, stream)
            note_results(me, points, MORE, results, at)
        add_results(results, len(candidates) // 2, sums, products)


def expect_scores(
    seen: Table, cards: Numbers, known: Sequence[int], population: int, worlds: int, rng: Numbers, space: Space,
    sums: Floats,
) -> None:  # fmt: skip
    """Play the game out with these hands, and add up all players' scores and wins; `cards` are the deck, shuffled."""
    playing = space.playing
    table, policies = playing.table, playing.policies
    for _ in range(worlds):
        shuffle_front(cards, len(cards), len(cards) - 1, rng)
        # Only the mover may have an empty place, while it chooses a Chilli Score.
        lay_out_table(seen.now[MOVER], seen, cards, table)
        draw_policies(policies, known, population, rng)
        play_on(playing, HORIZON * len(policies), rng)
        add_seats(table.points, MORE, sums)


def total_of(points: Sequence[int]) -> int:
    """Return the points of all seats together."""
    total = 0
    for seat in range(len(points)):
        total += points[seat]
    return total
