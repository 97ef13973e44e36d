"""The coach of No Thanks! against exact solutions of small decks."""

from functools import partial
from random import Random

import pytest

from scoville_shared.bots.no_thanks.search import Opponents
from scoville_shared.coach.base import DRAWN, Policy
from scoville_shared.coach.no_thanks.coach import CardCoach, CardQuestion
from scoville_shared.coach.sample import SURE, Aim
from scoville_shared.coach.study import study_moves
from scoville_shared.coach.tally import LEAD, SCORE, WIN
from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import Fact, Passed, Took, TurnedUp
from scoville_shared.games.no_thanks.state import Options
from scoville_shared.ids import Seat
from scoville_shared.solvers.no_thanks.last_cards import FEW_ENDS, MOST_ENDS, count_ends
from tests.shared.coach.oracles import TRAINED, CardTable, Worth, as_round, by_policies, solved, take
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


def under_trained_play(table: CardTable) -> tuple[Worth, Worth]:
    """What taking and passing lead to if everybody goes on like the trained bot."""
    policies = [TRAINED] * len(table.chips)
    return take(table, partial(by_policies, policies=policies)), by_policies(table.passed(), policies)


def question(table: CardTable, policy: Policy, aim: Aim) -> CardQuestion:
    """Ask about a table of people of whom nothing is known, or of trained bots."""
    seats = len(table.chips)
    known = [CardCoach.like_level["sensible"] if policy is Policy.TRAINED else DRAWN] * seats
    learned = Opponents().expected_policies(Options(), seats, range(seats))
    return CardQuestion(moves=MOVES, round=as_round(table), learned=learned, known=known, policy=policy, aim=aim)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("aim", Aim)
@pytest.mark.parametrize(("seats", "left", "chips"), [(3, 0, 4), (3, 1, 4), (4, 1, 2), (3, 2, 1)])
def test_perfect_play_is_solved_exactly(machine: str, aim: Aim, seats: int, left: int, chips: int) -> None:
    luck = Random(10 * seats + left)
    for _ in range(6 if left == 2 else 12):
        table = position(luck, seats, 9, left, chips)
        exact = take(table, partial(solved, aim=aim)), solved(table.passed(), aim)
        found = study_moves(question(table, Policy.LEARNED, aim), 1, 1, MACHINES[machine]())
        assert found.policy is Policy.BEST
        assert found.sample.exact
        for place, worth in enumerate(exact):
            assert found.sample.estimate_column(place, SCORE).mean == NEAR(float(worth.scores[table.mover]))
            assert found.sample.estimate_column(place, WIN).mean == NEAR(float(worth.wins[table.mover]))
            assert found.sample.mean_of(place, LEAD) == NEAR(float(worth.leads[table.mover]))


@pytest.mark.parametrize("seats", [3, 4])
def test_all_worlds_under_a_stated_policy_are_exact(seats: int) -> None:
    luck, machine = Random(seats), MACHINES["compiled"]()
    for _ in range(20):
        table = position(luck, seats, 10, 2, 5)
        exact = under_trained_play(table)
        found = study_moves(question(table, Policy.TRAINED, Aim.WIN), 1_000, 1, machine)
        assert found.policy is Policy.TRAINED
        assert found.sample.exact
        for place, worth in enumerate(exact):
            assert found.sample.estimate_column(place, SCORE) == (NEAR(float(worth.scores[table.mover])), 0.0)
            assert found.sample.estimate_column(place, WIN) == (NEAR(float(worth.wins[table.mover])), 0.0)


def test_sampled_figures_are_within_two_standard_errors_in_95_percent() -> None:
    luck, machine = Random(5), MACHINES["compiled"]()
    held, cases = 0, 0
    for number in range(60):
        table = position(luck, 3 + number % 2, 11, 3, 5)
        exact = under_trained_play(table)
        found = study_moves(question(table, Policy.TRAINED, Aim.WIN), 100, number + 1, machine).sample
        assert not found.exact
        for place, worth in enumerate(exact):
            for column, right in ((SCORE, worth.scores), (WIN, worth.wins)):
                estimate = found.estimate_column(place, column)
                held += abs(estimate.mean - float(right[table.mover])) <= SURE * estimate.error + 1e-9
                cases += 1
    assert held / cases >= 0.95


