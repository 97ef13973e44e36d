"""Questions before actions that cannot be undone: keys typed before them do not answer them."""

import gc
from collections.abc import Iterator
from functools import partial

import pytest
from textual.css.query import NoMatches
from textual.events import Callback, Key

from scoville_client.i18n.language import set_language
from scoville_client.session.changes import TablesChanged
from scoville_client.session.start_options import Start
from scoville_client.tui.key_input import KeyGate, Scene
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.dialogs.join import JoinDialog
from scoville_client.tui.screens.dialogs.leave import LeaveDialog
from scoville_client.tui.screens.dialogs.prompt import PromptDialog
from scoville_client.tui.screens.dialogs.question import ConfirmDialog, QuestionDialog
from scoville_client.tui.screens.dialogs.settings import SettingsDialog
from scoville_client.tui.screens.help import HelpDialog
from scoville_client.tui.screens.lobby.lobby import LobbyScreen
from scoville_client.tui.screens.table.table import LogDialog, TableScreen
from scoville_shared.errors import Code, ScovilleError
from tests.client.tui.screens.test_keys import in_a_game
from tests.support.idle import wait_until_idle
from tests.support.live_server import LiveServer
from tests.support.screens import Player, at_the_screen, start_practice


@pytest.fixture
def german() -> Iterator[None]:
    set_language("de")
    yield
    set_language("en")


def ahead(player: Player, *keys: str, typed_at: float = 0.0) -> None:
    """Type keys that reach the client all at once, and were typed at a moment of its clock."""
    driver = player.app._driver
    assert driver is not None
    for key in keys:
        event = Key(key, key if len(key) == 1 else None)
        event.time = typed_at or event.time
        event.set_sender(player.app)
        driver.send_message(event)


def test_a_key_counts_for_the_painted_picture() -> None:
    now = [10.0]
    gate = KeyGate()
    first, second = Scene("table", "reveal"), Scene("table", "choice")
    assert not gate.admits_key(first, 11)
    gate.note_painted(first, now[0])
    assert not gate.admits_key(first, 9.9)
    assert gate.admits_key(first, 10)
    now[0] = 12.0
    gate.note_painted(first, now[0])
    assert gate.admits_key(first, 11)
    assert not gate.admits_key(second, 13)
    assert not gate.admits_key(second, 13)
    assert gate.admits_key(second, 11, decides=False)
    gate.note_painted(second, now[0])
    assert not gate.admits_key(second, 11.9)
    assert gate.admits_key(second, 11.9, decides=False)
    assert not gate.admits_key(second, 9.9, decides=False)
    assert not gate.admits_key(Scene("dialog", None), 13, decides=False)
    assert gate.admits_key(second, 12)


@pytest.mark.parametrize("key", ["enter", "escape", "n"])
async def test_enter_and_esc_stay_in_the_game(key: str) -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.press("escape")
        assert isinstance(player.app.screen, LeaveDialog)
        await player.press(key)
        await player.until(lambda: player.where == "play")
        assert player.app.client.in_game


async def test_hurrying_through_a_reveal_leaves_no_game() -> None:
    async with at_the_screen(start_practice(), pace=3600) as player:
        table = await in_a_game(player)
        await player.press("escape")  # skips the deal
        await player.press("enter")
        await player.until(lambda: table.animating)
        await player.press("enter", "escape", "escape", "enter", "escape", "escape", "enter")
        assert player.app.client.in_game
        assert player.app.session.connection.online


async def test_keys_that_are_typed_ahead_answer_no_question() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        ahead(player, "q", "y", "y", "q", "y")
        await player.until(lambda: isinstance(player.app.screen, LeaveDialog) and player.app.up_to_date)
        assert player.app.return_code is None
        await player.press("y")
        await player.until(lambda: player.app.return_code == 0)


async def test_keys_older_than_the_question_are_dropped() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.press("q")
        since = player.app.keys._gate._since
        ahead(player, "y", typed_at=since - 0.001)
        await player.pilot.pause()
        assert isinstance(player.app.screen, LeaveDialog)
        ahead(player, "y", typed_at=since)
        await player.until(lambda: player.app.return_code == 0)


async def test_keys_typed_ahead_play_no_later_card() -> None:
    async with at_the_screen(start_practice(), pace=3600) as player:
        table = await in_a_game(player)
        await player.press("escape")  # skips the deal
        await player.press("enter")
        await player.until(lambda: table.animating)
        ahead(player, *["enter"] * 40)
        await player.sees("round 2")
        await player.until(lambda: player.app.up_to_date)
        assert not table.animating
        assert table.at.my_turn
        assert len(player.app.session.table.log) == len(table.at.log)
        assert table.at.played[table.at.seat] == 1


