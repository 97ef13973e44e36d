"""What a page tells lies over it, and goes away."""

from scoville_client.boards.board import Board
from scoville_client.start import Start
from scoville_client.widgets.notice import Notice
from tests.support.screens import WIDE, at_the_screen, practice

LONG = "All four seats of this table are taken by now; look for another one, or watch this game for a while instead."


async def test_a_notice_never_changes_the_size_of_the_board() -> None:
    async with at_the_screen(practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        before = board.size
        player.app.page.tell(LONG, bad=True)
        await player.sees("All four seats")
        assert board.size == before == (80, WIDE[1] - 1)
        assert "draw pile" in player.text
        rows = player.text.splitlines()
        assert "for a while instead." in rows[-2]
        assert "All four seats" in rows[-3]


async def test_a_notice_goes_away_at_the_next_key() -> None:
    async with at_the_screen(practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        player.app.page.tell(LONG)
        await player.sees("All four seats")
        await player.press("right")
        assert "All four seats" not in player.text


async def test_a_lost_server_is_told_until_the_person_goes_back() -> None:
    async with at_the_screen(Start(kind="join", host="127.0.0.1", port=1)) as player:
        await player.sees("127.0.0.1:1")
        player.app.page.tell(LONG, stays=True)
        await player.press("down")
        assert player.app.screen.query_one(Notice).sentence == LONG
