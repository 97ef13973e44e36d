"""Miniatures: cards, players, points and what happens, whole in every width."""

import pytest

from scoville_client.tui.boards import find_board_of
from scoville_client.tui.boards.miniature import HEIGHTS, LEAST_WIDTH, draw_miniature
from scoville_client.tui.boards.picture import BigCard, BigSeat, Picture
from scoville_client.tui.drawing.canvas import Canvas
from tests.client.tui.boards.gallery import Hall, find_open_boxes
from tests.client.tui.boards.seen import GAMES, SINCE, dealt


def draw(picture: Picture, width: int, height: int = HEIGHTS[-1]) -> Canvas:
    canvas = Canvas(width, height)
    draw_miniature(canvas, (0, 0, width, height), picture)
    return canvas


@pytest.mark.parametrize("slug", GAMES)
async def test_a_running_game_is_seen_at_a_glance(slug: str) -> None:
    at = dealt(slug, seat=None)
    async with Hall(find_board_of(at), at, SINCE).run_test(size=(80, 24)) as pilot:
        picture = pilot.app.board.make_picture()  # type: ignore[attr-defined]
    for width in (LEAST_WIDTH, 41, 64):
        for height in HEIGHTS:
            canvas = draw(picture, width, height)
            written = str(canvas)
            assert all(name in written for name in at.names), written
            assert picture.sentence in written
            assert picture.title in written.splitlines()[0]
            assert find_open_boxes(canvas) == []
        assert all(str(card.number) in str(draw(picture, width)) for card in picture.cards)


def test_seven_players_stand_in_two_columns() -> None:
    seats = [BigSeat(f"Player {number}", str(number * 10)) for number in range(1, 8)]
    rows = str(draw(Picture("No Thanks!", seats, cards=[BigCard(31)]), 60)).splitlines()
    assert "Player 1" in rows[1]
    assert "Player 5" in rows[1]
    assert "70" in rows[3]


def test_a_long_sentence_and_a_long_name_stay_inside() -> None:
    seats = [BigSeat("Bartholomäus Schwarzenegger", "-12", leads=True), BigSeat("Anna", "3")]
    cards = [BigCard(1, word="●"), BigCard(50, "target", word="target ●●●"), BigCard(100)]
    said = "A sentence that is much longer than the picture is wide."
    canvas = draw(Picture("Dicht dran", seats, said, cards=cards), 40)
    assert find_open_boxes(canvas) == []
    assert "-12" in str(canvas)
    assert all(row.rstrip().endswith(("╮", "│", "╯")) for row in str(canvas).splitlines())
