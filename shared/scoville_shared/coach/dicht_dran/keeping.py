"""Hands that good players of Dicht dran are likely to hold: they keep what is close to valuable targets to come.

Who expects hands in which every card is equally likely expects too weak ones of others, and promises every player too
much: four masters together 120 % after the same round. The kernel function uses only the part of Python that numba
compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence
from math import exp
from typing import NamedTuple

from scoville_shared.bots.dicht_dran.kernel import MOST_CARDS, SLOTS
from scoville_shared.bots.random_numbers import next_random

Numbers = MutableSequence[int]

NO_KEEPER, KEEPER, GREAT_KEEPER = range(3)
"""How well a player keeps such cards: not at all, like `strong`, like `master`, whose hands differ twice as much."""

CLOSE_CARD = (0.46, 0.32, 0.24, 0.0, -0.16, -0.36)
"""How a pepper of the target, of the next one and so on makes it likelier that a card at it is held.

In the last places are cards that have just been played: others close to them were more likely spent.
"""

NEAR = 4.0
"""Cards away from a target at which that counts a third as much."""

PEPPERS = -0.4
"""How a pepper of a card itself makes it likelier that it is held: it counts against its holder."""

TRIES = 4
"""Exchanges that are tried for each held card: with more, hands hardly change."""

NUMBERS = MOST_CARDS + 1


class Keeping(NamedTuple):
    """Which unseen cards are likely to be held.

    Attributes:
        keepers: How well the holder of each place among the unseen cards keeps cards (`KEEPER`), in the order in which
            a world is laid out, hands first; empty if nobody keeps any.
        odds: For each kind of keeper how likely each card is in such a hand, beside the others, by its number.
    """

    keepers: Sequence[int]
    odds: Sequence[float]


def odds_of_cards(circle: Sequence[int], slot: int, peppers: Sequence[int]) -> list[float]:
    """Return for each kind of keeper how likely each card is in such a hand, beside the others."""
    targets = [circle[(slot + step) % SLOTS] for step in range(SLOTS)]
    worths = [
        sum(
            weight * peppers[target] * exp(-abs(card - target) / NEAR)
            for weight, target in zip(CLOSE_CARD, targets, strict=True)
        )
        + PEPPERS * peppers[card]
        for card in range(NUMBERS)
    ]
    return [exp(kind * worth) for kind in (NO_KEEPER, KEEPER, GREAT_KEEPER) for worth in worths]


def prefer_kept_cards(unseen: Numbers, keeping: Keeping, held: int, rng: Numbers) -> None:
    """Exchange unseen cards until hands are as likely as keepers make them.

    Args:
        unseen: The cards in random order; the first `held` ones are in hands.
        keeping: Who holds what.
        held: How many cards are in hands.
        rng: The state of the random numbers.
    """
    keepers, odds = keeping.keepers, keeping.odds
    if len(keepers) == 0:
        return
    # Metropolis' rule: an exchange that makes the hands likelier is made, another one as often as it is likely beside
    # the hands before.
    for _ in range(TRIES * held):
        one, other = next_random(rng) % held, next_random(rng) % len(unseen)
        mine, theirs = keepers[one] * NUMBERS, keepers[other] * NUMBERS
        if mine == theirs:
            continue
        card, another = unseen[one], unseen[other]
        before, after = odds[mine + card] * odds[theirs + another], odds[mine + another] * odds[theirs + card]
        # Not the lowest bits, which are the poorest.
        if after >= before or (next_random(rng) >> 8) * before < after * (1 << 24):
            unseen[one], unseen[other] = another, card
