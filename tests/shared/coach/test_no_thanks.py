"""The coach of No Thanks! against exact solutions of small decks."""

from functools import partial
from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest
from msgspec.structs import replace

from scoville_shared.bots.counted import CountedGame
from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.bots.no_thanks import counting, leanings, opinions
from scoville_shared.bots.no_thanks.search import Opponents
from scoville_shared.bots.registry import find_bot
from scoville_shared.coach.base import DRAWN, Policy
from scoville_shared.coach.no_thanks.coach import (
    CardCoach,
    CardQuestion,
    _list_arguments,
    _make_space,
)
from scoville_shared.coach.rules import play_out
from scoville_shared.coach.sample import SURE, Aim
from scoville_shared.coach.study import Verdict, give_verdict, judge_move, study_moves
from scoville_shared.coach.tally import LEAD, SCORE, SECOND, WIN
from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import Fact, Passed, Took, TurnedUp
from scoville_shared.games.no_thanks.state import Options, State
from scoville_shared.ids import Seat
from tests.shared.coach.oracles import TRAINED, CardTable, Worth, as_round, by_policies, solved, take, wants
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
    learned = Opponents().expect_policies(Options(), seats, range(seats))
    return CardQuestion(
        moves=MOVES,
        round=as_round(table),
        learned=learned,
        known=known,
        vague=[0] * seats,
        careless=[0] * seats,
        policy=policy,
        aim=aim,
    )


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("aim", Aim)
@pytest.mark.parametrize(("seats", "left", "chips"), [(3, 0, 4), (3, 1, 4), (4, 1, 2), (3, 2, 1), (5, 2, 1)])
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


def passed_then_taken(table: CardTable) -> Worth:
    """What passing leads to if the seat takes the card when it comes back, and all play like the trained bot else."""
    policies, after = [TRAINED] * len(table.chips), table.passed()
    while after.mover != table.mover:
        if not after.chips[after.mover] or wants(after, TRAINED):
            return by_policies(after, policies)
        after = after.passed()
    return take(after, partial(by_policies, policies=policies))


def test_taking_a_card_that_comes_back_is_exact_too() -> None:
    luck, machine, other = Random(11), MACHINES["compiled"](), 0
    for _ in range(30):
        table = position(luck, 3, 33, 2, 12)
        asked = question(table, Policy.TRAINED, Aim.WIN).follow_plan(1)
        found, exact = study_moves(asked, 1_000, 1, machine).sample, passed_then_taken(table)
        assert found.exact
        assert found.estimate_column(1, SCORE).mean == NEAR(float(exact.scores[table.mover]))
        assert found.estimate_column(1, WIN).mean == NEAR(float(exact.wins[table.mover]))
        other += exact != under_trained_play(table)[1]
    assert other, "the plan makes a difference somewhere"


def among_people(chips: tuple[int, ...], cards: tuple[tuple[int, ...], ...], card: int, pot: int) -> CardQuestion:
    """Ask the first seat about a card at a table of people."""
    state = GAME.setup(Options(open_chips=True), len(chips), Dice(bytes(32)))
    left = 23 - sum(map(len, cards))
    board = replace(state.board, card=card, pot=pot, cards=cards, mover=Seat(0), chips=chips, left=left)
    asked = CardCoach(GAME).make_question(GAME.view(replace(state, board=board, chips=chips), Seat(0)))
    assert asked is not None
    return asked


def test_pass_is_no_error_if_the_card_returns() -> None:
    # The next player has two chips, and nobody wants the card: it returns with three chips more nearly always.
    asked, machine = among_people((13, 20, 2, 7), ((34,), (13, 20, 29), (5, 7), (24,)), 32, 2), MACHINES["compiled"]()
    taken, passed = study_moves(asked, 8_000, 1, machine).sample.figures_of_moves()
    assert (taken.second, passed.second) == (0, 1)
    assert passed.win.mean > taken.win.mean
    assert passed.first > 0.9
    assert give_verdict(judge_move(asked, 1, 8_000, 1, machine), fewer=True) is Verdict.BEST
    # By the usual way to go on, the seat would pass on it again and again, which is another decision's error.
    usual = replace(asked, policy=Policy.TRAINED)
    assert usual.ask_plans() is None


