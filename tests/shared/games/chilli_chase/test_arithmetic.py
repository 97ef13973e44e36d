"""Allowed calculations, and reasons for refusing others."""

import pytest

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase.arithmetic import (
    list_plays,
    list_reaches,
    result_of,
    total_made,
    write_call,
    write_formula,
)
from scoville_shared.games.chilli_chase.state import Op, Options, Reason
from tests.shared.games.chilli_chase.tables import card_by, total_by

ALL = Options(extended=True)

MADE = [
    (14, total_by("-", 3), 11),
    (14, card_by("-", 3), -11),
    (2, card_by("*", 4), 8),
    (12, total_by("/", 4), 3),
    (-12, total_by("/", 4), -3),
    (3, card_by("/", 6), 2),
    (-3, card_by("/", 6), -2),
    (3, total_by("^", 2), 9),
    (3, card_by("^", 2), 8),
    (-2, total_by("^", 3), -8),
    (-5, card_by("^", 1), 1),
    (9_999, card_by("^", 1), 1),
    (13, card_by("^", 2), 8_192),
    (8, total_by("root", 3), 2),
    (-8, total_by("root", 3), -2),
    (2, card_by("root", 4), 2),
    (7, total_by("root", 1), 7),
    (-7, total_by("root", 1), -7),
    (5_000, card_by("root", 1), 1),
    (14, total_by("mod", 4), 2),
    (-14, total_by("mod", 4), 2),
    (4, card_by("mod", 6), 2),
]

REFUSED = [
    (14, total_by("/", 4), Reason.LEAVES_REST, {"formula": "14 ÷ 4", "rest": 2}),
    (-14, total_by("/", 4), Reason.LEAVES_REST, {"formula": "−14 ÷ 4", "rest": 2}),
    (14, card_by("/", 4), Reason.LEAVES_REST, {"formula": "4 ÷ 14", "rest": 4}),
    (0, card_by("/", 4), Reason.DIVISION_BY_ZERO, {"formula": "4 ÷ 0"}),
    (-2, card_by("^", 3), Reason.NOT_WHOLE, {"formula": "3 ^ (−2)"}),
    (14, card_by("^", 2), Reason.TOO_BIG, {"formula": "2 ^ 14", "cap": 9_999}),
    (15, card_by("^", 2), Reason.TOO_BIG, {"formula": "2 ^ 15", "cap": 9_999}),
    (9_999, card_by("^", 6), Reason.TOO_BIG, {"formula": "6 ^ 9999", "cap": 9_999}),
    (-9_999, total_by("^", 6), Reason.TOO_BIG, {"formula": "(−9999) ^ 6", "cap": 9_999}),
    (9_998, total_by("+", 2), Reason.TOO_BIG, {"formula": "9998 + 2", "cap": 9_999}),
    (-9_998, total_by("-", 2), Reason.TOO_BIG, {"formula": "−9998 − 2", "cap": 9_999}),
    (5, total_by("-", 5), Reason.ZERO_RESULT, {"formula": "5 − 5"}),
    (6, total_by("mod", 3), Reason.ZERO_RESULT, {"formula": "6 mod 3"}),
    (9, total_by("root", 3), Reason.NOT_WHOLE, {"formula": "9 root 3"}),
    (-4, total_by("root", 2), Reason.NO_ROOT, {"formula": "−4 root 2"}),
    (-4, card_by("root", 2), Reason.NO_ROOT, {"formula": "2 root (−4)"}),
    (0, card_by("root", 2), Reason.NO_ROOT, {"formula": "2 root 0"}),
    (-4, card_by("mod", 3), Reason.NO_REMAINDER, {"formula": "3 mod (−4)"}),
    (0, card_by("mod", 3), Reason.NO_REMAINDER, {"formula": "3 mod 0"}),
]


@pytest.mark.parametrize(("total", "play", "made"), MADE, ids=[write_formula(play, total) for total, play, _ in MADE])
def test_a_sum_is_computed(total, play, made):
    assert result_of(play, total, ALL) == made


@pytest.mark.parametrize(
    ("total", "play", "reason", "data"), REFUSED, ids=[write_formula(play, total) for total, play, _, _ in REFUSED]
)
def test_a_sum_is_refused_with_its_reason(total, play, reason, data):
    assert result_of(play, total, ALL) == Refusal(reason, data)


@pytest.mark.parametrize("op", ["root", "mod"])
def test_c6_roots_and_remainders_are_an_option(op):
    assert result_of(total_by(op, 1), 14, Options()) == Refusal(Reason.OP_NOT_PLAYED, {"formula": f"14 {op} 1"})


@pytest.mark.parametrize(
    ("total", "play"), [(5, total_by("-", 5)), (6, total_by("mod", 3)), (0, total_by("*", 3)), (0, total_by("/", 2))]
)
def test_c9_zero_is_an_option(total, play):
    assert result_of(play, total, ALL).reason is Reason.ZERO_RESULT
    assert result_of(play, total, Options(extended=True, zero=True)) == 0


def test_c12_the_cap_itself_is_within_it():
    assert result_of(total_by("+", 1), 98, Options(cap=99)) == 99
    assert result_of(total_by("-", 1), -98, Options(cap=99)) == -99
    assert result_of(total_by("+", 1), 99, Options(cap=99)).reason is Reason.TOO_BIG


@pytest.mark.parametrize(
    ("total", "play", "formula"),
    [
        (14, total_by("-", 3), "14 − 3 = 11"),
        (-14, card_by("-", 3), "3 − (−14) = 17"),
        (-2, total_by("^", 2), "(−2) ^ 2 = 4"),
        (-2, total_by("+", 1), "−2 + 1 = −1"),
        (12, total_by("/", 4), "12 ÷ 4 = 3"),
    ],
)
def test_c25_a_formula_is_called_out(total, play, formula):
    assert write_call(play, total, result_of(play, total, ALL)) == formula


def test_c14_equal_results_are_one_choice():
    ways = list_reaches(2, 4, Options())
    assert [way.total for way in ways] == [-2, 2, 6, 8, 16]
    assert ways[1].plays == (total_by("-", 2), total_by("/", 2))
    assert ways[1].write_formulas(4) == ["4 − 2 = 2", "4 ÷ 2 = 2"]
    assert ways[4].plays == (total_by("^", 2), card_by("^", 2))
    assert ways[4].write_formulas(4) == ["4 ^ 2 = 16", "2 ^ 4 = 16"]


def test_c14_a_sum_turned_round_is_no_other_formula():
    two = list_reaches(1, 1, Options())[-1]
    assert two.plays == (total_by("+", 1), card_by("+", 1))
    assert two.write_formulas(1) == ["1 + 1 = 2"]
    one = list_reaches(1, 1, Options())[0]
    assert one.write_formulas(1) == ["1 × 1 = 1", "1 ÷ 1 = 1", "1 ^ 1 = 1"]


@pytest.mark.parametrize("card", range(2, 7))
def test_c11_a_power_is_bounded_before_it_is_computed(card):
    """A number with as many digits would fill the memory."""
    assert total_made(card_by("^", card), 10**15, ALL) is Reason.TOO_BIG


def test_c7_c8_cards_combine_in_ten_or_fourteen_ways():
    assert len(set(list_plays(3, Options()))) == len(list_plays(3, Options())) == 2 * len("+-*/^")
    assert {play.op for play in list_plays(3, ALL)} - {play.op for play in list_plays(3, Options())} == {
        Op.ROOT,
        Op.MOD,
    }
    assert len(list_plays(3, ALL)) == 14
