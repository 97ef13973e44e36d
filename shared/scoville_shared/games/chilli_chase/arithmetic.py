"""What a card and the running total make: exact whole numbers, their size bounded before anything is computed (C11).

`left` and `right` are the numbers in the order in which they are written; `cap` is how far from zero a result may be.
"""

from collections.abc import Callable
from math import pow as real_power

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase.options import Options
from scoville_shared.games.chilli_chase.state import BASIC_OPS, Left, Op, Play, Reason

_SIGNS = {Op.PLUS: "+", Op.MINUS: "−", Op.TIMES: "×", Op.DIVIDE: "÷", Op.POWER: "^", Op.ROOT: "root", Op.MOD: "mod"}


def result(play: Play, total: int, options: Options) -> int | Refusal:
    """Compute the total that a card would make, or say why the rules do not allow it (C6 to C12)."""
    made = total_made(play, total, options)
    return Refusal(made, _details(made, play, total, options)) if isinstance(made, Reason) else made


def total_made(play: Play, total: int, options: Options) -> int | Reason:
    """Compute the total that a card would make, or name the reason why there is none."""
    if play.op not in BASIC_OPS and not options.extended:
        return Reason.OP_NOT_PLAYED
    left, right = operands(play, total)
    made = _WAYS[play.op](left, right, options.cap)
    if isinstance(made, Reason):
        return made
    if abs(made) > options.cap:
        return Reason.TOO_BIG
    return made if made or options.zero else Reason.ZERO_RESULT


def operands(play: Play, total: int) -> tuple[int, int]:
    """Put the total and the card in the order in which the play writes them (C7)."""
    return (total, play.card) if play.left is Left.TOTAL else (play.card, total)


def written(play: Play, total: int) -> str:
    """Write a play as a formula, `4 × 2`; a negative number that could be misread stands in brackets."""
    left, right = operands(play, total)
    first = f"({signed(left)})" if left < 0 and play.op is Op.POWER else signed(left)
    second = f"({signed(right)})" if right < 0 else signed(right)
    return f"{first} {_SIGNS[play.op]} {second}"


def called(play: Play, total: int, made: int) -> str:
    """Write a play as it is called out: `4 × 2 = 8` (C25)."""
    return f"{written(play, total)} = {signed(made)}"


def signed(number: int) -> str:
    """Write a whole number with the minus of arithmetic."""
    return str(number).replace("-", _SIGNS[Op.MINUS])


def _divided(left: int, right: int, cap: int) -> int | Reason:  # noqa: ARG001 - all ways take the same three
    if right == 0:
        return Reason.DIVISION_BY_ZERO
    return Reason.LEAVES_REST if left % right else left // right


def _power(base: int, exponent: int, cap: int) -> int | Reason:
    if exponent < 0 and abs(base) != 1:
        return Reason.NOT_WHOLE
    if abs(base) > 1 and exponent > cap.bit_length():
        return Reason.TOO_BIG
    return int(base ** abs(exponent))


def _root(radicand: int, degree: int, cap: int) -> int | Reason:  # noqa: ARG001 - all ways take the same three
    if degree < 1 or (radicand < 0 and degree % 2 == 0):
        return Reason.NO_ROOT
    size = round(real_power(abs(radicand), 1 / degree))
    if size**degree != abs(radicand):
        return Reason.NOT_WHOLE
    return size if radicand >= 0 else -size


def _remainder(left: int, right: int, cap: int) -> int | Reason:  # noqa: ARG001 - all ways take the same three
    return left % right if right > 0 else Reason.NO_REMAINDER


_WAYS: dict[Op, Callable[[int, int, int], int | Reason]] = {
    Op.PLUS: lambda left, right, _: left + right,
    Op.MINUS: lambda left, right, _: left - right,
    Op.TIMES: lambda left, right, _: left * right,
    Op.DIVIDE: _divided,
    Op.POWER: _power,
    Op.ROOT: _root,
    Op.MOD: _remainder,
}


def _details(reason: Reason, play: Play, total: int, options: Options) -> dict[str, int | str]:
    left, right = operands(play, total)
    details: dict[str, int | str] = {"formula": written(play, total)}
    if reason is Reason.TOO_BIG:
        details["cap"] = options.cap
    if reason is Reason.LEAVES_REST:
        details["rest"] = abs(left) % abs(right)
    return details
