"""The coach's playouts of Dicht dran: whole games, after each card in the same worlds.

The functions use only the part of Python that numba compiles (see `bots.machine`); `bots.dicht_dran.kernel` describes
the sequences of a table. A world is a deal of the unseen cards and a policy for each opponent; cycles that follow are
dealt in it once, for all cards alike.
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.dicht_dran.kernel import (
    ANY_CARD,
    DISCARD,
    DRAWN,
    PILE,
    SLOTS,
    STRIDE,
    choose_card,
    nearest_seat,
    play_cycle,
    resolve_round,
)
from scoville_shared.bots.random_numbers import next_random, shuffle_front
from scoville_shared.coach.tally import COLUMNS, FIRST, SECOND, add_results, add_seats, note_results

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

MORE = 1
"""More points are better."""

PILE_AT, DISCARD_AT, CIRCLE_AT, COUNTS_AT, STREAM_AT, BASE = 0, 100, 200, 206, 209, 210
"""Where the parts of the working space begin; those by seat follow, then the hands."""

DEALT, LAST_CARD = 8, 100

ROUNDS = 8
"""Deals for each world in which only this round is played: they cost little, and what it brings varies much."""


def compare_cards(
    me: int, circle: Sequence[int], slot: int, hand: Sequence[int], sizes: Sequence[int], won: Sequence[int],
    unseen: Numbers, discard: Sequence[int], pile: int, peppers: Sequence[int], totals: Sequence[int], cycles: int,
    candidates: Sequence[int], chances: Sequence[float], weights: Sequence[float], population: int, worlds: int,
    rng: Numbers, scratch: Numbers, results: Floats, sums: Floats, products: Floats,
) -> None:  # fmt: skip
    """Play the game out after each of the candidates, and add up what it led to.

    The game's own columns are whether the card wins the target, and the peppers that this round brings. They come from
    `ROUNDS` further deals for each world.

    Args:
        me: The seat that decides; it goes on by policy 0, each opponent by a random one of the `population`.
        hand: Its cards; those that are not known are missing.
        unseen: The cards in the others' hands, in the draw pile and unknown ones in the discard; shuffled in place.
        pile: Cards in the draw pile.
        cycles: How many cycles follow this one.
        scratch: Working space, `scratch_size` numbers.
        results: Working space for the columns of each card.
    """
    seats = len(sizes)
    policies, picks, later, work_sizes, work_won, work_hands = _by_seat(scratch, seats)
    work_pile, work_discard = scratch[PILE_AT:DISCARD_AT], scratch[DISCARD_AT:CIRCLE_AT]
    work_circle, counts = scratch[CIRCLE_AT:COUNTS_AT], scratch[COUNTS_AT:STREAM_AT]
    stream = scratch[STREAM_AT:BASE]
    for _ in range(worlds):
        foresee_round(
            me, circle, slot, sizes, unseen, peppers, candidates, chances, weights, population, rng, picks, work_hands,
            results,
        )  # fmt: skip
        shuffle_front(unseen, len(unseen), len(unseen), rng)
        for seat in range(seats):
            policies[seat] = 0 if seat == me else next_random(rng) % population
        _play_later(later, cycles, scratch, seats, peppers, chances, weights, rng)
        same = next_random(rng) | 1
        for number in range(len(candidates)):
            _lay_out(
                me, hand, sizes, won, circle, unseen, discard, pile, work_hands, work_sizes, work_won, work_circle,
                work_pile, work_discard, counts,
            )  # fmt: skip
            stream[0] = same
            for seat in range(seats):
                picks[seat] = candidates[number]
                if seat != me:
                    picks[seat] = choose_card(
                        circle, slot, work_hands, sizes[seat], seat, peppers, chances, weights, policies[seat]
                    )
            at = number * COLUMNS
            over = resolve_round(
                work_circle, slot, picks, work_hands, work_sizes, work_won, work_pile, work_discard, counts, peppers,
                stream,
            )  # fmt: skip
            if not over:
                play_cycle(
                    work_circle, (slot + 1) % SLOTS, work_hands, work_sizes, work_won, work_pile, work_discard, counts,
                    peppers, stream, chances, weights, policies, me, ANY_CARD, picks,
                )  # fmt: skip
            _add_final_scores(totals, later, work_hands, work_sizes, work_won, peppers, picks)
            note_results(me, picks, MORE, results, at)
        add_results(results, len(candidates), sums, products)


def foresee_round(
    me: int, circle: Sequence[int], slot: int, sizes: Sequence[int], unseen: Numbers, peppers: Sequence[int],
    candidates: Sequence[int], chances: Sequence[float], weights: Sequence[float], population: int, rng: Numbers, picks:
    Numbers, hands: Numbers, results: Floats,
) -> None:  # fmt: skip
    """Put into the game's own columns of each candidate how often it wins the target, and what the round brings.

    Cards that are drawn count as much as the unseen cards that nobody holds do on average, as they do unless the draw
    pile runs out. `picks` and `hands` are working space.
    """
    seats = len(sizes)
    before, after, target = circle[(slot + SLOTS - 1) % SLOTS], circle[(slot + 1) % SLOTS], circle[slot]
    low, high = min(before, after), max(before, after)
    held, total = -sizes[me], 0
    for seat in range(seats):
        held += sizes[seat]
    for place in range(len(unseen)):
        total += peppers[unseen[place]]
    for number in range(len(candidates)):
        results[number * COLUMNS + FIRST] = 0.0
        results[number * COLUMNS + SECOND] = 0.0
    for _ in range(ROUNDS):
        shuffle_front(unseen, len(unseen), held, rng)
        rest = total - _deal_others(me, sizes, unseen, peppers, hands)
        drawn = rest / max(1, len(unseen) - held)
        for seat in range(seats):
            if seat != me:
                policy = next_random(rng) % population
                picks[seat] = choose_card(circle, slot, hands, sizes[seat], seat, peppers, chances, weights, policy)
        for number in range(len(candidates)):
            card = candidates[number]
            picks[me] = card
            brings = float(peppers[card])
            if nearest_seat(picks, target) == me:
                results[number * COLUMNS + FIRST] += 1.0 / ROUNDS
                brings += peppers[target]
            elif not low < card < high:
                brings -= peppers[card] * drawn
            results[number * COLUMNS + SECOND] += brings / ROUNDS


def _deal_others(me: int, sizes: Sequence[int], unseen: Sequence[int], peppers: Sequence[int], hands: Numbers) -> int:
    """Deal the first unseen cards to everybody but `me`; return the peppers on them."""
    dealt, total = 0, 0
    for seat in range(len(sizes)):
        if seat != me:
            for place in range(sizes[seat]):
                card = unseen[dealt]
                dealt += 1
                total += peppers[card]
                hands[seat * STRIDE + place] = card
    return total


def expect_scores(
    circle: Sequence[int], slot: int, hands: Sequence[int], sizes: Sequence[int], won: Sequence[int], pile: Numbers,
    discard: Sequence[int], peppers: Sequence[int], totals: Sequence[int], cycles: int, over: bool, chances:
    Sequence[float], weights: Sequence[float], population: int, worlds: int, rng: Numbers, scratch: Numbers, sums:
    Floats,
) -> None:  # fmt: skip
    """Play the game out with these hands, everybody by a random policy, and add up everybody's scores and wins.

    Args:
        pile: The cards of the draw pile; they are shuffled in place.
        over: Whether the game is over.
    """
    seats = len(sizes)
    policies, picks, later, work_sizes, work_won, work_hands = _by_seat(scratch, seats)
    work_pile, work_discard = scratch[PILE_AT:DISCARD_AT], scratch[DISCARD_AT:CIRCLE_AT]
    work_circle, counts = scratch[CIRCLE_AT:COUNTS_AT], scratch[COUNTS_AT:STREAM_AT]
    for _ in range(worlds):
        shuffle_front(pile, len(pile), len(pile), rng)
        for seat in range(seats):
            policies[seat] = next_random(rng) % population
        _play_later(later, cycles, scratch, seats, peppers, chances, weights, rng)
        if over:
            for seat in range(seats):
                picks[seat] = totals[seat]
        else:
            _lay_out(
                -1, hands, sizes, won, circle, pile, discard, len(pile), work_hands, work_sizes, work_won, work_circle,
                work_pile, work_discard, counts,
            )  # fmt: skip
            play_cycle(
                work_circle, slot, work_hands, work_sizes, work_won, work_pile, work_discard, counts, peppers, rng,
                chances, weights, policies, 0, ANY_CARD, picks,
            )  # fmt: skip
            _add_final_scores(totals, later, work_hands, work_sizes, work_won, peppers, picks)
        add_seats(picks, MORE, sums)


def scratch_size(seats: int) -> int:
    """Return how many numbers of working space are needed."""
    return BASE + seats * (STRIDE + 5)


def own_peppers(
    seat: int, hands: Sequence[int], sizes: Sequence[int], won: Sequence[int], peppers: Sequence[int]
) -> int:
    """Return a seat's won peppers less those in its hand."""
    total = won[seat]
    for place in range(seat * STRIDE, seat * STRIDE + sizes[seat]):
        total -= peppers[hands[place]]
    return total


