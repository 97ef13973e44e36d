"""Opinions of cards in No Thanks!: what a master expects of players whose rule it knows."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from scoville_shared.bots.no_thanks import comparison, counting, kernel
from scoville_shared.bots.no_thanks.leanings import (
    CARD_KINDS,
    CHIP_KINDS,
    TIMES,
    Habits,
    chips_before,
    kind_of_card,
    lower_opinion,
    shape_opinion,
)
from scoville_shared.bots.no_thanks.policies import BEST, COUNTING_WEIGHTS, EXPECTED, OPINIONS, OWN, SPREAD, STRONG
from scoville_shared.bots.no_thanks.search import CHANCES, RIVALS, Opponents
from scoville_shared.bots.no_thanks.table import list_numbers, read_round
from scoville_shared.games.no_thanks.state import Options
from tests.shared.bots.bot_games import play_decisions
from tests.shared.games.no_thanks.tables import lay_out
from tests.support.machines import MACHINES

LAST_CARD: dict[str, Any] = {"cards": ((3, 4), (8, 9), (14,)), "chips": (5, 6, 9)}


def compare(machine: str, scales: tuple[int, ...], others: int = BEST, playouts: int = 200) -> list[float]:
    """Let Peter, who plays by the best rule, pass on or take the last card. Returns the sums of both."""
    made, state = MACHINES[machine](), lay_out([24], pot=4, **LAST_CARD)
    numbers, table = made.numbers, read_round(state.board, state.chips)
    plans = comparison.Plans(numbers([kernel.PASS_FIRST, kernel.TAKE_FIRST]), numbers([BEST]), True, True)
    players = counting.Players(numbers(COUNTING_WEIGHTS), numbers([CHANCES] * 4), 0, numbers([BEST, others, others]))
    sums = made.floats([0.0] * 8)
    made.load(comparison).compare_answers(
        *list_numbers(made, table), numbers([0] * 3), plans, players, numbers(scales), numbers(SPREAD), playouts,
        numbers([77]), numbers([0] * (3 * (8 if scales else 7))), sums,
    )  # fmt: skip
    return [float(total) for total in sums]


def test_fate_of_a_card_follows_vague_opinions() -> None:
    # By the rules alone every world is the same one: nothing is drawn but opinions.
    for scales, others, certain in (
        ((), BEST, True),
        ((0,) * len(OWN), BEST, True),
        (OPINIONS, BEST, False),
        (OPINIONS, len(EXPECTED), True),  # nobody is expected to play so, and the own play is no matter of chance
    ):
        _, better, squares, _ = compare("interpreted", scales, others)[4:]
        assert (squares == pytest.approx(better * better / 200)) is certain


def test_opinions_are_drawn_alike_in_machine_code() -> None:
    found = [compare(machine, OPINIONS) for machine in MACHINES]
    assert found[0] == pytest.approx(found[1])


def test_a_master_knows_searching_bots_by_their_decisions() -> None:
    opponents = Opponents(RIVALS)
    for fact in list(play_decisions("no_thanks", ["strong"] * 4, 11, rounds=2))[-2].facts:
        opponents.observe_fact(fact)
    expected = opponents.expect_policies(Options(rounds=2), 4, [1, 2, 3])
    together = [0, *expected.chances[-len(EXPECTED) :]]
    chances = [after - before for before, after in pairwise(together)]
    assert chances.index(max(chances)) == STRONG
    assert expected.alike > 0.9 * CHANCES


@pytest.mark.parametrize(
    ("card", "left", "chips", "kind"),
    [
        (3, 0, 0, (0, 0, 0)),
        (11, 6, 5, (1, 1, 1)),
        (18, 17, 10, (1, 2, 2)),
        (27, 18, 15, (3, 3, 3)),
        (35, 23, 40, (3, 3, 3)),
    ],
)
def test_kinds_of_cards_are_told_apart(card: int, left: int, chips: int, kind: tuple[int, int, int]) -> None:
    found = kind_of_card(card, left, chips, 40, 4)
    by_card, by_time, by_chips = kind
    assert found == (by_chips * TIMES + by_time) * CARD_KINDS + by_card
    assert 0 <= found < CARD_KINDS * TIMES * CHIP_KINDS


def test_chips_are_counted_back_to_when_the_card_came() -> None:
    luck = Random(3)
    for _ in range(200):
        seats = luck.randint(3, 7)
        had, chips, mover = [11] * seats, [11] * seats, luck.randrange(seats)
        pot = luck.randint(0, 30)
        for _ in range(pot):
            chips[mover] -= 1
            mover = (mover + 1) % seats
        assert [chips_before(seat, chips, mover, pot) for seat in range(seats)] == had


def test_an_opinion_is_lowered_as_far_as_it_must() -> None:
    habits = Habits([], [0, 1], [500, 3_000])
    assert shape_opinion(habits, 0, 700, 0) == 700
    assert shape_opinion(habits, 1, 700, 0) == 2_600
    for excess in range(1, 5_000, 37):
        assert shape_opinion(habits, 0, lower_opinion(habits, 0, 700, 0, excess), 0) == 700 - excess
        lowered = shape_opinion(habits, 1, lower_opinion(habits, 1, 700, 0, excess), 0)
        assert 2_600 - excess - 6 < lowered <= 2_600 - excess
