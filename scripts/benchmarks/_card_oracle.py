"""Perfect play of No Thanks! for two by plain recursion, as an oracle: it shares no code with the coach's kernels."""

from typing import NamedTuple

from scoville_shared.coach.sample import Aim

Outcome = tuple[float, float]
"""The first seat's lead and share of the win, on average."""


class Position(NamedTuple):
    """A card in the middle; `cards` are those of both seats, `unseen` those of which `left` are face down."""

    chips: tuple[int, int]
    cards: tuple[frozenset[int], frozenset[int]]
    unseen: frozenset[int]
    left: int
    card: int
    pot: int
    mover: int


class CardOracle:
    """Solves positions; what was solved once is remembered."""

    def __init__(self, aim: Aim) -> None:
        self._aim = aim
        self._known: dict[Position, Outcome] = {}

    def worth(self, outcome: Outcome, seat: int) -> float:
        """Return what a seat maximizes: the lead, or the share of the win and then the lead."""
        lead, share = outcome if seat == 0 else (-outcome[0], 1 - outcome[1])
        return lead if self._aim is Aim.LEAD else share + lead / 1000

    def take(self, now: Position) -> Outcome:
        """Return what taking leads to."""
        chips, cards = list(now.chips), list(now.cards)
        chips[now.mover] += now.pot
        cards[now.mover] |= {now.card}
        mine, other = chips
        first, second = cards
        if not now.left:
            lead = points(second) - other - points(first) + mine
            return lead, (lead > 0) + (lead == 0) / 2
        parts = [
            self.best(Position((mine, other), (first, second), now.unseen - {card}, now.left - 1, card, 0, now.mover))
            for card in now.unseen
        ]
        return sum(lead for lead, _ in parts) / len(parts), sum(share for _, share in parts) / len(parts)

    def leave(self, now: Position) -> Outcome:
        """Return what passing leads to."""
        mine, other = now.chips
        chips = (mine - 1, other) if now.mover == 0 else (mine, other - 1)
        return self.best(now._replace(chips=chips, pot=now.pot + 1, mover=1 - now.mover))

    def best(self, now: Position) -> Outcome:
        """Return what the best move leads to; of equal ones a seat takes the card."""
        if now not in self._known:
            taking = self.take(now)
            passing = self.leave(now) if now.chips[now.mover] else taking
            better = self.worth(passing, now.mover) > self.worth(taking, now.mover) + 1e-9
            self._known[now] = passing if better else taking
        return self._known[now]


def points(cards: frozenset[int]) -> int:
    """Count the points of cards: the lowest of each run."""
    return sum(card for card in cards if card - 1 not in cards)
