"""Sparklines: how a number went on, in one row."""

from collections.abc import Sequence
from typing import Final

BARS: Final = "▁▂▃▅▆▇█"
_BELOW: Final = "▔▀█"
"""Blocks that hang from the upper edge, for points below zero."""
_ZERO: Final = "─"
_WIDEST: Final = 12
"""Cells of one value at most."""
_SCALE: Final = 1_000
_LEAST_SCALE: Final = 0.05
"""The least loss of a decision that reaches the bottom of the course: smaller differences are not worth a mountain."""


def write_sparkline(values: Sequence[int], least: int, most: int, width: int) -> str:
    """Draw values between `least` and `most` in at most `width` cells.

    Few values have several cells each; of too many some are left out, never the last one.

    >>> write_sparkline([0, 2, 7], 0, 7, 3)
    '▁▂█'
    """
    if not values or width < 1:
        return ""
    each = max(1, min(width // len(values), _WIDEST))
    cells = min(len(values) * each, width)
    last = len(values) - 1
    places = (cell // each if each > 1 else round(cell * last / max(1, cells - 1)) for cell in range(cells))
    return "".join(_bar_of(values[place], least, most) for place in places)


def _bar_of(value: int, least: int, most: int) -> str:
    """Return the sign of a value; around zero where there are values below it, from the lowest one otherwise."""
    if least >= 0:
        return BARS[(value - least) * (len(BARS) - 1) // max(1, most - least)]
    reach = max(most, -least)
    if value == 0:
        return _ZERO
    signs = BARS if value > 0 else _BELOW
    return signs[min(abs(value) * len(signs) // (reach + 1), len(signs) - 1)]


def write_losses(losses: Sequence[float], width: int) -> str:
    """Draw the average loss of decisions in each game: the higher, the less was lost."""
    worst = max(_LEAST_SCALE, *losses)
    return write_sparkline([round(_SCALE * (worst - loss)) for loss in losses], 0, round(_SCALE * worst), width)
