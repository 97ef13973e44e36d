"""Comparison of choices in Chilli Chase: each choice is played on in the same worlds, by a careful player.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.chilli_chase.careful import CAREFUL, FITTED, play_on
from scoville_shared.bots.chilli_chase.kernel import OVER, Space, Table, lay_card, lay_out_table, take_score
from scoville_shared.bots.random_numbers import next_random, shuffle_front
from scoville_shared.bots.utility import add_utility, keep_better_moves

Numbers = MutableSequence[int]
Floats = MutableSequence[float]


def utility_of_turns(me: int, now: Sequence[int], points: Sequence[int]) -> float:
    """Return the worth of a position for a seat: its share of the win, or before the end a guess of it.

    The guess doubles a seat's chances with each of its points.
    """
    best, equals = 0, 1
    # A playout stops after some rounds, mostly before the end of the game, so most worths are guesses.
    everybody = 0.0
    for seat in range(len(points)):
        everybody += 2.0 ** points[seat]
        if seat != me:
            best = max(best, points[seat])
            equals += points[seat] == points[me]
    if now[OVER]:
        return 1.0 / equals if points[me] >= best else 0.0
    return 2.0 ** points[me] / everybody


def compare_plays(
    me: int, seen: Table, unseen: Numbers, candidates: Sequence[int], rivals: int, rounds: int, worlds: int,
    rng: Numbers, space: Space, sums: Floats,
) -> None:  # fmt: skip
    """Play on after each of the candidates, in the same worlds with the same chance.

    If rivals are fitted, choices that have done worse so far leave their playouts to the better ones.

    Args:
        me: The seat that decides: the mover.
        seen: The table as the seat knows it (see `lay_out_table`).
        unseen: The cards that may be in hands or in the deck; they are shuffled in place.
        candidates: Pairs of a place in the hand and a total, or of -1 and a Chilli Score.
        rivals: The policy of all others.
        rounds: How often the turn goes round the table in a playout.
        worlds: How many worlds there are for each candidate, or would be if none left.
        rng: The state of the random numbers.
        space: Working space.
        sums: The sums so far, in the same parts. Gets added, for each candidate that is played out, its utility, the
            difference to the first one's, the square of that, and one world.
    """
    table, policies, stream, kept, count = space.table, space.policies, space.stream, space.kept, len(candidates) // 2
    for seat in range(len(policies)):
        policies[seat] = CAREFUL if seat == me else rivals
    playing = count
    if rivals == FITTED:
        playing = keep_better_moves(sums, worlds, count, kept)
    for _ in range(worlds * count // playing):
        shuffle_front(unseen, len(unseen), len(unseen) - 1, rng)
        # Not 0, which the random numbers would never leave again.
        same = next_random(rng) | 1
        reference = 0.0
        for number in range(count):
            if playing < count and kept[number] == 0:
                continue
            lay_out_table(me, seen, unseen, table)
            stream[0] = same
            make_choice(table, candidates[2 * number], candidates[2 * number + 1], stream)
            play_on(space, rounds * len(policies), stream)
            worth = utility_of_turns(me, table.now, table.points)
            if number == 0:
                reference = worth
            add_utility(sums, number, worth, reference)


def make_choice(table: Table, place: int, value: int, rng: Numbers) -> None:
    """Play the card at a place of the mover's hand for a total, or with place -1 take a Chilli Score."""
    if place < 0:
        take_score(table, value, rng)
    else:
        lay_card(table, place, value, rng)
