"""The coach that plays moves out by the rules: figures of a game whose best moves are known, from Views alone."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.base import POLICY_NAMES, Coach, Policy
from scoville_shared.coach.registry import find_coach, has_coach
from scoville_shared.coach.rules import RulesCoach
from scoville_shared.coach.sample import weigh_move
from scoville_shared.coach.study import Verdict, chart_course, give_verdict, judge_move, study_moves
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import Dice
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat
from tests.outside.faulty_games import on_path
from tests.outside.new_game import SLUG, forget_package, install_package, write_template

CALM = {"stones": 6, "wind": False}
"""Six stones: who leaves four takes the last one, whatever the other one does."""


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnyGame]:
    install_package(write_template(tmp_path / "package"), tmp_path / "site")
    with on_path(monkeypatch, tmp_path / "site"):
        yield load_game(SLUG)
    forget_package()


def make_coach(game: AnyGame) -> Coach:
    kind = find_coach(SLUG)
    assert kind is not None
    return kind(game)


def first_view(game: AnyGame, **options: Any) -> Any:
    state = game.setup(game.codec.decode_options({**CALM, **options}), 2, Dice(bytes(32)))
    return game.view(state, state.heap.mover)


def test_the_winning_move_is_best(game: AnyGame) -> None:
    coach = make_coach(game)
    question = coach.make_question(first_view(game))
    assert question is not None
    study = study_moves(pickle.loads(pickle.dumps(question)), coach.advice_playouts, 1)
    assert (study.policy, study.sample.exact) == (Policy.USUAL, False)
    assert study.sample.moves[study.sample.best_move] == {"stones": 2}
    figures = study.sample.figures_of_moves()
    assert figures[1].win.mean > 0.8 > 0.5 > figures[0].win.mean
    assert figures[1].lead > figures[0].lead
    weighed = weigh_move(figures, 1)
    assert coach.explain_move(first_view(game), question, weighed).render(()) == "it leaves 4 stones"


def test_a_penalty_turns_the_best_move_round(game: AnyGame) -> None:
    coach = make_coach(game)
    question = coach.make_question(first_view(game, last_stone="penalty"))
    assert question is not None
    study = study_moves(question, coach.advice_playouts, 1)
    assert study.sample.moves[study.sample.best_move] == {"stones": 1}


def test_same_seed_gives_the_same_figures(game: AnyGame) -> None:
    coach = make_coach(game)
    question = coach.make_question(first_view(game))
    assert question is not None
    first, again, other = (study_moves(question, 300, seed) for seed in (7, 7, 8))
    assert first == again != other
    assert first.sample.worlds == 100, "the budgets are those of Python, which needs no part of them"


def test_a_losing_move_is_a_blunder(game: AnyGame) -> None:
    coach = make_coach(game)
    question = coach.make_question(first_view(game))
    assert question is not None
    played = question.moves.index({"stones": 3})
    judged = judge_move(question, played, coach.playouts, 3)
    assert give_verdict(judged, fewer=coach.fewer_is_better) is Verdict.BLUNDER
    assert coach.name_error(None, question, weigh_move(judged.study.sample.figures_of_moves(), played)).render(()) == (
        "leaves the wrong number of stones"
    )


def test_the_course_knows_who_will_win(game: AnyGame) -> None:
    coach = make_coach(game)
    state = game.setup(game.codec.decode_options(CALM), 2, Dice(bytes(32)))
    state = replace(state, bonuses=(3, 3))
    chances = chart_course(pickle.loads(pickle.dumps(coach.make_course_question(state))), 40, 1, INTERPRETED)
    assert sum(chance for _, chance in chances) == pytest.approx(1)
    assert chances[state.heap.mover][1] == 1.0, "the sensible bot leaves four"


def test_forced_move_is_no_question(game: AnyGame) -> None:
    coach = make_coach(game)
    view = first_view(game)
    other = Seat(1 - view.heap.mover)
    assert coach.make_question(replace(view, seat=other)) is None
    assert coach.make_question(replace(view, seat=None, bonus=None)) is None


def test_a_move_is_explained_from_what_everybody_knows(game: AnyGame) -> None:
    coach = make_coach(game)
    view = first_view(game)
    found = [
        coach.public_decision(coach.public_board(each), view.heap.mover, {"stones": 2})
        for each in (view, replace(view, seat=Seat(1 - view.heap.mover), bonus=9))
    ]
    assert found[0] is not None
    assert found[0] == found[1], "whoever asks"
    assert (found[0].played, found[0].view.bonus) == (1, None)


def test_bots_of_the_table_play_themselves(game: AnyGame) -> None:
    coach = make_coach(game)
    coach.expect_players(["easy", None])
    question = coach.make_question(first_view(game))
    assert question is not None
    assert question.levels == ["easy", "sensible"]  # type: ignore[attr-defined]
    assert Policy.USUAL in POLICY_NAMES


def test_a_package_needs_two_methods_alone(game: AnyGame) -> None:
    class Short(RulesCoach):
        def public_moves(self, facts: Any) -> Any:
            return iter(())

    coach = Short(game)
    question = coach.make_question(first_view(game))
    assert question is not None
    figures = study_moves(question, 60, 1).sample.figures_of_moves()
    said = {coach.explain_move(None, question, weigh_move(figures, place)).render(()) for place in range(3)}
    assert said == {"no other move wins more often", "another move wins more often"}
    assert coach.public_decision(None, Seat(0), {"stones": 1}) is None
    assert has_coach(SLUG)
