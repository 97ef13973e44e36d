"""The playout kernel of Dicht dran against the rules: random games, random policies, every option."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from scoville_shared.bots.dicht_dran import kernel
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import CycleScored
from scoville_shared.games.dicht_dran.state import Options, State
from tests.support.machines import MACHINES

CHANCES = [(1 - closer / 100) ** 4 for closer in range(kernel.FARTHEST)]


class Table:
    """A state of the rules in the kernel's sequences."""

    def __init__(self, state: State, machine: Any) -> None:
        board, secret = state.board, state.secret
        numbers = machine.numbers
        self.seats = len(board.hands)
        hands = [0] * (self.seats * kernel.STRIDE)
        for seat, hand in enumerate(secret.hands):
            hands[seat * kernel.STRIDE : seat * kernel.STRIDE + len(hand)] = hand
        self.peppers = numbers(peppers_by_card(board.options.peppers))
        self.cycle = kernel.Cycle(
            numbers(board.circle), numbers(hands), numbers(board.hands),
            numbers(sum(int(self.peppers[card]) for card in won) for won in secret.won),
            numbers([*secret.pile, *[0] * (100 - len(secret.pile))]),
            numbers([*secret.discard, *[0] * (100 - len(secret.discard))]),
            numbers([0, len(secret.pile), len(secret.discard), board.target]),
        )  # fmt: skip
        self.machine = machine

    def worth(self, weights: list[float]) -> kernel.Worth:
        floats = self.machine.floats
        return kernel.Worth(self.peppers, floats(CHANCES * self.seats), floats(weights))

    def play(self, weights: list[float], seed: int, first: int) -> None:
        """Play the cycle to its end, every seat by its own policy."""
        numbers = self.machine.numbers
        space = kernel.Space(self.cycle, numbers(range(self.seats)), numbers([0] * self.seats), numbers([0]))
        self.machine.load(kernel).play_cycle(space, self.worth(weights), 0, first, numbers([seed]))

    def values(self) -> dict[str, Any]:
        """Return what the rules know as well."""
        cycle, counts = self.cycle, self.cycle.counts
        first = [seat * kernel.STRIDE for seat in range(self.seats)]
        return {
            "circle": [int(card) for card in cycle.circle],
            "target": int(counts[kernel.SLOT]),
            "hands": [
                sorted(int(cycle.hands[at + place]) for place in range(cycle.sizes[seat]))
                for seat, at in enumerate(first)
            ],
            "won": [int(peppers) for peppers in cycle.won],
            "pile": [int(cycle.pile[place]) for place in range(counts[kernel.DRAWN], counts[kernel.PILE])],
            "discard": [int(cycle.discard[place]) for place in range(counts[kernel.DISCARD])],
        }

    def scores(self) -> tuple[int, ...]:
        values = self.values()
        left = [sum(int(self.peppers[card]) for card in hand) for hand in values["hands"]]
        return tuple(won - minus for won, minus in zip(values["won"], left, strict=True))


def options(luck: Random) -> Options:
    peppers = tuple(luck.choice((1, 2, 3)) for _ in range(100)) if luck.random() < 0.5 else None
    return Options(cycles=1, peppers=peppers, open_won=luck.random() < 0.5)


def chosen(state: State, weights: list[float], seat: int) -> int:
    """Choose by the kernel's policy of the seat."""
    table = Table(state, MACHINES["interpreted"]())
    return kernel.choose_card(table.cycle, seat, table.worth(weights), seat)


def play_one_round(state: State, picks: list[int]) -> Any:
    for seat, card in enumerate(picks):
        step: Any = play_move(GAME, state, seat, GAME.codec.decode_move({"card": card}))
        state = step.state
    return step


def reshuffled_as_by(dice: Dice) -> Any:
    """Return a shuffle with the chance of the rules, for the one shuffle of a cycle."""

    def shuffle(cards: list[int], size: int, count: int, rng: Any) -> None:
        cards[:size] = dice.open_stream("dicht_dran/cycle/1/reshuffle").shuffle_cards(cards[:size])

    return shuffle


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_round_and_every_cycle_ends_as_by_the_rules(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    luck = Random(seats)
    reshuffles = 0
    for number in range(20):
        dice = Dice(number.to_bytes(32))
        monkeypatch.setattr(kernel, "shuffle_front", reshuffled_as_by(dice))
        state = GAME.setup(options(luck), seats, dice)
        weights = [luck.uniform(0, 2) for _ in range(seats * kernel.WEIGHTS)]
        whole = Table(state, MACHINES["interpreted"]())
        scored: list[Any] = []
        while not scored:
            table = Table(state, MACHINES["interpreted"]())
            picks = [chosen(state, weights, seat) for seat in range(seats)]
            over = kernel.resolve_round(table.cycle, picks, table.peppers, [1])
            step = play_one_round(state, picks)
            scored = [each.fact for each in step.facts if isinstance(each.fact, CycleScored)]
            assert over == bool(scored)
            state = step.state
            reshuffles += any(type(each.fact).__name__ == "Reshuffled" for each in step.facts)
            if not scored:
                assert table.values() == Table(state, MACHINES["interpreted"]()).values()
            else:
                assert table.scores() == scored[0].scores
        whole.play(weights, 1, kernel.ANY_CARD)
        assert whole.scores() == scored[0].scores
    assert reshuffles


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_machine_code_plays_the_same_cycles(seats: int) -> None:
    luck = Random(seats)
    for number in range(10):
        state = GAME.setup(options(luck), seats, Dice(number.to_bytes(32)))
        weights = [luck.uniform(0, 2) for _ in range(seats * kernel.WEIGHTS)]
        ends = []
        for make in MACHINES.values():
            table = Table(state, make())
            table.play(weights, number + 1, state.secret.hands[0][0])
            ends.append(table.values())
        assert all(one == other for one, other in pairwise(ends))
