"""Typed formulas as plays, and reasons for wrong ones."""

import pytest

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import list_reaches
from scoville_shared.games.chilli_chase.formula import LONGEST, SIGNS, read_formula, read_score
from scoville_shared.games.chilli_chase.state import NewScore, Options, Reason
from tests.shared.games.chilli_chase.tables import A, B, card_by, do, lay_out, total_by


def seen(total, hand=(2, 3, 5), **more):
    return GAME.view(lay_out(total, hand, (4, 5, 6), (1, 2, 3), **more), A)


READ = [
    (14, "14-3", total_by("-", 3)),
    (14, " 14 - 3 ", total_by("-", 3)),
    (14, "14−3", total_by("-", 3)),
    (14, "14–3", total_by("-", 3)),
    (14, "3-14", card_by("-", 3)),
    (14, "14-3=11", total_by("-", 3)),
    (14, "14 - 3 = 11", total_by("-", 3)),
    (14, "3-14 = -11", card_by("-", 3)),
    (14, "3-14 = (-11)", card_by("-", 3)),
    (3, "3^2", total_by("^", 2)),
    (3, "3**2", total_by("^", 2)),
    (3, "2^3", card_by("^", 2)),
    (4, "4x2", total_by("*", 2)),
    (4, "4X2", total_by("*", 2)),
    (4, "4×2", total_by("*", 2)),
    (4, "4·2", total_by("*", 2)),
    (4, "4*2 = 8", total_by("*", 2)),
    (8, "8/2", total_by("/", 2)),
    (8, "8:2", total_by("/", 2)),
    (8, "8÷2", total_by("/", 2)),
    (8, "8 + 5", total_by("+", 5)),
    (8, "+8+5", total_by("+", 5)),
    (-8, "-8+5", total_by("+", 5)),
    (-8, "5--8", card_by("-", 5)),
    (-8, "5-(-8)=13", card_by("-", 5)),
    (-8, "(-8)^2", total_by("^", 2)),
    (8, "8 root 3", total_by("root", 3)),
    (14, "14 mod 5 = 4", total_by("mod", 5)),
    (14, "14%5", total_by("mod", 5)),
    (3, "3-2", total_by("-", 2)),
    (3, "3+3", total_by("+", 3)),
    (14, f"14{' ' * (LONGEST - 4)}-3", total_by("-", 3)),
    (14, "000000014-3", total_by("-", 3)),
]

REFUSED = [
    (14, "14-3=12", Reason.WRONG_SUM, {"said": 12, "formula": "14 − 3 = 11"}),
    (14, "14-3=-11", Reason.WRONG_SUM, {"said": -11, "formula": "14 − 3 = 11"}),
    (9, "9^9^9", Reason.TWO_OPERATIONS, {}),
    (14, "14-3-2", Reason.TWO_OPERATIONS, {}),
    (14, "14-3*2=8", Reason.TWO_OPERATIONS, {}),
    (14, "abc", Reason.UNREADABLE, {"piece": "abc"}),
    (14, "14-y", Reason.UNREADABLE, {"piece": "y"}),
    (14, "sqrt(4)", Reason.UNREADABLE, {"piece": "sqrt"}),
    (14, "14 model 3", Reason.UNREADABLE, {"piece": "model"}),
    (14, "14-3.5", Reason.UNREADABLE, {"piece": "."}),
    (14, "14-3,5", Reason.UNREADABLE, {"piece": ","}),
    (14, "14!", Reason.UNREADABLE, {"piece": "!"}),
    (14, "14 — 3", Reason.UNREADABLE, {"piece": "—"}),
    (14, "é", Reason.UNREADABLE, {"piece": "é"}),
    (14, "", Reason.INCOMPLETE, {"total": 14}),
    (14, "3", Reason.INCOMPLETE, {"total": 14}),
    (14, "14-", Reason.INCOMPLETE, {"total": 14}),
    (14, "14 3", Reason.INCOMPLETE, {"total": 14}),
    (14, "14-3=", Reason.INCOMPLETE, {"total": 14}),
    (14, "14/5", Reason.LEAVES_REST, {"formula": "14 ÷ 5", "rest": 4}),
    (14, "14/5=2", Reason.LEAVES_REST, {"formula": "14 ÷ 5", "rest": 4}),
    (14, "2^14", Reason.TOO_BIG, {"formula": "2 ^ 14", "cap": 9_999}),
    (14, "14-4", Reason.CARD_NOT_HELD, {"card": 4}),
    (14, "14-14", Reason.CARD_NOT_HELD, {"card": 14}),
    (14, "7*14", Reason.CARD_NOT_HELD, {"card": 7}),
    (14, "8-3", Reason.TOTAL_MISSING, {"total": 14}),
    (14, "3-3", Reason.TOTAL_MISSING, {"total": 14}),
    (14, "9999999999-3", Reason.TOO_BIG, {"formula": "9999999999-3", "cap": 9_999}),
    (14, "1" * 100, Reason.TOO_BIG, {"formula": "1" * 60, "cap": 9_999}),
    (14, "0000000014-3", Reason.TOO_BIG, {"formula": "0000000014-3", "cap": 9_999}),
    (14, f"14{' ' * (LONGEST - 3)}-3", Reason.TOO_BIG, {"formula": f"14{' ' * (LONGEST - 3)}-", "cap": 9_999}),
    (14, "١٤-٣", Reason.INCOMPLETE, {"total": 14}),
]


