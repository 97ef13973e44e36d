"""The equilibrium of one round between two players, learned from sampled hands.

The functions use only the part of Python that numba compiles (see `bots.machine`). Cards are numbered by closeness to
the target: card 0 beats all others. The strategy of a side is a table: how often each card (`plays`), and how likely a
hand that plays it lacks another one (`lacks`). Together they tell what an opponent plays who holds none of one's own
cards. Each side answers the other's table by its best card, and a little by cards that are almost as good; the tables
sum up the answers of all hands so far. This is smooth fictitious play: the tables approach an equilibrium.
"""

from collections.abc import MutableSequence, Sequence
from math import exp

from scoville_shared.bots.random_numbers import shuffle_front

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

WARM, COLD = 0.3, 0.03
"""A card that is worth so many peppers less is played e times less often, in the first and after the last batch."""

GROWTH = 1.5
"""The hands of the n-th batch count n to this power."""

DOUBT = 5.0
"""So many average hands are added to those that played a card."""

RARELY = 0.000001
"""Shares below it are not summed up."""


def learn_tables(
    sizes: Sequence[int], peppers: Sequence[int], owed: Sequence[int], target: int, batches: int, hands: int, rng:
    Numbers, plays: Floats, lacks: Floats, counts: Floats, pairs: Floats, scratch: Numbers, shares: Floats,
) -> None:  # fmt: skip
    """Fill the tables of both sides; with equal sizes both have the first one.

    Args:
        sizes: Cards in the hand of each side, which is dealt from all cards.
        peppers: The peppers of each card.
        owed: How many cards are drawn for each card if it loses: its peppers, or 0 if it fits the gap.
        target: The peppers of the target.
        hands: Hands of each side in a batch.
        plays, counts: For each side a number a card: the table, and working space.
        lacks, pairs: For each side a number for every two cards: the table, and working space.
        scratch: Working space, two numbers a card.
        shares: Working space, two numbers a card.
    """
    cards = len(peppers)
    sides = 1 if sizes[0] == sizes[1] else 2
    deck, played = scratch[:cards], scratch[cards:]
    for card in range(cards):
        deck[card] = card
    for side in range(sides):
        for place in range(side * cards, (side + 1) * cards):
            plays[place] = 1.0
            for other in range(cards):
                lacks[place * cards + other] = 1.0 - sizes[side] / cards
    total = 0.0
    for batch in range(batches):
        # Warm at first, so that no card is given up after a few hands; cold at the end, where answers are nearly best.
        coldness = WARM * (COLD / WARM) ** (batch / batches)
        # Later batches count more: the first ones answered tables that were hardly filled.
        weight = (batch + 1.0) ** GROWTH
        total += weight
        for side in range(sides):
            for card in range(cards):
                played[card] = 0
            for _ in range(hands):
                shuffle_front(deck, cards, sizes[side], rng)
                answer_table(deck, sizes[side], peppers, owed, target, plays, lacks, sides - 1 - side, coldness, shares)
                _sum_up_hand(deck, sizes[side], shares, weight, side, counts, pairs, played)
            _renew_table(sizes[side], side, total / (batch + 1), played, plays, lacks, counts, pairs)


def answer_table(
    hand: Sequence[int], size: int, peppers: Sequence[int], owed: Sequence[int], target: int, plays: Sequence[float],
    lacks: Sequence[float], side: int, coldness: float, shares: Floats,
) -> None:  # fmt: skip
    """Put into `shares` how often each card of a hand is played against the table of a side; others get 0.

    Args:
        hand: The cards, the first `size` numbers.
        shares: Two numbers a card; the second half is working space.
    """
    cards = len(peppers)
    total, rest = 0.0, 0
    for card in range(cards):
        shares[card] = 0.0
        weight = plays[side * cards + card]
        if weight > 0.0:
            row = (side * cards + card) * cards
            # As if lacking one card said nothing of lacking another: an approximation, and a good one while many cards
            # are in the draw pile (see `ROOM` of `equilibrium`).
            for place in range(size):
                weight *= lacks[row + hand[place]]
            total += weight
        shares[cards + card] = weight
        rest += peppers[card]
    for place in range(size):
        rest -= peppers[hand[place]]
    drawn = rest / max(1, cards - size)
    _weigh_cards(hand, size, peppers, owed, target, drawn, max(total, RARELY), shares)
    _soften_choice(hand, size, coldness, shares)


def _weigh_cards(
    hand: Sequence[int], size: int, peppers: Sequence[int], owed: Sequence[int], target: int, drawn: float, total:
    float, shares: Floats,
) -> None:  # fmt: skip
    """Put into the first half of `shares` the worth of each card if the opponent plays by the weights in the second.

    That are its peppers, those of the target and what the opponent must draw if it wins, less the same if it loses.
    """
    cards = len(peppers)
    for place in range(size):
        shares[hand[place]] = 1.0
    ahead, behind = 0.0, 0.0
    for card in range(cards):
        behind += shares[cards + card] / total * (target + drawn * owed[card])
    for card in range(cards):
        cost = target + drawn * owed[card]
        weight = shares[cards + card] / total
        behind -= weight * cost
        if shares[card] > 0.0:
            shares[card] = peppers[card] + behind - ahead * cost
        ahead += weight


def _soften_choice(hand: Sequence[int], size: int, coldness: float, shares: Floats) -> None:
    """Turn the worth of cards into shares: the best one's is the largest, and others' are small very soon."""
    most, total = shares[hand[0]], 0.0
    for place in range(size):
        most = max(most, shares[hand[place]])
    for place in range(size):
        # Less the greatest, which changes no share and keeps `exp` from overflowing.
        share = exp((shares[hand[place]] - most) / coldness)
        shares[hand[place]] = share
        total += share
    for place in range(size):
        shares[hand[place]] /= total


def _sum_up_hand(
    hand: Sequence[int], size: int, shares: Sequence[float], weight: float, side: int, counts: Floats, pairs: Floats,
    played: Numbers,
) -> None:  # fmt: skip
    """Add the plays of a hand to the sums of its side, and note which cards these are."""
    cards = len(played)
    for place in range(size):
        card = hand[place]
        if shares[card] > RARELY:
            played[card] = 1
            counts[side * cards + card] += weight * shares[card]
            row = (side * cards + card) * cards
            for other in range(size):
                pairs[row + hand[other]] += weight * shares[card]


def _renew_table(
    size: int, side: int, average: float, played: Sequence[int], plays: Floats, lacks: Floats, counts: Sequence[float],
    pairs: Sequence[float],
) -> None:  # fmt: skip
    """Bring the table of a side up to date; `average` is the weight of an average hand."""
    cards = len(played)
    # As many average hands as a prior: a card that was played once would else be known to come with that one hand.
    doubt = DOUBT * average
    usual = (size - 1) / max(1, cards - 1)
    for card in range(cards):
        at = side * cards + card
        plays[at] = counts[at]
        # Only the rows that this batch has changed: a row costs as many numbers as there are cards.
        if played[card]:
            for other in range(cards):
                lacks[at * cards + other] = 1.0 - (pairs[at * cards + other] + doubt * usual) / (counts[at] + doubt)
