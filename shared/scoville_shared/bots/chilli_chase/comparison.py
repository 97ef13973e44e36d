"""Comparison of choices in Chilli Chase: each choice is played on in the same worlds, by careful players.

The functions use only the part of Python that numba compiles (see `bots.machine`); `kernel` describes the sequences of
a table.
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.chilli_chase.careful import CAREFUL, play_on
from scoville_shared.bots.chilli_chase.kernel import CARDS, DECK, HAND, OVER, lay_card, lay_out, take_score
from scoville_shared.bots.random_numbers import next_random, shuffle_front

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

NOW = 8
"""Numbers of a table's `now`."""


def utility_of_turns(me: int, now: Sequence[int], points: Sequence[int]) -> float:
    """Return what a position is worth to a seat: its share of the win, or before the end a guess of it.

    The guess doubles a seat's chances with each of its points.
    """
    best, equals = 0, 1
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
    me: int, now: Sequence[int], rules: Sequence[int], hands: Sequence[int], scores: Sequence[int],
    points: Sequence[int], unseen: Numbers, known: Sequence[int], hot: Sequence[int], candidates: Sequence[int],
    rounds: int, worlds: int, rng: Numbers, scratch: Numbers, sums: Floats,
) -> None:  # fmt: skip
    """Play on after each of the candidates, in the same worlds with the same chance.

    Args:
        me: The seat that decides: the mover.
        hands: All hands; where those of the others have `NO_CARD`, they are dealt from `unseen`.
        unseen: The cards that may be there or in the deck; they are shuffled in place.
        known: The deck from the front if all of it is known, else nothing.
        candidates: Pairs of a place in the hand and a total, or of -1 and a Chilli Score.
        rounds: How often the turn goes round the table in a playout.
        scratch: Working space, `scratch_size` numbers.
        sums: Gets added, for each candidate, its utility, the difference to the first one's, and the square of that.
    """
    seats = len(scores)
    work_now, work_hands = scratch[:NOW], scratch[NOW : NOW + HAND * seats]
    at = NOW + HAND * seats
    work_scores, work_points = scratch[at : at + seats], scratch[at + seats : at + 2 * seats]
    policies = scratch[at + 2 * seats : at + 3 * seats]
    at += 3 * seats
    deck, pile, stream = scratch[at : at + CARDS], scratch[at + CARDS : at + 2 * CARDS], scratch[at + 2 * CARDS :]
    for seat in range(seats):
        policies[seat] = CAREFUL
    for _ in range(worlds):
        shuffle_front(unseen, len(unseen), len(unseen) - 1, rng)
        same = next_random(rng) | 1
        reference = 0.0
        for number in range(len(candidates) // 2):
            lay_out(me, now, hands, scores, points, unseen, hot, work_now, work_hands, work_scores, work_points, deck)
            for place in range(len(known)):
                deck[place] = known[place]
            work_now[DECK] += len(known)
            for place in range(len(hot)):
                pile[place] = hot[place]
            stream[0] = same
            place, value = candidates[2 * number], candidates[2 * number + 1]
            if place < 0:
                take_score(value, work_now, rules, work_hands, work_scores, deck, pile, stream)
            else:
                lay_card(place, value, work_now, rules, work_hands, work_scores, work_points, deck, pile, stream)
            play_on(rounds * seats, work_now, rules, work_hands, work_scores, work_points, deck, pile, stream, policies)
            worth = utility_of_turns(me, work_now, work_points)
            if number == 0:
                reference = worth
            sums[3 * number] += worth
            sums[3 * number + 1] += worth - reference
            sums[3 * number + 2] += (worth - reference) * (worth - reference)


def scratch_size(seats: int) -> int:
    """Return how many numbers of working space `compare` needs."""
    return NOW + (HAND + 3) * seats + 2 * CARDS + 1
