"""The client by keys alone, with the real server inside it."""

import sys
from pathlib import Path

import pytest

from scoville_client.session.start_options import Start
from scoville_client.tui.boards.dicht_dran.board import DichtDranBoard
from scoville_client.tui.screens.dialogs.join import JoinDialog, JoinTarget
from scoville_client.tui.screens.dialogs.leave import LeaveDialog
from scoville_client.tui.screens.help import HelpDialog
from tests.support.screens import NARROW, WIDE, Player, at_the_screen, port_of, start_as, start_practice

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


def board(player: Player) -> DichtDranBoard:
    return player.app.screen.query_one(DichtDranBoard)


async def in_a_game(player: Player) -> DichtDranBoard:
    await player.until(lambda: player.where == "play" and player.app.screen.query(DichtDranBoard))
    await player.until(lambda: board(player).at.my_turn)
    return board(player)


async def test_a_whole_game_is_played_by_enter_alone() -> None:
    async with at_the_screen(start_practice(), size=NARROW) as player:
        await in_a_game(player)
        await player.until(lambda: player.where == "play")
        for _ in range(100):
            await player.press("enter")
            await player.until(lambda: player.where == "result" or board(player).at.my_turn)
            if player.where == "result":
                break
        await player.sees("The game is over.")
        assert "1." in player.text
        await player.press("enter")
        await in_a_game(player)


async def test_a_card_is_chosen_by_arrows() -> None:
    async with at_the_screen(start_practice()) as player:
        table = await in_a_game(player)
        hand = table.at.view.hand
        await player.press("home", "right", "right", "left")
        assert table.picker.selected == hand[1]
        await player.press("enter")
        await player.until(lambda: hand[1] not in table.at.view.hand)


async def test_a_move_waits_for_no_dialogs(monkeypatch: pytest.MonkeyPatch) -> None:
    actions = "scoville_client.tui.screens.table.actions"
    async with at_the_screen(start_practice()) as player:
        table = await in_a_game(player)
        monkeypatch.delitem(sys.modules, actions, raising=False)
        seq = table.at.seq
        await player.press("enter")
        await player.until(lambda: table.at.seq > seq)
        assert actions not in sys.modules


async def test_a_card_is_chosen_by_typing_its_number() -> None:
    async with at_the_screen(start_practice()) as player:
        table = await in_a_game(player)
        card = table.at.view.hand[2]
        await player.press(*str(card))
        await player.sees(f"{card}_ ")
        await player.press("escape")
        assert f"{card}_ " not in player.text
        await player.press(*str(card), "enter")
        await player.until(lambda: card not in table.at.view.hand)


async def test_the_reveal_is_animated_and_skippable() -> None:
    async with at_the_screen(start_practice(), pace=3600) as player:
        table = await in_a_game(player)
        await player.press("escape")  # skips the deal
        await player.press("enter")
        await player.sees("1st action")
        await player.press("enter")
        await player.sees("2nd action")
        await player.press("space")
        await player.sees("3rd action")
        assert "round 1" in player.text
        await player.press("escape")
        await player.sees("round 2")
        assert not table.animating
        assert player.where == "play"


async def test_with_less_motion_the_reveal_is_one_picture() -> None:
    async with at_the_screen(start_practice(), pace=3600) as player:
        table = await in_a_game(player)
        await player.press("escape")  # skips the deal
        await player.press("m", "enter")
        await player.until(lambda: table.animating)
        assert "wins" in player.text
        await player.press("enter")
        assert not table.animating


async def test_the_log_does_not_run_ahead_of_the_story() -> None:
    async with at_the_screen(start_practice(), pace=3600) as player:
        await in_a_game(player)
        await player.press("escape")  # skips the deal
        await player.press("enter")
        await player.sees("1st action")
        assert "wins" not in player.text


async def test_leaving_a_game_is_asked_first() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.press("q")
        assert isinstance(player.app.screen, LeaveDialog)
        await player.press("n")
        assert player.where == "play"
        await player.press("escape", "y")
        await player.until(lambda: player.where == "start")


