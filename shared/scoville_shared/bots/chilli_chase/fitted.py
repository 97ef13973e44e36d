"""The fitted policy of Chilli Chase: it draws plays by chances that were fitted to the choices of `strong`.

Each total that the hand makes has figures. Their weighted sum says how likely it is: chances are in proportion to the
exponential of it. The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence
from math import log
from typing import Final

from scoville_shared.bots.chilli_chase.hits import COUNT, find_hits, locate_hits
from scoville_shared.bots.chilli_chase.kernel import (
    ALL_WAYS,
    BASIC_WAYS,
    CAP,
    EXTENDED,
    HAND,
    MOVER,
    NEAR,
    NOTHING,
    TARGET,
    TOTAL,
    VALUES,
    ZERO,
    Insight,
    Table,
    holder_of,
    note_sums,
    total_made,
)
from scoville_shared.bots.random_numbers import next_random

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

(
    BEST, BEHIND, OWN_POINT, OTHERS_POINT, OTHERS_POINTS, LAST_POINT, DANGER, SECOND_DANGER, PROMISE, DISTANCE, RETURN,
    SIZE, SAFE_RETURN,
) = range(13)  # fmt: skip
"""Places of the figures of a total:

- `BEST`: 1 for the one with the highest opinion of the rule below, and `BEHIND` it by how much, a half at most;
- `OWN_POINT`, `OTHERS_POINT`: 1 for a point of the mover or of another, who has `OTHERS_POINTS`; `LAST_POINT`: 1 for
  one of another that wins the game;