def test_coach_counts_games_without_chips() -> None:
    # After a pass without any chip left every card that comes must be taken; the pot is enough for a while.
    asked = among_people((1, 0, 20, 12), ((), (13, 20), (5, 7), (24,)), 32, 11)
    taken, passed = study_moves(asked, 4_000, 1, MACHINES["compiled"]()).sample.figures_of_moves()
    assert passed.third > 0.95
    assert taken.third < 0.7


def test_a_card_that_somebody_must_take_does_not_come_back() -> None:
    asked = among_people((13, 22, 0, 7), ((34,), (13, 20, 29), (5, 7), (24,)), 32, 2)
    assert asked.ask_plans() is None
    assert study_moves(asked, 400, 1).sample.mean_of(1, SECOND) == 0


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


@pytest.mark.parametrize("level", [None, "master"])
@pytest.mark.parametrize("seats", [3, 4, 7])
def test_the_first_card_promises_an_even_share(seats: int, level: str | None) -> None:
    # The deal decides little for the first mover, and what is promised to all together is one win.
    chances = []
    for number in range(8):
        state = GAME.setup(Options(), seats, Dice(number.to_bytes(32)))
        coach = CardCoach(GAME)
        coach.expect_players([level] * seats)
        asked = coach.make_question(GAME.view(state, state.board.mover))
        assert asked is not None
        sample = study_moves(asked, 4_000, number + 1, MACHINES["compiled"]()).sample
        chances.append(max(sample.estimate_column(place, WIN).mean for place in range(2)))
    assert sum(chances) / 8 == pytest.approx(1 / seats, abs=0.05)


def among_masters(card: int = 20, pot: int = 3, rounds: int = 1, last: str = "master") -> tuple[CardCoach, State]:
    """Return a coach at a table of four masters, or three and another one, and a first card with chips on it."""
    state = GAME.setup(Options(rounds=rounds), 4, Dice(bytes(32)))
    chips = tuple(11 - ((seat - state.board.mover) % 4 >= 4 - pot) for seat in range(4))
    coach = CardCoach(GAME)
    coach.expect_players(["master"] * 3 + [last])
    return coach, replace(state, chips=chips, board=replace(state.board, card=card, pot=pot))


def test_opinions_of_masters_fit_the_passes_that_were_seen() -> None:
    coach, state = among_masters()
    asked = coach.make_course_question(state)
    space, rng = _make_space(INTERPRETED, asked, 0), [77]
    seats, turn, _, players, vague, habits = _list_arguments(INTERPRETED, asked)
    drawn = []
    for _ in range(40):
        counting.draw_policies(players, space.policies, rng)
        opinions.form_opinions(vague, players.weights, space.policies, turn.left + 1, rng, space.opinions)
        drawn.append(list(space.opinions[:4]))
        opinions.respect_passes(
            seats, turn, vague, players.weights, space.policies, rng, space.seats, space.opinions, habits
        )
        for step in range(1, 4):
            seat = (turn.mover - step) % 4
            chips = [held + ((turn.mover - each) % 4 in range(1, step + 1)) for each, held in enumerate(seats.chips)]
            at = space.policies[seat] * counting.FEATURES
            urge = counting.urge_of(
                seat, chips, seats.owned, turn.card, turn.left, turn.pot - step, players.weights, at
            )
            urge += habits.standing[space.policies[seat]] * counting.lead_of(seat, chips, seats.points)
            # Everybody had eleven chips when the card came, a quarter of all.
            kind = leanings.kind_of_card(turn.card, turn.left, 11, 44, 4)
            assert urge + leanings.shape_opinion(habits, space.policies[seat], space.opinions[seat], kind) <= 0
    assert any(max(each) > 0 for each in drawn)
    assert len({each[0] for each in drawn}) > 20


def late_state(level: str) -> State:
    """Return a state of three bots of a level with eight cards face down."""
    game = CountedGame(GAME, GAME.setup(Options(open_chips=True), 3, Dice(b"late".ljust(32))), [level] * 3, bytes(32))
    while game.state.board.left > 8:
        seat = min(game.pending)
        game.play_move(seat, game.choose_move(seat, INTERPRETED))
    state: State = game.state
    return state


