"""Policies of playouts of Chilli Chase, next to the trained one; above all the careful one.

That one plays like the sensible bot: a point for itself, none for others, no total from which many cards would hit the
next player's Chilli Score, and one from which its own cards would hit its own. Another one plays like the easy bot, a
third like the casual one, which draws each decision, and in a fourth opinions vary as much as those of masters; the
fitted one has a module of its own. The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence
from typing import Final

from scoville_shared.bots.chilli_chase.fitted import OPINIONS, draw_play
from scoville_shared.bots.chilli_chase.hits import COUNT, find_hits, locate_hits
from scoville_shared.bots.chilli_chase.kernel import (
    ALL_WAYS,
    BASIC_WAYS,
    CAP,
    CHOOSING,
    DIE,
    DIE_SCORES,
    EXTENDED,
    HAND,
    MOVER,
    NEAR,
    NO_CARD,
    NOTHING,
    OVER,
    TOTAL,
    TURN,
    ZERO,
    Space,
    Table,
    choose_play,
    choose_score,
    holder_of,
    lay_card,
    note_sums,
    result_of,
    take_score,
    total_made,
)
from scoville_shared.bots.random_numbers import next_random

Numbers = MutableSequence[int]

TRAINED, CAREFUL, CLOSEST, MIXED, VARIED, FITTED = range(6)
"""The policies that a seat can have; the last four are those of the easy and the casual bot, of masters and of strong
players."""

VARIATION: Final = 3_000
"""By how much opinions of a total vary with which masters' choices are likeliest, among the choices of 60 games: half a
point. Masters look far ahead, and the careful policy hardly foretells them."""

SPREAD: Final = tuple(round(1_000 * opinion) for opinion in OPINIONS)
"""Equally likely opinions (see `fitted`), in thousandths."""

OWN, THEIRS, DANGER, PROMISE, FAR = 18_000, 6_000, 2_000, 1_800, 60
"""Weights: of an own point, a point of another, each value that hits the next score, and each own card that hits,
shared by those who play in between; and from which distance on the total is equally far."""


def play_on(space: Space, turns: int, rng: Numbers) -> None:
    """Play by each player's policy until the game is over or so many turns have passed."""
    table, policies = space.table, space.policies
    now = table.now
    last = now[TURN] + turns
    # A choice of a score belongs to the turn that has begun: it is made even where the turns are used up.
    while not now[OVER] and (now[CHOOSING] or now[TURN] < last):
        policy = policies[now[MOVER]]
        if policy == MIXED:
            policy = CAREFUL if next_random(rng) & 1 << 16 else CLOSEST
        if now[CHOOSING]:
            take_score(table, _choose_score_by(policy, table), rng)
        else:
            chosen = _choose_play_by(policy, space, rng)
            place = chosen // ALL_WAYS
            card = table.hands[now[MOVER] * HAND + place]
            lay_card(table, place, result_of(chosen % ALL_WAYS, now[TOTAL], card, table.rules), rng)


def _choose_score_by(policy: int, table: Table) -> int:
    if policy == CLOSEST:
        return table.scores[table.now[MOVER]]
    return choose_score(table) if policy == TRAINED else most_reached(table)


def _choose_play_by(policy: int, space: Space, rng: Numbers) -> int:
    table = space.table
    if policy == FITTED:
        return draw_play(table, space.insight, rng)
    if policy == CLOSEST:
        return choose_closest(table)
    if policy == TRAINED:
        return choose_play(table, rng)
    return choose_carefully(table, rng, VARIATION if policy == VARIED else 0)


def choose_closest(table: Table) -> int:
    """Choose the play with the total closest to the own score, as the easy bot does.

    Of equally close ones that is the lowest card's, then the lowest total. Returns what `choose_carefully` does.
    """
    rules, hands, memo = table.rules, table.hands, table.memo
    mover, total, cap, zero = table.now[MOVER], table.now[TOTAL], rules[CAP], rules[ZERO]
    mine, ways = table.scores[mover], ALL_WAYS if rules[EXTENDED] else BASIC_WAYS
    best, least = -1, (0, 0, 0)
    for place in range(HAND):
        card = hands[mover * HAND + place]
        noted = note_sums(memo, total, card, cap, zero)
        for way in range(ways):
            made = memo[noted + way] if noted >= 0 else total_made(way, total, card, cap, zero)
            if made == NOTHING:
                continue
            rank = (abs(made - mine), card, made)
            if best < 0 or rank < least:
                best, least = place * ALL_WAYS + way, rank
    return best


