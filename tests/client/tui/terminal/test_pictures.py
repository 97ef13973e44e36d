"""Card faces as pictures: sent once, shown by placeholders as kitty's protocol has them, and taken away at the end."""

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import combining
from zlib import decompress

import pytest
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp, TerminalExchange
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_card
from scoville_client.tui.drawing.canvas import PICTURE, Canvas
from scoville_client.tui.drawing.frames import draw_frame
from scoville_client.tui.reports import Report
from scoville_client.tui.terminal.output import VISIBLE_TEXT, Frame
from scoville_client.tui.terminal.pictures import (
    MOST_COLUMNS,
    PICTURES,
    PLACEHOLDER,
    CardPictures,
    may_show_pictures,
    placeholder_of,
    shows_placeholders,
)
from scoville_client.tui.textual_hooks.parser import InputParser, TerminalReported
from scoville_client.tui.themes import DARK, find_style
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from tests.support.screens import at_the_screen

KITTY = b"\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.42.1)\x1b\\\x1b[6;20;10t"
_COMMANDS = re.compile(r"\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\")
# The table that the protocol has for rows and columns, as far as our pictures need it.
_TABLE = re.findall(
    r"\w+",
    "0305 030D 030E 0310 0312 033D 033E 033F 0346 034A 034B 034C 0350 0351 0352 0357 035B 0363 0364 0365 "
    "0366 0367 0368 0369 036A 036B 036C 036D 036E 036F 0483 0484 0485 0486 0487 0592 0593 0594 0595 0597 "
    "0598 0599 059C 059D 059E 059F 05A0 05A1",
)


@dataclass
class Received:
    """What a terminal that knows the protocol has received."""

    pictures: dict[int, tuple[int, int, bytes]]
    deleted: list[int]


def receive(written: str) -> Received:
    """Read the commands as the protocol says: the first chunk has all keys, the others only whether more follow."""
    got, data, head = Received({}, []), "", {}
    for keys, body in _COMMANDS.findall(written):
        values = dict(pair.split("=") for pair in keys.split(","))
        if values.get("a") == "d":
            assert values["d"] == "I", "virtual placements are deleted by their number alone"
            got.deleted.append(int(values["i"]))
            continue
        assert values["q"] == "2", "an answer would be typed"
        if not data:
            assert (values["a"], values["U"], values["f"]) == ("T", "1", "100")
            head = values
        else:
            assert set(values) == {"q", "m"}
        assert len(body) <= 4096
        assert values["m"] == "0" or len(body) % 4 == 0
        data += body
        if values["m"] == "0":
            number, columns, rows = (int(head[key]) for key in ("i", "c", "r"))
            got.pictures[number] = (columns, rows, b64decode(data))
            data = ""
    assert not data
    return got


def size_of_png(png: bytes) -> tuple[int, int]:
    """Return the pixels of a picture whose data are as many."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(png[start : start + 4]) for start in (16, 20))
    at = png.index(b"IDAT")
    data = decompress(png[at + 4 : at + 4 + int.from_bytes(png[at - 4 : at])])
    assert len(data) == height * (width + 1)
    return width, height


def pictures_of_kitty(written: list[str]) -> CardPictures:
    """Make pictures for a terminal that has answered like kitty."""
    pictures = CardPictures(written.append)
    for message in InputParser().feed(KITTY):
        assert isinstance(message, TerminalReported)
        pictures.note_report(message.report)
    assert pictures.is_shown
    return pictures


def draw_hand(selected: int, cards: Sequence[int] = (38, 100)) -> Canvas:
    """Draw cards of eight by six cells within their edges."""
    canvas = Canvas(40, 10)
    for place, card in enumerate(cards):
        edge = Edge.DOUBLE if place == selected else Edge.PLAIN
        draw_card(canvas, (1 + 12 * place, 1, 10, 8), card, 1 + place, edge=edge, style="card")
    return canvas


def write_canvas(frame: Frame, canvas: Canvas, tint: Style | None = None) -> str:
    """Return what a frame writes for a canvas; `tint` is what a dialog in front does to its colours."""
    colours = {**DARK.to_color_system().generate(), **DARK.variables}
    strips = []
    for y in range(canvas.height):
        segments = [Segment(text, find_style(style, colours) + (tint or Style())) for style, text in canvas.runs(y)]
        strips.append([Strip(VISIBLE_TEXT.apply(segments, None))])  # type: ignore[arg-type]
    return frame.draw(LayoutUpdate(strips, Region(0, 0, canvas.width, canvas.height)))


def placeholders(written: str) -> list[tuple[int, int, int]]:
    """Return picture, row and column of each placeholder."""
    found, ink = [], 0
    for codes, cell in re.findall(rf"\x1b\[([0-9;]*)m|{PLACEHOLDER}((?:[^ -~\x1b{PLACEHOLDER}])*)", written):
        if colour := re.search(r"38;2;(\d+);(\d+);(\d+)", codes):
            red, green, blue = map(int, colour.groups())
            ink = red << 16 | green << 8 | blue
        elif cell:
            row, column = (_TABLE.index(f"{ord(mark):04X}") for mark in cell[:2])
            found.append((ink, row, column))
    return found


def test_numbers_above_a_placeholder_are_those_of_the_protocol() -> None:
    written, ink = placeholder_of(chr(0xF0000 + 27 * MOST_COLUMNS + 47))
    assert written == f"\U0010eeee{chr(int(_TABLE[27], 16))}{chr(int(_TABLE[47], 16))}"
    assert all(combining(mark) == 230 for mark in written[1:])
    assert ink == "38;2;92;0;1"


def test_each_cell_shows_its_part_of_a_picture() -> None:
    sent: list[str] = []
    pictures, canvas = pictures_of_kitty(sent), draw_hand(0)
    pictures.show_faces(canvas)
    got = receive("".join(sent))
    assert [picture[:2] for picture in got.pictures.values()] == [(8, 6), (8, 6)]
    assert [size_of_png(picture[2]) for picture in got.pictures.values()] == [(80, 120), (80, 120)]
    shown = placeholders(write_canvas(Frame("true"), canvas))
    assert sorted(shown) == [
        (number, row, column) for number in sorted(got.pictures) for row in range(6) for column in range(8)
    ]
    assert all(len(each) < 4_096 for each in sent), "some kilobytes a card"


def test_picture_is_sent_once() -> None:
    sent: list[str] = []
    pictures, frame = pictures_of_kitty(sent), Frame("true")
    before, after = draw_hand(0), draw_hand(1)
    pictures.show_faces(before)
    write_canvas(frame, before)
    del sent[:]
    pictures.show_faces(after)
    moved = write_canvas(frame, after)
    assert not sent
    assert not placeholders(moved)
    assert len(moved.encode()) < 600


def test_a_dialog_in_front_changes_no_number() -> None:
    sent: list[str] = []
    pictures, canvas = pictures_of_kitty(sent), draw_hand(0)
    pictures.show_faces(canvas)
    plain = placeholders(write_canvas(Frame("true"), canvas))
    assert placeholders(write_canvas(Frame("true"), canvas, Style(color="#303030", bgcolor="#101010"))) == plain


def test_a_box_over_a_card_hides_what_is_below_it() -> None:
    pictures, canvas = pictures_of_kitty([]), draw_hand(0)
    draw_frame(canvas, (4, 3, 6, 3), Edge.PLAIN, "card")
    pictures.show_faces(canvas)
    assert [canvas.char(x, 4) for x in range(4, 10)] == ["│", " ", " ", " ", " ", "│"]
    assert canvas.style(2, 4) == canvas.style(2, 2) == canvas.style(9, 7) == PICTURE


def test_a_face_that_the_canvas_cuts_stays_in_cells() -> None:
    pictures, canvas = pictures_of_kitty([]), Canvas(12, 5)
    draw_card(canvas, (4, 0, 10, 5), 7, 1, edge=Edge.PLAIN, style="card")
    pictures.show_faces(canvas)
    assert canvas.faces == []


def test_the_oldest_picture_makes_room_and_screens_are_drawn_anew() -> None:
    sent: list[str] = []
    pictures = pictures_of_kitty(sent)
    turn = pictures.turn
    for card in range(1, PICTURES + 1):
        pictures.show_faces(draw_hand(0, [card]))
    assert pictures.turn == turn
    pictures.show_faces(draw_hand(0, [1]))  # drawn again, so that 2 is the oldest
    pictures.show_faces(draw_hand(0, [PICTURES + 1]))
    assert pictures.turn > turn
    numbers = [int(re.findall(r"i=(\d+)", each)[0]) for each in sent]
    assert len(set(numbers)) == PICTURES
    assert numbers[-1] == numbers[1]
    assert sorted(receive(pictures.removal_sequence).deleted) == sorted(set(numbers))


def test_lost_pictures_are_sent_again() -> None:
    sent: list[str] = []
    pictures = pictures_of_kitty(sent)
    pictures.show_faces(draw_hand(0))
    first = receive("".join(sent)).pictures
    del sent[:]
    pictures.send_again()
    assert receive("".join(sent)).pictures == first


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-ghostty"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, True),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, True),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, False),
        ({"TERM": "xterm-kitty", "TMUX": "default,1,0"}, False),
        ({"TERM": "xterm-kitty", "STY": "1.pts-0"}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "foot"}, False),
        ({}, False),
    ],
)
def test_only_two_terminals_are_asked_and_none_behind_tmux(environment: dict[str, str], asked: bool) -> None:
    assert may_show_pictures(environment) == asked


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("kitty(0.42.1)", True),
        ("kitty(0.28.0)", True),
        ("kitty(0.26.5)", False),
        ("kitty", False),
        ("ghostty 1.2.0", True),
        ("Konsole 24.08.0", False),
        ("WezTerm 20240203", False),
        ("tmux 3.5a", False),
        ("", False),
    ],
)
def test_a_name_tells_whether_placeholders_are_shown(name: str, shown: bool) -> None:
    assert shows_placeholders(name) == shown


@pytest.mark.parametrize("answers", [b"\x1b_Gi=31;ENOTSUPPORTED\x1b\\\x1bP>|kitty(0.42.1)\x1b\\", KITTY[:14], b""])
def test_without_both_answers_cards_stay_in_cells(answers: bytes) -> None:
    pictures = CardPictures(list[str]().append)
    for message in InputParser().feed(answers):
        assert isinstance(message, TerminalReported)
        pictures.note_report(message.report)
    canvas = draw_hand(0)
    plain = str(canvas)
    pictures.show_faces(canvas)
    assert str(canvas) == plain


def test_picture_has_the_shape_of_its_cells() -> None:
    for cell, height in (((8, 18), 135), ((1, 9000), 180), ((9000, 1), 60)):
        sent: list[str] = []
        pictures = pictures_of_kitty(sent)
        pictures.note_report(Report(cell=cell))
        pictures.show_faces(draw_hand(0, [7]))
        [(_, _, png)] = receive("".join(sent)).pictures.values()
        assert size_of_png(png) == (80, height)


async def test_a_board_shows_pictures_once_the_terminal_has_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_screen(Start(kind="practice", game="chilli_chase"), size=(120, 40)) as anna:
        await anna.sees("Enter")
        app, sent = anna.app, list[str]()
        assert PICTURE not in styles_of(app)
        answer_like_kitty(app, sent, monkeypatch)
        await anna.until(lambda: PICTURE in styles_of(app))
        assert receive("".join(sent)).pictures
        # The setting takes them away at once.
        app.settings.save_preferences(type(app.preferences)(pictures=False))
        await anna.until(lambda: PICTURE not in styles_of(app))


def answer_like_kitty(app: ScovilleApp, sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the terminal of an app answer what it would be asked."""
    exchange: Any = app.exchange
    assert isinstance(exchange, TerminalExchange)
    monkeypatch.setattr(exchange, "_terminal", exchange._terminal._replace(asks_pictures=True))
    monkeypatch.setattr(exchange.pictures, "_write", sent.append)
    for message in InputParser().feed(KITTY):
        assert isinstance(message, TerminalReported)
        app.post_message(message)


def styles_of(app: ScovilleApp) -> set[str]:
    """Return the styles of all canvases of the screen in front."""
    return {style for widget in app.screen.query(CanvasWidget) for row in widget._rows or () for style, _ in row}
