"""The coach's playouts of Dicht dran: whole games, after each card in the same worlds.

The functions use only the part of Python that numba compiles (see `bots.machine`). A world is a deal of the unseen
cards, of which good players are likely to hold good ones, and a policy for each seat; cycles that follow are dealt in
it once, for all cards alike.
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.dicht_dran import kernel as playouts
from scoville_shared.bots.dicht_dran.kernel import (
    ANY_CARD,
    SLOTS,
    Seen,
    Worth,
    choose_card,
    deal_cycle,
    draw_mood,
    lay_out_cycle,
    nearest_seat,
    own_peppers,
    play_cycle,
)
from scoville_shared.bots.random_numbers import draw_policies, next_random, shuffle_front
from scoville_shared.coach.dicht_dran.keeping import Keeping, prefer_kept_cards
from scoville_shared.coach.tally import COLUMNS, FIRST, SECOND, add_results, add_seats, note_results

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

MORE = 1
"""More points are better."""

ROUNDS = 8
"""Deals for each world in which only this round is played: they cost little, and what it brings varies much."""


class Space(NamedTuple):
    """Working space: that of playouts, all players' score in later cycles, and the columns of each card."""

    playing: playouts.Space
    later: Numbers
    results: Floats


def compare_cards(
    seen: Seen, candidates: Sequence[int], worth: Worth, known: Sequence[int], population: int, keeping: Keeping,
    worlds: int, rng: Numbers, space: Space, sums: Floats, products: Floats,
) -> None:  # fmt: skip
    """Play the game out after each of the candidates, and add up the results.

    The game's own columns are whether the card wins the target, and the peppers that this round brings. They come from
    `ROUNDS` further deals for each world.

    Args:
        seen: The knowledge of the seat that decides.
        candidates: Cards of its hand.
        worth: The worth of the cards.
        known: The policy of each seat, -1 where it is drawn.
        population: From how many policies it is drawn.
        keeping: Which unseen cards others are likely to hold.
        worlds: How many worlds there are.
        rng: The state of the random numbers.
        space: Working space.
        sums: Gets added the columns of each card.
        products: Gets added the products of every two compared columns.
    """
    playing, results = space.playing, space.results
    me, cycle, policies, picks = seen.me, playing.cycle, playing.policies, playing.picks
    held = count_held(seen)
    for _ in range(worlds):
        # Before the world is dealt, since it shuffles the same unseen cards.
        foresee_round(seen, candidates, worth, known, population, keeping, rng, space)
        shuffle_front(seen.unseen, len(seen.unseen), len(seen.unseen), rng)
        prefer_kept_cards(seen.unseen, keeping, held, rng)
        draw_policies(policies, known, population, rng)
        # Once for all candidates: the cards of later cycles are new ones, and no card of this one changes them.
        play_later_cycles(seen.cycles, worth, rng, space)
        same = next_random(rng) | 1
        for number in range(len(candidates)):
            lay_out_cycle(seen, cycle)
            playing.stream[0] = same
            play_cycle(playing, worth, me, candidates[number], playing.stream)
            _note_final_scores(seen.totals, worth, space)
            note_results(me, picks, MORE, results, number * COLUMNS)
        add_results(results, len(candidates), sums, products)


def count_held(seen: Seen) -> int:
    """Return how many cards in hands are not known: a world takes them from the front of the unseen ones."""
    held = -len(seen.hand)
    for seat in range(len(seen.sizes)):
        held += seen.sizes[seat]
    return held


