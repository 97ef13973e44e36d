"""Playout kernel of Chilli Chase: the next turns of a game on plain numbers, thousands of times a second.

The functions use only the part of Python that numba compiles: whole numbers, floats and sequences of them, which are
lists here and arrays when compiled. Both forms give the same results.
"""

import functools
from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.random_numbers import next_random, shuffle_front

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

TOTAL, MOVER, TURN, TOP, DECK, HOT, CHOOSING, OVER = range(8)
TARGET, EXTENDED, ZERO, CAP, DIE_SCORES, SHUFFLE, TURN_LIMIT = range(7)

CARDS, HAND, DIE, VALUES = 36, 3, 12, 6
NO_CARD, UNKNOWN = 0, -1
NOTHING = -1_000_000_000
"""The total of a card that the rules forbid."""

PLUS, MINUS, TIMES, DIVIDE, POWER, ROOT, MOD = range(7)
BASIC_WAYS, ALL_WAYS = 10, 14
"""Ways to write a card and a total: each operation both ways round."""

OWN, THEIRS, FAR = 3_000, 1_000, 60
"""Weights of a policy: of an own point, of a point of another, and the largest distance of a total from its score."""

REMEMBERED = 50_000
"""Sums that plain Python remembers."""

NEAR = 128
"""Totals and Chilli Scores up to this distance from zero have their places in a memo (see `Table`)."""

SIDE = 2 * NEAR + 1
SUMS = ALL_WAYS + 1
HITS = SIDE * VALUES * SUMS
MEMO = HITS + SIDE * SIDE
"""For each total and card what the card makes of it in each way, and whether that is noted; from `HITS` on for each
score and total which cards make the one of the other; the size of a memo."""


class Table(NamedTuple):
    """A table, which a playout changes.

    Attributes:
        now: The numbers that `TOTAL` and the names after it index.
        rules: The options, which `TARGET` and the names after it index.
        hands: Three places for each seat; `NO_CARD` where a card has been played and not yet replaced, `UNKNOWN` where
            a world has yet to be laid out.
        scores: The Chilli Score of each seat.
        points: The points of each seat.
        deck: The deck, of which `now[TOP]` is the next card and `now[DECK]` the end.
        hot: The Hot Pile, `now[HOT]` cards from the bottom to the top.
        memo: Sums that were computed before, by any playout under the same rules, 0 where none was: playouts meet the
            same totals again and again.
    """

    now: Numbers
    rules: Sequence[int]
    hands: Numbers
    scores: Numbers
    points: Numbers
    deck: Numbers
    hot: Numbers
    memo: Numbers


class Insight(NamedTuple):
    """How players of the fitted policy choose (see `fitted`).

    Attributes:
        weights: Those of the figures of a play.
        opinions: Equally likely opinions of a play.
        chances: The chance that one of three random cards is among so many values.
        plays: Working space for the plays of a mover, `totals` for what they make, `figures` for those of each.
    """

    weights: Sequence[float]
    opinions: Sequence[float]
    chances: Sequence[float]
    plays: Numbers
    totals: Numbers
    figures: Floats


class Space(NamedTuple):
    """Working space.

    Attributes:
        table: A table.
        policies: A policy for each seat.
        stream: The state of random numbers.
        insight: What the fitted policy needs.
        kept: A 1 for each choice that is still played out.
    """

    table: Table
    policies: Numbers
    stream: Numbers
    insight: Insight
    kept: Numbers


def raise_power(base: int, exponent: int, most: int) -> int:
    """Raise to a power from 0 on, or return `NOTHING` if that is further from zero than `most`."""
    # These never grow beyond `most`, so that the loop would run as often as the exponent says.
    if base == 0 or base == 1:
        return 1 if exponent == 0 else base
    if base == -1:
        return 1 if exponent % 2 == 0 else -1
    made = 1
    for _ in range(exponent):
        made *= base
        if abs(made) > most:
            return NOTHING
    return made


