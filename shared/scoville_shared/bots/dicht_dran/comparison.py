"""Comparison of cards in Dicht dran as `master` makes it: the seat goes on with foresight, opponents as `strong` would.

The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence
from math import exp
from typing import NamedTuple

from scoville_shared.bots.dicht_dran.fitted import draw_card
from scoville_shared.bots.dicht_dran.foresight import choose_farsighted, count_unknown, mark_cards
from scoville_shared.bots.dicht_dran.kernel import (
    ANY_CARD,
    Cycle,
    Seen,
    Space,
    Worth,
    lay_out_cycle,
    own_peppers,
    resolve_round,
)
from scoville_shared.bots.random_numbers import next_random, shuffle_front
from scoville_shared.bots.utility import add_utility, keep_better_moves

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

EARLY_SPREAD, LAST_SPREAD = 6.0, 1.5
"""Peppers of lead that make a win e times as likely as before: while another cycle follows, and in the last one.

A share of the win alone would call most cards equal: who leads in a playout by one pepper may well be behind in the
game, since nobody plays exactly as it assumes.
"""

MOST_LIKELY = 500.0
"""The exponent beyond which odds are out of all proportion."""


class Insight(NamedTuple):
    """How the players of a playout choose.

    Attributes:
        foresight: The weights of the farsighted policy (`policies.Foresight`).
        fitted: Those of the fitted policy (`policies.Likelihood`).
        logarithms: The logarithms of the numbers up to 100.
        opinions: Equally likely opinions of a card.
    """

    foresight: Sequence[float]
    fitted: Sequence[float]
    logarithms: Sequence[float]
    opinions: Sequence[float]


class Desk(NamedTuple):
    """Working space for choosing.

    Attributes:
        marks: A 1 for each card in hands or in the draw pile, by its number.
        unknown: How many cards up to each number a seat does not know.
        losses: A number of each card in a hand.
        figures: The figures of each card in a hand.
        kept: A 1 for each card that is still played out.
    """

    marks: Numbers
    unknown: Numbers
    losses: Floats
    figures: Floats
    kept: Numbers


def play_on(space: Space, worth: Worth, insight: Insight, desk: Desk, me: int, first: int, rng: Numbers) -> None:
    """Play the cycle of a working space to its end: one seat with foresight, the others by the fitted policy.

    Args:
        space: The cycle, which is changed to how it is then.
        worth: The worth of the cards.
        insight: How the players choose.
        desk: Working space.
        me: The seat with foresight, which plays `first` in this round, unless that is `ANY_CARD`.
        first: Its card.
        rng: The state of the random numbers.
    """
    cycle, picks, unknown = space.cycle, space.picks, desk.unknown
    over = False
    while not over:
        mark_cards(cycle, desk.marks)
        for seat in range(len(picks)):
            count_unknown(desk.marks, cycle.hands, seat, cycle.sizes[seat], unknown)
            if seat != me:
                picks[seat] = draw_card(
                    cycle, seat, worth, insight.fitted, insight.opinions, unknown, desk.figures, rng
                )
            elif first != ANY_CARD:
                picks[seat] = first
            else:
                picks[seat] = choose_farsighted(
                    cycle, seat, worth.peppers, insight.foresight, insight.logarithms, unknown, desk.losses
                )
        first = ANY_CARD
        over = resolve_round(cycle, picks, worth.peppers, rng)


def share_of_win(me: int, cycle: Cycle, peppers: Sequence[int], totals: Sequence[int], spread: float) -> float:
    """Return a seat's chance to win after a cycle if `spread` peppers of lead make it e times as likely.

    Args:
        me: The seat.
        cycle: The cycle at its end.
        peppers: The peppers of every card.
        totals: All players' score before the cycle.
        spread: The peppers.
    """
    mine = totals[me] + own_peppers(cycle, me, peppers)
    odds = 0.0
    for seat in range(len(totals)):
        lead = totals[seat] + own_peppers(cycle, seat, peppers) - mine
        odds += exp(min(lead / spread, MOST_LIKELY))
    return 1.0 / odds


def compare_cards(
    seen: Seen, candidates: Sequence[int], worth: Worth, insight: Insight, worlds: int, rng: Numbers, space: Space,
    desk: Desk, sums: Floats,
) -> None:  # fmt: skip
    """Play the rest of a cycle once for each of the candidates, in the same worlds with the same chance.

    Cards that have done worse so far leave their playouts to the better ones.

    Args:
        seen: The knowledge of the seat that decides.
        candidates: Cards of the hand; all are compared with the first one.
        worth: The worth of the cards.
        insight: How the players choose.
        worlds: How many worlds there would be for all candidates.
        rng: The state of the random numbers.
        space: Working space.
        desk: Working space for choosing.
        sums: The sums so far, in the same parts. Gets added, for each candidate that is played out, its utility,
            the difference to the first one's, the square of that, and one world.
    """
    spread = EARLY_SPREAD if seen.cycles > 0 else LAST_SPREAD
    kept, count = desk.kept, len(candidates)
    playing = keep_better_moves(sums, worlds, count, kept)
    for _ in range(worlds * count // playing):
        shuffle_front(seen.unseen, len(seen.unseen), len(seen.unseen), rng)
        # Not 0, which the random numbers would never leave again.
        same = next_random(rng) | 1
        reference = 0.0
        for number in range(count):
            if kept[number] == 1:
                lay_out_cycle(seen, space.cycle)
                space.stream[0] = same
                play_on(space, worth, insight, desk, seen.me, candidates[number], space.stream)
                value = share_of_win(seen.me, space.cycle, worth.peppers, seen.totals, spread)
                if number == 0:
                    reference = value
                add_utility(sums, number, value, reference)
