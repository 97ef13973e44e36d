"""Opinions of cards in No Thanks!: what a master expects of players whose rule it knows."""

from itertools import pairwise
from typing import Any

import pytest

from scoville_shared.bots.no_thanks import comparison, counting, kernel
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
    sums = made.floats([0.0] * 6)
    made.load(comparison).compare_answers(
        *list_numbers(made, table), numbers([0] * 3), plans, players, numbers(scales), numbers(SPREAD), playouts,
        numbers([77]), numbers([0] * (3 * (8 if scales else 7))), sums,
    )  # fmt: skip
    return [float(total) for total in sums]


def test_the_fate_of_a_card_is_as_uncertain_as_the_opinions() -> None:
    # By the rules alone every world is the same one: nothing is drawn but opinions.
    for scales, others, certain in (
        ((), BEST, True),
        ((0,) * len(OWN), BEST, True),
        (OPINIONS, BEST, False),
        (OPINIONS, len(EXPECTED), True),  # nobody is expected to play so, and the own play is no matter of chance
    ):
        _, _, _, _, better, squares = compare("interpreted", scales, others)
        assert (squares == pytest.approx(better * better / 200)) is certain


def test_opinions_are_drawn_alike_in_machine_code() -> None:
    found = [compare(machine, OPINIONS) for machine in MACHINES]
    assert found[0] == pytest.approx(found[1])


def test_a_master_knows_searching_bots_by_their_decisions() -> None:
    opponents = Opponents(RIVALS)
    for fact in list(play_decisions("no_thanks", ["strong"] * 4, 11, rounds=2))[-2].facts:
        opponents.observe_fact(fact)
    expected = opponents.expected_policies(Options(rounds=2), 4, [1, 2, 3])
    together = [0, *expected.chances[-len(EXPECTED) :]]
    chances = [after - before for before, after in pairwise(together)]
    assert chances.index(max(chances)) == STRONG
    assert expected.alike > 0.9 * CHANCES