@pytest.mark.parametrize("machine", MACHINES)
def test_casual_bots_are_foretold_as_they_play(machine: str) -> None:
    state, made, worlds, games = late_state("casual"), MACHINES[machine](), 2_000, 300
    coach = CardCoach(GAME)
    coach.expect_players(["casual"] * 3)
    asked = coach.make_course_question(state)
    sums = made.floats([0.0] * 6)
    asked.add_worlds(made, worlds, made.numbers([5]), sums)
    view, bots = GAME.view(state, state.board.mover), [find_bot("no_thanks", "casual")(GAME) for _ in range(3)]
    dices = [Dice(number.to_bytes(32)) for number in range(games)]
    scores = [play_out(GAME, GAME.imagine(view, dice), bots, dice).scores for dice in dices]
    for seat in range(3):
        points = [each[seat] for each in scores]
        # Three standard errors of the games that the bots have played.
        assert abs(sums[2 * seat] / worlds - fmean(points)) < 3 * stdev(points) / sqrt(games)


def test_machine_code_plays_masters_out_as_plain_python_does() -> None:
    coach, state = among_masters()
    asked = coach.make_course_question(state)
    found = []
    for machine in MACHINES.values():
        made = machine()
        sums = made.floats([0.0] * 8)
        asked.add_worlds(made, 30, made.numbers([5]), sums)
        found.append([float(total) for total in sums])
    assert found[0] == pytest.approx(found[1])
    assert sum(found[0][1::2]) == pytest.approx(30)


def test_leader_counts_among_masters() -> None:
    for rounds, minded in ((1, True), (2, False)):
        coach, state = among_masters(rounds=rounds)
        *_, habits = _list_arguments(INTERPRETED, coach.make_course_question(state))
        assert (len(habits.standing) > 0) == minded
    coach, state = among_masters(last="sensible")
    asked = coach.make_course_question(state)
    *_, habits = _list_arguments(INTERPRETED, asked)
    assert [habits.standing[policy] > 0 for policy in asked.known] == [True, True, True, False]


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


@pytest.mark.parametrize(("seats", "left", "chips"), [(3, 3, 1), (3, 4, 1), (4, 3, 1), (4, 4, 1), (5, 3, 1)])
def test_endings_with_few_chips_are_solved(seats: int, left: int, chips: int) -> None:
    luck, machine = Random(100 * seats + left), MACHINES["compiled"]()
    for _ in range(4):
        table = position(luck, seats, 11, left, chips)
        found = study_moves(question(table, Policy.LEARNED, Aim.WIN), 1, 1, machine)
        assert found.policy is Policy.BEST
        if left > 3:
            continue
        exact = take(table, partial(solved, aim=Aim.WIN)), solved(table.passed(), Aim.WIN)
        for place, worth in enumerate(exact):
            assert found.sample.estimate_column(place, WIN).mean == NEAR(float(worth.wins[table.mover]))
            assert found.sample.mean_of(place, LEAD) == NEAR(float(worth.leads[table.mover]))


def test_two_left_are_solved_within_a_second() -> None:
    full = CardTable((11,) * 4, (frozenset(),) * 4, frozenset(range(20, 31)), 2, 12, 0, 0)
    assert is_solved(full, "compiled")
    assert not is_solved(full, "interpreted")
    one = full._replace(unseen=frozenset(range(20, 30)), left=1)
    assert is_solved(one, "interpreted")


def test_three_player_ends_are_solved_by_their_number() -> None:
    cards = tuple(frozenset(range(first, 36, 3)) for first in (12, 13, 14))
    table = CardTable((5, 9, 1), cards, frozenset(range(3, 15)) - {7}, 3, 7, 2, 0)
    assert is_solved(table, "compiled")
    assert not is_solved(table._replace(chips=(20, 20, 20)), "compiled")


def is_solved(table: CardTable, machine: str) -> bool:
    """Whether the coach solves a position on a machine."""
    asked = question(table, Policy.LEARNED, Aim.WIN)
    return study_moves(asked, 1, 1, MACHINES[machine]()).policy is Policy.BEST
