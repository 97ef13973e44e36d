"""Opinions of single cards in No Thanks!: by how much each card appeals more to a seat than to the seat's policy.

The functions use only the part of Python that numba compiles (see `bots.machine`). No rule foretells a player exactly.
A playout in which it does overrates whatever just fits the rule, such as one more pass before the next seat takes.
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.no_thanks.counting import FEATURES, POINTS, lead_of, urge_of
from scoville_shared.bots.no_thanks.kernel import Seats, Turn, copy_seats
from scoville_shared.bots.no_thanks.leanings import (
    Habits,
    chips_before,
    count_chips,
    kind_of_card,
    lower_opinion,
    shape_opinion,
)
from scoville_shared.bots.random_numbers import next_random

Numbers = MutableSequence[int]


class Vague(NamedTuple):
    """How far seats' opinions of cards are from those of their policies.

    Attributes:
        scales: For each seat how much they vary, in thousandths of a point; 0 for one that plays exactly by its policy.
        spread: Equally likely differences for a scale of one point, in thousandths of a point.
    """

    scales: Numbers
    spread: Sequence[int]


def form_opinions(
    vague: Vague, weights: Sequence[int], policies: Sequence[int], cards: int, rng: Numbers, opinions: Numbers
) -> None:
    """Draw each seat's opinions of so many cards, in units of its policy."""
    seats = len(policies)
    if len(opinions) > 0:
        for seat in range(seats):
            point = -weights[policies[seat] * FEATURES + POINTS] * vague.scales[seat]
            for number in range(cards):
                opinions[number * seats + seat] = _draw_opinion(vague, point, rng) if point else 0


def _draw_opinion(vague: Vague, point: int, rng: Numbers) -> int:
    return vague.spread[next_random(rng) % len(vague.spread)] * point // 1_000_000


TRIES = 8
"""So often an opinion is drawn again that does not fit a pass; then it is the one at which the seat just passes."""


def respect_passes(
    seats: Seats, turn: Turn, vague: Vague, weights: Sequence[int], policies: Sequence[int], rng: Numbers, work: Seats,
    opinions: Numbers, habits: Habits,
) -> None:  # fmt: skip
    """Draw opinions of the card in the middle again where a seat would not have passed on it as it did.

    The work seats are changed: they go back pass by pass, at most once round the table. `habits` are those of
    `play_counting`.
    """
    count, chips = len(seats.chips), work.chips
    if len(opinions) == 0:
        return
    copy_seats(seats, work)
    all_chips = count_chips(seats.chips, turn.pot)
    # From the latest pass back. An earlier one of the same seat was made with fewer chips on the card, and says less.
    for step in range(1, min(turn.pot, count) + 1):
        seat = (turn.mover + count - step) % count
        chips[seat] += 1
        at = policies[seat] * FEATURES
        urge = urge_of(seat, chips, seats.owned, turn.card, turn.left, turn.pot - step, weights, at)
        if len(habits.standing) > 0:
            urge += habits.standing[policies[seat]] * lead_of(seat, chips, seats.points)
        point = -weights[at + POINTS] * vague.scales[seat]
        had = chips_before(seat, seats.chips, turn.mover, turn.pot)
        kind = kind_of_card(turn.card, turn.left, had, all_chips, count)
        for _ in range(TRIES):
            if point and urge + shape_opinion(habits, policies[seat], opinions[seat], kind) > 0:
                opinions[seat] = _draw_opinion(vague, point, rng)
        excess = urge + shape_opinion(habits, policies[seat], opinions[seat], kind)
        if point and excess > 0:
            opinions[seat] = lower_opinion(habits, policies[seat], opinions[seat], kind, excess)