def choose_carefully(table: Table, rng: Numbers, variation: int = 0) -> int:
    """Choose a play by the policy; returns the place in the hand and the way, as `place * ALL_WAYS + way`.

    `variation` is by how much the opinion of each play varies.
    """
    rules, hands, scores, memo = table.rules, table.hands, table.scores, table.memo
    mover, total, cap, zero = table.now[MOVER], table.now[TOTAL], rules[CAP], rules[ZERO]
    mine, following = scores[mover], scores[(mover + 1) % len(scores)]
    # The total changes with each player in between, so a hit from here is the less certain the more they are.
    promise, ways = PROMISE // (len(scores) - 1), ALL_WAYS if rules[EXTENDED] else BASIC_WAYS
    own_hits, next_hits = locate_hits(mine), locate_hits(following)
    best, most = 0, NOTHING
    for place in range(HAND):
        card = hands[mover * HAND + place]
        one, other = hands[mover * HAND + (place + 1) % HAND], hands[mover * HAND + (place + 2) % HAND]
        noted = note_sums(memo, total, card, cap, zero)
        for way in range(ways):
            made = memo[noted + way] if noted >= 0 else total_made(way, total, card, cap, zero)
            if made == NOTHING:
                continue
            # Looked up here, since a call costs plain Python more than all else that this loop does.
            near = -NEAR <= made <= NEAR
            promising = memo[own_hits + made] - 1 if near and own_hits else -1
            dangerous = memo[next_hits + made] - 1 if near and next_hits else -1
            if promising < 0:
                promising = find_hits(memo, made, mine, cap)
            if dangerous < 0:
                dangerous = find_hits(memo, made, following, cap)
            worth = next_random(rng) % 16 - 10 * min(abs(made - mine), FAR) - DANGER * (dangerous >> COUNT)
            worth += promise * ((promising >> one & 1) + (promising >> other & 1))
            if variation:
                worth += SPREAD[next_random(rng) >> 8 & 255] * variation // 1_000
            scorer = holder_of(made, scores)
            if scorer >= 0:
                worth += OWN if scorer == mover else -THEIRS
            if worth > most:
                best, most = place * ALL_WAYS + way, worth
    return best


def most_reached(table: Table) -> int:
    """Choose the free Chilli Score that most cards of the hand reach, the closest to zero of those; or the old one."""
    rules, hands, scores = table.rules, table.hands, table.scores
    mover, total = table.now[MOVER], table.now[TOTAL]
    best, most = scores[mover], count_reaching(table, scores[mover])
    old = best
    for place in range(HAND):
        for way in range(ALL_WAYS if rules[EXTENDED] else BASIC_WAYS):
            made = NOTHING
            if hands[mover * HAND + place] != NO_CARD:
                made = result_of(way, total, hands[mover * HAND + place], rules)
            if made in (NOTHING, 0) or holder_of(made, scores) >= 0 or (rules[DIE_SCORES] and not 1 <= made <= DIE):
                continue
            count = count_reaching(table, made)
            nearer = 2 * abs(made) - (made > 0) < 2 * abs(best) - (best > 0)
            if count > most or (count == most and best != old and nearer):
                best, most = made, count
    return best


def count_reaching(table: Table, score: int) -> int:
    """Count the cards of the mover that make this score of the total."""
    now, rules, hands = table.now, table.rules, table.hands
    count = 0
    for place in range(now[MOVER] * HAND, now[MOVER] * HAND + HAND):
        way = 0
        while hands[place] != NO_CARD and way < (ALL_WAYS if rules[EXTENDED] else BASIC_WAYS):
            if result_of(way, now[TOTAL], hands[place], rules) == score:
                count += 1
                break
            way += 1
    return count