- `DANGER`, `SECOND_DANGER`: the chance that one of three random cards hits the next score, or the one after that;
- `PROMISE`: how many of the two other cards would hit the own score from there;
- `RETURN`: the chance of a hit of the own score by three random cards, and `SAFE_RETURN` if the next player has none;
- `DISTANCE` to the own score, as a part of the largest that counts, and `SIZE`, the logarithm of the total's.
"""

FIGURES = 13
MOST_PLAYS = HAND * ALL_WAYS

WEIGHTS: Final = (
    3.536, 2.469, 1.434, 1.629, -0.662, -2.962, -4.290, -0.344, -0.399, -2.870, 1.740, 0.384, -1.134,
)  # fmt: skip
"""Weights of the figures, fitted to 7,534 choices of `strong` in 60 games of four; of choices of other games the mean
logarithm of the chances is -0.40. `scripts/bench choices` fits others."""

OPINIONS: Final = tuple(-log(-log((2 * place + 1) / 512)) for place in range(256))
"""Equally likely opinions, those of the Gumbel distribution: the best of choices then is each one with a chance in
proportion to the exponential of its worth."""

CHANCES: Final = tuple(1.0 - (1.0 - count / VALUES) ** HAND for count in range(VALUES + 1))
"""The chance that one of three random cards is among so many values."""

RULE_OWN, RULE_THEIRS, RULE_DANGER, RULE_PROMISE, FAR = 18.0, 6.0, 2.0, 1.8, 60
"""What the rule gives for an own point, and takes for another's and for each value that hits the next score; what it
gives for each own card that hits, shared by those who play in between; and from which distance on all are equal."""

LITTLE, LITTLE_DISTANCE = 0.5, 0.01
"""By how much a total is a little behind at most; and what the rule takes for each step of distance."""


def list_plays(table: Table, insight: Insight) -> int:
    """List the different totals that each card of the mover makes, and the plays for them; returns how many."""
    rules, hands, memo, plays, totals = table.rules, table.hands, table.memo, insight.plays, insight.totals
    first, total, cap, zero = table.now[MOVER] * HAND, table.now[TOTAL], rules[CAP], rules[ZERO]
    ways = ALL_WAYS if rules[EXTENDED] else BASIC_WAYS
    count = 0
    for place in range(HAND):
        card = hands[first + place]
        # Equal cards make the same totals.
        if (place > 0 and card == hands[first]) or (place > 1 and card == hands[first + 1]):
            continue
        noted, begun = note_sums(memo, total, card, cap, zero), count
        for way in range(ways):
            made = memo[noted + way] if noted >= 0 else total_made(way, total, card, cap, zero)
            if made != NOTHING and not is_listed(made, totals, begun, count):
                plays[count], totals[count] = place * ALL_WAYS + way, made
                count += 1
    return count


def is_listed(made: int, totals: Sequence[int], begun: int, count: int) -> bool:
    """Whether a card makes a total in an earlier way, too."""
    found = False
    for number in range(begun, count):
        found = found or totals[number] == made
    return found


def describe_plays(table: Table, insight: Insight) -> int:
    """Work out the figures of each total that each card of the mover makes; returns how many there are.

    Args:
        table: The table; of hands only the mover's matters.
        insight: Its plays get the place in the hand and the way of each, as `place * ALL_WAYS + way`, its figures
            `FIGURES` for each.
    """
    count = list_plays(table, insight)
    rules, hands, scores, points, memo = table.rules, table.hands, table.scores, table.points, table.memo
    figures, chances, mover, cap, seats = insight.figures, insight.chances, table.now[MOVER], rules[CAP], len(scores)
    mine, following, second = scores[mover], scores[(mover + 1) % seats], (mover + 2) % seats
    best, most = 0, 0.0
    for number in range(count):
        made, place, at = insight.totals[number], insight.plays[number] // ALL_WAYS, number * FIGURES
        hits = look_up_hits(memo, made, mine, cap)
        dangerous = look_up_hits(memo, made, following, cap) >> COUNT
        danger, back = chances[dangerous], chances[hits >> COUNT]
        promise = hits >> hands[mover * HAND + (place + 1) % HAND] & 1
        promise += hits >> hands[mover * HAND + (place + 2) % HAND] & 1
        distance = min(abs(made - mine), FAR)
        opinion = RULE_PROMISE / (seats - 1) * promise - LITTLE_DISTANCE * distance - RULE_DANGER * dangerous
        scorer = holder_of(made, scores)
        is_others = scorer >= 0 and scorer != mover
        if scorer >= 0:
            opinion += -RULE_THEIRS if is_others else RULE_OWN
        figures[at + BEST] = opinion
        figures[at + OWN_POINT] = 1.0 if scorer == mover else 0.0
        figures[at + OTHERS_POINT] = 1.0 if is_others else 0.0
        figures[at + OTHERS_POINTS] = points[scorer] if is_others else 0.0
        figures[at + LAST_POINT] = 1.0 if is_others and points[scorer] == rules[TARGET] - 1 else 0.0
        figures[at + DANGER] = danger
        figures[at + SECOND_DANGER] = 0.0
        if second != mover:
            figures[at + SECOND_DANGER] = chances[look_up_hits(memo, made, scores[second], cap) >> COUNT]
        figures[at + PROMISE] = promise
        figures[at + DISTANCE] = distance / FAR
        figures[at + RETURN] = back
        figures[at + SIZE] = log(1.0 + abs(made))
        figures[at + SAFE_RETURN] = (1.0 - danger) * back
        if number == 0 or opinion > most:
            best, most = number, opinion
    for number in range(count):
        at = number * FIGURES
        figures[at + BEHIND] = max(figures[at + BEST] - most, -LITTLE)
        figures[at + BEST] = 1.0 if number == best else 0.0
    return count


def look_up_hits(memo: Numbers, total: int, score: int, cap: int) -> int:
    """Return what `find_hits` does, from the memo if it is there."""
    where = locate_hits(score)
    noted = memo[where + total] - 1 if where and -NEAR <= total <= NEAR else -1
    return noted if noted >= 0 else find_hits(memo, total, score, cap)


def draw_play(table: Table, insight: Insight, rng: Numbers) -> int:
    """Draw the play that the mover chooses; returns the place in the hand and the way, as `place * ALL_WAYS + way`."""
    count, weights, figures = describe_plays(table, insight), insight.weights, insight.figures
    best, most = 0, 0.0
    for number in range(count):
        value = 0.0
        for figure in range(FIGURES):
            value += weights[figure] * figures[number * FIGURES + figure]
        # Not the lowest bits, which are the poorest.
        value += insight.opinions[next_random(rng) >> 8 & 255]
        if number == 0 or value > most:
            best, most = insight.plays[number], value
    return best
