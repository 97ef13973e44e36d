"""The coach's playouts of No Thanks!: whole games, after each move in the same worlds.

The functions use only the part of Python that numba compiles (see `bots.machine`). A world is an order of the cards
face down and a policy for each seat, also for the one that is advised: who expects others to play worse than oneself
promises all of them together more than there is to win. Rounds that follow are dealt in a world once, for all moves
alike.
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.no_thanks.counting import (
    FEATURES,
    Players,
    draw_lapses,
    draw_policies,
    lapses_now,
    lead_of,
    play_counting,
    urge_of,
)
from scoville_shared.bots.no_thanks.kernel import (
    AS_POLICY,
    PASS_FIRST,
    TAKE_FIRST,
    Seats,
    Turn,
    copy_seats,
    points_added,
)
from scoville_shared.bots.no_thanks.leanings import Habits, chips_before, count_chips, kind_of_card, shape_opinion
from scoville_shared.bots.no_thanks.opinions import Vague, form_opinions, respect_passes
from scoville_shared.bots.random_numbers import next_random, shuffle_front
from scoville_shared.coach.tally import COLUMNS, FIRST, SECOND, THIRD, add_results, add_seats, note_results

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

DEALT = 24
"""Cards of a round."""

FEWER = -1
"""Fewer points are better."""

PASS_THEN_TAKE = 3
"""Besides what the playout kernel does first: pass, but take the card if it comes back."""


class Later(NamedTuple):
    """The rounds that follow.

    Attributes:
        totals: The scores before the round on the table.
        rounds: How many rounds follow it.
        cards: All cards that can be in a deck; shuffled in place.
        chips_each: The chips with which each seat begins a round.
    """

    totals: Sequence[int]
    rounds: int
    cards: Numbers
    chips_each: int


class Space(NamedTuple):
    """Working space: what seats have in a playout, their policies, scores of later rounds, the order of the cards.

    `appeals` are three numbers a seat, `opinions` one for each card of a round and seat, or none if nobody's are vague,
    `lapses` the same if anybody is `careless` (see `draw_lapses`), which is 1 for each such seat;
    `results` are the columns of each move.
    """

    seats: Seats
    policies: Numbers
    later: Numbers
    appeals: Numbers
    opinions: Numbers
    careless: Numbers
    lapses: Numbers
    deck: Numbers
    results: Floats


def compare_answers(
    seats: Seats, turn: Turn, later: Later, players: Players, vague: Vague, habits: Habits,
    firsts: Sequence[int], start: int, worlds: int, rng: Numbers, space: Space, sums: Floats, products: Floats,
) -> None:  # fmt: skip
    """Play the game out after each first move in `firsts`, and add up the results.

    Args:
        seats: The chips and cards of the seats.
        turn: The card in the middle; `deck` are the cards that may be face down, ascending.
        later: The rounds that follow.
        players: The policies that seats may have.
        vague: How exactly they play by them.
        habits: The habits of policies besides their weights.
        firsts: The moves, as the playout kernel knows them, or `PASS_THEN_TAKE`.
        start: The number of the first world, where `rng` is empty and worlds are numbered.
        worlds: How many worlds there are.
        rng: The state of the random numbers; empty where every order of the cards is one world.
        space: Working space.
        sums: Gets added the columns of each move.
        products: Gets added the products of every two compared columns.
    """
    work, policies, deck, results = space.seats, space.policies, space.deck, space.results
    dealt = Turn(deck, turn.left, turn.card, turn.pot, turn.mover)
    for world in range(start, start + worlds):
        # From the given order each time, not from that of the world before: a world's number must mean one order.
        for place in range(len(turn.deck)):
            deck[place] = turn.deck[place]
        if len(rng) == 0:
            arrange_world(deck, turn.left, world)
            for seat in range(len(policies)):
                policies[seat] = players.known[seat]
        else:
            shuffle_front(deck, len(deck), turn.left, rng)
            draw_policies(players, policies, rng)
        _play_later(later, players.weights, vague, habits, rng, space)
        form_opinions(vague, players.weights, policies, turn.left + 1, rng, space.opinions)
        draw_lapses(space.careless, turn.left + 1, rng, space.lapses)
        respect_passes(seats, turn, vague, players.weights, policies, rng, work, space.opinions, habits)
        for number in range(len(firsts)):
            first, back = firsts[number], 0.0
            # Who had to take a card, in this round and after this move.
            space.appeals[2 * len(policies) + turn.mover] = 0
            # In a walk over the passes alone: a playout does not stop where the card has come round.
            if first != TAKE_FIRST:
                copy_seats(seats, work)
                back = does_card_return(work, dealt, players.weights, policies, space.opinions, habits, space.lapses)
            if first == PASS_THEN_TAKE and back > 0:
                returned = Turn(deck, turn.left, turn.card, turn.pot + len(policies), turn.mover)
                play_counting(
                    work, returned, TAKE_FIRST, players.weights, policies, space.appeals, space.opinions, habits,
                    space.lapses,
                )  # fmt: skip
            else:
                copy_seats(seats, work)
                first = TAKE_FIRST if first == TAKE_FIRST else PASS_FIRST
                play_counting(
                    work, dealt, first, players.weights, policies, space.appeals, space.opinions, habits,
                    space.lapses,
                )  # fmt: skip
            _add_final_scores(later.totals, space.later, work)
            at = number * COLUMNS
            note_results(turn.mover, work.points, FEWER, results, at)
            results[at + FIRST] = back
            results[at + SECOND] = 1.0 if firsts[number] == PASS_THEN_TAKE else 0.0
            results[at + THIRD] = space.appeals[2 * len(policies) + turn.mover]
        add_results(results, len(firsts), sums, products)


def expect_scores(
    seats: Seats, turn: Turn, later: Later, players: Players, vague: Vague, habits: Habits, worlds: int,
    rng: Numbers, space: Space, sums: Floats,
) -> None:  # fmt: skip
    """Play the game out in random worlds, and add up all players' scores and wins; `turn.deck` is shuffled."""
    for _ in range(worlds):
        shuffle_front(turn.deck, len(turn.deck), turn.left, rng)
        draw_policies(players, space.policies, rng)
        _play_later(later, players.weights, vague, habits, rng, space)
        copy_seats(seats, space.seats)
        # Without a card the game is over, and only the scores count.
        if turn.card:
            form_opinions(vague, players.weights, space.policies, turn.left + 1, rng, space.opinions)
            draw_lapses(space.careless, turn.left + 1, rng, space.lapses)
            respect_passes(
                seats, turn, vague, players.weights, space.policies, rng, space.seats, space.opinions, habits
            )
            copy_seats(seats, space.seats)
            play_counting(
                space.seats, turn, AS_POLICY, players.weights, space.policies, space.appeals, space.opinions, habits,
                space.lapses,
            )  # fmt: skip
        _add_final_scores(later.totals, space.later, space.seats)
        add_seats(space.seats.points, FEWER, sums)


