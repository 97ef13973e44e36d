"""The cards in front of a seat: those of a run overlap, single cards lie apart, every number stays in sight.

Each takes one row, or three with its edges where there is room.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.no_thanks.runs import Run

_OPEN, _EDGE, _CLOSE = "[", "│", "]"
_TOKENS = re.compile(r"\d+|\D")
_ABOVE, _MIDDLE, _BENEATH = str.maketrans("[│]", "╭┬╮"), str.maketrans("[]", "││"), str.maketrans("[│]", "╰┴╯")
CARD_ROWS = 3
"""Rows of cards with their edges."""


def rows_of(runs: Sequence[Run], width: int, *, framed: bool = True) -> list[list[str]]:
    """Lay runs into rows of `width` cells: groups of signs and numbers; without `framed` singles are bare numbers."""
    rows: list[list[str]] = [[]]
    for run in runs:
        for piece in _pieces(run, width, framed=framed):
            if rows[-1] and _length(rows[-1]) + 1 + len(piece) > width:
                rows.append([])
            rows[-1].append(piece)
    return rows


def draw_rows(
    canvas: Canvas,
    x: int,
    y: int,
    rows: Sequence[Sequence[str]],
    fresh: int | None,
    joined: Collection[int],
    *,
    edged: bool = False,
    flash: bool = False,
) -> int:
    """Draw rows of groups; `fresh` is the card that has just come, `joined` those another one would join.

    With their edges (`edged`) they take CARD_ROWS each; `flash` highlights the fresh card. Returns the column behind
    the last group.
    """
    column = x
    for offset, row in enumerate(rows):
        column = x
        for piece in row:
            if edged:
                middle = y + offset * CARD_ROWS + 1
                _draw_edges(canvas, column, middle, piece)
                column = _draw_piece(canvas, column, middle, piece.translate(_MIDDLE), fresh, joined, flash=flash) + 1
            else:
                column = _draw_piece(canvas, column, y + offset, piece, fresh, joined, flash=flash) + 1
    return column


def _draw_edges(canvas: Canvas, x: int, y: int, piece: str) -> None:
    """Draw the upper and the lower edges of the cards whose numbers are in row `y`."""
    drawn = re.sub(r"\d", "─", piece)
    canvas.put(x, y - 1, drawn.translate(_ABOVE), "muted")
    canvas.put(x, y + 1, drawn.translate(_BENEATH), "muted")


def _pieces(run: Run, width: int, *, framed: bool) -> Iterator[str]:
    """Write a run as one piece, or as several when it is longer than a row."""
    if len(run) == 1 and not framed:
        yield str(run[0])
        return
    piece = _OPEN
    for card in run:
        written = f"{card}{_CLOSE if card == run[-1] else _EDGE}"
        if len(piece) + len(written) > width:
            yield piece
            piece = ""
        piece += written
    yield piece


def _length(row: Sequence[str]) -> int:
    return sum(map(len, row)) + len(row) - 1


def _draw_piece(
    canvas: Canvas, x: int, y: int, piece: str, fresh: int | None, joined: Collection[int], *, flash: bool
) -> int:
    free = False
    for token in _TOKENS.findall(piece):
        style = _style(int(token), fresh, joined, free=free, flash=flash) if token.isdecimal() else "muted"
        x = canvas.put(x, y, token, style)
        free = token == _EDGE
    return x


def _style(card: int, fresh: int | None, joined: Collection[int], *, free: bool, flash: bool) -> str:
    """Choose the style of a card: those behind the lowest of a run count nothing (B10)."""
    if card == fresh:
        return "selected-pin" if flash else "target"
    return "rim" if card in joined else "muted" if free else "strong"
