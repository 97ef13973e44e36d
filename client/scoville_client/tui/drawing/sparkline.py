"""Sparkline: a row of bars that shows how a number changed."""

from collections.abc import Sequence

BARS = "▁▂▃▅▆▇█"
_WIDEST = 4
"""Cells of one value at most."""


def sparkline(values: Sequence[int], least: int, most: int, width: int) -> str:
    """Draw values between `least` and `most` in at most `width` cells.

    Few values have several cells each; of too many some are left out, never the last one.
    """
    if not values or width < 1:
        return ""
    each = max(1, min(width // len(values), _WIDEST))
    cells = min(len(values) * each, width)
    last = len(values) - 1
    places = (cell // each if each > 1 else round(cell * last / max(1, cells - 1)) for cell in range(cells))
    return "".join(BARS[(values[place] - least) * (len(BARS) - 1) // max(1, most - least)] for place in places)