def _by_seat(scratch: Numbers, seats: int) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Return the parts of the working space with numbers for each seat."""
    rest = scratch[BASE:]
    return (
        rest[:seats], rest[seats : 2 * seats], rest[2 * seats : 3 * seats], rest[3 * seats : 4 * seats],
        rest[4 * seats : 5 * seats], rest[5 * seats :],
    )  # fmt: skip


def _lay_out(
    me: int, hand: Sequence[int], sizes: Sequence[int], won: Sequence[int], circle: Sequence[int], unseen:
    Sequence[int], discard: Sequence[int], pile: int, work_hands: Numbers, work_sizes: Numbers, work_won: Numbers,
    work_circle: Numbers, work_pile: Numbers, work_discard: Numbers, counts: Numbers,
) -> None:  # fmt: skip
    """Lay out a world: the unseen cards in their order are the others' hands, the draw pile, and the discard's rest.

    With `me` -1 all hands are known: `hand` holds them all, `STRIDE` places each. Else it holds the cards of `me` that
    are known; the others are dealt like those of the opponents.
    """
    dealt = 0
    for seat in range(len(sizes)):
        for place in range(sizes[seat]):
            card = 0
            if me < 0:
                card = hand[seat * STRIDE + place]
            elif seat == me and place < len(hand):
                card = hand[place]
            else:
                card = unseen[dealt]
                dealt += 1
            work_hands[seat * STRIDE + place] = card
        work_sizes[seat] = sizes[seat]
        work_won[seat] = won[seat]
    for place in range(SLOTS):
        work_circle[place] = circle[place]
    for place in range(len(discard)):
        work_discard[place] = discard[place]
    counts[DRAWN], counts[PILE], counts[DISCARD] = 0, pile, len(discard)
    for place in range(dealt, len(unseen)):
        if place - dealt < pile:
            work_pile[place - dealt] = unseen[place]
        else:
            work_discard[counts[DISCARD]] = unseen[place]
            counts[DISCARD] += 1


def _add_final_scores(
    totals: Sequence[int], later: Sequence[int], hands: Sequence[int], sizes: Sequence[int], won: Sequence[int],
    peppers: Sequence[int], finals: Numbers,
) -> None:  # fmt: skip
    """Put everybody's final score into `finals`."""
    for seat in range(len(sizes)):
        finals[seat] = totals[seat] + later[seat] + own_peppers(seat, hands, sizes, won, peppers)


