"""Playout kernel of Dicht dran: the rest of a cycle on plain numbers, thousands of times a second.

The functions use only the part of Python that numba compiles: whole numbers, floats and sequences of them, which are
lists here and arrays when compiled. Both forms give the same results. Cycles that are not dealt yet are left out.

A table is these sequences:
    circle: The six cards of the circle, clockwise.
    hands: `STRIDE` places for each seat, of which the first `sizes[seat]` hold its cards in any order.
    sizes: Cards in each hand.
    won: Peppers that each seat has won.
    pile: The draw pile; the top card is `pile[counts[DRAWN]]`, the last one `pile[counts[PILE] - 1]`.
    discard: The discard, the first `counts[DISCARD]` places.
    counts: The numbers that `DRAWN`, `PILE` and `DISCARD` index.
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.random_numbers import next_random, shuffle_front

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

STRIDE = 94
"""Places of a hand: all cards but the six of the circle."""

DRAWN, PILE, DISCARD = 0, 1, 2
"""What `counts` holds: the cards drawn from the pile, its size before any was drawn, and the size of the discard."""

SLOTS = 6
FARTHEST = 100
"""A policy's chances to win are listed for 0 to 99 closer cards."""

WEIGHTS = 4
"""Numbers of a policy: what a discarded pepper, a won pepper, a drawn pepper and closeness are worth."""

ANY_CARD = 0
"""Stands for no card: the policy chooses."""


def closeness_of(card: int, target: int) -> int:
    """Rank a card by its distance to the target; of two equally close ones the higher comes first (A10)."""
    return 2 * abs(card - target) - (1 if card > target else 0)


def resolve_round(
    circle: Numbers, slot: int, picks: Sequence[int], hands: Numbers, sizes: Numbers, won: Numbers, pile: Numbers,
    discard: Numbers, counts: Numbers, peppers: Sequence[int], rng: Numbers,
) -> bool:  # fmt: skip
    """Carry out the four actions of a round with everybody's card; returns whether the cycle is over.

    Args:
        slot: The slot of the target card.
        picks: The card of each seat, which is in its hand.
        peppers: The peppers of every card, by its number.
    """
    seats = len(picks)
    before, after = circle[(slot + SLOTS - 1) % SLOTS], circle[(slot + 1) % SLOTS]
    low, high = min(before, after), max(before, after)
    winner = nearest_seat(picks, circle[slot])
    for seat in range(seats):
        _play_card(hands, sizes, seat, picks[seat])
    won[winner] += peppers[circle[slot]]
    circle[slot] = picks[winner]
    for fits in (True, False):
        for step in range(1, seats):
            card = picks[(winner + step) % seats]
            if (low < card < high) == fits:
                discard[counts[DISCARD]] = card
                counts[DISCARD] += 1
    ran_out = False
    for step in range(1, seats):
        seat = (winner + step) % seats
        if not low < picks[seat] < high:
            ran_out = _draw_cards(hands, sizes, seat, peppers[picks[seat]], pile, discard, counts, ran_out, rng)
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


def _draw_cards(
    hands: Numbers, sizes: Numbers, seat: int, owed: int, pile: Numbers, discard: Numbers, counts: Numbers, ran_out:
    bool, rng: Numbers,
) -> bool:  # fmt: skip
    """Let a seat draw all its cards (A13); returns whether the pile has run out by now."""
    if owed > counts[PILE] - counts[DRAWN] and not ran_out:
        _reshuffle_discard(pile, discard, counts, rng)
        ran_out = True
    for _ in range(owed):
        hands[seat * STRIDE + sizes[seat]] = pile[counts[DRAWN]]
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
    hands[place] = hands[last]
    sizes[seat] -= 1


