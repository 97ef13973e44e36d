"""The difference between two pictures shows the same as the whole second one, in fewer bytes."""

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region, Size
from textual.strip import Strip

from scoville_client.tui.terminal.colours import DEFAULT, pen_of, write_change
from scoville_client.tui.terminal.output import Frame
from tests.support.terminal_screen import TerminalScreen

WIDTH, HEIGHT = 12, 3
STYLES = [
    None,
    Style.parse("bold #f3e9dc on #16100e"),
    Style.parse("#f3e9dc on #16100e"),
    Style.parse("underline #e5532d on #16100e"),
    Style.parse("reverse #e5532d on #2a1f1a"),
    Style.parse("strike bold italic on #2a1f1a"),
]


def cut(text: str) -> str:
    """Cut or fill a text to the width of the screen."""
    strip = Strip([Segment(text)]).adjust_cell_length(WIDTH)
    return strip.text


segments = st.tuples(st.text("ab ─▸字", max_size=6), st.sampled_from(STYLES))
rows = st.lists(segments, max_size=5).map(
    lambda parts: Strip([Segment(text, style) for text, style in parts]).adjust_cell_length(WIDTH)
)
narrow = rows.filter(lambda strip: "字" not in strip.text)
pictures = st.lists(rows, min_size=HEIGHT, max_size=HEIGHT)


def whole(picture: list[Strip]) -> LayoutUpdate:
    return LayoutUpdate([[strip] for strip in picture], Region(0, 0, WIDTH, HEIGHT))