@pytest.mark.parametrize("size", [(20, 6), (1, 1), (45, 40)])
async def test_tiny_windows_quit_with_q_and_y_only(size: tuple[int, int]) -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.pilot.resize_terminal(*size)
        await player.until(lambda: player.app.screen.has_class("-small") and player.app.up_to_date)
        await player.press("right", "enter", "escape", "l")
        assert not isinstance(player.app.screen, Dialog)
        await player.press("q")
        await player.press("enter")
        assert player.app.client.in_game
        await player.press("q", "y")
        await player.until(lambda: player.app.return_code == 0)


async def test_where_the_question_does_not_fit_its_keys_do() -> None:
    async with at_the_screen(start_practice(), size=(30, 8)) as player:
        await player.until(lambda: player.app.client.in_game)
        await player.until(lambda: player.app.up_to_date)
        await player.press("q")
        await player.sees("Leave this game?")
        assert "y: leave." in " ".join(player.text.split())


async def test_board_keys_work_after_the_window_grows() -> None:
    async with at_the_screen(start_practice()) as player:
        table = await in_a_game(player)
        await player.pilot.resize_terminal(20, 6)
        await player.sees("Enlarge it")
        await player.pilot.resize_terminal(80, 24)
        await player.sees("draw pile")
        await player.press("home", "right")
        assert table.picker.selected == table.at.view.hand[1]


@pytest.mark.parametrize("key", ["p", "j", "question_mark", "N", "T"])
async def test_q_quits_a_tiny_window_whatever_lies_above(key: str) -> None:
    async with at_the_screen(Start(kind="menu")) as player:
        await player.press(key)
        await player.pilot.resize_terminal(10, 4)
        await player.until(lambda: player.app.screen.has_class("-small") and player.app.up_to_date)
        await player.press("q")
        await player.until(lambda: player.app.return_code == 0)


async def test_only_y_means_yes_and_a_question_is_answered_once() -> None:
    async with at_the_screen() as player:
        answers: list[bool | None] = []
        for keys in (("enter",), ("escape",), ("n",), ("q",), ("y",)):
            await player.app.push_screen(
                ConfirmDialog("Revoke [b]this[/b] token?", "For good.", "revoke"), answers.append
            )
            await player.until(lambda: player.app.up_to_date)
            ahead(player, *keys * 3)
            await player.until(lambda: not isinstance(player.app.screen, QuestionDialog))
            await player.until(lambda: player.app.up_to_date)
        assert answers == [False, False, False, False, True]
        assert player.where == "start"


async def test_a_covered_dialog_goes_after_the_upper_one() -> None:
    async with at_the_screen() as player:
        answers: list[str] = []
        under, over = ConfirmDialog("Under", "", "do"), PromptDialog("Over", "", "do")
        await player.app.push_screen(under, lambda answer: answers.append(f"under {answer}"))
        await player.app.push_screen(over, lambda answer: answers.append(f"over {answer}"))
        under.dismiss(True)
        assert player.app.screen is over
        over.dismiss("")
        await player.until(lambda: player.where == "start")
        assert answers == ["over ", "under True"]


async def test_a_kick_needs_y(live_server: LiveServer) -> None:
    async with at_the_screen(Start(kind="host", host="127.0.0.1", port=0, name="Anna")) as anna:
        await anna.sees("Press Enter to start")
        line = anna.app.client.running
        assert line is not None
        assert line.address is not None
        way = live_server.start_as("Paul")
        async with at_the_screen(Start(kind="join", host="127.0.0.1", port=line.address.port, name=way.name)) as paul:
            await paul.sees("waiting")
            await paul.press("enter")
            await anna.sees("Paul")
            await anna.press("x", "enter", *"idle", "enter")
            await anna.sees("idle")
            await anna.press("enter")
            await anna.until(lambda: anna.where == "waiting")
            assert "Paul" in anna.text
            await anna.press("x", "enter", *"idle", "enter")
            await anna.until(lambda: isinstance(anna.app.screen, QuestionDialog))
            await anna.press("y")
            await paul.sees("idle")