def _play_later(
    later: Numbers, cycles: int, scratch: Numbers, seats: int, peppers: Sequence[int], chances: Sequence[float],
    weights: Sequence[float], rng: Numbers,
) -> None:  # fmt: skip
    """Play the cycles that follow, and put everybody's scores in them into `later`."""
    policies, picks, _, sizes, won, hands = _by_seat(scratch, seats)
    pile, discard = scratch[PILE_AT:DISCARD_AT], scratch[DISCARD_AT:CIRCLE_AT]
    circle, counts = scratch[CIRCLE_AT:COUNTS_AT], scratch[COUNTS_AT:STREAM_AT]
    for seat in range(seats):
        later[seat] = 0
    for _ in range(cycles):
        size = LAST_CARD - 2
        for place in range(size):
            pile[place] = place + 2
        shuffle_front(pile, size, size, rng)
        circle[0], circle[1], circle[2] = 1, pile[size - 1], pile[size - 2]
        circle[3], circle[4], circle[5] = LAST_CARD, pile[size - 3], pile[size - 4]
        size -= 4
        for seat in range(seats):
            for place in range(DEALT):
                size -= 1
                hands[seat * STRIDE + place] = pile[size]
            sizes[seat] = DEALT
            won[seat] = 0
        counts[DRAWN], counts[PILE], counts[DISCARD] = 0, size, 0
        play_cycle(
            circle, 1, hands, sizes, won, pile, discard, counts, peppers, rng, chances, weights, policies, 0,
            ANY_CARD, picks,
        )  # fmt: skip
        for seat in range(seats):
            later[seat] += own_peppers(seat, hands, sizes, won, peppers)
