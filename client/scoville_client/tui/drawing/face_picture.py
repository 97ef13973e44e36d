"""Faces of cards as small PNG pictures: a number, and peppers below it, drawn with smooth edges on ivory.

Our own code: the ten digits are a few strokes each, and a picture library would be the client's largest dependency.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from math import cos, hypot, radians, sin, sqrt
from struct import pack
from typing import Final, NamedTuple
from zlib import compress, crc32

Point = tuple[float, float]
Colour = tuple[int, int, int]

_PAPER: Final[Colour] = (250, 243, 226)
_INK: Final[Colour] = (38, 32, 30)
_STEM: Final[Colour] = (74, 110, 40)
_PEPPERS: Final[Sequence[Colour]] = ((56, 142, 60), (224, 116, 16), (198, 40, 40))
"""A card's peppers by their number, mild to hot."""
_SHADES: Final = 16
"""Steps between two colours: enough for edges without stairs."""
_PAPER_ON, _INK_ON, _PEPPER_ON, _STEM_ON = _SHADES - 1, _SHADES, 2 * _SHADES, 3 * _SHADES
"""Where the palette has the shades of each colour; the first ones lead from nothing to paper."""
_LINES: Final = 4
"""Lines that are measured in each row of pixels."""
_CORNER: Final = 0.12
"""The radius of a card's corners, as a part of its shorter side."""

_HALF: Final = 0.085
"""Half the width of a stroke; digits are 1 high."""
_GAP: Final = 0.1
"""Between two digits, from edge to edge."""


def _list_arc_points(middle: Point, across: float, down: float, start: float, end: float) -> list[Point]:
    """Return the points of an arc, in degrees: 0 is to the right, 90 is down."""
    steps = max(4, int(abs(end - start) / 18))
    angles = (radians(start + (end - start) * step / steps) for step in range(steps + 1))
    return [(middle[0] + across * cos(angle), middle[1] + down * sin(angle)) for angle in angles]


_SIX: Final = (_list_arc_points((0.3, 0.68), 0.3, 0.32, 0, 360), _list_arc_points((0.5, 0.68), 0.5, 0.68, 180, 262))
_DIGITS: Final[dict[str, Sequence[Sequence[Point]]]] = {
    "0": (_list_arc_points((0.3, 0.5), 0.3, 0.5, 0, 360),),
    "1": ([(0.06, 0.2), (0.34, 0.0), (0.34, 1.0)],),
    "2": ([*_list_arc_points((0.3, 0.3), 0.28, 0.3, 190, 400), (0.02, 1.0), (0.6, 1.0)],),
    "3": (_list_arc_points((0.29, 0.25), 0.26, 0.25, 195, 450), _list_arc_points((0.29, 0.74), 0.3, 0.26, 270, 525)),
    "4": ([(0.46, 1.0), (0.46, 0.0), (0.0, 0.7), (0.62, 0.7)],),
    "5": ([(0.54, 0.0), (0.1, 0.0), (0.07, 0.44), *_list_arc_points((0.28, 0.68), 0.31, 0.32, 228, 505)],),
    "6": _SIX,
    "7": ([(0.0, 0.0), (0.58, 0.0), (0.2, 1.0)],),
    "8": (_list_arc_points((0.3, 0.25), 0.25, 0.25, 0, 360), _list_arc_points((0.3, 0.74), 0.3, 0.26, 0, 360)),
    "9": tuple([(0.6 - x, 1.0 - y) for x, y in stroke] for stroke in _SIX),
    "−": ([(0.06, 0.5), (0.5, 0.5)],),
}
"""The strokes of each sign as lines from point to point, y down."""
_PEPPER: Final = [(0.19, 0.27), (0.31, 0.25), (0.46, 0.34), (0.62, 0.50), (0.79, 0.62), (0.95, 0.66)]
_PEPPER_HALVES: Final = (0.15, 0.17, 0.17, 0.12, 0.08, 0.03)
"""A pepper from its stem to its tip, in a square of 1, with half its thickness at each of these points."""
_PARTS: Final = 3
"""Into how many parts the way from one of these points to the next is divided: each part is as thick everywhere."""
_STEM_LINE: Final = [(0.09, 0.05), (0.18, 0.22)]


