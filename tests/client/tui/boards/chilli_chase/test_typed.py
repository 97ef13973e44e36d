"""Formulas and scores as they are typed, and why some are refused."""

import pytest

from scoville_client.i18n.language import render
from scoville_client.tui.boards.chilli_chase import picker
from scoville_client.tui.boards.chilli_chase.board import Typed, read_typed
from scoville_client.tui.boards.chilli_chase.picker import TypedScore
from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import KEEP, Left, NewScore, Op, Options, Play, Reason
from tests.client.tui.boards.chilli_chase.scenes import NAMES, asked, seen


def typing(keys, total):
    typed = Typed()
    for key in keys:
        assert typed.takes_char(key), f"{key} after {typed.text}"
        typed = typed.with_char(key, total)
    return typed.text


@pytest.mark.parametrize(
    ("total", "text", "play"),
    [
        (14, "14-3", Play(3, Op.MINUS, Left.TOTAL)),
        (14, "3-14", Play(3, Op.MINUS, Left.CARD)),
        (3, "3^2", Play(2, Op.POWER, Left.TOTAL)),
        (4, "4x2", Play(2, Op.TIMES, Left.TOTAL)),
        (14, "14-3=11", Play(3, Op.MINUS, Left.TOTAL)),
        (14, "-3", Play(3, Op.MINUS, Left.TOTAL)),
        (14, "+3", Play(3, Op.PLUS, Left.TOTAL)),
        (-4, "-3", Play(3, Op.MINUS, Left.TOTAL)),
        (-4, "-4+3", Play(3, Op.PLUS, Left.TOTAL)),
        (-4, "(-4)^2", Play(2, Op.POWER, Left.TOTAL)),
    ],
)
def test_a_formula_is_a_play(total, text, play):
    assert typing(text, total) == text
    assert read_typed(text, seen(total)) == play


@pytest.mark.parametrize(
    ("total", "text", "reason", "said"),
    [
        (14, "14-3=12", Reason.WRONG_SUM, "14 − 3 = 11, not 12."),
        (14, "14-3+1", Reason.TWO_OPERATIONS, "one operation only"),
        (9, "9^9^9", Reason.TWO_OPERATIONS, "one operation only"),
        (14, "14-a", Reason.UNREADABLE, "a is not a formula"),
        (14, "14/3", Reason.LEAVES_REST, "leaves a remainder of 2"),
        (14, "14-6", Reason.CARD_NOT_HELD, "You do not hold a 6"),
        (14, "12-3", Reason.TOTAL_MISSING, "must be the total, 14"),
        (14, "3^14", Reason.TOO_BIG, "too far from zero; the limit is 9999"),
        (3, "3-3", Reason.ZERO_RESULT, "makes zero"),
        (14, "14-", Reason.INCOMPLETE, "one operation and a card"),
    ],
)
def test_a_formula_is_refused_with_the_reason(total, text, reason, said):
    refusal = read_typed(typing(text, total), seen(total))
    assert isinstance(refusal, Refusal)
    assert refusal.reason is reason
    assert said in render(GAME.text.describe_refusal(refusal), NAMES)


def test_digits_choose_a_card_until_they_begin_the_total():
    assert typing("14", 14) == "14"
    assert typing("32", 14) == "2"
    assert typing("114", -14) == "14"


def test_letters_are_keys_until_a_formula_is_begun():
    assert not Typed().takes_char("q")
    assert not Typed().takes_char("x")
    assert not Typed("3").takes_char("q")
    assert Typed("3").takes_char("x")
    assert Typed("3x").takes_char("q")
    assert not Typed().takes_char("?")


@pytest.mark.parametrize(("text", "number"), [("9", 9), ("-25", -25), ("−3", -3)])
def test_a_typed_score_is_a_new_one(text, number):
    wanted = TypedScore()
    for key in text:
        assert wanted.takes_char(key)
        wanted = wanted.with_char(key)
    assert wanted.number == number
    assert picker.read_wanted(wanted, asked(seen(11))) == NewScore(number)


def test_my_own_number_is_kept():
    assert picker.read_wanted(TypedScore("8"), asked(seen(11))) == KEEP


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("11", "11 is already the Chilli Score of Ben"),
        ("0", "Zero cannot be a Chilli Score"),
        ("10000", "at most 9999 away from zero"),
        ("-", "- is not a whole number"),
    ],
)
def test_a_score_is_refused_with_the_reason(text, said):
    refusal = picker.read_wanted(TypedScore(text), asked(seen(11)))
    assert isinstance(refusal, Refusal)
    assert said in render(GAME.text.describe_refusal(refusal), NAMES)


def test_steps_pass_over_what_is_taken_and_over_zero():
    board = asked(seen(11, scores=(3, 4, 5, 1, 7, 81))).board
    assert TypedScore().stepped_by(board, 1).number == 6
    assert TypedScore().stepped_by(board, -1).number == 2
    assert TypedScore("2").stepped_by(board, -1).number == -1
    assert TypedScore("2").stepped_by(board, 1).number == 3


def test_steps_stop_at_the_ends_of_the_die():
    board = asked(seen(11, scores=(8, 11, 4, 5, 7, 2), options=Options(die_scores=True))).board
    assert TypedScore("12").stepped_by(board, 1).number == 12
    assert TypedScore("1").stepped_by(board, -1).number == 1


def test_typing_after_a_step_begins_anew():
    board = asked(seen(11)).board
    assert TypedScore().stepped_by(board, 1).with_char("3").text == "3"
