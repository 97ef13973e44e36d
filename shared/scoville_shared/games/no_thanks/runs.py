"""Runs of cards and their points: an unbroken sequence counts as its lowest card (B10)."""

from collections.abc import Collection
from typing import NamedTuple

Run = tuple[int, ...]


class Taking(NamedTuple):
    """The effect of taking a card: the run it becomes part of, card points before and after, chips won."""

    run: Run
    before: int
    after: int
    chips: int

    @property
    def change(self) -> int:
        """The change of the score; a negative one is a gain."""
        return self.after - self.before - self.chips


def list_runs(cards: Collection[int]) -> list[Run]:
    """Split cards into maximal unbroken sequences, the lowest first; a single card is a run of one.

    >>> list_runs([17, 4, 18, 19])
    [(4,), (17, 18, 19)]
    """
    lowest = (card for card in sorted(cards) if card - 1 not in cards)
    return [_run_from(card, cards) for card in lowest]


def card_points(cards: Collection[int]) -> int:
    """Add up the points of cards: the lowest card of each run.

    >>> card_points([17, 4, 18, 19])
    21
    """
    return sum(card for card in cards if card - 1 not in cards)


def run_of(card: int, cards: Collection[int]) -> Run:
    """Find the run that `card` is part of."""
    low = card
    while low - 1 in cards:
        low -= 1
    return _run_from(low, cards)


def weigh_taking(cards: Collection[int], card: int, pot: int) -> Taking:
    """Return the effect of taking `card` with its `pot` chips on a seat that holds `cards`."""
    together = (*cards, card)
    return Taking(run_of(card, together), card_points(cards), card_points(together), pot)


def written_run(run: Run) -> str:
    """Write a run by its ends, `17-20`, and a single card by its number."""
    return str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"


def _run_from(low: int, cards: Collection[int]) -> Run:
    high = low
    while high + 1 in cards:
        high += 1
    return tuple(range(low, high + 1))