async def test_a_practice_that_ends_elsewhere_keeps_the_seat() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.press("escape")
        await player.sees("cannot continue it")
        assert "give up my seat" not in player.text
        await player.press("g")
        assert isinstance(player.app.screen, LeaveDialog)


async def test_a_host_leaves_for_a_while_or_for_good(tmp_path: Path) -> None:
    hosted = Start(kind="host", host="127.0.0.1", port=0, name="Anna", data=tmp_path, clock={"absence_ms": 90_000})
    async with at_the_screen(hosted) as anna:
        await anna.sees("This table is saved in")
        await anna.sees("is away longer than 1:30.")
        await anna.press("enter")
        await in_a_game(anna)
        await anna.press("q")
        await anna.sees("Stop your server?")
        await anna.press("y")
        await anna.until(lambda: anna.app.return_code == 0)
    async with at_the_screen(hosted) as anna:
        await anna.sees("Your table has been reopened.")
        await anna.press("escape")
        await anna.sees("g give up my seat")
        await anna.press("g")
        await anna.until(lambda: anna.where == "lobby")
        await anna.press("q")
        await anna.until(lambda: anna.app.return_code == 0)
    async with at_the_screen(hosted) as anna:
        await anna.sees("Press Enter to start")


@pytest.mark.parametrize("keys", [["q"], ["ctrl+q"], ["down", "q"], ["question_mark", "ctrl+q"], ["j", "ctrl+q"]])
async def test_the_start_is_left_at_once(keys: list[str]) -> None:
    async with at_the_screen() as player:
        await player.press(*keys)
        await player.until(lambda: player.app.return_code == 0)


async def test_a_game_is_left_for_good_after_yes() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.press("ctrl+q", "y")
        await player.until(lambda: player.app.return_code == 0)


async def test_too_small_a_window_says_so_and_can_be_left() -> None:
    async with at_the_screen(size=(45, 12)) as player:
        await player.sees("too small")
        assert "46 x 19" in player.text
        await player.press("q")
        await player.until(lambda: player.app.return_code == 0)


async def test_a_window_that_grows_again_continues() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.pilot.resize_terminal(30, 8)
        await player.sees("too small")
        await player.pilot.resize_terminal(80, 24)
        await player.sees("draw pile")


async def test_the_look_can_be_changed() -> None:
    async with at_the_screen() as player:
        dark = player.app.screen.styles.background
        await player.press("T")
        assert player.app.screen.styles.background != dark


async def test_help_shows_the_keys_of_the_registry() -> None:
    async with at_the_screen() as player:
        await player.press("question_mark")
        assert isinstance(player.app.screen, HelpDialog)
        await player.sees("Select the marked row.")
        await player.press("escape")
        assert player.where == "start"


async def test_a_games_help_begins_with_enter_and_arrows() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.press("question_mark")
        await player.sees("In the game")
        first = player.text.index("In the game")
        places = [player.text.index(key, first) for key in ("Enter ", "← → ", "0-9 ", "Home ")]
        assert places == sorted(places)


async def test_a_replays_help_lists_its_keys_once() -> None:
    async with at_the_screen() as player:
        await player.app.push_screen(HelpDialog("replay"))
        await player.sees("In a replay")
        await player.sees("Go one step back or forward.")
        assert "Go one step forward." not in player.text


async def test_nobody_at_an_address_is_one_sentence_in_place() -> None:
    async with at_the_screen(Start(kind="join", host="127.0.0.1", port=1)) as player:
        await player.sees("127.0.0.1:1")
        assert player.where == "start"
        assert "Traceback" not in player.text


@pytest.mark.parametrize("typed", [[], ["space", "space"]])
async def test_a_line_without_an_address_is_this_computer(typed: list[str]) -> None:
    async with at_the_screen() as player:
        found: list[JoinTarget | None] = []
        player.app.push_screen(JoinDialog(), found.append)
        await player.until(lambda: isinstance(player.app.screen, JoinDialog))
        await player.press(*typed, "enter")
        await player.until(lambda: bool(found))
        assert found[0] is not None
        assert found[0].typed == "localhost"


