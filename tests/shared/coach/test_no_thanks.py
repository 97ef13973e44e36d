"""The coach of No Thanks! against exact solutions of small decks."""

from random import Random

import pytest
from msgspec.structs import replace

from scoville_shared.coach.base import Policy
from scoville_shared.coach.no_thanks.exact import FEW_ENDS, MOST_ENDS, ends, solve_more, solve_two
from scoville_shared.coach.no_thanks.question import CardQuestion
from scoville_shared.coach.sample import SURE, Aim
from scoville_shared.coach.study import study
from scoville_shared.coach.tally import SCORE, WIN
from tests.support.coach_oracles import TRAINED, CardTable, as_round, go_on, solved, solved_take, take
from tests.support.machines import MACHINES

MOVES = [{"action": "take"}, {"action": "pass"}]
NEAR = pytest.approx


def position(luck: Random, seats: int, cards: int, left: int, chips: int) -> CardTable:
    """Draw a position in the middle of a small deck."""
    deck = luck.sample(range(3, 3 + cards), cards)
    owned: list[set[int]] = [set() for _ in range(seats)]
    for card in deck[left + 3 :]:
        luck.choice(owned).add(card)
    each = [luck.randrange(chips + 1) for _ in range(seats)]
    mover = luck.randrange(seats)
    each[mover] = max(each[mover], 1)
    hands = tuple(map(frozenset, owned))
    return CardTable(tuple(each), hands, frozenset(deck[: left + 2]), left, deck[left + 2], luck.randrange(3), mover)


def question(table: CardTable, policy: Policy, aim: Aim) -> CardQuestion:
    return CardQuestion(moves=MOVES, round=as_round(table), policy=policy, aim=aim)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("left", [0, 1, 2])
def test_perfect_play_of_two_is_solved_exactly(machine: str, left: int) -> None:
    luck = Random(left)
    for _ in range(8 if left == 2 else 20):
        table = position(luck, 2, 9, left, 4)
        exact = take(table, None), go_on(table.passed(), None)
        found = study(question(table, Policy.MIXED, Aim.LEAD), 1, 1, MACHINES[machine]())
        assert found.policy is Policy.BEST
        assert found.sample.exact
        for place, worth in enumerate(exact):
            assert found.sample.estimate(place, SCORE).mean == NEAR(float(worth.scores[table.mover]))
            assert found.sample.estimate(place, WIN).mean == NEAR(float(worth.wins[table.mover]))
            assert found.sample.worth(place) == NEAR(float(worth.lead(table.mover)))


@pytest.mark.parametrize("aim", Aim)
@pytest.mark.parametrize(("cards", "left", "chips"), [(8, 3, 4), (8, 4, 2)])
def test_small_decks_of_two_are_solved_exactly_for_both_aims(aim: Aim, cards: int, left: int, chips: int) -> None:
    luck, compiled = Random(cards), MACHINES["compiled"]()
    for _ in range(3):
        table = position(luck, 2, cards, left, chips)
        exact = solved_take(table, aim), solved(table.passed(), aim)
        found = solve_two(compiled, as_round(table), lead_only=aim is Aim.LEAD)
        for action, worth in zip(("take", "pass"), exact, strict=True):
            score, share, lead = found[action]
            assert score == NEAR(float(worth.scores[table.mover]))
            assert share == NEAR(float(worth.wins[table.mover]))
            assert lead == NEAR(float(worth.lead(table.mover)))


@pytest.mark.parametrize("aim", Aim)
def test_both_ways_of_solving_agree(aim: Aim) -> None:
    luck, compiled = Random(7), MACHINES["compiled"]()
    for number in range(60):
        table = as_round(position(luck, 2, 20, number % 4, 3 + number % 3))
        one = solve_two(compiled, table, lead_only=aim is Aim.LEAD)
        other = solve_more(compiled, table, lead_only=aim is Aim.LEAD)
        assert one == {action: NEAR(row) for action, row in other.items()}