def _reshuffle_discard(pile: Numbers, discard: Numbers, counts: Numbers, rng: Numbers) -> None:
    """Put the whole discard, shuffled, under what is left of the pile (A14)."""
    rest = counts[PILE] - counts[DRAWN]
    for place in range(rest):
        pile[place] = pile[counts[DRAWN] + place]
    shuffle_front(discard, counts[DISCARD], counts[DISCARD], rng)
    for place in range(counts[DISCARD]):
        pile[rest + place] = discard[place]
    counts[PILE] = rest + counts[DISCARD]
    counts[DRAWN] = 0
    counts[DISCARD] = 0


def choose_card(
    circle: Sequence[int], slot: int, hands: Sequence[int], size: int, seat: int, peppers: Sequence[int], chances:
    Sequence[float], weights: Sequence[float], policy: int,
) -> int:  # fmt: skip
    """Choose a card by a policy: the one with the greatest estimated value in this round; of equals the higher.

    Args:
        size: Cards in the seat's hand.
        chances: For every policy the chance to win by how many cards would be closer, `FARTHEST` numbers each.
        weights: For every policy the worth of discarded, won and drawn peppers and of closeness, `WEIGHTS` each.
    """
    before, after = circle[(slot + SLOTS - 1) % SLOTS], circle[(slot + 1) % SLOTS]
    low, high = min(before, after), max(before, after)
    target = circle[slot]
    at = policy * WEIGHTS
    best = ANY_CARD
    most = 0.0
    for place in range(seat * STRIDE, seat * STRIDE + size):
        card = hands[place]
        near = closeness_of(card, target)
        closer = min(target + near // 2, 100) - max(target - (near - 1) // 2, 1)
        chance = chances[policy * FARTHEST + closer]
        worth = weights[at] * peppers[card] + weights[at + 1] * chance * peppers[target] - weights[at + 3] * near
        if not low < card < high:
            worth -= weights[at + 2] * (1.0 - chance) * peppers[card]
        if best == ANY_CARD or worth > most or (worth == most and card > best):
            best = card
            most = worth
    return best


def play_cycle(
    circle: Numbers, slot: int, hands: Numbers, sizes: Numbers, won: Numbers, pile: Numbers, discard: Numbers, counts:
    Numbers, peppers: Sequence[int], rng: Numbers, chances: Sequence[float], weights: Sequence[float], policies:
    Sequence[int], me: int, first: int, picks: Numbers,
) -> None:  # fmt: skip
    """Play a cycle to its end; all that belongs to the table is changed to how it is then.

    Args:
        policies: The number of each seat's policy.
        me: The seat that plays `first` in this round, unless that is `ANY_CARD`.
        picks: Working space for a number a seat.
    """
    seats = len(sizes)
    over = False
    while not over:
        for seat in range(seats):
            if seat == me and first != ANY_CARD:
                picks[seat] = first
            else:
                picks[seat] = choose_card(
                    circle, slot, hands, sizes[seat], seat, peppers, chances, weights, policies[seat]
                )
        first = ANY_CARD
        over = resolve_round(circle, slot, picks, hands, sizes, won, pile, discard, counts, peppers, rng)
        slot = slot + 1 if slot + 1 < SLOTS else 0


def utility_of_cycle(
    me: int, hands: Sequence[int], sizes: Sequence[int], won: Sequence[int], peppers: Sequence[int], totals:
    Sequence[int], final: bool,
) -> float:  # fmt: skip
    """Return what the end of a cycle is worth to a seat.

    In the `final` cycle that is its share of the win, and a little for the lead over the best other seat; before, the
    lead alone, since there is more to come. `totals` are the scores before this cycle.
    """
    mine = 0
    best = -1_000_000
    equals = 1
    for step in range(len(sizes)):
        seat = me + step if me + step < len(sizes) else me + step - len(sizes)
        score = totals[seat] + won[seat]
        for place in range(seat * STRIDE, seat * STRIDE + sizes[seat]):
            score -= peppers[hands[place]]
        if seat == me:
            mine = score
        else:
            best = max(best, score)
            if score == mine:
                equals += 1
    lead = mine - best
    if not final:
        return lead / 100.0
    share = 0.0
    if lead >= 0:
        share = 1.0 / equals
    return share + lead / 1000.0


def compare_cards(
    me: int, circle: Sequence[int], slot: int, hand: Sequence[int], sizes: Sequence[int], won: Sequence[int], unseen:
    Numbers, discard: Sequence[int], peppers: Sequence[int], totals: Sequence[int], final: bool, candidates:
    Sequence[int], mine: Sequence[int], chances: Sequence[float], weights: Sequence[float], population: int, worlds:
    int, rng: Numbers, scratch: Numbers, sums: Floats,
) -> None:  # fmt: skip
    """Play the rest of a cycle once for each of the candidates, in the same worlds with the same opponents.

    Args:
        me: The seat that decides; each opponent plays by a random policy of the `population`.
        unseen: The cards in the others' hands and in the draw pile; they are shuffled in place.
        candidates: Cards of the hand, which may be there several times; all are compared with the first one.
        mine: For each candidate the policy by which the seat goes on.
        scratch: Working space, `scratch_size` numbers.
        sums: Gets added, for each candidate, its utility, the difference to the first one's, and the square of that.
    """
    seats = len(sizes)
    at = seats * STRIDE
    work_hands, work_pile, work_discard = scratch[:at], scratch[at : at + 100], scratch[at + 100 : at + 200]
    at += 200
    work_circle, work_counts = scratch[at : at + SLOTS], scratch[at + SLOTS : at + SLOTS + 3]
    at += SLOTS + 3
    work_sizes, work_won = scratch[at : at + seats], scratch[at + seats : at + 2 * seats]
    at += 2 * seats
    policies, picks = scratch[at : at + seats], scratch[at + seats : at + 2 * seats]
    streams = scratch[at + 2 * seats : at + 2 * seats + 1]
    for _ in range(worlds):
        shuffle_front(unseen, len(unseen), len(unseen), rng)
        for seat in range(seats):
            policies[seat] = next_random(rng) % population
        same = next_random(rng) | 1
        reference = 0.0
        for number in range(len(candidates)):
            _deal_world(me, hand, sizes, unseen, discard, work_hands, work_pile, work_discard, work_counts)
            for place in range(SLOTS):
                work_circle[place] = circle[place]
            for seat in range(seats):
                work_sizes[seat] = sizes[seat]
                work_won[seat] = won[seat]
            streams[0] = same
            policies[me] = mine[number]
            play_cycle(
                work_circle, slot, work_hands, work_sizes, work_won, work_pile, work_discard, work_counts, peppers,
                streams, chances, weights, policies, me, candidates[number], picks,
            )  # fmt: skip
            worth = utility_of_cycle(me, work_hands, work_sizes, work_won, peppers, totals, final)
            if number == 0:
                reference = worth
            sums[3 * number] += worth
            sums[3 * number + 1] += worth - reference
            sums[3 * number + 2] += (worth - reference) * (worth - reference)


def scratch_size(seats: int) -> int:
    """Return how many numbers of working space `compare` needs."""
    return seats * (STRIDE + 4) + 210


def _deal_world(
    me: int, hand: Sequence[int], sizes: Sequence[int], unseen: Sequence[int], discard: Sequence[int], hands: Numbers,
    pile: Numbers, work_discard: Numbers, counts: Numbers,
) -> None:  # fmt: skip
    """Lay out a world: the unseen cards in their order are the others' hands, then the draw pile."""
    dealt = 0
    for seat in range(len(sizes)):
        first = seat * STRIDE
        for place in range(sizes[seat]):
            if seat == me:
                hands[first + place] = hand[place]
            else:
                hands[first + place] = unseen[dealt]
                dealt += 1
    for place in range(len(discard)):
        work_discard[place] = discard[place]
    rest = len(unseen) - dealt
    for place in range(rest):
        pile[place] = unseen[dealt + place]
    counts[DRAWN] = 0
    counts[PILE] = rest
    counts[DISCARD] = len(discard)
