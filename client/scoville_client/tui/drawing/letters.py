"""Large letters: text in blocks of three by five, to be read from across a room.

Letters are capitals. An accent is drawn above its letter, so that names keep their umlauts.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple
from unicodedata import normalize

from rich.cells import cell_len

from scoville_client.i18n.wrapping import split_words, wrap_lines
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.digits import SHAPES as DIGITS

Shape = tuple[str, ...]
"""The rows of a letter from top to bottom; `#` is a block."""

_LETTERS: Final[dict[str, Shape]] = {
    "A": (" # ", "# #", "###", "# #", "# #"),
    "B": ("## ", "# #", "## ", "# #", "## "),
    "C": (" ##", "#  ", "#  ", "#  ", " ##"),
    "D": ("## ", "# #", "# #", "# #", "## "),
    "E": ("###", "#  ", "## ", "#  ", "###"),
    "F": ("###", "#  ", "## ", "#  ", "#  "),
    "G": (" ##", "#  ", "# #", "# #", " ##"),
    "H": ("# #", "# #", "###", "# #", "# #"),
    "I": ("#", "#", "#", "#", "#"),
    "J": ("  #", "  #", "  #", "# #", " # "),
    "K": ("# #", "# #", "## ", "# #", "# #"),
    "L": ("#  ", "#  ", "#  ", "#  ", "###"),
    "M": ("#   #", "## ##", "# # #", "#   #", "#   #"),
    "N": ("#  #", "## #", "# ##", "#  #", "#  #"),
    "O": (" # ", "# #", "# #", "# #", " # "),
    "P": ("## ", "# #", "## ", "#  ", "#  "),
    "Q": (" # ", "# #", "# #", " # ", "  #"),
    "R": ("## ", "# #", "## ", "# #", "# #"),
    "S": (" ##", "#  ", " # ", "  #", "## "),
    "T": ("###", " # ", " # ", " # ", " # "),
    "U": ("# #", "# #", "# #", "# #", "###"),
    "V": ("# #", "# #", "# #", "# #", " # "),
    "W": ("#   #", "#   #", "# # #", "## ##", "#   #"),
    "X": ("# #", "# #", " # ", "# #", "# #"),
    "Y": ("# #", "# #", " # ", " # ", " # "),
    "Z": ("###", "  #", " # ", "#  ", "###"),
    " ": ("  ", "  ", "  ", "  ", "  "),
    ".": (" ", " ", " ", " ", "#"),
    ",": ("  ", "  ", "  ", " #", "# "),
    ":": (" ", "#", " ", "#", " "),
    ";": ("  ", " #", "  ", " #", "# "),
    "!": ("#", "#", "#", " ", "#"),
    "?": ("## ", "  #", " # ", "   ", " # "),
    "+": ("   ", " # ", "###", " # ", "   "),
    "=": ("   ", "###", "   ", "###", "   "),
    "/": ("  #", "  #", " # ", "#  ", "#  "),
    "*": ("   ", "# #", " # ", "# #", "   "),
    "^": (" # ", "# #", "   ", "   ", "   "),
    "(": (" #", "# ", "# ", "# ", " #"),
    ")": ("# ", " #", " #", " #", "# "),
    "'": ("#", "#", " ", " ", " "),
    "_": ("   ", "   ", "   ", "   ", "###"),
    "%": ("# #", "  #", " # ", "#  ", "# #"),
    "#": ("# #", "###", "# #", "###", "# #"),
    "■": ("   ", "###", "###", "###", "   "),
    "&": (" # ", "# #", " # ", "# #", " ##"),
}
_SHAPES: Final = {**_LETTERS, **DIGITS}
_SAME: Final = str.maketrans(
    {"\u2212": "-", "\u2013": "-", "\u2014": "-", "\u2019": "'", "\u201e": "'", "\u201c": "'", "\u201d": "'"}
    | {"×": "*", "·": "*", "÷": ":", "\u202f": " ", "\u00a0": " ", "ß": "SS", "…": "...", "œ": "OE", "æ": "AE"}
    | {"«": "'", "»": "'", "ø": "O", "Ø": "O", "ł": "L", "Ł": "L", '"': "'", "`": "'"}
)
"""Characters that are drawn as others."""
_ACCENTS: Final = {
    "\u0308": "# #",
    "\u0301": " ##",
    "\u0300": "## ",
    "\u0302": " # ",
    "\u0303": "###",
    "\u030a": " # ",
    "\u030c": "# #",
    "\u0327": "",
}
"""The row above a letter with a combining accent."""
_ROWS: Final = 6
"""An accent and five rows of a letter."""
# By the upper and the lower half of a cell.
_HALVES: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


class Pen(NamedTuple):
    """How a block is drawn: `columns` cells wide and `rows` cells high; 0 rows are a half of one, two in a cell."""

    columns: int
    rows: int

    @property
    def height(self) -> int:
        """Cells of a line of text from top to bottom."""
        return _ROWS * self.rows if self.rows else _ROWS // 2


HALF, TALL, SQUARE = Pen(1, 0), Pen(1, 1), Pen(2, 1)


def is_drawable(text: str) -> bool:
    """Whether every character of a text has a shape."""
    return all(sign in _SHAPES for sign, _ in _split_signs(text))


def has_accent(text: str) -> bool:
    """Whether a letter of a text has something in the row above it, or is drawn plainly."""
    return not is_drawable(text) or any(_ACCENTS.get(accent) for _, accent in _split_signs(text))


def width_of(text: str, pen: Pen) -> int:
    """Return the columns of a text; those of its plain letters where one of them has no shape."""
    if not is_drawable(text):
        return cell_len(text)
    return max(0, sum(len(_SHAPES[sign][0]) + 1 for sign, _ in _split_signs(text)) - 1) * pen.columns


def cut_letters(text: str, width: int, pen: Pen) -> str:
    """Shorten a text so that it fits into `width` columns."""
    if not is_drawable(text):
        return fit_text(text, width).rstrip() if cell_len(text) > width else text
    while text and width_of(text, pen) > width:
        text = text[:-1].rstrip()
    return text


def draw_text(canvas: Canvas, x: int, y: int, text: str, pen: Pen, style: str) -> int:
    """Draw a line of text from (x, y) on, plainly where a character has no shape; returns the next column."""
    if not is_drawable(text):
        return canvas.put(x, y + pen.height // 2, text, style)
    for sign, accent in _split_signs(text):
        shape = _SHAPES[sign]
        draw_shape(canvas, x, y, _with_accent(shape, accent), pen, style)
        x += (len(shape[0]) + 1) * pen.columns
    return x


_PARAGRAPH_PENS: Final = (Pen(4, 2), Pen(3, 2), Pen(2, 2), Pen(2, 1), Pen(1, 1))


def fit_pen(sentences: Sequence[str], width: int, height: int) -> Pen | None:
    """Return the largest pen with which sentences have room in `width` x `height` cells; None where none is small."""
    for pen in _PARAGRAPH_PENS if all(map(is_drawable, sentences)) else ():
        lines = [line for sentence in sentences for line in wrap_large(sentence, width, pen)]
        if _rows_of(lines, pen) <= height and all(width_of(line, pen) <= width for line in lines):
            return pen
    return None


def draw_paragraph(canvas: Canvas, area: Area, sentences: Sequence[str], style: str) -> None:
    """Write sentences into the middle of an area in the largest letters with which they fit; else in plain ones."""
    x, y, width, height = area
    pen = fit_pen(sentences, width, height)
    if pen is None:
        rows = [row for sentence in sentences for row in wrap_lines(sentence, width)][:height]
        for number, row in enumerate(rows):
            canvas.put_centred(x, width, y + (height - len(rows)) // 2 + number, row, style)
        return
    lines = [line for sentence in sentences for line in wrap_large(sentence, width, pen)]
    top = y + (height - _rows_of(lines, pen)) // 2
    for number, line in enumerate(lines):
        left = x + (width - width_of(line, pen)) // 2
        draw_text(canvas, left, top + number * (pen.height + pen.rows), line, pen, style)


def _rows_of(lines: Sequence[str], pen: Pen) -> int:
    """Count the rows of lines, a block between them."""
    return len(lines) * (pen.height + pen.rows) - pen.rows


def wrap_large(text: str, width: int, pen: Pen) -> list[str]:
    """Wrap a text at its blanks to lines of `width` columns in large letters."""
    lines: list[str] = []
    for word in split_words(text):
        if lines and width_of(f"{lines[-1]} {word}", pen) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines


def _with_accent(shape: Shape, accent: str) -> Shape:
    """Put an accent and a gap above a letter, which is a row less high then; a blank row where there is no accent."""
    width = len(shape[0])
    if not accent.strip():
        return (" " * width, *shape)
    above = accent.center(width) if width > 1 else "#"
    return (above, " " * width, *shape[:3], shape[4])


def draw_shape(canvas: Canvas, x: int, y: int, shape: Shape, pen: Pen, style: str) -> None:
    """Draw the blocks of a shape; cells without one keep what they show."""
    if pen.rows:
        for row, blocks in enumerate(shape):
            for index, block in enumerate(blocks):
                for below in range(pen.rows if block == "#" else 0):
                    canvas.put(x + index * pen.columns, y + row * pen.rows + below, "█" * pen.columns, style)
        return
    for row, (upper, lower) in enumerate(zip(shape[::2], shape[1::2], strict=True)):
        for index, pair in enumerate(zip(upper, lower, strict=True)):
            half = _HALVES[pair[0] == "#", pair[1] == "#"]
            if half != " ":
                canvas.put(x + index * pen.columns, y + row, half * pen.columns, style)


def _split_signs(text: str) -> list[tuple[str, str]]:
    """Split a text into capitals, each with the row of its accent."""
    signs: list[tuple[str, str]] = []
    for char in normalize("NFD", text.translate(_SAME).upper()):
        if char in _ACCENTS and signs:
            signs[-1] = (signs[-1][0], _ACCENTS[char] or signs[-1][1])
        else:
            signs.append((char, ""))
    return signs