def foresee_round(
    seen: Seen, candidates: Sequence[int], worth: Worth, known: Sequence[int], population: int, keeping: Keeping,
    rng: Numbers, space: Space,
) -> None:  # fmt: skip
    """Put into the game's own columns of each candidate how often it wins the target, and what the round brings.

    Cards that are drawn count as much as the unseen cards that nobody holds do on average, as they do unless the draw
    pile runs out. The arguments are those of `compare_cards`.
    """
    me, unseen, peppers, results = seen.me, seen.unseen, worth.peppers, space.results
    cycle, policies, picks = space.playing.cycle, space.playing.policies, space.playing.picks
    held, total = count_held(seen), 0
    for place in range(len(unseen)):
        total += peppers[unseen[place]]
    for number in range(len(candidates)):
        results[number * COLUMNS + FIRST] = 0.0
        results[number * COLUMNS + SECOND] = 0.0
    for _ in range(ROUNDS):
        shuffle_front(unseen, len(unseen), held, rng)
        prefer_kept_cards(unseen, keeping, held, rng)
        lay_out_cycle(seen, cycle)
        rest = total
        for place in range(held):
            rest -= peppers[unseen[place]]
        draw_policies(policies, known, population, rng)
        for seat in range(len(picks)):
            if seat != me:
                picks[seat] = choose_card(cycle, seat, worth, draw_mood(policies[seat], rng))
        _add_round(seen, candidates, peppers, rest / max(1, len(unseen) - held), picks, results)


def _add_round(
    seen: Seen, candidates: Sequence[int], peppers: Sequence[int], drawn: float, picks: Numbers, results: Floats
) -> None:
    """Add to each candidate whether it wins against the others' picks and what it brings, less `drawn` a drawn card."""
    circle, slot = seen.circle, seen.slot
    before, after, target = circle[(slot + SLOTS - 1) % SLOTS], circle[(slot + 1) % SLOTS], circle[slot]
    low, high = min(before, after), max(before, after)
    for number in range(len(candidates)):
        card = candidates[number]
        picks[seen.me] = card
        brings = float(peppers[card])
        if nearest_seat(picks, target) == seen.me:
            results[number * COLUMNS + FIRST] += 1.0 / ROUNDS
            brings += peppers[target]
        elif not low < card < high:
            brings -= peppers[card] * drawn
        results[number * COLUMNS + SECOND] += brings / ROUNDS


def expect_scores(
    seen: Seen, over: bool, worth: Worth, known: Sequence[int], population: int, worlds: int, rng: Numbers,
    space: Space, sums: Floats,
) -> None:  # fmt: skip
    """Play the game out with open hands, and add up all players' scores and wins.

    Args:
        seen: The cycle with all hands; the unseen cards are the draw pile.
        over: Whether the game is over.
        worth: The worth of the cards.
        known: The policy of each seat, -1 where it is drawn.
        population: From how many policies it is drawn.
        worlds: How many worlds there are.
        rng: The state of the random numbers.
        space: Working space.
        sums: Gets added all players' scores and wins.
    """
    playing = space.playing
    picks = playing.picks
    for _ in range(worlds):
        shuffle_front(seen.unseen, len(seen.unseen), len(seen.unseen), rng)
        draw_policies(playing.policies, known, population, rng)
        play_later_cycles(seen.cycles, worth, rng, space)
        if over:
            for seat in range(len(picks)):
                picks[seat] = seen.totals[seat]
        else:
            lay_out_cycle(seen, playing.cycle)
            play_cycle(playing, worth, 0, ANY_CARD, rng)
            _note_final_scores(seen.totals, worth, space)
        add_seats(picks, MORE, sums)


def play_later_cycles(cycles: int, worth: Worth, rng: Numbers, space: Space) -> None:
    """Play the cycles that follow, and put all players' scores in them into `later`."""
    cycle, later = space.playing.cycle, space.later
    for seat in range(len(later)):
        later[seat] = 0
    for _ in range(cycles):
        deal_cycle(cycle, len(later), rng)
        play_cycle(space.playing, worth, 0, ANY_CARD, rng)
        for seat in range(len(later)):
            later[seat] += own_peppers(cycle, seat, worth.peppers)


def _note_final_scores(totals: Sequence[int], worth: Worth, space: Space) -> None:
    """Put the final scores of all players into the picks."""
    playing = space.playing
    for seat in range(len(totals)):
        playing.picks[seat] = totals[seat] + space.later[seat] + own_peppers(playing.cycle, seat, worth.peppers)