def test_a_deck_of_ten_cards_is_solved_from_its_first_card_on_for_either_seat() -> None:
    whole = CardTable((11, 11), (frozenset(), frozenset()), frozenset(range(4, 13)), 9, 13, 0, 0)
    compiled, asked = MACHINES["compiled"](), question(whole, Policy.MIXED, Aim.WIN)
    found = study(asked, 1, 1, compiled)
    assert found.policy is Policy.BEST
    other = replace(asked, round=replace(asked.round, mover=1))
    assert found.sample.sums == NEAR(study(other, 1, 1, compiled).sample.sums)


@pytest.mark.parametrize("seats", [2, 3])
def test_all_worlds_under_a_stated_policy_are_exact(seats: int) -> None:
    luck, machine = Random(seats), MACHINES["compiled"]()
    for _ in range(20):
        table = position(luck, seats, 10, 2, 5)
        exact = take(table, [TRAINED] * seats), go_on(table.passed(), [TRAINED] * seats)
        found = study(question(table, Policy.TRAINED, Aim.WIN), 1_000, 1, machine)
        assert found.policy is Policy.TRAINED
        assert found.sample.exact
        for place, worth in enumerate(exact):
            assert found.sample.estimate(place, SCORE) == (NEAR(float(worth.scores[table.mover])), 0.0)
            assert found.sample.estimate(place, WIN) == (NEAR(float(worth.wins[table.mover])), 0.0)


def test_sampled_figures_are_within_two_standard_errors_in_95_percent() -> None:
    luck, machine = Random(5), MACHINES["compiled"]()
    held, cases = 0, 0
    for number in range(60):
        table = position(luck, 2 + number % 2, 11, 3, 5)
        seats = len(table.chips)
        exact = take(table, [TRAINED] * seats), go_on(table.passed(), [TRAINED] * seats)
        found = study(question(table, Policy.TRAINED, Aim.WIN), 100, number + 1, machine).sample
        assert not found.exact
        for place, worth in enumerate(exact):
            for column, right in ((SCORE, worth.scores), (WIN, worth.wins)):
                estimate = found.estimate(place, column)
                held += abs(estimate.mean - float(right[table.mover])) <= SURE * estimate.error + 1e-9
                cases += 1
    assert held / cases >= 0.95


def test_two_left_take_less_than_a_second_and_one_far_less() -> None:
    full = CardTable((11,) * 4, (frozenset(),) * 4, frozenset(range(20, 31)), 2, 12, 0, 0)
    asked = question(full, Policy.MIXED, Aim.WIN)
    assert FEW_ENDS < ends(asked.round) <= MOST_ENDS
    assert study(asked, 1, 1, MACHINES["compiled"]()).policy is Policy.BEST
    one = question(full._replace(unseen=frozenset(range(20, 30)), left=1), Policy.MIXED, Aim.WIN)
    assert study(one, 1, 1, MACHINES["interpreted"]()).policy is Policy.BEST


def test_three_of_three_players_are_solved_by_their_number_of_ends() -> None:
    cards = tuple(frozenset(range(first, 36, 3)) for first in (12, 13, 14))
    table = CardTable((5, 9, 1), cards, frozenset(range(3, 15)) - {7}, 3, 7, 2, 0)
    asked, compiled = question(table, Policy.MIXED, Aim.WIN), MACHINES["compiled"]()
    assert FEW_ENDS < ends(asked.round) <= MOST_ENDS
    assert study(asked, 1, 1, compiled).policy is Policy.BEST
    rich = question(table._replace(chips=(20, 20, 20)), Policy.MIXED, Aim.WIN)
    assert ends(rich.round) > MOST_ENDS
    assert study(rich, 1, 1, compiled).policy is Policy.MIXED


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_estimated_number_of_ends_is_about_right(seats: int) -> None:
    luck = Random(seats)
    for _ in range(10):
        table = position(luck, seats, 9, 2, 4)
        counted = count_ends(table)
        assert counted / 2 <= ends(as_round(table)) <= counted * 2


def count_ends(table: CardTable) -> int:
    """Count all ends of a round."""
    taken = table.taken()
    now = sum(map(count_ends, taken.following())) if table.left else 1
    return now + (count_ends(table.passed()) if table.chips[table.mover] else 0)