async def test_a_wrong_address_is_explained_where_it_was_typed() -> None:
    async with at_the_screen() as player:
        await player.press("j")
        assert isinstance(player.app.screen, JoinDialog)
        await player.press("h", "colon", "x", "enter")
        await player.sees("is not a port")
        await player.press("escape")
        assert player.where == "start"


async def test_where_one_has_been_last_need_not_be_typed_again() -> None:
    async with at_the_screen() as player:
        await player.press("j", *"localhost", "colon", "1", "tab", *"Zoe", "enter")
        await player.until(lambda: player.where == "start" and not isinstance(player.app.screen, JoinDialog))
        await player.press("j")
        await player.sees("localhost:1")
        await player.sees("Zoe")


async def test_two_users_and_bots_play_until_the_server_is_lost() -> None:
    async with (
        at_the_screen(Start(kind="host", host="127.0.0.1", port=0, name="Anna")) as anna,
        at_the_screen(start_as(await port_of(anna), "Paul")) as paul,
    ):
        await paul.sees("waiting")
        await paul.press("enter")
        await paul.sees("Anna is the host")
        await anna.sees("Paul")
        await anna.press("enter")
        await in_a_game(anna)
        await in_a_game(paul)
        await anna.press("enter")
        await paul.until(lambda: board(paul).at.view.chosen[0])
        await paul.press("enter")
        await anna.sees("round 2")
        await anna.press("escape", "l")
        await anna.until(lambda: anna.where == "lobby")
        await anna.press("escape", "y")
        await anna.sees("Press q to stop it at once")
        await anna.press("q")
        await paul.sees("The server is shutting down. Reconnecting …")
        await paul.sees("Press Esc")
        await paul.press("escape")
        await paul.sees("disconnected, your seat is kept or a")
        await paul.press("y")
        await paul.until(lambda: paul.where == "start")


async def test_a_table_is_opened_in_plain_words() -> None:
    async with (
        at_the_screen(Start(kind="host", host="127.0.0.1", port=0, name="Anna")) as anna,
        at_the_screen(start_as(await port_of(anna), "Paul")) as paul,
    ):
        await paul.sees("waiting")
        await paul.press("c")
        await paul.sees("New table")
        await paul.press("down", "left", "down", "left", "down", "down", "right", "enter")
        await paul.until(lambda: paul.where == "waiting")  # the dialog says how many seats as well
        await paul.sees("3 seats")
        at = paul.app.session.table
        assert at is not None
        assert (at.info.options["cycles"], at.info.options["take_back"]) == (1, True)
        await paul.press("enter")
        table = await in_a_game(paul)
        assert table.at.view.board.options.take_back


async def test_a_choice_is_taken_back_where_the_table_allows_it() -> None:
    start = Start(kind="host", host="127.0.0.1", port=0, name="Anna", options={"take_back": True})
    async with at_the_screen(start) as anna, at_the_screen(start_as(await port_of(anna), "Paul")) as paul:
        await paul.sees("waiting")
        await paul.press("enter")
        await anna.sees("Paul")
        await anna.press("enter")
        table = await in_a_game(anna)
        await anna.press("enter")
        await anna.sees("Waiting for Paul")
        await anna.press("u")
        await anna.until(lambda: table.at.view.pick is None and table.at.my_turn)


@sizes
async def test_the_footer_offers_looking_back_once_possible(
    size: tuple[int, int],
) -> None:
    async with at_the_screen(start_practice(), size=size) as player:
        await in_a_game(player)
        assert "●" in player.text
        assert "pepper" in player.text
        await player.press("enter")
        if size == WIDE:  # the smallest window has room for the coach's key alone
            await player.sees("[ past")
        await player.press("question_mark", "end")
        await player.sees("Quit, even")
        await player.press("home")
        await player.sees("In the game")
