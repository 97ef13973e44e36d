"""Number lines: numbers keep their order, gaps are true to scale or dotted, labels stay near."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from scoville_client.tui.boards.number_line import Label, draw_labels, draw_scale, scale_of
from scoville_client.tui.drawing.canvas import Canvas

numbers = st.lists(st.integers(-9_999, 9_999), min_size=1, max_size=25, unique=True).map(sorted)


@given(numbers, st.integers(26, 200))
def test_every_number_has_a_column_of_its_own_in_order(marked: list[int], width: int) -> None:
    columns = scale_of(marked, width).columns
    assert list(columns) == marked
    assert all(before < after for before, after in pairwise(columns.values()))
    assert columns[marked[0]] == 0
    assert len(marked) == 1 or columns[marked[-1]] == width - 1


@given(numbers, st.integers(26, 200))
def test_gaps_that_are_not_dotted_are_true_to_scale(marked: list[int], width: int) -> None:
    scale = scale_of(marked, width)
    units = [
        (scale.columns[after] - scale.columns[before], after - before)
        for before, after in pairwise(marked)
        if before not in scale.broken
    ]
    for columns, gap in units:
        for others, other in units:
            assert abs(columns / gap - others / other) <= 1 / gap + 1 / other


def test_a_long_gap_is_dotted_and_short_ones_are_not() -> None:
    scale = scale_of([1, 2, 4, 900], 40)
    canvas = Canvas(40, 1)
    draw_scale(canvas, 0, 0, 40, scale)
    assert scale.broken == {4}
    assert "┄" in canvas.line(0)[scale.columns[4] :]
    assert "┄" not in canvas.line(0)[: scale.columns[4]]


def test_labels_without_room_are_left_out() -> None:
    labels = [Label(number, 5, f"{number}", "text") for number in (100, 200, 300)]
    canvas = Canvas(20, 1)
    draw_labels(canvas, 0, 0, 20, 1, [*labels, Label(400, 5, "400", "text", first=True)], furthest=4)
    assert canvas.line(0).split() == ["300", "400"] or canvas.line(0).split() == ["100", "400"]