class Stroke(NamedTuple):
    """A straight line with round ends, `half` as thick to both sides."""

    start: Point
    end: Point
    half: float

    def span_at(self, y: float) -> Point | None:
        """Return where the line at a height enters and leaves it; None where it does not meet it."""
        (x1, y1), (x2, y2), half = self
        met = [
            x + side * sqrt(half * half - (y - end) ** 2)
            for x, end in ((x1, y1), (x2, y2))
            if abs(y - end) <= half
            for side in (-1, 1)
        ]
        if y1 != y2:
            length = hypot(x2 - x1, y2 - y1)
            for side in (half / length, -half / length):
                along = (y - y1 - side * (x2 - x1)) / (y2 - y1)
                if 0 <= along <= 1:
                    met.append(x1 - side * (y2 - y1) + along * (x2 - x1))
        return (min(met), max(met)) if met else None


def has_face(text: str) -> bool:
    """Whether a face with a text can be drawn."""
    return bool(text) and all(sign in _DIGITS for sign in text)


@lru_cache(maxsize=128)
def draw_png(text: str, peppers: int, width: int, height: int) -> bytes:
    """Return a PNG of so many pixels: a text of digits, and up to three peppers below it."""
    rows = _draw_paper(width, height)
    foot = height // 4 if peppers else 0
    _put_text(rows, text, width, height - foot)
    side = min(foot, width // (peppers + 1))
    for place in range(peppers):
        _put_stamp(rows, (width - side * peppers) // 2 + side * place, height - foot, _draw_pepper(side))
    return _write_png(rows, _PEPPERS[min(max(peppers, 1), len(_PEPPERS)) - 1])


Rows = Sequence[bytes | bytearray]
"""Pixels as places in the palette."""


def _draw_paper(width: int, height: int) -> list[bytearray]:
    """Draw a card without anything on it; its corners are round."""
    radius = _CORNER * min(width, height)
    right, bottom = width - radius, height - radius
    edges = [(radius, radius), (right, radius), (right, bottom), (radius, bottom), (radius, radius)]
    rim = _cover_pixels([Stroke(start, end, radius) for start, end in pairwise(edges)], width, height)
    full, round_rows = bytes([_PAPER_ON]) * width, int(radius) + 1
    return [bytearray(row if min(y, height - 1 - y) < round_rows else full) for y, row in enumerate(rim)]


def _put_text(rows: Sequence[bytearray], text: str, width: int, height: int) -> None:
    """Draw a text in the middle of so many pixels, as large as they allow with a margin."""
    widths = [_width_of(sign) for sign in text]
    whole = sum(widths) - _GAP
    scale = max(1, int(min(0.62 * height, 0.74 * width / whole)))
    x = (width - whole * scale) / 2
    for sign, wide in zip(text, widths, strict=True):
        _put_stamp(rows, round(x), (height - scale) // 2 - 1, _draw_digit(sign, scale))
        x += wide * scale


def _width_of(sign: str) -> float:
    """Return how far the next sign is away."""
    return max(x for line in _DIGITS[sign] for x, _ in line) + 2 * _HALF + _GAP


def _put_stamp(rows: Sequence[bytearray], x: int, y: int, stamp: Rows) -> None:
    """Put a drawing onto a card; its blank pixels are paper."""
    for row, line in zip(rows[y : y + len(stamp)], stamp, strict=False):
        row[x : x + len(line)] = line[: max(0, len(row) - x)]


# The cards of one size share their digits: to draw these is nearly all the work.
@lru_cache(maxsize=256)
def _draw_digit(sign: str, scale: int) -> Rows:
    """Draw a digit so many pixels high, with the half of its strokes around."""
    half = _HALF * scale
    strokes = [
        Stroke(start, end, half)
        for line in _DIGITS[sign]
        for start, end in pairwise([(half + x * scale, half + y * scale) for x, y in line])
    ]
    wide = max(x for line in _DIGITS[sign] for x, _ in line)
    covered = _cover_pixels(strokes, int(wide * scale + 2 * half) + 1, int(scale + 2 * half) + 1)
    return [bytes(_INK_ON + shade for shade in row) for row in covered]


@lru_cache(maxsize=64)
def _draw_pepper(side: int) -> Rows:
    strokes = []
    for (start, end), (thick, thin) in zip(pairwise(_PEPPER), pairwise(_PEPPER_HALVES), strict=True):
        ways = [number / _PARTS for number in range(_PARTS + 1)]
        points = [tuple(side * (a + (b - a) * way) for a, b in zip(start, end, strict=True)) for way in ways]
        halves = [side * (thick + (thin - thick) * (way + 0.5 / _PARTS)) for way in ways]
        strokes += [
            Stroke((x1, y1), (x2, y2), half)
            for ((x1, y1), (x2, y2)), half in zip(pairwise(points), halves, strict=False)
        ]
    (x1, y1), (x2, y2) = _STEM_LINE
    body = _cover_pixels(strokes, side, side)
    stem = _cover_pixels([Stroke((x1 * side, y1 * side), (x2 * side, y2 * side), 0.05 * side)], side, side)
    return [
        bytes(_STEM_ON + above if above else _PEPPER_ON + below for above, below in zip(*pair, strict=True))
        for pair in zip(stem, body, strict=True)
    ]


def _cover_pixels(strokes: Sequence[Stroke], width: int, height: int) -> Rows:
    """Return how far strokes cover each pixel, in shades."""
    met: list[list[Stroke]] = [[] for _ in range(height)]
    for stroke in strokes:
        heights = (stroke.start[1], stroke.end[1])
        for y in range(max(0, int(min(heights) - stroke.half)), min(height, int(max(heights) + stroke.half) + 1)):
            met[y].append(stroke)
    return [_cover_row(y, each, width) for y, each in enumerate(met)]


def _cover_row(y: int, strokes: Sequence[Stroke], width: int) -> bytes:
    # How the covered part changes from pixel to pixel: their running sum is it.
    changes = [0.0] * (width + 2)
    for line in range(_LINES if strokes else 0):
        for span in _join_spans(y + (line + 0.5) / _LINES, strokes):
            for x, sign in zip(span, (1.0, -1.0), strict=True):
                at = min(max(x, 0.0), float(width))
                changes[int(at)] += sign * (1 - at % 1)
                changes[int(at) + 1] += sign * (at % 1)
    most = (_SHADES - 1) / _LINES
    return bytes(min(round(covered * most), _SHADES - 1) for covered in accumulate(changes[:width]))


def _join_spans(y: float, strokes: Sequence[Stroke]) -> Iterator[Point]:
    """Yield the spans of strokes at a height from left to right; where two overlap they are one."""
    held: Point | None = None
    for left, right in sorted(span for stroke in strokes if (span := stroke.span_at(y)) is not None):
        if held is not None and left <= held[1]:
            held = (held[0], max(held[1], right))
            continue
        if held is not None:
            yield held
        held = (left, right)
    if held is not None:
        yield held


def _write_png(rows: Rows, pepper: Colour) -> bytes:
    """Return the file: eight bits a pixel, with a palette of which only the first shades are transparent."""
    last = _SHADES - 1
    ends = ((_PAPER, _PAPER), (_PAPER, _INK), (_PAPER, pepper), (_PAPER, _STEM))
    palette = bytes(
        start[part] + (end[part] - start[part]) * shade // last
        for start, end in ends
        for shade in range(_SHADES)
        for part in range(3)
    )
    parts = (
        (b"IHDR", pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)),
        (b"PLTE", palette),
        (b"tRNS", bytes(255 * shade // last for shade in range(_SHADES))),
        (b"IDAT", compress(b"".join(b"\0" + row for row in rows), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data)) for kind, data in parts
    )