@pytest.mark.parametrize("seats", [3, 4, 7])
def test_the_first_card_promises_an_even_share(seats: int) -> None:
    # The deal decides little for the first mover, and what is promised to all together is one win.
    chances = []
    for number in range(8):
        state = GAME.setup(Options(), seats, Dice(number.to_bytes(32)))
        coach = CardCoach(GAME)
        asked = coach.make_question(GAME.view(state, state.board.mover))
        assert asked is not None
        sample = study_moves(asked, 4_000, number + 1, MACHINES["compiled"]()).sample
        chances.append(max(sample.estimate_column(place, WIN).mean for place in range(2)))
    assert sum(chances) / 8 == pytest.approx(1 / seats, abs=0.05)


MISSED: list[Fact] = [
    *[Passed(Seat(1), card=20, pot=pot) for pot in range(1, 14)],  # what it took before was not seen
    Took(Seat(2), card=20, chips=1, run=(20,), points=20),
]
INVENTED: list[Fact] = [
    Passed(Seat(9), card=20, pot=1),
    Passed(Seat(-9), card=20, pot=1),
    Took(Seat(1), card=10**12, chips=1, run=(), points=0),
    Took(Seat(1), card=-1, chips=1, run=(), points=0),
    Took(Seat(1), card=20, chips=10**400, run=(), points=0),
    Passed(Seat(1), card=20, pot=10**400),
    TurnedUp(Seat(1), card=20, left=10**400),
    Passed(Seat(1), card=21, pot=1),
]


@pytest.mark.parametrize("facts", [MISSED, INVENTED], ids=["missed", "invented"])
def test_contradicting_facts_leave_the_coach_its_question(facts: list[Fact]) -> None:
    state = GAME.setup(Options(), 3, Dice(bytes(32)))
    coach = CardCoach(GAME)
    for fact in facts:
        coach.observe_fact(fact)
    asked = coach.make_question(GAME.view(state, state.board.mover))
    assert asked is not None
    assert study_moves(asked, 400, 1).sample.worlds > 0


def test_two_left_are_solved_within_a_second() -> None:
    full = CardTable((11,) * 4, (frozenset(),) * 4, frozenset(range(20, 31)), 2, 12, 0, 0)
    asked = question(full, Policy.LEARNED, Aim.WIN)
    assert FEW_ENDS < count_ends(asked.round) <= MOST_ENDS
    assert study_moves(asked, 1, 1, MACHINES["compiled"]()).policy is Policy.BEST
    one = question(full._replace(unseen=frozenset(range(20, 30)), left=1), Policy.LEARNED, Aim.WIN)
    assert study_moves(one, 1, 1, MACHINES["interpreted"]()).policy is Policy.BEST


def test_three_player_ends_are_solved_by_their_number() -> None:
    cards = tuple(frozenset(range(first, 36, 3)) for first in (12, 13, 14))
    table = CardTable((5, 9, 1), cards, frozenset(range(3, 15)) - {7}, 3, 7, 2, 0)
    asked, compiled = question(table, Policy.LEARNED, Aim.WIN), MACHINES["compiled"]()
    assert FEW_ENDS < count_ends(asked.round) <= MOST_ENDS
    assert study_moves(asked, 1, 1, compiled).policy is Policy.BEST
    rich = question(table._replace(chips=(20, 20, 20)), Policy.LEARNED, Aim.WIN)
    assert count_ends(rich.round) > MOST_ENDS
    assert study_moves(rich, 1, 1, compiled).policy is Policy.LEARNED


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_estimated_number_of_ends_is_about_right(seats: int) -> None:
    luck = Random(seats)
    for _ in range(10):
        table = position(luck, seats, 9, 2, 4)
        counted = count_all_ends(table)
        assert counted / 2 <= count_ends(as_round(table)) <= counted * 2


def count_all_ends(table: CardTable) -> int:
    """Count all ends of a round."""
    taken = table.taken()
    now = sum(map(count_all_ends, taken.following())) if table.left else 1
    return now + (count_all_ends(table.passed()) if table.chips[table.mover] else 0)
