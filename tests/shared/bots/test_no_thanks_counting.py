"""Policies of No Thanks! that count: what they weigh, and whole rounds against the rules."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.no_thanks import counting, kernel
from scoville_shared.bots.no_thanks.heuristics import Easy, bits_of
from scoville_shared.bots.no_thanks.leanings import CARD_KINDS, CHIP_KINDS, TIMES, Habits
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import RoundScored
from scoville_shared.games.no_thanks.runs import card_points
from scoville_shared.games.no_thanks.state import PASS, TAKE, Options, State
from tests.support.machines import MACHINES


def takes(state: State, policy: tuple[int, ...]) -> bool:
    board = state.board
    owned = [bits_of(cards) for cards in board.cards]
    return counting.takes_card(board.mover, state.chips, owned, board.card_up, board.left, board.pot, policy, 0)


def features(state: State) -> list[int]:
    """Return what a policy weighs, by the words of the docstrings."""
    board, seats = state.board, len(state.chips)
    card, left, pot, seat = board.card_up, board.left, board.pot, board.mover
    seen = {each for cards in board.cards for each in cards}
    fits = [bool({card - 1, card + 1} & {*cards}) for cards in board.cards]
    run, near = fits[seat], bool({card - 2, card + 2} & {*board.cards[seat]})
    rivals, following = sum(fits) - run, (seat + 1) % seats
    alone, to_come = run and not rivals, len({card - 1, card + 1} & set(range(3, 36)) - seen)
    points = card_points({*board.cards[seat], card}) - board.points[seat]
    return [
        1, points, left, run, near, rivals, run * rivals, fits[following], pot, run * pot, min(state.chips[seat], 20),
        points * left, to_come * left, run * left, near * left, alone, alone * card, pot * left, alone * pot, pot * pot,
        60 // (state.chips[seat] + 1), state.chips[following] == 0, state.chips.count(0),
    ]  # fmt: skip


@pytest.mark.parametrize("seats", [3, 4, 7])
def test_a_policy_weighs_the_cards_and_the_chips(seats: int) -> None:
    luck, taken = Random(seats), set()
    for number in range(60):
        state = GAME.setup(Options(), seats, Dice(number.to_bytes(32)))
        for _ in range(luck.randrange(150)):
            move = luck.choice(GAME.moves(GAME.view(state, state.board.mover)))
            step: Any = play_move(GAME, state, state.board.mover, move)
            if step.state.board.over:
                break
            state = step.state
        policy = tuple(luck.randint(-30, 30) for _ in range(counting.FEATURES))
        if state.chips[state.board.mover]:
            total = sum(weight * feature for weight, feature in zip(policy, features(state), strict=True))
            assert takes(state, policy) == (total > 0)
            taken.add(total > 0)
    assert taken == {False, True}


def by_the_rules(
    state: State, policies: list[tuple[int, ...]], lapses: Sequence[int] = ()
) -> tuple[tuple[int, ...], set[int]]:
    """Play the round to its end; returns every seat's score, and the seats that once had no chip to pass with."""
    ran_out, seats, easy = set(), len(policies), Easy(GAME)
    first_left = state.board.left
    while True:
        seat = state.board.mover
        if not state.chips[seat]:
            ran_out.add(int(seat))
        move = TAKE if takes(state, policies[seat]) else PASS
        moods = lapses[(first_left - state.board.left) * seats + seat] if lapses else 0
        if moods >> (state.board.pot // seats) & 1:
            move = easy.choose_move(GAME.view(state, seat), Dice(bytes(32)).open_stream("easy"))
        step: Any = play_move(GAME, state, seat, move)
        scored = [each.fact for each in step.facts if isinstance(each.fact, RoundScored)]
        if scored:
            return tuple(scored[0].scores), ran_out
        state = step.state


def no_habits(machine: Machine) -> Habits:
    return Habits(*(machine.numbers([]) for _ in range(3)))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_a_round_ends_as_by_the_rules(machine: str, seats: int) -> None:
    luck, made = Random(seats), MACHINES[machine]()
    numbers = made.numbers
    for number in range(12):
        state = GAME.setup(Options(), seats, Dice(number.to_bytes(32)))
        policies = [
            (luck.randint(-900, 900), -100, *(luck.randint(-20, 20) for _ in range(counting.FEATURES - 2)))
            for _ in range(seats)
        ]
        board, chips, points = state.board, numbers(state.chips), numbers(state.board.points)
        held = kernel.Seats(chips, numbers(map(bits_of, board.cards)), points)
        turn = kernel.Turn(numbers(state.secret.deck), board.left, board.card_up, board.pot, board.mover)
        weights, scratch = numbers(weight for policy in policies for weight in policy), numbers([0] * (3 * seats))
        careless = [luck.randrange(2) for _ in range(seats)] if number % 2 else []
        lapses = numbers([0] * (24 * len(careless)))
        counting.draw_lapses(careless, 24, [number], lapses)
        made.load(counting).play_counting(
            held, turn, kernel.AS_POLICY, weights, numbers(range(seats)), scratch, numbers([]), no_habits(made), lapses
        )
        scores, ran_out = by_the_rules(state, policies, [int(moods) for moods in lapses])
        assert tuple(int(points[seat] - chips[seat]) for seat in range(seats)) == scores
        assert [int(noted) for noted in scratch[2 * seats :]] == [seat in ran_out for seat in range(seats)]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("standing", "points", "taker"), [((), 15, 2), ((200,), 15, 0), ((200,), 5, 2), ((-200,), -15, 0)]
)
def test_who_leads_may_take_a_card_at_another_price(
    machine: str, standing: tuple[int, ...], points: int, taker: int
) -> None:
    made = MACHINES[machine]()
    numbers = made.numbers
    weights = numbers([0, -100, *[0] * (counting.FEATURES - 2)])
    # The last seat has no chip, so it must take what nobody else wants.
    seats = kernel.Seats(numbers([2, 2, 0]), numbers([0, 0, 0]), numbers([0, points, 30]))
    turn = kernel.Turn(numbers([]), 0, 20, 0, 0)
    assert counting.lead_of(0, [2, 2, 0], [0, points, 30]) == points
    made.load(counting).play_counting(
        seats, turn, kernel.AS_POLICY, weights, numbers([0] * 3), numbers([0] * 6), numbers([]),
        no_habits(made)._replace(standing=numbers(standing)), numbers([]),
    )  # fmt: skip
    assert [int(owned) for owned in seats.owned] == [(seat == taker) << 20 for seat in range(3)]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("chips", "opinion", "taker"), [(9, 0, 0), (2, 0, 2), (2, 9, 0), (9, -9, 2)])
