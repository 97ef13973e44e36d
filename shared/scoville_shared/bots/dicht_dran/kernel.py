"""Playout kernel of Dicht dran: the rest of a cycle on plain numbers, thousands of times a second.

The functions use only the part of Python that numba compiles: whole numbers, floats and sequences of them, which are
lists here and arrays when compiled. Both forms give the same results.
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.random_numbers import next_random, shuffle_front
from scoville_shared.bots.utility import add_utility, utility_of_lead

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

STRIDE = 94
"""Places of a hand: all cards but the six of the circle."""

DRAWN, PILE, DISCARD, SLOT = 0, 1, 2, 3
"""The places in `counts` of a cycle: the cards drawn from the pile, its size before any was drawn, the size of the
discard, and the slot of the target card."""

COUNTS = 4
SLOTS = 6
MOST_CARDS = 100
"""Places of a pile and of a discard; the number of the highest card."""
DEALT = 8
"""Cards that each hand begins with."""

FARTHEST = 100
"""A policy's chances to win are listed for 0 to 99 closer cards."""

WEIGHTS = 4
"""Numbers of a policy: what a discarded pepper, a won pepper, a drawn pepper and closeness are worth."""

TRAINED, SIMPLE, CLOSEST, MIXED = 0, 1, 2, 100
"""Places of policies: the best one, the estimate of the sensible bot, and the easy bot's rule.

The last one is no place: one of the two before is drawn in each round, as the casual bot does.
"""

ANY_CARD = 0
"""Stands for no card: the policy chooses."""


class Cycle(NamedTuple):
    """A cycle on the table, which a playout changes.

    Attributes:
        circle: The six cards of the circle, clockwise.
        hands: `STRIDE` places for each seat, of which the first `sizes[seat]` hold its cards in any order.
        sizes: Cards in each hand.
        won: Peppers that each seat has won.
        pile: The draw pile; the top card is `pile[counts[DRAWN]]`, the last one `pile[counts[PILE] - 1]`.
        discard: The discard, the first `counts[DISCARD]` places.
        counts: The numbers that `DRAWN`, `PILE`, `DISCARD` and `SLOT` index.
    """

    circle: Numbers
    hands: Numbers
    sizes: Numbers
    won: Numbers
    pile: Numbers
    discard: Numbers
    counts: Numbers


class Worth(NamedTuple):
    """The worth of the cards, to all seats and by each policy.

    Attributes:
        peppers: The peppers of every card, by its number.
        chances: For every policy the chance to win by how many cards would be closer, `FARTHEST` numbers each.
        weights: For every policy the worth of discarded, won and drawn peppers and of closeness, `WEIGHTS` each.
    """

    peppers: Sequence[int]
    chances: Sequence[float]
    weights: Sequence[float]


class Seen(NamedTuple):
    """A cycle as a seat with a good memory knows it.

    Attributes:
        me: The seat; -1 if all hands are known.
        circle: The six cards of the circle.
        slot: The slot of the target card.
        hand: The cards of the seat; if all hands are known, `STRIDE` places for each.
        sizes: Cards in each hand.
        won: Peppers that each seat has won.
        unseen: The cards in hands that are not known, in the draw pile, and those in the discard that are not known;
            shuffled in place.
        pile: Cards in the draw pile.
        discard: The known cards of the discard.
        totals: The scores before this cycle.
        cycles: How many cycles follow this one.
    """

    me: int
    circle: Sequence[int]
    slot: int
    hand: Sequence[int]
    sizes: Sequence[int]
    won: Sequence[int]
    unseen: Numbers
    pile: int
    discard: Sequence[int]
    totals: Sequence[int]
    cycles: int


class Space(NamedTuple):
    """Working space: a cycle, a policy and a card for each seat, and the state of random numbers."""

    cycle: Cycle
    policies: Numbers
    picks: Numbers
    stream: Numbers


def closeness_of(card: int, target: int) -> int:
    """Rank a card by its distance to the target; of two equally close ones the higher comes first (A10)."""
    return 2 * abs(card - target) - (1 if card > target else 0)


def resolve_round(cycle: Cycle, picks: Sequence[int], peppers: Sequence[int], rng: Numbers) -> bool:
    """Carry out the four actions of a round with the chosen cards of all players; returns whether the cycle is over.

    Args:
        cycle: The cycle; its target is the next one afterwards.
        picks: The card of each seat, which is in its hand.
        peppers: The peppers of every card, by its number.
        rng: The state of the random numbers.
    """
    circle, sizes, discard, counts = cycle.circle, cycle.sizes, cycle.discard, cycle.counts
    slot, seats = counts[SLOT], len(picks)
    before, after = circle[(slot + SLOTS - 1) % SLOTS], circle[(slot + 1) % SLOTS]
    low, high = min(before, after), max(before, after)
    winner = nearest_seat(picks, circle[slot])
    for seat in range(seats):
        _play_card(cycle.hands, sizes, seat, picks[seat])
    cycle.won[winner] += peppers[circle[slot]]
    circle[slot] = picks[winner]

    # The 3rd action before the 4th. Nobody draws before all of them lie there (A13): a reshuffle has every one.
    for fits in (True, False):
        for step in range(1, seats):
            card = picks[(winner + step) % seats]
            if (low < card < high) == fits:
                discard[counts[DISCARD]] = card
                counts[DISCARD] += 1

    # Clockwise from the winner's left, who owes nothing (A11, A13): the order decides who gets which card.
    ran_out = False
    for step in range(1, seats):
        seat = (winner + step) % seats
        if not low < picks[seat] < high:
            ran_out = _draw_cards(cycle, seat, peppers[picks[seat]], ran_out, rng)
    counts[SLOT] = slot + 1 if slot + 1 < SLOTS else 0

    # After the 4th action only (A16): a pile that gave its last card to it has run out as well (A15).
    over = ran_out or counts[DRAWN] == counts[PILE]
    for seat in range(seats):
        over = over or sizes[seat] == 0
    return over


