"""Points of view: spectators see no hidden cards, commentators see hands, and neither can play."""

import pytest

from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_shared.ids import Seat
from tests.client.tui.boards.gallery import Hall
from tests.client.tui.boards.seen import GAMES, NAMES, SINCE, dealt, mover

KEYS = ("enter", "1", "2", "3", "4", "down", "up", "right", "left", "t", "p", "n", "k", "u", "space", "home", "end")
sizes = pytest.mark.parametrize("size", [(46, 18), (80, 23), (120, 40)], ids=str)
every_game = pytest.mark.parametrize("slug", GAMES)
every_board = pytest.mark.parametrize(
    ("slug", "board"), [*((slug, find_board(slug)) for slug in GAMES), ("no_thanks", SentencesBoard)]
)


def spoken(hall: Hall) -> str:
    return " ".join(hall.text.split())


@sizes
@every_board
async def test_a_point_of_view_is_named_with_the_mover(slug: str, board: type[Board], size: tuple[int, int]) -> None:
    at = dealt(slug, None, view=1)
    async with (hall := Hall(board, at, SINCE)).run_test(size=size):
        assert "Paul's view." in spoken(hall)
        assert board is SentencesBoard or "you" not in hall.text.lower()
        assert slug == "dicht_dran" or NAMES[mover(at)] in spoken(hall).partition("Paul's view.")[2]


@every_board
async def test_watching_the_mover_plays_no_key(slug: str, board: type[Board]) -> None:
    at = dealt(slug, None, view=int(mover(dealt(slug, None))))
    async with (hall := Hall(board, at, SINCE)).run_test(size=(80, 23)) as pilot:
        hall.board.focus()
        await pilot.press(*KEYS)
        assert hall.decided == []
        assert hall.board.keys == ()


@sizes
@pytest.mark.parametrize("slug", ["dicht_dran", "chilli_chase"])
async def test_eyes_see_the_hand_and_a_place_sees_its_backs(slug: str, size: tuple[int, int]) -> None:
    point_of_view, place = dealt(slug, None, view=2), dealt(slug, None)
    place.viewpoint = Seat(2)
    cards = [str(card) for card in point_of_view.view.hand]
    async with (hall := Hall(find_board(slug), point_of_view, SINCE)).run_test(size=size):
        assert all(card in hall.text for card in cards)
        assert "▒" not in hall.text
    async with (hall := Hall(find_board(slug), place, SINCE)).run_test(size=size):
        backs = next(row for row in hall.text.splitlines() if "▒" in row)
        assert backs.count("│▒") == len(cards)
        assert "At Max's seat." in spoken(hall)


@sizes
@every_game
async def test_the_place_one_watches_from_is_marked_without_colour(slug: str, size: tuple[int, int]) -> None:
    at = dealt(slug, None)
    at.viewpoint = Seat(0)
    async with (hall := Hall(find_board(slug), at, SINCE)).run_test(size=size):
        assert [name for name in NAMES if f"{name} ◂" in hall.text] == ["Anna"]


async def test_in_no_thanks_the_place_one_watches_from_lies_nearest() -> None:
    at = dealt("no_thanks", None)
    at.viewpoint = Seat(0)
    async with (hall := Hall(find_board("no_thanks"), at, SINCE)).run_test(size=(80, 23)):
        heads = "".join(row for row in hall.text.splitlines() if "─ " in row or "═ " in row)
        assert sorted(NAMES, key=heads.rindex) == ["Paul", "Max", "Anna"]


@every_game
async def test_who_has_a_seat_has_no_other_place(slug: str) -> None:
    at = dealt(slug, 1)
    at.viewpoint = at.point_of_view = Seat(2)
    async with (hall := Hall(find_board(slug), at, SINCE)).run_test(size=(80, 23)):
        assert "◂" not in hall.text
        assert "'s view" not in hall.text
