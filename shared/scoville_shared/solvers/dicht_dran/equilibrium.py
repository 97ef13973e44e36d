"""The equilibrium of one round between two players: how often each hand plays each card so that nobody gains by it.

Peppers of this round count, in excess of the opponent's. Every deal of the cards that nobody has seen is
taken to be equally likely. Few hands are enumerated; else the equilibrium is learned from sampled ones, which is
accurate while at least `ROOM` of the cards are in the draw pile.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

from scoville_shared.bots.dicht_dran.kernel import closeness_of
from scoville_shared.bots.machine import Machine
from scoville_shared.solvers.dicht_dran import enumeration_kernel, learning_kernel
from scoville_shared.solvers.dicht_dran.learning_kernel import COLD

MOST_DEALS = 100_000
"""Pairs of hands that are enumerated; plain Python enumerates fewer."""


class Effort(NamedTuple):
    """Passes over all hands where they are enumerated; else batches of sampled hands of each side."""

    passes: int
    batches: int
    hands: int


FULL, PLAIN = Effort(200, 200, 200), Effort(50, 100, 20)
"""Effort of compiled kernels and of plain Python."""

ROOM = 0.4
"""Part of the unseen cards, the own hand included, that must be in the draw pile where hands are sampled."""

# Fixed, so that the same round always gets the same figures.
SEED = 2_463_534_242

PERCENT = 100


class RoundGame(NamedTuple):
    """A round as both players know it: the cards that may be in hands, those that are closest to the target first.

    `owed` is how many cards are drawn for each card if it loses; `sizes` are the cards in each hand.
    """

    cards: tuple[int, ...]
    peppers: tuple[int, ...]
    owed: tuple[int, ...]
    target: int
    sizes: tuple[int, int]


class Learned(NamedTuple):
    """The tables of both sides (see `learning_kernel`), with the peppers in the machine's numbers."""

    peppers: Sequence[int]
    owed: Sequence[int]
    plays: Sequence[float]
    lacks: Sequence[float]


class Enumerated(NamedTuple):
    """Strategy of the first side: for each of its hands the share of each card."""

    shares: dict[tuple[int, ...], tuple[float, ...]]


def round_game(
    circle: Sequence[int], slot: int, cards: Sequence[int], peppers: Sequence[int], sizes: tuple[int, int]
) -> RoundGame:
    """Return a round with this circle; `cards` are in hands or in the draw pile, `peppers` those of every card."""
    target = circle[slot]
    low, high = sorted((circle[slot - 1], circle[(slot + 1) % len(circle)]))
    ranked = tuple(sorted(cards, key=lambda card: closeness_of(card, target)))
    return RoundGame(
        ranked,
        tuple(peppers[card] for card in ranked),
        tuple(0 if low < card < high else peppers[card] for card in ranked),
        peppers[target],
        sizes,
    )


def shares_of(game: RoundGame, hand: Sequence[int], machine: Machine) -> tuple[float, ...]:
    """Return how often the first side plays each card of its hand, in whole percents; nothing if that is not known."""
    play = _find_play(game, machine)
    if play is None:
        return ()
    ranks = sorted(game.cards.index(card) for card in hand)
    shares = (
        _enumerated_shares(play, ranks) if isinstance(play, Enumerated) else _learned_shares(game, play, ranks, machine)
    )
    return round_to_percents([shares[ranks.index(game.cards.index(card))] for card in hand])


def round_to_percents(shares: Sequence[float]) -> tuple[float, ...]:
    """Round shares to whole percents that add up to one."""
    parts = [int(share * PERCENT) for share in shares]
    rests = sorted(range(len(shares)), key=lambda place: parts[place] - shares[place] * PERCENT)
    # The parts that lost most by rounding down get the rest.
    for place in rests[: PERCENT - sum(parts)]:
        parts[place] += 1
    return tuple(part / PERCENT for part in parts)


# All figures about one decision ask for the same round.
@lru_cache(maxsize=4)
def _find_play(game: RoundGame, machine: Machine) -> "Enumerated | Learned | None":
    cards, (mine, others) = len(game.cards), game.sizes
    # Exact while it is cheap; learned tables stand for hands only where hands hardly get in each other's way.
    if comb(cards, mine) * comb(cards - mine, others) <= MOST_DEALS // machine.divisor:
        return _enumerate_hands(game, machine)
    return _learn_play(game, machine) if cards - mine - others >= ROOM * cards else None


def _enumerate_hands(game: RoundGame, machine: Machine) -> Enumerated:
    numbers, cards = machine.numbers, range(len(game.cards))
    hands = [list(combinations(cards, size)) for size in game.sizes]
    flat = [[card for hand in side for card in hand] for side in hands]
    sets = [[sum(1 << card for card in hand) for hand in side] for side in hands]
    empty = [machine.floats([0.0] * len(side)) for _ in range(3) for side in flat]
    machine.load(enumeration_kernel).solve_game(
        numbers(game.sizes), *map(numbers, flat), *map(numbers, sets), numbers(game.peppers), numbers(game.owed),
        game.target, _effort_of(machine).passes, *empty, machine.floats([0.0] * 3 * len(game.cards)),
    )  # fmt: skip
    sums, size = empty[4], game.sizes[0]
    rows = (tuple(map(float, sums[at : at + size])) for at in range(0, len(flat[0]), size))
    return Enumerated({
        hand: tuple(part / sum(row) for part in row) for hand, row in zip(hands[0], rows, strict=True)
    })  # fmt: skip


def _effort_of(machine: Machine) -> Effort:
    return FULL if machine.divisor == 1 else PLAIN


def _enumerated_shares(play: Enumerated, ranks: Sequence[int]) -> Sequence[float]:
    return play.shares[tuple(ranks)]


def _learn_play(game: RoundGame, machine: Machine) -> Learned:
    numbers, floats, cards = machine.numbers, machine.floats, len(game.cards)
    peppers, owed = numbers(game.peppers), numbers(game.owed)
    plays, counts = (floats([0.0] * (2 * cards)) for _ in range(2))
    lacks, pairs = (floats([0.0] * (2 * cards * cards)) for _ in range(2))
    effort = _effort_of(machine)
    machine.load(learning_kernel).learn_tables(
        numbers(game.sizes), peppers, owed, game.target, effort.batches, effort.hands, numbers([SEED]), plays,
        lacks, counts, pairs, numbers([0] * (2 * cards)), floats([0.0] * (2 * cards)),
    )  # fmt: skip
    return Learned(peppers, owed, plays, lacks)


def _learned_shares(game: RoundGame, play: Learned, ranks: Sequence[int], machine: Machine) -> Sequence[float]:
    shares = machine.floats([0.0] * (2 * len(game.cards)))
    # Hands of one size have one table, since both sides learned the same.
    opponent = 0 if game.sizes[0] == game.sizes[1] else 1
    machine.load(learning_kernel).answer_table(
        machine.numbers(ranks), len(ranks), play.peppers, play.owed, game.target, play.plays, play.lacks, opponent,
        COLD, shares,
    )  # fmt: skip
    return [float(shares[card]) for card in ranks]