def nearest_seat(picks: Sequence[int], target: int) -> int:
    """Return the seat whose card is closest to the target."""
    winner = 0
    for seat in range(1, len(picks)):
        if closeness_of(picks[seat], target) < closeness_of(picks[winner], target):
            winner = seat
    return winner


def _draw_cards(cycle: Cycle, seat: int, owed: int, ran_out: bool, rng: Numbers) -> bool:
    """Let a seat draw all its cards (A13); returns whether the pile has run out by now."""
    sizes, counts = cycle.sizes, cycle.counts
    # At most once in a round: the reshuffled discard covers whatever is still owed (A17).
    if owed > counts[PILE] - counts[DRAWN] and not ran_out:
        _reshuffle_discard(cycle.pile, cycle.discard, counts, rng)
        ran_out = True
    for _ in range(owed):
        cycle.hands[seat * STRIDE + sizes[seat]] = cycle.pile[counts[DRAWN]]
        sizes[seat] += 1
        counts[DRAWN] += 1
    return ran_out


def _play_card(hands: Numbers, sizes: Numbers, seat: int, card: int) -> None:
    """Take a card out of a hand."""
    first = seat * STRIDE
    last = first + sizes[seat] - 1
    place = first
    while hands[place] != card:
        place += 1
    # A hand has no order, so the last card fills the hole: nothing else has to move.
    hands[place] = hands[last]
    sizes[seat] -= 1


def _reshuffle_discard(pile: Numbers, discard: Numbers, counts: Numbers, rng: Numbers) -> None:
    """Put the whole discard, shuffled, under what is left of the pile (A14)."""
    rest = counts[PILE] - counts[DRAWN]
    # Forwards, so that no card is overwritten before it has moved.
    for place in range(rest):
        pile[place] = pile[counts[DRAWN] + place]
    shuffle_front(discard, counts[DISCARD], counts[DISCARD], rng)
    for place in range(counts[DISCARD]):
        pile[rest + place] = discard[place]
    counts[PILE] = rest + counts[DISCARD]
    counts[DRAWN] = 0
    counts[DISCARD] = 0


def draw_mood(policy: int, rng: Numbers) -> int:
    """Return the policy by which a seat chooses in this round."""
    if policy != MIXED:
        return policy
    return SIMPLE if next_random(rng) & 1 << 16 else CLOSEST


def choose_card(cycle: Cycle, seat: int, worth: Worth, policy: int) -> int:
    """Choose a card by a policy: the one with the greatest estimated value in this round; of equals the higher."""
    circle, hands, slot = cycle.circle, cycle.hands, cycle.counts[SLOT]
    before, after = circle[(slot + SLOTS - 1) % SLOTS], circle[(slot + 1) % SLOTS]
    low, high = min(before, after), max(before, after)
    target = circle[slot]
    best = ANY_CARD
    most = 0.0
    for place in range(seat * STRIDE, seat * STRIDE + cycle.sizes[seat]):
        card = hands[place]
        value = estimate_card(card, target, low < card < high, worth, policy)
        if best == ANY_CARD or value > most or (value == most and card > best):
            best = card
            most = value
    return best


