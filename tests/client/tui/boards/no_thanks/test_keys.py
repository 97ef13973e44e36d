"""No Thanks! by keys alone, with the real server inside the client."""

from typing import Any

import pytest

from scoville_client.tui.boards.no_thanks.board import NoThanksBoard
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_shared.games.no_thanks.state import PASS, TAKE
from tests.support.screens import NARROW, WIDE, Player, at_the_screen, start_practice

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


def game(**more: Any) -> Any:
    return start_practice(game="no_thanks", **more)


def board(player: Player) -> NoThanksBoard:
    return player.app.screen.query_one(NoThanksBoard)


def to_decide(player: Player) -> bool:
    """Whether the table waits for my answer, and shows it."""
    return player.where == "play" and bool(player.app.screen.query(NoThanksBoard)) and bool(board(player).choice.moves)


async def in_a_game(player: Player) -> NoThanksBoard:
    await player.until(lambda: player.where == "play" and player.app.screen.query(NoThanksBoard))
    await player.until(lambda: to_decide(player) or board(player).animating)
    return board(player)


async def my_turn(player: Player) -> NoThanksBoard:
    """Skip animations until it is my turn."""
    table = await in_a_game(player)
    while not to_decide(player):
        await player.press("escape" if table.animating else "home")
    return table


async def without_chips(player: Player) -> NoThanksBoard:
    """Pay every chip."""
    table = await my_turn(player)
    while table.at.view.chips:
        await player.press("p")
        await player.until(lambda: to_decide(player))
    return table


def keys(player: Player) -> str:
    bar = player.app.screen.query_one(KeyBar)
    return bar.draw(bar.size.width, 1).line(0)


@pytest.mark.parametrize(("size", "seats"), [(WIDE, 3), (NARROW, 7)], ids=["80x24", "46x19"])
async def test_a_whole_game_is_played_by_keys(size: tuple[int, int], seats: int) -> None:
    async with at_the_screen(game(players=seats), size=size) as player:
        await my_turn(player)
        for turn in range(300):
            await player.press("t" if turn % 4 == 3 or not board(player).at.view.chips else "n")
            await player.until(lambda: player.where == "result" or to_decide(player))
            if player.where == "result":
                break
        await player.sees("The game is over.")
        assert "1." in player.text


async def test_a_whole_game_is_played_by_enter_and_arrows() -> None:
    async with at_the_screen(game(players=3), size=NARROW) as player:
        await my_turn(player)
        for turn in range(200):
            await player.press(*(["right", "enter"] if turn % 3 else ["left", "enter"]))
            await player.until(lambda: player.where == "result" or to_decide(player))
            if player.where == "result":
                break
        await player.sees("The game is over.")


async def test_taking_does_what_the_table_said() -> None:
    async with at_the_screen(game()) as player:
        table = await my_turn(player)
        view = table.at.view
        weighed = view.board.weigh_taking(view.seat)
        await player.press("t")
        await player.until(lambda: view.board.card in table.at.view.board.cards[view.seat])
        after = table.at.view
        assert after.board.points[view.seat] - after.chips == view.board.points[view.seat] - view.chips + weighed.change


async def test_enter_declines_and_the_arrows_mark_the_other_answer() -> None:
    async with at_the_screen(game()) as player:
        table = await my_turn(player)
        assert table.choice.marked == PASS
        assert "▸ n No thanks" in player.text
        assert "Enter n no thanks" in keys(player)
        await player.press("up")
        assert table.choice.marked == TAKE
        assert "Enter t take" in keys(player)
        await player.press("down")
        chips = table.at.view.chips
        await player.press("enter")
        await player.until(lambda: table.at.view.chips == chips - 1)


async def test_without_chips_passing_is_refused_with_its_reason() -> None:
    async with at_the_screen(game()) as player:
        table = await without_chips(player)
        assert table.choice.marked == TAKE
        assert "t take" in keys(player)
        assert "no thanks" not in keys(player)
        await player.press("p")
        card = table.at.view.board.card
        await player.until(lambda: f"You have no chips, so you must take the {card}." in player.notices)
        await player.press("enter")
        await player.until(lambda: card in table.at.view.board.cards[table.at.view.seat])


async def test_passes_are_animated_and_skipped_without_deciding() -> None:
    async with at_the_screen(game(), pace=3600) as player:
        table = await my_turn(player)
        chips = table.at.view.chips
        await player.press("p")
        await player.sees("no thanks!")
        assert "Anna declines" in player.text
        assert "next step" in keys(player)
        await player.until(lambda: table.at.my_turn)
        await player.press("enter")
        assert "Your turn" not in player.text
        await player.press("t")
        await player.sees("Your turn")
        assert table.at.view.chips == chips - 1


async def test_with_less_motion_a_pass_has_no_story() -> None:
    async with at_the_screen(game(), pace=3600) as player:
        table = await my_turn(player)
        await player.press("m", "p")
        await player.until(lambda: table.at.my_turn)
        assert not table.animating


async def test_the_look_can_be_changed_in_the_game() -> None:
    async with at_the_screen(game()) as player:
        await my_turn(player)
        dark = player.app.theme
        await player.press("T")
        assert player.app.theme != dark


async def test_the_rules_open_at_the_page_that_fits() -> None:
    async with at_the_screen(game(), pace=3600) as player:
        table = await my_turn(player)
        assert table.page == "turn"
        while table.at.view.chips:
            await player.press("p")
            await player.until(lambda: table.at.my_turn)
            await player.press("escape")
            await my_turn(player)
        assert table.page == "no-chips"
        await player.press("t")
        await player.until(lambda: table.animating)
        assert table.page == "count"


async def test_escape_asks_before_it_leaves() -> None:
    async with at_the_screen(game()) as player:
        await my_turn(player)
        await player.press("escape")
        await player.sees("Leave this game?")
