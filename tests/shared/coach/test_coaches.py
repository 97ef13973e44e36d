"""What holds for the coach of every game: it knows what its seat knows, repeats itself, and explains every move."""

import pytest

from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.base import Coach, Policy
from scoville_shared.coach.registry import find_coach, has_coach
from scoville_shared.coach.sample import weigh_move
from scoville_shared.coach.study import chart_course, judge_move, study_moves
from scoville_shared.engine.dice import Dice
from scoville_shared.games.registry import list_slugs
from tests.shared.bots.bot_games import Decision, play_decisions

SHORT = {"no_thanks": {}, "dicht_dran": {"cycles": 2}, "chilli_chase": {"turn_limit": 50}}
FEW = 800
"""Playouts on a fast machine; plain Python has a twentieth."""


def coach_of(decision: Decision) -> Coach:
    kind = find_coach(decision.game.info.slug)
    assert kind is not None
    coach = kind(decision.game)
    for fact in decision.facts:
        coach.observe_fact(fact)
    return coach


@pytest.mark.parametrize("slug", list_slugs())
def test_a_question_is_equal_in_equal_worlds(slug: str) -> None:
    assert has_coach(slug)
    for decision in list(play_decisions(slug, ["sensible"] * 3, 4, **SHORT[slug]))[:-1:29]:
        game, coach = decision.game, coach_of(decision)
        view = game.view(decision.state, decision.seat)
        other = game.view(game.imagine(view, Dice(decision.number.to_bytes(32))), decision.seat)
        question = coach.make_question(view)
        assert question == coach.make_question(other)
        assert coach.make_course_question(decision.state).seats == 3
        if question is None:
            continue
        found = study_moves(question, FEW, 7, INTERPRETED)
        assert found == study_moves(question, FEW, 7, INTERPRETED)
        names = ["Ada", "Ben", "Cem"]
        for place, figures in enumerate(found.sample.figures_of_moves()):
            assert game.check(decision.state, decision.seat, game.codec.decode_move(figures.move)) is None
            assert 0 <= figures.win.mean <= 1
            assert figures.behind.mean >= -1e-9
            assert "{" not in coach.explain_move(
                view, question, weigh_move(found.sample.figures_of_moves(), place)
            ).render(names)


@pytest.mark.parametrize("slug", list_slugs())
def test_the_chances_of_all_seats_add_up_to_one_win(slug: str) -> None:
    *most, last = play_decisions(slug, ["sensible"] * 3, 4, **SHORT[slug])
    for decision in (most[0], most[len(most) // 2], last):
        chances = chart_course(coach_of(decision).make_course_question(decision.state), FEW, 3)
        assert sum(win for _, win in chances) == pytest.approx(1)
    outcome = last.game.outcome(last.state)
    assert outcome is not None
    assert [round(score) for score, _ in chances] == list(outcome.scores)


def test_a_worse_move_loses_and_the_best_one_loses_nothing() -> None:
    decision = next(play_decisions("dicht_dran", ["sensible"] * 3, 4))
    question = coach_of(decision).make_question(decision.game.view(decision.state, decision.seat))
    assert question is not None
    sample = study_moves(question, 8_000, 7).sample
    judged = judge_move(question, sample.best_move, 16_000, 7)
    assert judged.study.policy is Policy.DRAWN
    worst = min(range(len(question.moves)), key=sample.worth_of_move)
    assert judge_move(question, worst, 16_000, 7).loss.mean > 0
    if judged.best == sample.best_move:
        assert judged.loss == (0.0, 0.0)
