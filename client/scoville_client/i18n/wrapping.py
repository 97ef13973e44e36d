"""Word wrapping, measured in terminal cells."""

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

_CLAUSES = re.compile(r"(?<=[;.!?]) ")
"""Where a text may end early: behind a sentence or a clause."""
UNIT = r"(?:(?<=\d) (?=(?:h|min|s|ms|%|[KMG]i?B|[KMG]o)(?!\w))|(?<=±) (?=\d)|(?<=:) (?=\w{1,4}$))"
"""The blank between a number and its unit, or its uncertainty, and before a short value at the end of a text.

No row ends there, also in texts of users.
"""
_BLANKS = re.compile(rf"(?!{UNIT})[ \n]+")
"""Where a row may end: not at the no-break space before a French colon, nor before a unit or value."""
_PART_OF_NUMBER = re.compile(r"[\d.,:]*\d[.,:]?$")


def cut_text(text: str, width: int) -> str:
    """Cut a longer text to `width` cells with an ellipsis; of a number that has no room only the ellipsis is left.

    A part of a number would be another number.
    """
    kept = chop_cells(text, width - 1)[0] if width > 1 else ""
    if re.match(r"[.,:]?\d", text[len(kept) :]):
        kept = _PART_OF_NUMBER.sub("", kept)
    return f"{kept}…"


def wrap_lines(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Break `text` between words into rows of at most `width` cells, all but the first behind `indent`.

    A word that is longer than a row is cut. `width` counts as 2 or more, so that every sign has room.

    >>> list(wrap_lines("take the card", 8))
    ['take the', 'card']
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


def split_words(text: str) -> list[str]:
    """Split a text at the blanks at which a row may end."""
    return [word for word in _BLANKS.split(text.strip()) if word]


def wrap_whole_clauses(text: str, width: int, most: int) -> list[str]:
    """Break as many whole sentences and clauses of a text into rows as fit into `most` of them.

    Of a first clause that does not fit, as many rows as there may be.
    """
    clauses = _CLAUSES.split(text)
    for count in range(len(clauses), 0, -1):
        kept = " ".join(clauses[:count])
        rows = [*wrap_lines(f"{kept[:-1].rstrip()}." if kept.endswith(";") else kept, width)]
        if len(rows) <= most:
            return rows
    return [*wrap_lines(clauses[0], width)][:most]