def exact_root(radicand: int, degree: int) -> int:
    """Return the exact root, or `NOTHING` if there is none."""
    if degree < 1 or (radicand < 0 and degree % 2 == 0):
        return NOTHING
    # A guess in floating point, checked in whole numbers by the next line.
    size = int(abs(radicand) ** (1.0 / degree) + 0.5)
    if raise_power(size, degree, abs(radicand)) != abs(radicand):
        return NOTHING
    return size if radicand >= 0 else -size


def combine_numbers(op: int, left: int, right: int, cap: int) -> int:
    """Compute an operation, or return `NOTHING`."""
    if op == PLUS:
        return left + right
    if op == MINUS:
        return left - right
    if op == TIMES:
        return left * right
    if op == DIVIDE:
        return left // right if right != 0 and left % right == 0 else NOTHING
    if op == MOD:
        return left % right if right > 0 else NOTHING
    if op == ROOT:
        return exact_root(left, right)
    # A fraction, which is no total.
    if right < 0 and abs(left) != 1:
        return NOTHING
    return raise_power(left, abs(right), cap)


def result_of(way: int, total: int, card: int, rules: Sequence[int]) -> int:
    """Return what a card makes of the total in one of the ways, or `NOTHING` (C6 to C12)."""
    return total_made(way, total, card, rules[CAP], rules[ZERO])


