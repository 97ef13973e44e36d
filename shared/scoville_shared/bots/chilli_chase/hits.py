"""Hits in Chilli Chase: which cards make a Chilli Score of a total, by one of the five basic operations.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence

from scoville_shared.bots.chilli_chase.kernel import HITS, NEAR, SIDE, VALUES, raise_power

Numbers = MutableSequence[int]

COUNT = VALUES + 1
"""The first bit of how many cards make a score of a total (see `find_hits`)."""


def locate_hits(score: int) -> int:
    """Return where a memo has the cards that make a score of the total 0, and around it those of others; or 0."""
    return HITS + (score + NEAR) * SIDE + NEAR if abs(score) <= NEAR else 0


def find_hits(memo: Numbers, total: int, score: int, cap: int) -> int:
    """Return the bits 1 to 6 of the cards that make a score of a total, and from bit `COUNT` on how many these are."""
    found = 0
    if within_reach(total, score):
        for card in range(1, VALUES + 1):
            if can_hit(card, total, score, cap):
                found += (1 << COUNT) + (1 << card)
    if abs(total) <= NEAR and abs(score) <= NEAR:
        memo[locate_hits(score) + total] = found + 1
    return found


def within_reach(total: int, score: int) -> bool:
    """Whether any card may make a score of a total: 1 to any power is 1, all else is at most six times as far."""
    return score == 1 or abs(total) <= 6 * abs(score) + 6


def can_hit(card: int, total: int, score: int, cap: int) -> bool:
    """Whether a card makes a score of a total by one of the five basic operations."""
    if total + card == score or total - card == score or card - total == score or total * card == score:
        return True
    if total == score * card or (total != 0 and card == score * total):
        return True
    # The exponent is at least 2 here: a card of 1 changes nothing, and was found as a factor above.
    if total * total <= abs(score) and raise_power(total, card, cap) == score:
        return True
    # To a negative power only 1 is a whole number.
    return (total >= 0 or card == 1) and raise_power(card, total, cap) == score
