"""Word wrapping, measured in terminal cells."""

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

_BLANKS = re.compile(r"[ \n]+")
"""Where a row may end: not at the no-break space before a French colon."""


def wrap_lines(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Break `text` between words into rows of at most `width` cells, all but the first behind `indent`.

    A word that is longer than a row is cut. `width` counts as 2 or more, so that every sign has room.
    """
    width = max(width, 2)
    row, is_empty = "", True
    for word in _BLANKS.split(text.strip()):
        # Cut to what fits behind the indent: a piece can be in any row.
        for piece in chop_cells(word, width - len(indent)):
            joined = f"{row}{piece}" if is_empty else f"{row} {piece}"
            if cell_len(joined) > width:
                yield row
                joined = f"{indent}{piece}"
            row, is_empty = joined, False
    if not is_empty:
        yield row
