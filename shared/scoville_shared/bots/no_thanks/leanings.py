"""Leanings of players of No Thanks! by kind of card: how they differ from their rule, and how much their opinions vary.

A rule is one sum for all cards and times. Players that search differ from it, above all with dear cards late in a round
and with many chips, and hardly with cheap cards early. The functions use only the part of Python that numba compiles
(see `bots.machine`).
"""

from collections.abc import Sequence
from typing import NamedTuple


class Habits(NamedTuple):
    """Habits of some policies besides their weights.

    Attributes:
        standing: For each policy by how much a point of lead makes a card appeal more; empty if nobody minds.
        leaning: For each policy whether it has leanings, 1 or 0; empty if none has.
        leanings: For each kind of card (see `kind_of_card`) by how much it appeals more than by the weights, and by how
            much opinions of it vary, both in thousandths of a point.
    """

    standing: Sequence[int]
    leaning: Sequence[int]
    leanings: Sequence[int]


CARD_KINDS, TIMES, CHIP_KINDS = 4, 4, 4
"""So many kinds of cards are told apart, from cheap to dear, so many times of a round, the last cards first, and so
many kinds of seats, from few chips to many."""


def kind_of_card(card: int, left: int, chips: int, all_chips: int, seats: int) -> int:
    """Return the number of a kind of card.

    The bounds are 11, 19 and 27; 6, 12 and 18 cards face down; and half of the average of chips, all of it, half more.

    Args:
        card: The card in the middle.
        left: How many cards are face down.
        chips: The chips that the seat had when the card came.
        all_chips: Those of all seats then.
        seats: How many seats there are.
    """
    wealth = min(2 * chips * seats // all_chips, CHIP_KINDS - 1)
    time = min(left // 6, TIMES - 1)
    return (wealth * TIMES + time) * CARD_KINDS + min((card - 3) // 8, CARD_KINDS - 1)


def chips_before(seat: int, chips: Sequence[int], mover: int, pot: int) -> int:
    """Return the chips that a seat had when the card came on which there are `pot` chips now."""
    seats = len(chips)
    # How many moves ago it could pass last: the mover a whole round ago.
    since = (mover - seat - 1) % seats + 1
    return chips[seat] + (pot - since + seats) // seats


def count_chips(chips: Sequence[int], pot: int) -> int:
    """Return the chips of all seats and on the card."""
    total = pot
    for held in chips:
        total += held
    return total


def shape_opinion(habits: Habits, policy: int, opinion: int, kind: int) -> int:
    """Return by how much a card of a kind appeals more to a seat than by its policy's weights.

    A policy that leans has a point of 1,000, and its opinions are drawn as if they varied by a point.
    """
    if len(habits.leaning) == 0 or habits.leaning[policy] == 0:
        return opinion
    return habits.leanings[2 * kind] + opinion * habits.leanings[2 * kind + 1] // 1_000


def lower_opinion(habits: Habits, policy: int, opinion: int, kind: int, excess: int) -> int:
    """Return an opinion by which the card appeals by an excess less."""
    if len(habits.leaning) == 0 or habits.leaning[policy] == 0:
        return opinion - excess
    # Rounded up, since a little too much would still take the card.
    return opinion - 1_000 * excess // habits.leanings[2 * kind + 1] - 1