def shown(*parts: str) -> list[list[object]]:
    """Return the cells of a terminal that has received some text; of blanks only what is seen of them."""
    screen = TerminalScreen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[?7l")
    for part in parts:
        stream.feed(part)
    return [[seen(screen.buffer[y][x]) for x in range(WIDTH)] for y in range(HEIGHT)]


def seen(cell: pyte.screens.Char) -> object:
    visible = cell.underscore or cell.reverse or cell.strikethrough
    return (" ", cell.bg) if cell.data == " " and not visible else cell


@given(st.lists(pictures, min_size=2, max_size=5))
def test_after_each_update_the_terminal_shows_that_picture(drawn: list[list[Strip]]) -> None:
    frame = Frame("true")
    parts = [frame.draw(whole(picture)) for picture in drawn]
    assert shown(*parts) == shown(Frame("true").draw(whole(drawn[-1])))


@given(pictures)
def test_a_picture_that_is_shown_costs_nothing(picture: list[Strip]) -> None:
    frame = Frame("true")
    frame.draw(whole(picture))
    assert frame.draw(whole(picture)) == ""


@given(
    st.lists(narrow, min_size=HEIGHT, max_size=HEIGHT),
    narrow,
    st.integers(0, HEIGHT - 1),
    st.integers(0, WIDTH - 2),
    st.integers(1, WIDTH),
)
def test_a_span_of_a_row(picture: list[Strip], row: Strip, y: int, start: int, length: int) -> None:
    end = min(start + length, WIDTH)
    chops: list[dict[int, Strip | None]] = [{0: None} for _ in range(HEIGHT)]
    chops[y] = {0: None, start: row.crop(start, end), end: None} if start else {0: row.crop(0, end), end: None}
    ends = [[*list(line)[1:], WIDTH] for line in chops]
    frame = Frame("true")
    parts = [frame.draw(whole(picture)), frame.draw(ChopsUpdate(chops, [(y, start, end)], ends))]
    wanted = [*picture]
    wanted[y] = Strip.join([picture[y].crop(0, start), row.crop(start, end), picture[y].crop(end, WIDTH)])
    assert shown(*parts) == shown(Frame("true").draw(whole(wanted)))


def test_after_a_change_of_the_size_everything_is_drawn_again() -> None:
    picture = [Strip([Segment(cut("abc"))])] * HEIGHT
    frame = Frame("true")
    first = frame.draw(whole(picture))
    frame.forget_cells()
    assert frame.draw(whole(picture)) == first


def test_wide_characters_are_followed_by_a_new_position() -> None:
    """Terminals differ in how wide such characters are: the rest of the row must not depend on it."""
    frame = Frame("none")
    drawn = frame.draw(whole([Strip([Segment(cut("字字b"))])] * HEIGHT))
    assert drawn.startswith("\x1b[1H字\x1b[1;3H字\x1b[1;5Hb")


def test_later_change_of_a_row_is_reached_from_the_former() -> None:
    frame = Frame("none")
    frame.draw(whole([Strip([Segment(cut("a        b"))])] * HEIGHT))
    changed = [Strip([Segment(cut("c        d"))]), *[Strip([Segment(cut("a        b"))])] * (HEIGHT - 1)]
    assert frame.draw(whole(changed)) == "\x1b[1Hc\x1b[8Cd"


def test_what_one_pen_draws_is_written_together() -> None:
    """A change of colours has up to forty bytes, a way to another place eight at most."""
    red, blue = Style.parse("#ff0909 on #010203"), Style.parse("#0909ff on #010203")
    rows = [Strip([Segment("a", red), Segment("b", blue), Segment(cut("a")[1:], red)])] * HEIGHT
    drawn = Frame("true").draw(whole(rows))
    assert (drawn.count("38;2;255"), drawn.count("38;2;9;9;255")) == (1, 1)
    assert drawn.count("48;2;1;2;3") == 1


def test_pictures_of_a_former_size_stay_within_the_terminal() -> None:
    """A smaller terminal would show what is outside at its edges, or scroll."""
    frame = Frame("none")
    frame.draw(whole([Strip([Segment(cut("abcdefghijkl"))])] * HEIGHT))
    frame.forget_cells(Size(6, 2))
    late = frame.draw(whole([Strip([Segment(cut("mnopq字tuvwx"))])] * HEIGHT))
    picture = LayoutUpdate([[Strip([Segment(text)])] for text in ("mnopqr", "ABCDEF")], Region(0, 0, 6, 2))
    screen = TerminalScreen(6, 2)
    stream = pyte.Stream(screen)
    stream.feed(late)
    assert screen.display == ["mnopq ", "mnopq "]
    stream.feed(frame.draw(picture))
    assert screen.display == ["mnopqr", "ABCDEF"]


def test_addresses_open_in_terminals_that_know_links() -> None:
    linked = Style(bold=True, link="http://a")
    picture = [Strip([Segment("at "), Segment("http://a", linked), Segment(" x")]), *[Strip([Segment(cut("b"))])] * 2]
    drawn = Frame("none", links=True).draw(whole(picture))
    assert "\x1b]8;;http://a\x1b\\\x1b[1mhttp://a\x1b]8;;\x1b\\" in drawn
    assert drawn.count("\x1b]8;;\x1b\\") == 1, "it is closed once"
    assert "\x1b]8" not in Frame("none").draw(whole(picture)), "others might print it"


def test_an_update_of_another_kind_is_a_fault() -> None:
    with pytest.raises(TypeError, match="CompositorUpdate"):
        Frame("true").draw(CompositorUpdate())


@pytest.mark.parametrize(
    ("colours", "codes"),
    [
        ("true", "1;38;2;229;83;45;48;2;22;16;14"),
        ("256", "1;38;5;166;48;5;16"),
        ("16", "1;91;40"),
        ("none", "1"),
    ],
)
def test_colours_of_terminals(colours: str, codes: str) -> None:
    style = Style.parse("bold #e5532d on #16100e")
    assert write_change(DEFAULT, pen_of(style, colours)) == f"\x1b[{codes}m"  # type: ignore[arg-type]


def test_two_sessions_do_not_share_colours() -> None:
    picture = [Strip([Segment(cut("abc"), Style.parse("#e5532d on #16100e"))])] * HEIGHT
    assert "38;2;229;83;45" in Frame("true").draw(whole(picture))
    assert "38;5;166" in Frame("256").draw(whole(picture))
    assert "38" not in Frame("none").draw(whole(picture))
