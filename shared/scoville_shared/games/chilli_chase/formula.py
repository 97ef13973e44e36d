"""Parser of typed moves: a formula such as `14-3`, `3^2` or `4x2 = 8`, or a new Chilli Score."""

import re

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase.arithmetic import result_of, write_call
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import Left, NewScore, Op, Play, Reason, View

LONGEST = 60
"""Longest formula that is parsed, in characters: more than any needs."""

_MOST_DIGITS = 9
"""Digits of a number: a total has six at most (C12), so what is longer is too big in any case."""
_SPELLINGS = {
    Op.PLUS: ("+",),
    Op.MINUS: ("-",),
    # Before the product: of two signs that fit, the pattern takes the first, and `**` begins with `*`.
    Op.POWER: ("**", "^"),
    Op.TIMES: ("*", "x", "×", "·"),
    Op.DIVIDE: ("/", "÷", ":"),
    Op.ROOT: ("root",),
    Op.MOD: ("mod", "%"),
}
_OPS = {spelling: op for op, spellings in _SPELLINGS.items() for spelling in spellings}
SIGNS = frozenset(spelling[0] for spelling in _OPS) | frozenset("−–")
"""The characters that an operation can begin with."""

_ASCII_MINUS = str.maketrans("−–", "--")
_OP = "|".join(re.escape(spelling) for spelling in _OPS)
_NUMBER = r"\(\s*[+-]?\s*\d+\s*\)|[+-]?\s*\d+"
_FORMULA = re.compile(rf"({_NUMBER})\s*({_OP})\s*({_NUMBER})\s*(?:=\s*({_NUMBER}))?", re.ASCII)
_SIGN_OR_WORD = re.compile(r"[^\W\d_]+|\*\*|[^\s\d()=]")


def read_formula(text: str, view: View) -> Play | Refusal:
    """Read a formula as a play of the View's hand, or return the refusal that explains the mistake.

    One of its numbers has to be the running total, the other a card in hand. A sum after `=` may be left out; a wrong
    one is answered with the right one.

    Reasons: TOO_BIG; UNREADABLE, TWO_OPERATIONS or INCOMPLETE for a text that is no formula; TOTAL_MISSING and
    CARD_NOT_HELD for wrong numbers; those of `result_of`; WRONG_SUM.
    """
    plain = text.translate(_ASCII_MINUS).strip().lower()
    # Before any number is computed: Python refuses to read numbers of thousands of digits.
    if len(plain) > LONGEST or any(len(digits) > _MOST_DIGITS for digits in re.findall(r"\d+", plain)):
        return Refusal(Reason.TOO_BIG, {"formula": plain[:LONGEST], "cap": view.board.options.cap})
    parts = _FORMULA.fullmatch(plain)
    if parts is None:
        return _refuse_misread(plain, view)
    left, sign, right, said = parts.groups()
    play = _recognise_play(_read_number(left), _OPS[sign], _read_number(right), view)
    if isinstance(play, Refusal):
        return play
    return _check_total(play, None if said is None else _read_number(said), view)


def read_score(text: str, view: View) -> NewScore | Refusal:
    """Read a new Chilli Score, or return the refusal that explains the mistake (C18)."""
    plain = text.translate(_ASCII_MINUS).strip()
    if not re.fullmatch(_NUMBER, plain, re.ASCII):
        return Refusal(Reason.SCORE_UNREADABLE, {"piece": plain[:LONGEST]})
    if len(plain) > LONGEST:
        return Refusal(Reason.SCORE_TOO_BIG, {"cap": view.board.options.cap})
    score = _read_number(plain)
    return check_score(view.board, score) or NewScore(score)


def _read_number(text: str) -> int:
    return int(re.sub(r"[()\s]", "", text))


def _recognise_play(left: int, op: Op, right: int, view: View) -> Play | Refusal:
    """Find out which of the two numbers is the running total and which the card."""
    total = view.board.total
    # With a card that equals the total, both readings give the same result.
    if left == total and right in view.hand:
        return Play(right, op, Left.TOTAL)
    if right == total and left in view.hand:
        return Play(left, op, Left.CARD)
    if total not in (left, right):
        return Refusal(Reason.TOTAL_MISSING, {"total": total})
    return Refusal(Reason.CARD_NOT_HELD, {"card": right if left == total else left})


def _check_total(play: Play, said: int | None, view: View) -> Play | Refusal:
    made = result_of(play, view.board.total, view.board.options)
    if isinstance(made, Refusal):
        return made
    if said is not None and said != made:
        return Refusal(Reason.WRONG_SUM, {"said": said, "formula": write_call(play, view.board.total, made)})
    return play


def _refuse_misread(plain: str, view: View) -> Refusal:
    """Explain why this is no formula: an unknown sign, more than one operation, or a missing part."""
    signs = _SIGN_OR_WORD.findall(plain)
    foreign = next((piece for piece in signs if piece not in _OPS), None)
    if foreign is not None:
        return Refusal(Reason.UNREADABLE, {"piece": foreign})
    if len(signs) > 1:
        return Refusal(Reason.TWO_OPERATIONS)
    return Refusal(Reason.INCOMPLETE, {"total": view.board.total})
