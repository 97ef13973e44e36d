"""Playout kernel of No Thanks!: the rest of a round on plain numbers, thousands of times a second.

The functions use only the part of Python that numba compiles: whole numbers, floats and sequences of them, which are
lists here and arrays when compiled. Both forms give the same results. A seat's cards are the bits of one number, card 3
being bit 3. Rounds that are not dealt yet are left out.
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.utility import utility_of_lead

Numbers = MutableSequence[int]

FEATURES = 11
"""How many numbers `wants_card` weighs; a policy is so many weights."""

PASS_FIRST, TAKE_FIRST, AS_POLICY = 0, 1, 2
"""Kinds of the first decision of a playout."""


class Seats(NamedTuple):
    """Possessions of each seat, which a playout changes: chips, cards as bits, and the points of these cards."""

    chips: Numbers
    owned: Numbers
    points: Numbers


class Turn(NamedTuple):
    """The card in the middle and whose turn it is.

    Attributes:
        deck: The cards that are face down, the first `left` of them in the order in which they are turned.
        left: How many cards are face down.
        card: The card in the middle.
        pot: The chips on it.
        mover: The seat that decides.
    """

    deck: Numbers
    left: int
    card: int
    pot: int
    mover: int


def copy_seats(seats: Seats, work: Seats) -> None:
    """Copy chips and cards of the seats to the working space of a playout."""
    for seat in range(len(seats.chips)):
        work.chips[seat] = seats.chips[seat]
        work.owned[seat] = seats.owned[seat]
        work.points[seat] = seats.points[seat]


def points_added(owned: int, card: int) -> int:
    """Return by how much a card changes the points of a seat's cards: only the lowest card of a run counts."""
    points = 0
    if not owned >> (card - 1) & 1:
        points += card
    if owned >> (card + 1) & 1:
        points -= card + 1
    return points


def extends_run(owned: int, card: int) -> int:
    """Return 1 if a card would extend a run of the seat, else 0."""
    return (owned >> (card - 1) | owned >> (card + 1)) & 1


def weigh_card(mine: int, card: int, left: int, rivals: int, following: int, weights: Sequence[int], at: int) -> int:
    """Weigh the features that stay while a card is passed on.

    Args:
        mine: The seat's cards.
        card: The card in the middle.
        left: How many cards are still face down.
        rivals: How many other seats could add the card to a run.
        following: Whether the next seat could.
        weights: The weights of all policies, one after another.
        at: Where the policy's weights begin.
    """
    run = extends_run(mine, card)
    near = (mine >> (card - 2) | mine >> (card + 2)) & 1
    total = weights[at] + weights[at + 1] * points_added(mine, card) + weights[at + 2] * left
    total += weights[at + 3] * run + weights[at + 4] * near
    return total + (weights[at + 5] + weights[at + 6] * run) * rivals + weights[at + 7] * following


def wants_card(appealing: int, run: int, pot: int, chips: int, weights: Sequence[int], at: int) -> bool:
    """Decide by a policy whether a seat takes the card: whether its weighted features are positive.

    Args:
        appealing: The result of `weigh_card` for the seat and the card.
        run: Whether the card would extend a run of the seat.
        pot: The chips on the card.
        chips: The seat's own chips.
        weights: The weights of all policies, one after another.
        at: Where the policy's weights begin.
    """
    return appealing + (weights[at + 8] + weights[at + 9] * run) * pot + weights[at + 10] * min(chips, 20) > 0


def play_round(
    seats: Seats, turn: Turn, first: int, weights: Sequence[int], policies: Sequence[int], scratch: Numbers
) -> None:
    """Play a round to its end; what the seats have is changed to what they have then.

    Args:
        seats: The chips and cards of the seats.
        turn: The card in the middle.
        first: The first decision of the mover.
        weights: The weights of all policies, one after another.
        policies: The number of each seat's policy.
        scratch: Working space for two numbers a seat.
    """
    chips, owned, points = seats
    deck, left, card, pot, mover = turn
    turned = 0
    _weigh_seats(owned, card, left, weights, policies, scratch)
    while True:
        if chips[mover] == 0:
            # Before anything else, also before `first`: without a chip there is no choice.
            take = True
        elif first != AS_POLICY:
            take = first == TAKE_FIRST
        else:
            at = policies[mover] * FEATURES
            take = wants_card(scratch[2 * mover], scratch[2 * mover + 1], pot, chips[mover], weights, at)
        first = AS_POLICY
        if take:
            points[mover] += points_added(owned[mover], card)
            owned[mover] |= 1 << card
            chips[mover] += pot
            pot = 0
            # The round is over with its last card (B8). Else the same seat decides about the next one.
            if turned == left:
                return
            card = deck[turned]
            turned += 1
            _weigh_seats(owned, card, left - turned, weights, policies, scratch)
        else:
            chips[mover] -= 1
            pot += 1
            mover = mover + 1 if mover + 1 < len(chips) else 0


def _weigh_seats(
    owned: Sequence[int], card: int, left: int, weights: Sequence[int], policies: Sequence[int], scratch: Numbers
) -> None:
    """Note for each seat how the new card appeals to it and whether it would extend a run."""
    seats = len(owned)
    # Once for each card instead of at each decision on it: a card is passed on several times, and nothing here changes.
    fitting = 0
    for seat in range(seats):
        fits = extends_run(owned[seat], card)
        scratch[2 * seat + 1] = fits
        fitting += fits
    for seat in range(seats):
        following = scratch[2 * seat + 3] if seat + 1 < seats else scratch[1]
        rivals = fitting - scratch[2 * seat + 1]
        scratch[2 * seat] = weigh_card(owned[seat], card, left, rivals, following, weights, policies[seat] * FEATURES)


def utility_of_round(me: int, chips: Sequence[int], points: Sequence[int], totals: Sequence[int], final: bool) -> float:
    """Return the worth of a round's end for a seat (`utility_of_lead`); `totals` are the scores before it."""
    mine = totals[me] + points[me] - chips[me]
    best = 1_000_000
    equals = 1
    for seat in range(len(chips)):
        if seat != me:
            score = totals[seat] + points[seat] - chips[seat]
            best = min(best, score)
            if score == mine:
                equals += 1
    return utility_of_lead(best - mine, equals, final)
