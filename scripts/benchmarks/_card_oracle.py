"""Perfect play of No Thanks! by plain recursion, as an oracle: it shares no code with the coach's kernels."""

from typing import NamedTuple, TypeVar

from scoville_shared.coach.sample import Aim

Outcome = tuple[tuple[float, ...], tuple[float, ...]]
"""Each seat's lead over the best other one and share of the win, on average."""


Part = TypeVar("Part")


class Position(NamedTuple):
    """A card in the middle; `cards` are those of each seat, `unseen` those of which `left` are face down."""

    chips: tuple[int, ...]
    cards: tuple[frozenset[int], ...]
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
        leads, shares = outcome
        return leads[seat] if self._aim is Aim.LEAD else shares[seat] + leads[seat] / 1000

    def take(self, now: Position) -> Outcome:
        """Return what taking leads to."""
        chips = _replace_part(now.chips, now.mover, now.chips[now.mover] + now.pot)
        cards = _replace_part(now.cards, now.mover, now.cards[now.mover] | {now.card})
        if not now.left:
            return _outcome_of([count_points(own) - count for own, count in zip(cards, chips, strict=True)])
        parts = [
            self.best(Position(chips, cards, now.unseen - {card}, now.left - 1, card, 0, now.mover))
            for card in now.unseen
        ]
        return _average_parts([leads for leads, _ in parts]), _average_parts([shares for _, shares in parts])

    def leave(self, now: Position) -> Outcome:
        """Return what passing leads to."""
        chips = _replace_part(now.chips, now.mover, now.chips[now.mover] - 1)
        return self.best(now._replace(chips=chips, pot=now.pot + 1, mover=(now.mover + 1) % len(chips)))

    def best(self, now: Position) -> Outcome:
        """Return what the best move leads to; of equal ones a seat takes the card."""
        if now not in self._known:
            taking = self.take(now)
            passing = self.leave(now) if now.chips[now.mover] else taking
            better = self.worth(passing, now.mover) > self.worth(taking, now.mover) + 1e-9
            self._known[now] = passing if better else taking
        return self._known[now]


def count_points(cards: frozenset[int]) -> int:
    """Count the points of cards: the lowest of each run."""
    return sum(card for card in cards if card - 1 not in cards)


def _replace_part(values: tuple[Part, ...], seat: int, value: Part) -> tuple[Part, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _outcome_of(scores: list[int]) -> Outcome:
    fewest = min(scores)
    leads = tuple(float(min(scores[:seat] + scores[seat + 1 :]) - score) for seat, score in enumerate(scores))
    return leads, tuple((score == fewest) / scores.count(fewest) for score in scores)


def _average_parts(parts: list[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(sum(seat) / len(parts) for seat in zip(*parts, strict=True))
