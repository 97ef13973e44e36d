"""Notifications (bell, window title, toasts) and their settings; the admin's lists."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.events import AppBlur, AppFocus

from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.boards.board import Board
from scoville_client.tui.notifications import BELL
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.account.admin import AdminDialog
from scoville_client.tui.screens.chat.panel import ChatPanel
from scoville_client.tui.screens.dialogs.settings import SettingsDialog
from scoville_client.tui.terminal.output import TerminalOutput
from scoville_shared.protocol.messages import AdminUserInfo, BanInfo
from tests.support.live_server import LiveServer
from tests.support.screens import NARROW, WIDE, Player, at_the_screen, start_practice

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the escape sequences that are written beside the drawing."""
    kept: list[str] = []
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(TerminalOutput, "write_sequence", lambda _, sequence: kept.append(sequence))
    return kept


async def test_my_turn_calls_while_i_look_elsewhere_and_no_longer(live_server: LiveServer, written: list[str]) -> None:
    await live_server.open_with_marie(seats=2)
    async with at_the_screen(live_server.start) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await paul.press("enter")
        await paul.until(lambda: paul.where == "waiting")
        paul.app.post_message(AppBlur())
        await live_server.marie.table_actions.start_game()
        await paul.until(lambda: paul.app.screen.query(Board))
        await paul.until(lambda: BELL in written)
        assert "\x1b]2;● Your turn – Dicht dran\x1b\\" in written
        paul.app.post_message(AppFocus())
        await paul.until(lambda: written[-1] == "\x1b]2;Scoville – Dicht dran\x1b\\")


@pytest.mark.parametrize("settings", [{}, {"start": "full", "countdown_ms": 600_000}], ids=["at once", "counted"])
async def test_a_start_calls_once_who_does_not_begin(
    live_server: LiveServer, written: list[str], settings: dict[str, object]
) -> None:
    """Only a start that was counted down had called: who waited at another window missed the one by the host."""
    await live_server.open_with_marie("chilli_chase", seats=2, settings=settings)
    async with at_the_screen(live_server.start) as paul:
        await paul.until(lambda: paul.where == "lobby")
        paul.app.post_message(AppBlur())
        await paul.press("enter")
        await paul.until(lambda: paul.where == "waiting")
        await live_server.marie.table_actions.start_game()
        await paul.until(lambda: paul.app.screen.query(Board))
        assert not paul.app.screen.query_one(Board).at.my_turn, "another test name: this one lets Paul begin"
        await paul.until(lambda: written[-1] == "\x1b]2;● Your game starts\x1b\\")
        assert written.count(BELL) == 1


async def test_invitations_and_whispers_change_the_title(live_server: LiveServer, written: list[str]) -> None:
    table = await live_server.open_with_marie(seats=2)
    async with at_the_screen(live_server.start) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await live_server.marie.table_actions.invite_user(table, "Paul")
        await paul.until(lambda: written and "● Marie invites you" in written[-1])
        await paul.press("up")
        assert written[-1] == "\x1b]2;Scoville\x1b\\"
        await live_server.marie.chat.send_message("\x1b]0;owned\x07 psst", to="Paul")
        await paul.until(lambda: "● Marie whispers to you" in written[-1])
        assert BELL not in written
        assert "owned" not in "".join(written)
        await paul.sees("Marie (private):")
        assert "\x1b" not in paul.text


async def test_likes_are_changed_at_once_and_kept(tmp_path: Path) -> None:
    app = ScovilleApp(Start(), Platform(SettingsFile(tmp_path / "settings.toml")))
    async with app.run_test(size=NARROW) as pilot:
        player = Player(app, pilot)
        await pilot.pause()
        await player.press("N")
        await player.until(lambda: isinstance(app.screen, SettingsDialog))
        await player.press("down", "down", "down", "down", "enter")
        await player.sees("Ring the bell of the terminal")
        await player.press("down", "down", "left", "up", "up", "up", "enter")
        await player.until(lambda: player.sees_dialog("PromptDialog"))
        await player.press("A", "n", "n", "a", "enter")
        await player.until(lambda: player.sees_dialog("SettingsDialog"))
        await player.sees("Anna")
        assert not app.notifier.bell_enabled
        assert app.notifier.title_enabled
        await player.press("escape")
    kept = SettingsFile(tmp_path / "settings.toml").preferences
    assert (kept.bell, kept.title, kept.chat_lines, kept.name) == (False, True, False, "Anna")


async def test_talk_that_is_not_liked_is_only_counted(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await paul.until(lambda: paul.where == "lobby")
        paul.app.settings.save_preferences(replace(paul.app.preferences, chat_lines=False))
        await live_server.marie.chat.send_message("Who plays with me?")
        await paul.sees("g 1 new")
        assert "Who plays with me?" not in paul.text


async def test_in_practice_nobody_is_there_to_talk_to() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.app.screen.query(Board))
        await player.press("g")
        await player.sees("Nobody else is here.")
        await player.press("e")
        assert player.where == "play"


@sizes
async def test_an_admin_reads_and_continues_to_a_command(
    live_server: LiveServer, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def users() -> list[AdminUserInfo]:
        return [
            AdminUserInfo(name="Ben", claimed=False, address="192.0.2.7", client="scoville", table_ids=[], muted=False)
        ]

    async def bans() -> list[BanInfo]:
        return [
            BanInfo(id=7, kind="name", target="Eve", scope="chat", reason="spam", by="Anna", since_ms=0, until_ms=None)
        ]

    async def reports() -> list[object]:
        return []

    async with at_the_screen(live_server.start, size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        admin = paul.app.session.admin
        for name, answer in (("list_users", users), ("list_bans", bans), ("list_reports", reports)):
            monkeypatch.setattr(admin, name, answer)
        paul.app.navigation.open_admin()
        await paul.until(lambda: isinstance(paul.app.screen, AdminDialog))
        await paul.sees("192.0.2.7")
        await paul.press("right")
        await paul.sees("There are no open reports.")
        await paul.press("right")
        await paul.sees("Ban 7: Eve")
        await paul.press("slash")
        await paul.until(lambda: isinstance(paul.app.screen, ChatPanel))
        await paul.sees("/admin unban")


async def test_who_is_no_admin_gets_a_message(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await paul.until(lambda: paul.where == "lobby")
        paul.app.navigation.open_admin()
        await paul.sees("Only admins of this server can do that.")
