"""Independent arithmetic of Chilli Chase: fractions and repeated multiplication, written from the rulings alone."""

from fractions import Fraction
from functools import cache
from math import floor

OPS = ("+", "-", "*", "/", "^", "root", "mod")


def combined(left, op, right, cap, *, extended, zero):
    """The whole number that `left op right` makes under these options, or None when there is none."""
    if op in ("root", "mod") and not extended:
        return None
    made = _made(left, op, right, cap)
    if made is None or made.denominator != 1 or abs(made) > cap or (made == 0 and not zero):
        return None
    return int(made)


def _made(left, op, right, cap):
    match op:
        case "+":
            return Fraction(left + right)
        case "-":
            return Fraction(left - right)
        case "*":
            return Fraction(left * right)
        case "/":
            return Fraction(left, right) if right else None
        case "^":
            return _power(left, right, cap)
        case "root":
            return _root(left, right, cap)
        case "mod":
            return Fraction(left - right * floor(Fraction(left, right))) if right > 0 else None


def _power(base, exponent, cap):
    """Multiply step by step, and stop as soon as it is beyond the cap or will never change again."""
    made = Fraction(1)
    for _ in range(min(abs(exponent), 2 + abs(exponent) % 2) if abs(base) < 2 else abs(exponent)):
        made *= base
        if abs(made) > cap:
            return None if exponent > 0 else Fraction(1, 2)
    if exponent < 0:
        return None if made == 0 else 1 / made
    return made


def _root(radicand, degree, cap):
    if degree < 1:
        return None
    if degree > 20:
        return Fraction(radicand) if radicand in (0, 1) or (radicand == -1 and degree % 2) else None
    found = _powers(degree, cap).get(radicand)
    return None if found is None else Fraction(found)


@cache
def _powers(degree, cap):
    """Every number within the cap that has a whole root of this degree, with that root."""
    roots, base = {}, 0
    while base**degree <= cap:
        roots[base**degree] = base
        if degree % 2:
            roots[-(base**degree)] = -base
        base += 1
    return roots
