"""Inference in No Thanks!: the opponents' likely policies, from their decisions."""

from collections.abc import Sequence
from typing import Final

from scoville_shared.bots.no_thanks import counting
from scoville_shared.bots.no_thanks.policies import EVERYBODY, PRIOR
from scoville_shared.games.no_thanks.facts import Fact, Passed, RoundBegan, Took, TurnedUp
from scoville_shared.games.no_thanks.state import DECK_SIZE, Options, chips_each

CHANCES: Final = 2**32
"""The chances of all policies of a seat together."""

ERROR: Final = 0.2
"""How often somebody decides otherwise than the policy that describes them best."""

FLOOR: Final = 0.15
"""The part of the chances that does not depend on what was observed: nobody plays exactly like one of the policies."""


def first_chances(seats: int) -> list[int]:
    """Return the cumulated chances of the policies where nothing is known about anybody."""
    return _cumulated(PRIOR) * seats


class Opponents:
    """The decisions of all seats, and the chances of each policy to be theirs.

    Only decisions count: who has no chip must take.
    """

    def __init__(self) -> None:
        self._unread: list[Fact] = []
        self._weights: dict[int, list[float]] = {}
        self._begin_round()

    def observe(self, fact: Fact) -> None:
        """Remember a fact until the number of seats is known."""
        self._unread.append(fact)

    def chances(self, options: Options, seats: int) -> list[int]:
        """Return the cumulated chances of each seat's policies, one seat after another."""
        for fact in self._unread:
            self._read(fact, chips_each(options, seats), seats)
        self._unread.clear()
        return [chance for seat in range(seats) for chance in _cumulated(self._weights.get(seat, PRIOR))]

    def _begin_round(self) -> None:
        self._left = DECK_SIZE - 1
        self._owned: dict[int, int] = {}
        self._changes: dict[int, int] = {}

    def _read(self, fact: Fact, chips: int, seats: int) -> None:
        match fact:
            case Passed(seat=seat, card=card, pot=pot):
                self._weigh(seat, card, pot - 1, chips, seats, took=False)
                self._changes[seat] = self._changes.get(seat, 0) - 1
            case Took(seat=seat, card=card, chips=pot):
                self._weigh(seat, card, pot, chips, seats, took=True)
                self._owned[seat] = self._owned.get(seat, 0) | 1 << card
                self._changes[seat] = self._changes.get(seat, 0) + pot
            case TurnedUp(left=left):
                self._left = left
            case RoundBegan():
                self._begin_round()

    def _weigh(self, seat: int, card: int, pot: int, chips: int, seats: int, *, took: bool) -> None:
        """Make the policies that decide like a seat more likely."""
        everybody = [chips + self._changes.get(each, 0) for each in range(seats)]
        if not everybody[seat]:
            return
        owned = [self._owned.get(each, 0) for each in range(seats)]
        weights = self._weights.setdefault(seat, list(PRIOR))
        for number, policy in enumerate(EVERYBODY):
            takes = counting.takes(seat, everybody, owned, card, self._left, pot, policy, 0)
            weights[number] *= 1 - ERROR if takes == took else ERROR
        most = max(weights)
        weights[:] = [weight / most for weight in weights]


def _cumulated(weights: Sequence[float]) -> list[int]:
    total, chances, so_far = sum(weights), list[int](), 0.0
    for prior, weight in zip(PRIOR, weights, strict=True):
        so_far += FLOOR * prior / sum(PRIOR) + (1 - FLOOR) * weight / total
        chances.append(round(CHANCES * so_far))
    chances[-1] = CHANCES
    return chances