def estimate_card(card: int, target: int, fits: bool, worth: Worth, policy: int) -> float:
    """Estimate the worth of a card in this round by a policy; `fits` says whether it fits the gap."""
    peppers, weights, at = worth.peppers, worth.weights, policy * WEIGHTS
    near = closeness_of(card, target)
    # The width of the stretch of closer cards, which counts all of them but the target itself.
    closer = min(target + near // 2, 100) - max(target - (near - 1) // 2, 1)
    chance = worth.chances[policy * FARTHEST + closer]
    value = weights[at] * peppers[card] + weights[at + 1] * chance * peppers[target] - weights[at + 3] * near
    if not fits:
        value -= weights[at + 2] * (1.0 - chance) * peppers[card]
    return value


def play_cycle(space: Space, worth: Worth, me: int, first: int, rng: Numbers) -> None:
    """Play the cycle of a working space to its end, each player by their policy.

    Args:
        space: The cycle, which is changed to how it is then, and the policies.
        worth: The worth of the cards.
        me: The seat that plays `first` in this round, unless that is `ANY_CARD`.
        first: Its card.
        rng: The state of the random numbers.
    """
    cycle, policies, picks = space.cycle, space.policies, space.picks
    over = False
    while not over:
        for seat in range(len(picks)):
            if seat == me and first != ANY_CARD:
                picks[seat] = first
            else:
                picks[seat] = choose_card(cycle, seat, worth, draw_mood(policies[seat], rng))
        first = ANY_CARD
        over = resolve_round(cycle, picks, worth.peppers, rng)


def deal_cycle(cycle: Cycle, seats: int, rng: Numbers) -> None:
    """Deal a new cycle (A4): the circle with the 1 and the 100 in it, eight cards a hand, the rest is the draw pile."""
    pile, counts = cycle.pile, cycle.counts
    size = MOST_CARDS - 2
    for place in range(size):
        pile[place] = place + 2
    shuffle_front(pile, size, size, rng)
    # From the end, so that the rest lies at the front already, where the draw pile begins.
    circle = cycle.circle
    circle[0], circle[1], circle[2] = 1, pile[size - 1], pile[size - 2]
    circle[3], circle[4], circle[5] = MOST_CARDS, pile[size - 3], pile[size - 4]
    size -= 4
    for seat in range(seats):
        for place in range(DEALT):
            size -= 1
            cycle.hands[seat * STRIDE + place] = pile[size]
        cycle.sizes[seat] = DEALT
        cycle.won[seat] = 0
    # The first target is the card behind the 1.
    counts[DRAWN], counts[PILE], counts[DISCARD], counts[SLOT] = 0, size, 0, 1


def lay_out_cycle(seen: Seen, cycle: Cycle) -> None:
    """Lay out a world: the unseen cards in order are hands that are not known, the draw pile, the discard's rest."""
    dealt = 0
    for seat in range(len(seen.sizes)):
        for place in range(seen.sizes[seat]):
            card = 0
            if seen.me < 0:
                card = seen.hand[seat * STRIDE + place]
            elif seat == seen.me and place < len(seen.hand):
                card = seen.hand[place]
            else:
                card = seen.unseen[dealt]
                dealt += 1
            cycle.hands[seat * STRIDE + place] = card
        cycle.sizes[seat] = seen.sizes[seat]
        cycle.won[seat] = seen.won[seat]
    for place in range(SLOTS):
        cycle.circle[place] = seen.circle[place]
    for place in range(len(seen.discard)):
        cycle.discard[place] = seen.discard[place]
    counts = cycle.counts
    counts[DRAWN], counts[PILE], counts[DISCARD], counts[SLOT] = 0, seen.pile, len(seen.discard), seen.slot
    for place in range(dealt, len(seen.unseen)):
        if place - dealt < seen.pile:
            cycle.pile[place - dealt] = seen.unseen[place]
        else:
            cycle.discard[counts[DISCARD]] = seen.unseen[place]
            counts[DISCARD] += 1


def utility_of_cycle(me: int, cycle: Cycle, peppers: Sequence[int], totals: Sequence[int], final: bool) -> float:
    """Return the worth of a cycle's end for a seat (`utility_of_lead`); `totals` are the scores before it."""
    seats = len(totals)
    mine = 0
    best = -1_000_000
    equals = 1
    for step in range(seats):
        seat = me + step if me + step < seats else me + step - seats
        score = totals[seat] + own_peppers(cycle, seat, peppers)
        if seat == me:
            mine = score
        else:
            best = max(best, score)
            if score == mine:
                equals += 1
    return utility_of_lead(mine - best, equals, final)


def own_peppers(cycle: Cycle, seat: int, peppers: Sequence[int]) -> int:
    """Return a seat's won peppers less those in its hand."""
    total = cycle.won[seat]
    for place in range(seat * STRIDE, seat * STRIDE + cycle.sizes[seat]):
        total -= peppers[cycle.hands[place]]
    return total


def compare_cards(
    seen: Seen, candidates: Sequence[int], worth: Worth, worlds: int, rng: Numbers, space: Space, sums: Floats
) -> None:
    """Play the rest of a cycle once for each of the candidates, in the same worlds, all players by the trained policy.

    Args:
        seen: The knowledge of the seat that decides.
        candidates: Cards of the hand; all are compared with the first one.
        worth: The worth of the cards.
        worlds: How many worlds there are.
        rng: The state of the random numbers.
        space: Working space.
        sums: Gets added, for each candidate, its utility, the difference to the first one's, the square of
            that, and one world.
    """
    for seat in range(len(space.policies)):
        space.policies[seat] = TRAINED
    for _ in range(worlds):
        shuffle_front(seen.unseen, len(seen.unseen), len(seen.unseen), rng)
        # Not 0, which the random numbers would never leave again.
        same = next_random(rng) | 1
        reference = 0.0
        for number in range(len(candidates)):
            lay_out_cycle(seen, space.cycle)
            # A reshuffle and later rounds then have the same chance after every candidate.
            space.stream[0] = same
            play_cycle(space, worth, seen.me, candidates[number], space.stream)
            value = utility_of_cycle(seen.me, space.cycle, worth.peppers, seen.totals, seen.cycles == 0)
            if number == 0:
                reference = value
            add_utility(sums, number, value, reference)
