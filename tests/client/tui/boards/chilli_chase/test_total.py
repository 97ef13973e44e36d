"""The number line of Chilli Chase: whose scores, what the cards reach, and whose point that would be."""

import re

import pytest
from msgspec.structs import replace

from scoville_client.tui.boards.chilli_chase import layout
from scoville_client.tui.boards.chilli_chase.picker import pick_from
from scoville_client.tui.drawing.canvas import Canvas
from tests.client.tui.boards.chilli_chase.scenes import NARROW, SCORES, WIDE, scene, seen

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])


def line_of(canvas: Canvas) -> int:
    """The first row of the axis."""
    return next(y for y in range(canvas.height) if canvas.line(y).count("●") > 3 and re.search("[┬░]", canvas.line(y)))


def beneath_line(canvas: Canvas) -> int:
    """The row of the results."""
    y = line_of(canvas)
    while re.search("[┬░]", canvas.line(y)):
        y += 1
    return y


@sizes
def test_the_line_has_the_total_and_everybodys_score(size: tuple[int, int]) -> None:
    canvas = layout.draw_table(scene(seen(14, (3, 4, 6))), *size)
    y = line_of(canvas)
    assert "▼14" in canvas.line(y - 1)
    assert canvas.line(y).count("●") == len(SCORES) - 1
    assert canvas.line(y).count("◆") == 1
    assert "◆8" in canvas.line(y - 1)
    assert canvas.line(y)[canvas.line(y - 1).index("▼")] == "█"


@sizes
def test_what_the_selected_card_reaches_is_bright(size: tuple[int, int]) -> None:
    view = seen(14, (3, 4, 6))
    bright = {}
    for card in (3, 4):
        canvas = layout.draw_table(scene(view, pick_from(view.board, view.hand, card)), *size)
        y = line_of(canvas)
        bright[card] = {x for x in range(size[0]) if canvas.style(x, y) == "strong"}
    assert bright[3]
    assert bright[4]
    assert bright[3].isdisjoint(bright[4])


def test_a_result_names_whose_point_it_would_be() -> None:
    view = seen(14, (3, 4, 6))
    canvas = layout.draw_table(scene(view, pick_from(view.board, view.hand, 3)), *WIDE)
    assert "●11 Ben" in canvas.line(beneath_line(canvas))
    canvas = layout.draw_table(scene(view, pick_from(view.board, view.hand, 6)), *WIDE)
    assert "◆8 you" in canvas.line(beneath_line(canvas))


@sizes
def test_the_chosen_result_is_marked_on_the_line(size: tuple[int, int]) -> None:
    view = seen(14, (3, 4, 6))
    canvas = layout.draw_table(scene(view, pick_from(view.board, view.hand, 3).moved_along(-1)), *size)
    y = beneath_line(canvas)
    marked = [x for x in range(size[0]) if canvas.style(x, y) == "selected-pin"]
    assert "".join(canvas.char(x, y) for x in marked) == "2744"


@sizes
def test_a_spectator_sees_total_and_scores_alone(size: tuple[int, int]) -> None:
    canvas = layout.draw_table(scene(replace(seen(14), seat=None, hand=())), *size)
    rows = str(canvas).splitlines()
    y = next((y for y, row in enumerate(rows) if "▼14" in row), None)
    assert "┬" not in str(canvas)
    if y is None:  # without room for the line the tiles have the scores
        assert all(f"● {score}" in str(canvas) for score in SCORES)
    else:
        assert rows[y + 1].count("●") == len(SCORES)


def test_a_total_that_is_somebodys_score_is_both() -> None:
    canvas = layout.draw_table(scene(seen(11, (3, 4, 6))), *WIDE)
    assert "▼●11" in canvas.line(line_of(canvas) - 1)


def test_first_terms_are_explained_where_they_appear() -> None:
    text = str(layout.draw_table(scene(seen(8)), *WIDE))
    assert "Hot Pile 4" in text
    assert "Hot Pile: 4 × 2 = 8" in str(layout.draw_table(scene(seen(8)), 140, 49))
    assert "first to 5  turn 1 of 300" in text
    assert "first to 5  turn 1 of 300, then most points win" in str(layout.draw_table(scene(seen(8)), 100, 30))


def test_cards_are_larger_where_there_is_more_room() -> None:
    view = seen(14, (3, 4, 6))
    assert "[3]" in str(layout.draw_table(scene(view), *NARROW))
    assert re.search(r"║ +\[3\] +║", str(layout.draw_table(scene(view), *WIDE)))
    large = layout.draw_table(scene(view), 80, 39)
    assert "████████" in "".join(large.line(y) for y in range(*_rows_of(large, "choices")))


def _rows_of(canvas: Canvas, mark: str) -> tuple[int, int]:
    _, y, _, height = canvas.marks[mark]
    return y, y + height


def test_the_smallest_window_has_two_rows_for_what_happened() -> None:
    shown = layout.draw_table(scene(seen(14, (3, 4, 6))), *NARROW)
    assert shown.log is not None
    assert shown.log[3] == 2
    assert "Chilli Score" not in str(shown), "six seats leave no row for a heading"


@pytest.mark.parametrize("size", [(80, 39), (140, 49)], ids=str)
def test_tall_windows_are_filled_to_the_last_row(size: tuple[int, int]) -> None:
    rows = str(layout.draw_table(replace(scene(seen(14, (3, 4, 6))), log=()), *size)).splitlines()
    assert rows[0].lstrip().startswith("Chilli Chase")
    assert all(row.strip() for row in rows)
    assert "14 ^ 3" in "".join(rows[-10:])
    assert "███" in "".join(rows[:12])
