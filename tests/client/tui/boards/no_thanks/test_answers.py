"""The two answers: only legal ones have a key, and each previews its effect correctly."""

import re

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import set_language
from scoville_client.tui.boards.no_thanks import words
from scoville_client.tui.boards.no_thanks.layout import draw_box, draw_captions, draw_narrow, list_answers
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import PASS, State
from scoville_shared.games.no_thanks.text import written_change
from scoville_shared.ids import Seat
from tests.client.tui.boards.no_thanks.scenes import (
    LISA,
    NAMES,
    VIEW,
    Decision,
    decisions,
    scene,
    with_board,
    without_chips,
)


def drawn(shown: Scene, width: int) -> str:
    canvas = Canvas(width, 8 if width > 40 else 6)
    if width > 40:
        row = draw_captions(canvas, 0, 0, width, 2, shown)
        for place, answer in enumerate(list_answers(shown)):
            draw_box(canvas, (place * width // 2, row, width // 2, 6), shown, answer)
    else:
        draw_narrow(canvas, 0, 0, width, 6, shown)
    return str(canvas)


both = pytest.mark.parametrize("width", [76, 32])


def score(state: State, seat: Seat) -> int:
    return state.board.points[seat] - state.chips[seat]


@pytest.mark.parametrize("seats", [3, 5, 7])
def test_what_an_answer_would_do_is_what_it_does(seats: int) -> None:
    inside = [each for each in decisions(seats, seed=7, open_chips=True) if each.before.board.left]
    assert all(_told(each) == score(each.after, each.seat) - score(each.before, each.seat) for each in inside)
    assert len(inside) > 20


def _told(decision: Decision) -> int | None:
    """Return the board's preview of the answer that was given."""
    take, pay = list_answers(scene(GAME.view(decision.before, decision.seat)))
    chosen = pay if decision.facts[0].__class__.__name__ == "Passed" else take
    return None if chosen.score is None else chosen.score[1] - chosen.score[0]


@both
def test_peter_sees_that_the_14_joins_his_run(width: int) -> None:
    text = drawn(scene(), width)
    assert "run 13-16" in text
    assert "28 to 13" in text
    assert re.search(r"7[\s│║]*chips", text)
    assert "23 → 1" in text


@both
def test_a_card_alone_costs_what_it_shows_less_its_chips(width: int) -> None:
    text = drawn(scene(with_board(card=30)), width)
    assert "23 → 46" in text
    assert "single card" in text or "alone" in text


@both
def test_passing_costs_a_chip(width: int) -> None:
    text = drawn(scene(), width)
    assert "pay a chip, 4 left" in text
    assert "23 → 24" in text


@both
def test_both_keys_are_offered_in_turn(width: int) -> None:
    text = drawn(scene(), width)
    assert "Your turn" in text
    assert "t Take" in text
    assert "n No thanks" in text


@both
def test_without_chips_the_only_key_is_take(width: int) -> None:
    text = drawn(scene(without_chips()), width)
    assert "t Take" in text
    assert "n No thanks" not in text
    assert "You have no chips to pay with." in text


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("width", [56, 76])
def test_what_an_answer_does_never_runs_into_what_it_costs(language: str, width: int) -> None:
    set_language(language)
    costly = scene(with_board(card=30))
    take, _ = list_answers(costly)
    assert take.score is not None
    change = written_change(*take.score)
    row = next(row for row in drawn(costly, width).splitlines() if change in row)
    assert f" {change} " in row


@both
def test_out_of_turn_consequences_show_without_keys(width: int) -> None:
    text = drawn(scene(with_board(mover=LISA)), width)
    assert "Lisa decides." in text
    assert "t Take" not in text
    assert "23 → 1" in text


@both
def test_the_marked_answer_shows_without_colour(width: int) -> None:
    shown = scene()
    text = drawn(replace(shown, choice=shown.choice.with_last()), width)
    assert "▸ n No thanks" in text
    assert " t Take" in text


def test_a_spectator_sees_who_decides_and_no_answers() -> None:
    watched = GAME.view(next(decisions(3, seed=1)).before, None)
    assert list_answers(scene(watched)) == []
    assert words.name_turn(watched).render(NAMES).startswith("You are watching.")


def test_scores_are_written_with_the_minus_of_arithmetic() -> None:
    assert written_change(-11, 5) == "−11 → 5"


def test_the_own_score_counts_the_chips() -> None:
    assert "Your score: 23 (28 − 5 chips)" in drawn(scene(), 76)
    assert "Your score" not in drawn(scene(VIEW.__class__(board=VIEW.board, seat=None, chips=None)), 76)


def test_the_answers_are_the_games_moves() -> None:
    assert [answer.move for answer in list_answers(scene())] == list(GAME.moves(VIEW))
    assert PASS not in scene(without_chips()).choice.moves
