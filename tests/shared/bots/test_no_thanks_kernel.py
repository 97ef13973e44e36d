"""The playout kernel of No Thanks! against the rules: random games, random policies, every option."""

from random import Random
from typing import Any

import pytest

from scoville_shared.bots.no_thanks import kernel
from scoville_shared.bots.no_thanks.heuristics import bits_of, wants_card
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import RoundScored
from scoville_shared.games.no_thanks.state import PASS, TAKE, Options, State
from tests.support.machines import MACHINES


def random_policy(luck: Random) -> tuple[int, ...]:
    """Draw weights that are neither always for nor always against taking."""
    return (luck.randint(-900, 900), -100, *(luck.randint(-150, 150) for _ in range(6)), luck.randint(50, 200), 0, -20)


def by_the_rules(state: State, policies: list[tuple[int, ...]], first: int) -> tuple[int, ...]:
    """Play the round to its end; returns every seat's score."""
    while True:
        seat = state.board.mover
        view = GAME.view(state, seat)
        if first == kernel.AS_POLICY or not view.chips:
            move = TAKE if wants_card(view, policies[seat]) else PASS
        else:
            move = TAKE if first == kernel.TAKE_FIRST else PASS
        first = kernel.AS_POLICY
        step: Any = play_move(GAME, state, seat, move)
        scored = [each.fact for each in step.facts if isinstance(each.fact, RoundScored)]
        if scored:
            return scored[0].scores
        state = step.state


def by_the_kernel(machine: Any, state: State, policies: list[tuple[int, ...]], first: int) -> tuple[int, ...]:
    """Play the same round in the kernel."""
    board, seats = state.board, len(state.chips)
    numbers = machine.numbers
    chips, owned = numbers(state.chips), numbers(map(bits_of, board.cards))
    points = numbers(board.points)
    turn = kernel.Turn(numbers(state.secret.deck), board.left, board.card_up, board.pot, board.mover)
    weights = numbers(weight for policy in policies for weight in policy)
    machine.load(kernel).play_round(
        kernel.Seats(chips, owned, points), turn, first, weights, numbers(range(seats)), numbers([0] * (2 * seats))
    )
    assert [points[seat] for seat in range(seats)] == [
        sum(card for card in range(3, 36) if owned[seat] >> card & 1 and not owned[seat] >> (card - 1) & 1)
        for seat in range(seats)
    ]
    return tuple(int(points[seat] - chips[seat]) for seat in range(seats))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("tactical", [False, True])
@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_a_round_ends_as_by_the_rules(machine: str, tactical: bool, seats: int) -> None:
    luck = Random(seats)
    for number in range(12):
        state = GAME.setup(Options(tactical=tactical), seats, Dice(number.to_bytes(32)))
        for _ in range(luck.randrange(120)):
            step: Any = play_move(
                GAME, state, state.board.mover, luck.choice(GAME.moves(GAME.view(state, state.board.mover)))
            )
            if step.state.board.over:
                break
            state = step.state
        policies = [random_policy(luck) for _ in range(seats)]
        for first in (kernel.AS_POLICY, kernel.TAKE_FIRST, kernel.PASS_FIRST):
            expected = by_the_rules(state, policies, first)
            assert by_the_kernel(MACHINES[machine](), state, policies, first) == expected


def test_a_win_counts_most_and_is_shared_in_a_tie() -> None:
    def worth(scores: list[int], final: bool = True) -> float:
        return kernel.utility_of_round(0, [0] * 3, scores, [0] * 3, final)

    assert worth([10, 12, 30]) == 1.002
    assert worth([10, 10, 30]) == 0.5
    assert worth([10, 10, 10]) == 1 / 3
    assert worth([14, 10, 30]) == -0.004
    assert worth([14, 10, 30], final=False) == -0.04
