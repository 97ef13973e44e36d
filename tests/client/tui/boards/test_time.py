"""Thinking time on the boards: counted down, marked when short, stopped in a pause."""

import re
from typing import Any

import pytest
from textual.geometry import Region

from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.drawing.status import BoardStatus
from scoville_client.tui.terminal.glyphs import table_of_level as glyphs
from tests.client.tui.boards.gallery import Hall
from tests.client.tui.boards.seen import GAMES, NAMES, SINCE, dealt, mover

LEFT = (84_000, 84_000, 84_000)
SHORT = (9_030, 9_030, 9_030)
SIZES = [(46, 18), (60, 18), (80, 23), (120, 40)]
sizes = pytest.mark.parametrize("size", SIZES, ids=str)
every_game = pytest.mark.parametrize("slug", GAMES)


def row_of(text: str, name: str) -> str:
    return next(row for row in text.splitlines() if re.search(rf"{name}.*\d:\d\d", row))


def board_of(slug: str) -> Any:
    return find_board(slug) if slug in GAMES else SentencesBoard


@sizes
@pytest.mark.parametrize("slug", [*GAMES, "sentences"])
async def test_every_seat_shows_its_time_beside_its_name(slug: str, size: tuple[int, int]) -> None:
    at = dealt(slug if slug in GAMES else "no_thanks", left_ms=(84_000, 723_000, 5_000))
    at.pending = frozenset({0})  # type: ignore[arg-type]
    async with (hall := Hall(board_of(slug), at, SINCE)).run_test(size=size):
        for name, time in zip(NAMES, ("1:24", "12:03", "0:05"), strict=True):
            assert time in row_of(hall.text, name)
        assert "!0:05" not in hall.text, "a clock that stands warns nobody"


@sizes
@every_game
async def test_the_clock_continues_and_is_marked_when_short(slug: str, size: tuple[int, int]) -> None:
    at = dealt(slug, left_ms=(11_030,) * 3)
    name = NAMES[mover(at)]
    async with (hall := Hall(find_board(slug), at, SINCE)).run_test(size=size) as pilot:
        await pilot.pause()
        assert "0:12" in row_of(hall.text, name)
        drawn = hall.board._rows
        await hall.hand.elapse(2.05)
        assert drawn != hall.board._rows, "the board's own timer has drawn the next second"
        assert "!0:09" in row_of(hall.text, name)


@pytest.mark.parametrize("slug", [*GAMES, "sentences"])
async def test_a_second_repaints_only_the_thinkers_rows(slug: str) -> None:
    at = dealt(slug if slug in GAMES else "chilli_chase", left_ms=LEFT)
    async with (hall := Hall(board_of(slug), at, SINCE)).run_test(size=(80, 23)) as pilot:
        await pilot.pause()
        hall.board.repaint()
        refreshed: list[Region] = []
        hall.board.refresh = lambda *regions, **_: refreshed.extend(regions)  # type: ignore[method-assign, assignment]
        hall.hand.time += 1
        hall.board.repaint()
        rows = {region.y for region in refreshed}
        thinking = at.pending if slug != "sentences" else {0}
        assert len(rows) == len(thinking)
        assert all(region.height == 1 for region in refreshed)


@sizes
@every_game
async def test_a_pause_is_said_and_no_clock_runs(slug: str, size: tuple[int, int]) -> None:
    at = dealt(slug, left_ms=SHORT, paused=True)
    async with (hall := Hall(find_board(slug), at, SINCE + 60)).run_test(size=size):
        assert "paused" in hall.text
        assert "0:10" in row_of(hall.text, NAMES[mover(at)])
        assert hall.board._clock_timer is None


@sizes
@every_game
async def test_without_clocks_nothing_is_counted(slug: str, size: tuple[int, int]) -> None:
    at = dealt(slug, paused=True)
    async with (hall := Hall(find_board(slug), at, SINCE)).run_test(size=size):
        assert BoardStatus.of_table(at, SINCE) == BoardStatus(paused=True), "a pause is seen with clocks and without"
        assert hall.board._clock_timer is None


def test_little_time_is_shown_in_every_terminal() -> None:
    at = dealt("no_thanks", left_ms=(8_000,) * 3)
    face = BoardStatus.of_table(at, SINCE).time_of(mover(at))
    level = glyphs("ascii")
    assert level is not None
    assert (face.text.translate(level), face.style) == ("!0:08", "bad")