@functools.lru_cache(REMEMBERED)
def total_made(way: int, total: int, card: int, cap: int, zero: int) -> int:
    """Return what `result_of` does; `zero` is whether 0 is allowed."""
    made = combine_numbers(way // 2, total, card, cap) if way % 2 == 0 else combine_numbers(way // 2, card, total, cap)
    if made == NOTHING or abs(made) > cap or (made == 0 and not zero):
        return NOTHING
    return made


def note_sums(memo: Numbers, total: int, card: int, cap: int, zero: int) -> int:
    """Return from where on a memo has what a card makes of a total in each way, or -1 if the total is too far away."""
    if abs(total) > NEAR:
        return -1
    first = ((total + NEAR) * VALUES + card - 1) * SUMS
    if memo[first + ALL_WAYS] == 0:
        for way in range(ALL_WAYS):
            memo[first + way] = total_made(way, total, card, cap, zero)
        memo[first + ALL_WAYS] = 1
    return first


def holder_of(number: int, scores: Sequence[int]) -> int:
    """Return the seat whose Chilli Score a number is, or -1."""
    for seat in range(len(scores)):
        if scores[seat] == number:
            return seat
    return -1


def lay_card(table: Table, place: int, total: int, rng: Numbers) -> None:
    """Play the mover's card at a place of its hand for a total; score, and draw unless a Chilli Score is offered."""
    now = table.now
    mover = now[MOVER]
    table.hot[now[HOT]] = table.hands[mover * HAND + place]
    now[HOT] += 1
    table.hands[mover * HAND + place] = NO_CARD
    now[TOTAL] = total
    scorer = holder_of(total, table.scores)
    # The point first, then the change of score, the draw last (C19); the winning point ends the game before both (C16).
    if scorer >= 0:
        table.points[scorer] += 1
        if table.points[scorer] == table.rules[TARGET]:
            now[OVER] = 1
            return
        if scorer != mover:
            now[CHOOSING] = 1
            return
    end_turn(table, rng)


def take_score(table: Table, score: int, rng: Numbers) -> None:
    """Take a Chilli Score, which may be the old one, and draw."""
    table.scores[table.now[MOVER]] = score
    table.now[CHOOSING] = 0
    end_turn(table, rng)


def end_turn(table: Table, rng: Numbers) -> None:
    """Draw a card and pass the turn on (C22, C26)."""
    now, hands, deck, hot = table.now, table.hands, table.deck, table.hot
    if now[TOP] == now[DECK]:
        # All but the card on top become the new deck. Turned over, the oldest card comes first (C22): they keep their
        # order, since a deck is read from its first place on.
        size = now[HOT] - 1
        for place in range(size):
            deck[place] = hot[place]
        hot[0] = hot[size]
        now[HOT], now[TOP], now[DECK] = 1, 0, size
        if table.rules[SHUFFLE]:
            shuffle_front(deck, size, size - 1, rng)
    first = now[MOVER] * HAND
    for place in range(first, first + HAND):
        if hands[place] == NO_CARD:
            hands[place] = deck[now[TOP]]
    now[TOP] += 1
    if now[TURN] == table.rules[TURN_LIMIT]:
        now[OVER] = 1
        return
    now[TURN] += 1
    now[MOVER] = (now[MOVER] + 1) % len(table.scores)


def choose_play(table: Table, rng: Numbers) -> int:
    """Choose a play by the policy: a point for oneself, none for others, close to the own score, and some chance.

    Returns the place in the hand and the way, as `place * ALL_WAYS + way`.
    """
    rules, hands, scores, memo = table.rules, table.hands, table.scores, table.memo
    mover, total, cap, zero = table.now[MOVER], table.now[TOTAL], rules[CAP], rules[ZERO]
    mine, ways = scores[mover], ALL_WAYS if rules[EXTENDED] else BASIC_WAYS
    best, most = 0, NOTHING
    for place in range(HAND):
        card = hands[mover * HAND + place]
        noted = note_sums(memo, total, card, cap, zero)
        for way in range(ways):
            made = memo[noted + way] if noted >= 0 else total_made(way, total, card, cap, zero)
            if made == NOTHING:
                continue
            scorer = holder_of(made, scores)
            worth = -min(abs(made - mine), FAR) + next_random(rng) % 16
            if scorer >= 0:
                worth += OWN if scorer == mover else -THEIRS
            if worth > most:
                best, most = place * ALL_WAYS + way, worth
    return best


def choose_score(table: Table) -> int:
    """Choose a Chilli Score by the policy: one that the hand reaches from here, close to zero; else the old one."""
    rules, scores = table.rules, table.scores
    mover, total = table.now[MOVER], table.now[TOTAL]
    best = scores[mover]
    for place in range(HAND):
        card = table.hands[mover * HAND + place]
        if card == NO_CARD:
            continue
        for way in range(ALL_WAYS if rules[EXTENDED] else BASIC_WAYS):
            made = result_of(way, total, card, rules)
            if made in (NOTHING, 0) or holder_of(made, scores) >= 0:
                continue
            if rules[DIE_SCORES] and not 1 <= made <= DIE:
                continue
            if best == scores[mover] or abs(made) < abs(best):
                best = made
    return best


def lay_out_table(me: int, seen: Table, unseen: Sequence[int], table: Table) -> None:
    """Lay out a world: the unseen cards in their order are what is unknown of the hands, then the deck.

    Args:
        me: The seat whose empty places are empty; others' places with `NO_CARD` are unknown.
        seen: The table as a seat knows it; its deck has the cards on top that are known.
        unseen: The cards that are not known.
        table: Gets the world.
    """
    for place in range(len(seen.now)):
        table.now[place] = seen.now[place]
    dealt = 0
    for place in range(len(seen.hands)):
        if seen.hands[place] > NO_CARD or (seen.hands[place] == NO_CARD and place // HAND == me):
            table.hands[place] = seen.hands[place]
        else:
            table.hands[place] = unseen[dealt]
            dealt += 1
    for seat in range(len(seen.scores)):
        table.scores[seat] = seen.scores[seat]
        table.points[seat] = seen.points[seat]
    for place in range(len(seen.hot)):
        table.hot[place] = seen.hot[place]
    # On top, in its order: after the first recycling a good memory knows what comes next (C22).
    known = len(seen.deck)
    for place in range(known):
        table.deck[place] = seen.deck[place]
    for place in range(dealt, len(unseen)):
        table.deck[known + place - dealt] = unseen[place]
    now = table.now
    now[TOP], now[DECK], now[HOT] = 0, known + len(unseen) - dealt, len(seen.hot)