@pytest.mark.parametrize(("total", "text", "play"), READ, ids=[text for _, text, _ in READ])
def test_a_formula_is_read_as_a_play(total, text, play):
    assert read_formula(text, seen(total, options=Options(extended=True), hot=(6,))) == play


@pytest.mark.parametrize(("total", "text", "reason", "data"), REFUSED, ids=[text[:20] for _, text, _, _ in REFUSED])
def test_a_wrong_formula_is_answered_with_the_reason(total, text, reason, data):
    view = seen(total)
    refusal = read_formula(text, view)
    assert refusal == Refusal(reason, data)
    assert "{" not in GAME.text.describe_refusal(refusal).render(("Anna", "Ben", "Cleo"))


def test_roots_are_refused_where_they_are_not_played():
    assert read_formula("8 root 3", seen(8)) == Refusal(Reason.OP_NOT_PLAYED, {"formula": "8 root 3"})


def test_the_total_stands_first_when_both_numbers_could_be_it():
    assert read_formula("3-3", seen(3, options=Options(zero=True))) == total_by("-", 3)


@pytest.mark.parametrize(
    ("text", "score"), [("9", 9), (" -9 ", -9), ("−9", -9), ("(-9)", -9), ("+7", 7), (f"-{' ' * 58}9", -9)]
)
def test_a_new_score_is_read(text, score):
    assert read_score(text, seen(14)) == NewScore(score)


@pytest.mark.parametrize(
    ("text", "reason", "data"),
    [
        ("nine", Reason.SCORE_UNREADABLE, {"piece": "nine"}),
        ("", Reason.SCORE_UNREADABLE, {"piece": ""}),
        ("9.5", Reason.SCORE_UNREADABLE, {"piece": "9.5"}),
        ("x" * 100, Reason.SCORE_UNREADABLE, {"piece": "x" * 60}),
        ("0", Reason.SCORE_ZERO, {}),
        ("11", Reason.SCORE_TAKEN, {"score": 11, "holder": 1}),
        ("10000", Reason.SCORE_TOO_BIG, {"cap": 9_999}),
        ("9" * 61, Reason.SCORE_TOO_BIG, {"cap": 9_999}),
        (f"-{' ' * 59}9", Reason.SCORE_TOO_BIG, {"cap": 9_999}),
        ("٩", Reason.SCORE_UNREADABLE, {"piece": "٩"}),
    ],
)
def test_a_wrong_score_is_answered_with_the_reason(text, reason, data):
    assert read_score(text, seen(14)) == Refusal(reason, data)


def read(text, state, seat=A):
    return GAME.text.read_move(text, GAME.view(state, seat))


def test_line_mode_reads_formulas_but_no_move_names():
    state = lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,))
    assert read("14-3", state) == total_by("-", 3)
    assert read("14-3=10", state).reason is Reason.WRONG_SUM
    assert read("3: total − 3", state) is None
    assert read("keep", state) is None


def test_a_lone_number_is_incomplete_or_missing():
    state = lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,))
    assert read("9", state) == Refusal(Reason.CARD_NOT_HELD, {"card": 9})
    assert read("3", state) == Refusal(Reason.INCOMPLETE, {"total": 14})


@pytest.mark.parametrize("total", [14, -8, 1, 2])
@pytest.mark.parametrize("extended", [False, True])
def test_every_listed_formula_can_be_typed(total, extended):
    view = seen(total, options=Options(extended=extended))
    for card in view.hand:
        for way in list_reaches(card, total, view.board.options):
            for formula in way.write_formulas(total):
                assert GAME.text.read_move(formula, view) in way.plays


def test_line_mode_reads_an_owed_score():
    hit = do(lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,)), total_by("-", 3)).state
    assert read("-9", hit) == NewScore(-9)
    assert read("0", hit).reason is Reason.SCORE_ZERO
    assert read("keep", hit) is None


def test_nothing_is_read_from_those_who_wait():
    state = lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,))
    over = do(lay_out(2, (4, 1, 1), (2, 2, 2), points=(4, 0)), card_by("*", 4)).state
    assert read("14-2", state, B) is None
    assert read("8+1", over) is None


def test_a_sum_may_begin_with_these_signs_beside_digits():
    assert frozenset("+-−–*x×·/÷:^%rm") == SIGNS