@pytest.mark.usefixtures("german")
async def test_a_refusal_with_a_wait_is_one_sentence_in_german(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as player:
        await player.until(lambda: player.where == "lobby")

        async def refused() -> None:
            raise ScovilleError(Code.SLOW_DOWN, "Slow down.", {"retry_after_ms": 534})

        player.app.send_request(refused())
        await player.sees("Zu viele Anfragen: Versuch es in 1 Sekunde noch einmal.")


@pytest.mark.parametrize("keys", ["bR", "bRRLLRLR", "bLRbRL"])
async def test_a_language_may_change_while_a_leaderboard_comes(live_server: LiveServer, keys: str) -> None:
    async with at_the_screen(live_server.start) as player:
        await player.until(lambda: player.where == "lobby" and player.app.up_to_date)
        ahead(player, "b")
        await player.until(partial(player.sees_dialog, "LeaderboardDialog"))
        ahead(player, *("right" if key == "R" else key for key in keys[1:]))
        await player.pilot.pause()
        await player.press("escape")
        await player.until(lambda: player.where == "lobby")
    set_language("en")


async def test_the_settings_change_language_while_they_open_and_close() -> None:
    async with at_the_screen() as player:
        for _ in range(6):
            ahead(player, "L", "N", "L", "N")
            await player.until(lambda: player.app.up_to_date)
        await player.press("escape")
    set_language("en")


@pytest.mark.parametrize("text", ["abc123 xyz,.-" * 800, "\n" * 10_000, "y" * 10_000], ids=["text", "returns", "y"])
async def test_ten_kilobytes_at_once_break_nothing(text: str) -> None:
    names = {"\n": "enter", " ": "space", ",": "comma", ".": "full_stop", "-": "minus"}
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        ahead(player, *(names.get(char, char) for char in text))
        await player.until(lambda: player.app.message_queue_size == 0)
        await player.until(lambda: player.app.up_to_date)
        assert player.app.is_running
    set_language("en")


async def test_messages_to_a_leaving_screen_are_dropped() -> None:
    async with at_the_screen() as player:
        dialog = ConfirmDialog("Under", "", "do")
        await player.app.push_screen(dialog)
        with pytest.raises(NoMatches):
            await dialog._dispatch_message(Callback(callback=partial(dialog.query_one, "#nowhere")))
        dialog.dismiss(False)
        await player.until(lambda: player.where == "start")
        await dialog._dispatch_message(Callback(callback=partial(dialog.query_one, "#nowhere")))


async def test_dialogs_build_no_tower() -> None:
    async with at_the_screen() as player:
        for _ in range(10):
            for dialog in (
                SettingsDialog(),
                HelpDialog("start"),
                LogDialog(list),
                ConfirmDialog("Sure?", "", "do"),
                JoinDialog(),
            ):
                player.app.open_dialog(dialog)
        assert await player.app.ask_user(ConfirmDialog("Waits", "", "do")) is None
        await player.until(lambda: player.app.up_to_date)
        assert len(player.app.screen_stack) == 8
        await player.app.page_stack.pop_to(lambda screen: screen is player.app.page_stack.page)
        first, second = ConfirmDialog("Once?", "", "do"), ConfirmDialog("Twice?", "", "do")
        player.app.open_dialog(first)
        player.app.open_dialog(second)
        assert player.app.screen is first


async def test_dialogs_answered_below_others_build_no_tower() -> None:
    async with at_the_screen() as player:
        for number in range(30):
            player.app.open_dialog(LogDialog(list) if number % 2 else ConfirmDialog("Sure?", "", "do"))
            below = player.app.screen_stack[-2]
            if isinstance(below, Dialog):
                below.dismiss(None)
        await player.until(lambda: player.app.up_to_date)
        assert len(player.app.screen_stack) == 8
        player.app.screen.dismiss(None)
        await player.until(lambda: player.where == "start")


async def test_what_is_asked_in_the_last_moment_leaves_nothing_behind(recwarn: pytest.WarningsRecorder) -> None:
    async def never() -> None:
        raise AssertionError("the client has ended")

    async with at_the_screen() as player:
        player.app.send_request(never())
        player.app.workers.cancel_all()
        player.app.exit(0)
        await player.until(lambda: player.app.return_code == 0)
    gc.collect()
    assert not [str(each.message) for each in recwarn if each.category is RuntimeWarning]


async def test_keys_with_new_meanings_are_taken_without_redrawing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        meanings = ["first"]
        monkeypatch.setattr(type(player.app.screen), "meaning", property(lambda _: meanings[-1]))
        for meaning in ("second", "third", "second", "third"):
            meanings.append(meaning)
            assert not player.app.up_to_date
            player.app.connection._changes.show_later(TablesChanged())
            await player.until(lambda: player.app.up_to_date)


async def test_a_screen_opening_at_the_end_does_not_crash() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        app = player.app
        assert app.session.table is not None
        app.exit(0)
        app.push_screen(TableScreen(app.session.table, pace=0))
        app.push_screen(LobbyScreen())
        app.push_screen(PromptDialog("Name", "", "do"))
        await wait_until_idle()
    assert app._exception is None