def arrange_world(cards: Numbers, count: int, number: int) -> None:
    """Bring the choice of `count` cards with this number to the front, in its order."""
    size = len(cards)
    # A mixed-radix number: its digits are the places that a shuffle would have drawn, so each order has one number.
    for place in range(count):
        other = place + number % (size - place)
        number = number // (size - place)
        kept = cards[place]
        cards[place] = cards[other]
        cards[other] = kept


def does_card_return(
    seats: Seats, turn: Turn, weights: Sequence[int], policies: Sequence[int], opinions: Sequence[int],
    habits: Habits, lapses: Sequence[int],
) -> float:  # fmt: skip
    """Return 1 if all others pass on the card too, else 0; the chips are changed to those after the passes."""
    count, all_chips = len(seats.chips), count_chips(seats.chips, turn.pot)
    seats.chips[turn.mover] -= 1
    for step in range(1, count):
        seat = (turn.mover + step) % count
        if seats.chips[seat] == 0:
            return 0.0
        pot = turn.pot + step
        if lapses_now(lapses, 0, seat, pot, count):
            urge = pot + 1 - points_added(seats.owned[seat], turn.card)
        else:
            urge = urge_of(
                seat, seats.chips, seats.owned, turn.card, turn.left, pot, weights, policies[seat] * FEATURES
            )
            if len(opinions) > 0:
                had = chips_before(seat, seats.chips, turn.mover, turn.pot)
                kind = kind_of_card(turn.card, turn.left, had, all_chips, count)
                urge += shape_opinion(habits, policies[seat], opinions[seat], kind)
            if len(habits.standing) > 0:
                urge += habits.standing[policies[seat]] * lead_of(seat, seats.chips, seats.points)
        if urge > 0:
            return 0.0
        seats.chips[seat] -= 1
    return 1.0


def _add_final_scores(totals: Sequence[int], later: Sequence[int], seats: Seats) -> None:
    """Turn the points of a round into final scores."""
    for seat in range(len(later)):
        seats.points[seat] += totals[seat] + later[seat] - seats.chips[seat]


def _play_later(later: Later, weights: Sequence[int], vague: Vague, habits: Habits, rng: Numbers, space: Space) -> None:
    """Play the rounds that follow, and put all players' scores in them into `space.later`."""
    seats, count = space.seats, len(space.later)
    for seat in range(count):
        space.later[seat] = 0
    for _ in range(later.rounds):
        shuffle_front(later.cards, len(later.cards), DEALT, rng)
        for seat in range(count):
            seats.chips[seat] = later.chips_each
            seats.owned[seat] = 0
            seats.points[seat] = 0
        dealt = Turn(later.cards[1:DEALT], DEALT - 1, later.cards[0], 0, next_random(rng) % count)
        form_opinions(vague, weights, space.policies, DEALT, rng, space.opinions)
        draw_lapses(space.careless, DEALT, rng, space.lapses)
        play_counting(
            seats, dealt, AS_POLICY, weights, space.policies, space.appeals, space.opinions, habits, space.lapses
        )
        for seat in range(count):
            space.later[seat] += seats.points[seat] - seats.chips[seat]
