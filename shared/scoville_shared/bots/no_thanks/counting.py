"""Policies of No Thanks! that count: they weigh all players' chips and the cards to come, too, at half the speed.

The functions use only the part of Python that numba compiles (see `bots.machine`); `kernel` has the simple policies.
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.no_thanks.kernel import (
    AS_POLICY,
    TAKE_FIRST,
    Seats,
    Turn,
    extends_run,
    points_added,
    weigh_card,
)
from scoville_shared.bots.no_thanks.leanings import Habits, chips_before, count_chips, kind_of_card, shape_opinion
from scoville_shared.bots.random_numbers import next_random

Numbers = MutableSequence[int]

FEATURES = 23
"""How many numbers `wants_card` weighs; a policy is so many weights. The first ones are those of `kernel`."""

POINTS = 1
"""The place of the weight of a point, which is negative."""

SCARCE = 60
"""Divided by the own chips and one: how scarce they are."""

OUTSIDE = 1 << 2 | 1 << 36
"""The numbers next to the lowest and the highest card, which never come."""


class Players(NamedTuple):
    """The policies that seats may have; a playout draws one for each.

    Attributes:
        weights: The weights of all policies, one after another.
        chances: For each seat, and for all seats together if they are alike, the cumulated chances of the policies
            that seats are drawn from, of 2**32.
        alike: The chance that all seats that are drawn have the same policy, of 2**32.
        known: The policy of each seat that is not drawn, else -1.
    """

    weights: Sequence[int]
    chances: Sequence[int]
    alike: int
    known: Sequence[int]


LAPSES = 30
"""So often a card goes round until a seat decides as before."""


def draw_lapses(careless: Sequence[int], cards: int, rng: Numbers, lapses: Numbers) -> None:
    """Draw for each of so many cards when a careless seat takes it only if that costs nothing: half of the times.

    Each bit of a card's number for a seat is one decision; 0 for a seat that always plays by its policy.
    """
    seats = len(careless)
    if len(lapses) > 0:
        for place in range(cards * seats):
            lapses[place] = next_random(rng) if careless[place % seats] else 0


def lapses_now(lapses: Sequence[int], number: int, seat: int, pot: int, seats: int) -> bool:
    """Whether a seat lapses when the card with this number comes to it with so many chips on it."""
    return len(lapses) > 0 and lapses[number * seats + seat] >> (pot // seats % LAPSES) & 1 == 1


def draw_policies(players: Players, policies: Numbers, rng: Numbers) -> None:
    """Draw a policy for each seat."""
    seats = len(policies)
    count = len(players.chances) // (seats + 1)
    # A chance of none costs no random number: bots that expect only players like themselves have none.
    together = players.alike > 0 and next_random(rng) < players.alike
    same = _draw_policy(players.chances, seats * count, count, next_random(rng)) if together else 0
    for seat in range(seats):
        if players.known[seat] >= 0:
            policies[seat] = players.known[seat]
        elif together:
            policies[seat] = same
        else:
            policies[seat] = _draw_policy(players.chances, seat * count, count, next_random(rng))


def _draw_policy(chances: Sequence[int], at: int, count: int, word: int) -> int:
    """Return which of `count` policies a random word draws; their cumulated chances begin at `at`."""
    for number in range(count - 1):
        if word < chances[at + number]:
            return number
    return count - 1


def weigh_counted_card(
    mine: int, seen: int, card: int, left: int, rivals: int, following: int, weights: Sequence[int], at: int
) -> int:
    """Weigh a card as `kernel.weigh_card` does, and by the cards to come; `seen` are those of all seats."""
    run = extends_run(mine, card)
    near = (mine >> (card - 2) | mine >> (card + 2)) & 1
    points = points_added(mine, card)
    known = seen | OUTSIDE
    to_come = 2 - (known >> (card - 1) & 1) - (known >> (card + 1) & 1)
    total = weigh_card(mine, card, left, rivals, following, weights, at)
    total += (weights[at + 11] * points + weights[at + 12] * to_come) * left
    total += (weights[at + 13] * run + weights[at + 14] * near) * left
    # A card that fits this seat's cards only can go round once more and collect chips, so it is weighed in its own way.
    if run and not rivals:
        total += weights[at + 15] + weights[at + 16] * card
    return total


def eagerness_of(run: int, rivals: int, left: int, weights: Sequence[int], at: int) -> int:
    """Weigh a chip on the card by the features that stay while it is passed on."""
    total = weights[at + 8] + weights[at + 9] * run + weights[at + 17] * left
    if run and not rivals:
        total += weights[at + 18]
    return total


def wants_card(
    appealing: int, eager: int, pot: int, chips: int, following: int, broke: int, weights: Sequence[int], at: int
) -> bool:
    """Decide by a policy whether a seat takes the card: whether its weighted features are positive.

    Args:
        appealing: The result of `weigh_counted_card` for the seat and the card.
        eager: The result of `eagerness_of`.
        pot: The chips on the card.
        chips: The seat's own chips.
        following: The next seat's chips.
        broke: How many seats have no chips.
        weights: The weights of all policies, one after another.
        at: Where the policy's weights begin.
    """
    return inclination_of(appealing, eager, pot, chips, following, broke, weights, at) > 0


def inclination_of(
    appealing: int, eager: int, pot: int, chips: int, following: int, broke: int, weights: Sequence[int], at: int
) -> int:
    """Return the sum of a policy's weighted features; the arguments are those of `wants_card`."""
    total = appealing + (eager + weights[at + 19] * pot) * pot
    total += weights[at + 10] * min(chips, 20) + weights[at + 20] * (SCARCE // (chips + 1)) + weights[at + 22] * broke
    if following == 0:
        total += weights[at + 21]
    return total


def takes_card(
    seat: int, chips: Sequence[int], owned: Sequence[int], card: int, left: int, pot: int, weights: Sequence[int],
    at: int,
) -> bool:  # fmt: skip
    """Decide by a policy whether a seat takes the card; without a chip it has to."""
    return chips[seat] == 0 or urge_of(seat, chips, owned, card, left, pot, weights, at) > 0


def urge_of(
    seat: int, chips: Sequence[int], owned: Sequence[int], card: int, left: int, pot: int, weights: Sequence[int],
    at: int,
) -> int:  # fmt: skip
    """Return the sum of a policy's weighted features: a seat with chips takes the card if it is positive."""
    fitting, seen, broke = 0, 0, 0
    for other in range(len(chips)):
        fitting += extends_run(owned[other], card)
        seen |= owned[other]
        if chips[other] == 0:
            broke += 1
    following = (seat + 1) % len(chips)
    run = extends_run(owned[seat], card)
    appealing = weigh_counted_card(
        owned[seat], seen, card, left, fitting - run, extends_run(owned[following], card), weights, at
    )  # fmt: skip
    eager = eagerness_of(run, fitting - run, left, weights, at)
    return inclination_of(appealing, eager, pot, chips[seat], chips[following], broke, weights, at)


def play_counting(
    seats: Seats, turn: Turn, first: int, weights: Sequence[int], policies: Sequence[int], scratch: Numbers,
    opinions: Sequence[int], habits: Habits, lapses: Sequence[int],
) -> None:  # fmt: skip
    """Play a round to its end by policies that count.

    `opinions` are by how much each card appeals more to each seat than to its policy, seat by seat for the card in the
    middle, then for those face down; empty if all players play exactly by a policy. How a seat stands counts when the
    card comes. `scratch` has two numbers a seat; with a third, 0 before, each seat that has to take a card for lack of
    chips gets a 1 there. `lapses` are those of `draw_lapses`. The other arguments are those of `kernel.play_round`.
    """
    chips, owned, points = seats
    deck, left, card, pot, mover = turn
    turned = 0
    broke = 0
    for seat in range(len(chips)):
        broke += chips[seat] == 0
    _weigh_seats(owned, card, left, weights, policies, scratch)
    _add_opinions(opinions, 0, seats, turn, policies, habits, scratch)
    _add_standing(habits.standing, policies, seats, scratch)

    while True:
        following = mover + 1 if mover + 1 < len(chips) else 0
        if chips[mover] == 0:
            take = True
            _note_shortage(mover, len(chips), scratch)
        elif first != AS_POLICY:
            take = first == TAKE_FIRST
        elif lapses_now(lapses, turned, mover, pot, len(chips)):
            take = pot >= points_added(owned[mover], card)
        else:
            take = wants_card(
                scratch[2 * mover], scratch[2 * mover + 1], pot, chips[mover], chips[following], broke, weights,
                policies[mover] * FEATURES,
            )  # fmt: skip
        first = AS_POLICY
        if take:
            points[mover] += points_added(owned[mover], card)
            owned[mover] |= 1 << card
            # Before the pot is added. A taker without a chip on an empty card stays without one.
            if chips[mover] == 0 and pot:
                broke -= 1
            chips[mover] += pot
            pot = 0
            if turned == left:
                return
            card = deck[turned]
            turned += 1
            _weigh_seats(owned, card, left - turned, weights, policies, scratch)
            come = Turn(deck, left - turned, card, 0, mover)
            _add_opinions(opinions, turned, seats, come, policies, habits, scratch)
            _add_standing(habits.standing, policies, seats, scratch)
        else:
            chips[mover] -= 1
            if chips[mover] == 0:
                broke += 1
            pot += 1
            mover = following


def _weigh_seats(
    owned: Sequence[int], card: int, left: int, weights: Sequence[int], policies: Sequence[int], scratch: Numbers
) -> None:
    """Note for each seat how the new card appeals to it and how eager a chip on it makes it."""
    seats = len(owned)
    fitting = 0
    seen = 0
    for seat in range(seats):
        seen |= owned[seat]
        fits = extends_run(owned[seat], card)
        scratch[2 * seat + 1] = fits
        fitting += fits
    # Kept for the last seat, whose neighbour this is: the loop overwrites it.
    first = scratch[1]
    for seat in range(seats):
        run = scratch[2 * seat + 1]
        following = scratch[2 * seat + 3] if seat + 1 < seats else first
        at = policies[seat] * FEATURES
        scratch[2 * seat] = weigh_counted_card(owned[seat], seen, card, left, fitting - run, following, weights, at)
        scratch[2 * seat + 1] = eagerness_of(run, fitting - run, left, weights, at)


def _note_shortage(mover: int, seats: int, scratch: Numbers) -> None:
    """Note that a seat has no chip to pass with, if that is wanted."""
    if len(scratch) > 2 * seats:
        scratch[2 * seats + mover] = 1


def _add_opinions(
    opinions: Sequence[int], number: int, seats: Seats, turn: Turn, policies: Sequence[int], habits: Habits,
    scratch: Numbers,
) -> None:  # fmt: skip
    """Let the card with this number appeal to each seat by its own opinion."""
    if len(opinions) > 0:
        count, all_chips = len(policies), count_chips(seats.chips, turn.pot)
        for seat in range(count):
            had = chips_before(seat, seats.chips, turn.mover, turn.pot)
            kind = kind_of_card(turn.card, turn.left, had, all_chips, count)
            scratch[2 * seat] += shape_opinion(habits, policies[seat], opinions[number * count + seat], kind)


def _add_standing(standing: Sequence[int], policies: Sequence[int], seats: Seats, scratch: Numbers) -> None:
    """Let the new card appeal to each seat by how far it leads."""
    if len(standing) > 0:
        for seat in range(len(policies)):
            scratch[2 * seat] += standing[policies[seat]] * lead_of(seat, seats.chips, seats.points)


def lead_of(seat: int, chips: Sequence[int], points: Sequence[int]) -> int:
    """Return by how much a seat's score of this round is better than that of the best other seat."""
    best = 1_000_000
    for other in range(len(chips)):
        if other != seat:
            best = min(best, points[other] - chips[other])
    return best - points[seat] + chips[seat]
