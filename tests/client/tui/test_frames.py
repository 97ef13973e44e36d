"""Boxes: the text of an edge is cut only where it has no room at all."""

from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.frames import Edge, draw_frame


def test_edge_text_takes_the_line_before_it_is_cut() -> None:
    heads = {}
    for width in (13, 12, 11, 10, 9):
        canvas = Canvas(width, 3)
        draw_frame(canvas, (0, 0, width, 3), Edge.PLAIN, "text", head="gesamt", foot="gesamt")
        heads[width] = str(canvas).splitlines()[0], str(canvas).splitlines()[2]
    assert heads == {
        13: ("╭─ gesamt ──╮", "╰── gesamt ─╯"),
        12: ("╭─ gesamt ─╮", "╰─ gesamt ─╯"),
        11: ("╭ gesamt ─╮", "╰─ gesamt ╯"),
        10: ("╭ gesamt ╮", "╰ gesamt ╯"),
        9: ("╭─ ge… ─╮", "╰─ ge… ─╯"),
    }
