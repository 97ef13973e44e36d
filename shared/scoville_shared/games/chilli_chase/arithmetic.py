"""Arithmetic of Chilli Chase: what a card makes of the running total, in exact whole numbers (C6 to C14).

Every size is bounded before anything is computed (C11). `left` and `right` are the numbers in the order in which they
are written; `cap` is how far from zero a result may be.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from math import pow as real_power
from typing import NamedTuple

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import write_signed
from scoville_shared.games.chilli_chase.state import BASIC_OPS, Left, Op, Options, Play, Reason, View

_SIGNS = {Op.PLUS: "+", Op.MINUS: "−", Op.TIMES: "×", Op.DIVIDE: "÷", Op.POWER: "^", Op.ROOT: "root", Op.MOD: "mod"}
_REMEMBERED = 4_096
"""Answers that are kept: for one position board, sentences, bots and the list of moves ask for the same ones."""
_COMMUTE = (Op.PLUS, Op.TIMES)


class Reach(NamedTuple):
    """One total within a card's reach: one choice, however many plays make it."""

    total: int
    plays: tuple[Play, ...]

    def write_formulas(self, before: int) -> list[str]:
        """Write the formulas on the total `before`: each one once, sums and products one way round."""
        return [f"{formula} = {write_signed(self.total)}" for formula in self.write_ways(before)]

    def write_ways(self, before: int) -> list[str]:
        """Write the same formulas without their results."""
        tried = (play for play in self.plays if play.op not in _COMMUTE or play.left is Left.TOTAL)
        return list(dict.fromkeys(write_formula(play, before) for play in tried))


@lru_cache(_REMEMBERED)
def list_reaches(card: int, total: int, options: Options) -> tuple[Reach, ...]:
    """List the totals that `card` can make of `total`, the smallest first; never empty (C12)."""
    found: defaultdict[int, list[Play]] = defaultdict(list)
    for play in list_plays(card, options):
        made = total_made(play, total, options)
        if not isinstance(made, Reason):
            found[made].append(play)
    return tuple(Reach(made, tuple(found[made])) for made in sorted(found))


def list_choices(view: View) -> list[tuple[int, Reach]]:
    """List the choices of a turn: each card in hand with each total it can reach (C14)."""
    board = view.board
    cards = sorted(set(view.hand))
    return [(card, way) for card in cards for way in list_reaches(card, board.total, board.options)]


def list_plays(card: int, options: Options) -> tuple[Play, ...]:
    """List every way to write `card` and a total with the operations of this table."""
    return _written_ways(card, options.extended)


@lru_cache
def _written_ways(card: int, extended: bool) -> tuple[Play, ...]:
    ops = tuple(Op) if extended else BASIC_OPS
    return tuple(Play(card, op, left) for op in ops for left in Left)


def result_of(play: Play, total: int, options: Options) -> int | Refusal:
    """Compute the total that a card would make, or the refusal that explains why the rules forbid it (C6 to C12)."""
    made = total_made(play, total, options)
    return Refusal(made, _refusal_details(made, play, total, options)) if isinstance(made, Reason) else made


def total_made(play: Play, total: int, options: Options) -> int | Reason:
    """Compute the total that a card would make, or name the reason why there is none.

    >>> total_made(Play(card=3, op=Op.POWER, left=Left.TOTAL), total=4, options=Options())
    64
    >>> total_made(Play(card=3, op=Op.DIVIDE, left=Left.TOTAL), total=14, options=Options())
    <Reason.LEAVES_REST: 'leaves_rest'>
    """
    if play.op not in BASIC_OPS and not options.extended:
        return Reason.OP_NOT_PLAYED
    left, right = operands_of(play, total)
    made = _WAYS[play.op](left, right, options.cap)
    if isinstance(made, Reason):
        return made
    if abs(made) > options.cap:
        return Reason.TOO_BIG
    return made if made or options.zero else Reason.ZERO_RESULT


def operands_of(play: Play, total: int) -> tuple[int, int]:
    """Put the total and the card in the order in which the play writes them (C7)."""
    return (total, play.card) if play.left is Left.TOTAL else (play.card, total)


def write_formula(play: Play, total: int) -> str:
    """Write a play as a formula, `4 × 2`; a negative number that could be misread is put in brackets."""
    left, right = operands_of(play, total)
    first = f"({write_signed(left)})" if left < 0 and play.op is Op.POWER else write_signed(left)
    second = f"({write_signed(right)})" if right < 0 else write_signed(right)
    return f"{first} {_SIGNS[play.op]} {second}"


def write_call(play: Play, total: int, made: int) -> str:
    """Write a play as it is called out: `4 × 2 = 8` (C25).

    >>> write_call(Play(2, Op.TIMES, Left.TOTAL), 4, 8)
    '4 × 2 = 8'
    """
    return f"{write_formula(play, total)} = {write_signed(made)}"


def _divide(left: int, right: int, cap: int) -> int | Reason:  # noqa: ARG001 - all ways take the same three
    if right == 0:
        return Reason.DIVISION_BY_ZERO
    return Reason.LEAVES_REST if left % right else left // right


def _raise_power(base: int, exponent: int, cap: int) -> int | Reason:
    if exponent < 0 and abs(base) != 1:
        return Reason.NOT_WHOLE
    # Even a power of two would be beyond the cap, so it is never computed (C11).
    if abs(base) > 1 and exponent > cap.bit_length():
        return Reason.TOO_BIG
    # For a base of 1 or −1 the sign of the exponent makes no difference.
    return int(base ** abs(exponent))


def _extract_root(radicand: int, degree: int, cap: int) -> int | Reason:  # noqa: ARG001 - all ways take the same three
    if degree < 1 or (radicand < 0 and degree % 2 == 0):
        return Reason.NO_ROOT
    # A guess in floating point, checked in whole numbers by the next line.
    size = round(real_power(abs(radicand), 1 / degree))
    if size**degree != abs(radicand):
        return Reason.NOT_WHOLE
    return size if radicand >= 0 else -size


def _find_remainder(left: int, right: int, cap: int) -> int | Reason:  # noqa: ARG001 - all ways take the same three
    return left % right if right > 0 else Reason.NO_REMAINDER


_WAYS: dict[Op, Callable[[int, int, int], int | Reason]] = {
    Op.PLUS: lambda left, right, _: left + right,
    Op.MINUS: lambda left, right, _: left - right,
    Op.TIMES: lambda left, right, _: left * right,
    Op.DIVIDE: _divide,
    Op.POWER: _raise_power,
    Op.ROOT: _extract_root,
    Op.MOD: _find_remainder,
}


def _refusal_details(reason: Reason, play: Play, total: int, options: Options) -> dict[str, int | str]:
    left, right = operands_of(play, total)
    details: dict[str, int | str] = {"formula": write_formula(play, total)}
    if reason is Reason.TOO_BIG:
        details["cap"] = options.cap
    if reason is Reason.LEAVES_REST:
        # Without the signs: a player expects that −7 ÷ 3 leaves 1, where Python's remainder is 2.
        details["rest"] = abs(left) % abs(right)
    return details
