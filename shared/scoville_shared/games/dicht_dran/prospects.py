"""Prospects of each card of a hand in this round, as far as its holder can know."""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_shared.games.dicht_dran.round import nearest_seat
from scoville_shared.games.dicht_dran.state import Board


class Weighed(NamedTuple):
    """A card compared with this round's target and gap; `closest` of its hand, the higher one of two (A10)."""

    card: int
    peppers: int
    distance: int
    fits: bool
    closest: bool


def weigh_hand(board: Board, hand: Sequence[int], peppers: Sequence[int]) -> list[Weighed]:
    """Compare every card of `hand` with the target and gap, in its order; `peppers` are those of every card."""
    low, high = board.gap
    target = board.target_card
    best = find_closest(board, hand)
    return [Weighed(card, peppers[card], abs(card - target), low < card < high, card == best) for card in hand]


def find_closest(board: Board, hand: Sequence[int]) -> int | None:
    """Find the card of `hand` that comes closest to the target; None for an empty hand."""
    return nearest_seat(board.target_card, tuple(hand)) if hand else None