def test_who_leans_takes_a_card_by_the_chips_it_had(machine: str, chips: int, opinion: int, taker: int) -> None:
    made = MACHINES[machine]()
    numbers = made.numbers
    # The others never take it, but the last one has no chip.
    weights = numbers(number for first in (20_500, 0) for number in (first, -1_000, *[0] * (counting.FEATURES - 2)))
    # To seats with many chips each card appeals by a point more, to others by a point less.
    leanings = [0] * (2 * CARD_KINDS * TIMES * CHIP_KINDS)
    for kind in range(CARD_KINDS * TIMES * CHIP_KINDS):
        leanings[2 * kind] = 1_000 if kind // (CARD_KINDS * TIMES) == CHIP_KINDS - 1 else -1_000
        leanings[2 * kind + 1] = 500
    seats = kernel.Seats(numbers([chips, 5, 0]), numbers([0] * 3), numbers([0] * 3))
    turn = kernel.Turn(numbers([]), 0, 21, 0, 0)
    made.load(counting).play_counting(
        seats, turn, kernel.AS_POLICY, weights, numbers([0, 1, 1]), numbers([0] * 6), numbers([1_000 * opinion, 0, 0]),
        Habits(numbers([]), numbers([1, 0]), numbers(leanings)), numbers([]),
    )  # fmt: skip
    assert [int(owned) for owned in seats.owned] == [(seat == taker) << 21 for seat in range(3)]
