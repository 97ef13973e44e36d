"""Pictures of card faces, by the graphics protocol of kitty with its Unicode placeholders; Ghostty knows it too.

A picture is sent once. Where it is shown, the screen has placeholder characters: text, which scrolls, is covered and
vanishes as all text does, and whose colour is the number of the picture. Pictures that are placed in any other way stay
where the text below them has gone.

On a canvas, and until the bytes for the terminal are made, each placeholder is one character of a private plane: it
says which cell of which picture it is, whatever a dialog in front does with colours.
"""

from base64 import b64encode
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.notifications import is_in_tmux
from scoville_client.tui.reports import Report

ASK_ACCEPTANCE: Final = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
"""Asks whether a picture of one pixel could be shown."""
ASK_PICTURES: Final = f"{ASK_ACCEPTANCE}\x1b[>0q\x1b[16t"
"""Asks the same, and for the terminal's name and the pixels of a cell.

The name decides: others than these two say that they have pictures, and ignore placeholders.
"""
_LEAST_KITTY: Final = (0, 28)

PLACEHOLDER: Final = "\U0010eeee"
_NUMBERS: Final = "".join(
    map(
        chr,
        (
            *(0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D, 0x33E, 0x33F, 0x346, 0x34A, 0x34B, 0x34C),
            *(0x350, 0x351, 0x352, 0x357, 0x35B, *range(0x363, 0x370), *range(0x483, 0x488)),
            *(*range(0x592, 0x596), 0x597, 0x598, 0x599, *range(0x59C, 0x5A2)),
        ),
    )
)
"""The protocol's marks for the numbers from 0 on: of the row, then of the column, above each placeholder."""
MOST_COLUMNS: Final = len(_NUMBERS)
MOST_ROWS: Final = 28
"""Cells of the largest picture."""
_LEAST_COLUMNS, _LEAST_ROWS = 4, 2
"""Cells of the smallest one: in a single row a letter is as large."""
_PEPPER_ROWS: Final = 4
"""Rows of a picture from which on its peppers are more than specks; they are beside it in any case."""
_FIRST: Final = 0xF0000
_CELLS: Final = MOST_COLUMNS * MOST_ROWS
PICTURES: Final = 96
"""How many pictures a terminal has at most; more than ever are on a screen. For more there are no characters."""
FIRST_SIGN: Final = chr(_FIRST)
"""Characters from this one on stand for cells of pictures."""
_FIRST_ID: Final = 0x5C0001
"""The number of the first picture; others in the same terminal hardly begin there."""
_CHUNK: Final = 4096
_PIXELS: Final = 10
"""Pixels of a column; the terminal enlarges what needs more."""
_USUAL_RATIO: Final = 2.0
_RATIOS: Final = (1.0, 3.0)
"""Heights of a cell for its width: within these pictures stay small, whatever a terminal says."""


def may_show_pictures(environment: Mapping[str, str]) -> bool:
    """Whether a terminal is asked for pictures: tmux and GNU screen would keep them to themselves."""
    if is_in_tmux(environment) or "STY" in environment:
        return False
    names = (environment.get("TERM", ""), environment.get("TERM_PROGRAM", ""))
    return "KITTY_WINDOW_ID" in environment or any("kitty" in name or "ghostty" in name for name in names)


def shows_placeholders(name: str) -> bool:
    """Whether a terminal that calls itself so shows placeholders; Konsole has pictures, but ignores these."""
    kind, _, version = name.partition("(")
    if kind == "kitty":
        return tuple(int(part) for part in version.rstrip(")").split(".") if part.isdecimal()) >= _LEAST_KITTY
    return name.startswith("ghostty")


@lru_cache(maxsize=16_384)
def placeholder_of(sign: str) -> tuple[str, str]:
    """Return the text for a cell of a picture: the placeholder, and its ink, as parameters of SGR."""
    picture, cell = divmod(ord(sign) - _FIRST, _CELLS)
    row, column = divmod(cell, MOST_COLUMNS)
    number = _FIRST_ID + picture
    # Both numbers at every cell: the one to the left, which could imply them, may be covered later.
    return f"{PLACEHOLDER}{_NUMBERS[row]}{_NUMBERS[column]}", f"38;2;{number >> 16};{number >> 8 & 255};{number & 255}"


