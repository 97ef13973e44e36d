"""Cards in front of a seat: runs overlap, single cards do not, every number stays visible."""

import re

import pytest

from scoville_client.tui.boards.no_thanks.seats import draw_rows, rows_of
from scoville_client.tui.drawing.canvas import Canvas

PETERS = [(13, 14, 15, 16), (21,), (30,)]


def written(runs: list[tuple[int, ...]], width: int, *, framed: bool = True) -> list[str]:
    return [" ".join(row) for row in rows_of(runs, width, framed=framed)]


def test_runs_overlap_and_single_cards_lie_apart() -> None:
    assert written(PETERS, 40) == ["[13│14│15│16] [21] [30]"]


def test_single_cards_lose_frames_in_little_room() -> None:
    assert written(PETERS, 40, framed=False) == ["[13│14│15│16] 21 30"]


def test_what_finds_no_room_continues_in_the_next_row() -> None:
    assert written(PETERS, 18) == ["[13│14│15│16] [21]", "[30]"]


def test_a_long_run_continues_in_the_next_row() -> None:
    assert written([tuple(range(20, 30))], 17) == ["[20│21│22│23│24│", "25│26│27│28│29]"]


@pytest.mark.parametrize("width", [15, 17, 30, 50])
@pytest.mark.parametrize("framed", [True, False])
def test_no_card_is_lost_and_no_row_too_long(width: int, framed: bool) -> None:
    runs = [(3, 4, 5), (7,), (9,), tuple(range(11, 28)), (30,), (32, 33), (35,)]
    rows = written(runs, width, framed=framed)
    assert [int(card) for row in rows for card in re.findall(r"\d+", row)] == [card for run in runs for card in run]
    assert all(len(row) <= width for row in rows)


def test_fresh_and_joining_cards_stand_out() -> None:
    canvas = Canvas(30, 1)
    draw_rows(canvas, 0, 0, rows_of([(13,), (15, 16), (21,)], 30), fresh=21, joined=(13, 14, 15, 16))
    styles = {card: canvas.style(canvas.line(0).index(card), 0) for card in ("13", "15", "16", "21")}
    assert styles == {"13": "rim", "15": "rim", "16": "rim", "21": "target"}