def _sequence_of_picture(png: bytes, number: int, columns: int, rows: int) -> str:
    """Return the bytes that send a picture, to be shown by placeholders. No answers: they would be typed."""
    data = b64encode(png).decode()
    chunks = [data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)]
    head = f"a=T,U=1,q=2,f=100,i={number},c={columns},r={rows},"
    return "".join(
        f"\x1b_G{'q=2,' if place else head}m={int(place < len(chunks) - 1)};{chunk}\x1b\\"
        for place, chunk in enumerate(chunks)
    )


_Key = tuple[str, int, int, int]
"""A face: text, peppers, columns and rows."""


class CardPictures:
    """The pictures that a terminal has. They are sent through `write` when a canvas first has a face.

    Attributes:
        turn: Another number whenever canvases with faces have to be drawn again.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._sent: OrderedDict[_Key, int] = OrderedDict()
        self._ratio = _USUAL_RATIO
        self._accepts = self._knows_placeholders = False
        self._is_wanted = True
        self.turn = 0

    @property
    def is_shown(self) -> bool:
        """Whether faces are shown as pictures: the terminal can, and the user wants it."""
        return self._accepts and self._knows_placeholders and self._is_wanted

    def allow(self, *, wanted: bool) -> bool:
        """Show pictures only where the user wants them; returns whether that changes what is shown."""
        was_shown, self._is_wanted = self.is_shown, wanted
        self.turn += was_shown != self.is_shown
        return was_shown != self.is_shown

    def note_report(self, report: Report) -> bool:
        """Note the terminal's answer; returns whether that changes what is shown."""
        was_shown = self.is_shown
        if report.accepts is not None:
            self._accepts = report.accepts
        if report.name is not None:
            self._knows_placeholders = shows_placeholders(report.name)
        if report.cell is not None:
            width, height = report.cell
            # The terminal keeps the shape of a picture, even where it leaves a gap then.
            self._ratio = min(max(height / width, _RATIOS[0]), _RATIOS[1])
        self.turn += self.is_shown != was_shown
        return self.is_shown != was_shown

    def show_faces(self, canvas: Canvas) -> None:
        """Show the faces of a canvas as pictures, as far as there are such."""
        if not self.is_shown:
            return
        from scoville_client.tui.drawing.face_picture import has_face  # late: most terminals have no pictures

        for face in canvas.faces[:PICTURES]:
            _, _, columns, rows = face.area
            fits = _LEAST_COLUMNS <= columns <= MOST_COLUMNS and _LEAST_ROWS <= rows <= MOST_ROWS
            if fits and has_face(face.text):
                peppers = face.peppers if rows >= _PEPPER_ROWS else 0
                place = self._find_place((face.text, peppers, columns, rows))
                canvas.show_picture(face, _list_signs(place, columns, rows))

    def _find_place(self, key: _Key) -> int:
        """Return the place of a picture; it is sent if the terminal has not got it."""
        if key in self._sent:
            self._sent.move_to_end(key)
        elif len(self._sent) < PICTURES:
            self._send(key, len(self._sent))
        else:
            # The terminal drops the picture that had the place. A screen that still has its cells is drawn again.
            self._send(key, self._sent.popitem(last=False)[1])
            self.turn += 1
        return self._sent[key]

    def _send(self, key: _Key, place: int) -> None:
        from scoville_client.tui.drawing.face_picture import draw_png

        self._sent[key] = place
        text, peppers, columns, rows = key
        png = draw_png(text, peppers, columns * _PIXELS, round(rows * _PIXELS * self._ratio))
        self._write(_sequence_of_picture(png, _FIRST_ID + place, columns, rows))

    def send_again(self) -> None:
        """Send all pictures to a terminal that may have lost them."""
        for key, place in self._sent.items():
            self._send(key, place)

    @property
    def removal_sequence(self) -> str:
        """The sequence that takes all pictures from the terminal."""
        numbers = sorted(_FIRST_ID + place for place in self._sent.values())
        return "".join(f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\" for number in numbers)


@lru_cache(maxsize=256)
def _list_signs(place: int, columns: int, rows: int) -> Sequence[Sequence[str]]:
    first = _FIRST + place * _CELLS
    return [[chr(first + row * MOST_COLUMNS + column) for column in range(columns)] for row in range(rows)]
