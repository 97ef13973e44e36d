"""Hosted sessions: each has its own terminal, language and user, and none can cost the others more than its share."""

import asyncio
import gc
import weakref
from typing import ClassVar

import pytest

from scoville_client.doors.hosting.garbage import FULL_QUIET
from scoville_client.doors.hosting.lines import HostedLines
from scoville_client.doors.hosting.session import IdleLimit, StallLimit
from scoville_client.doors.hosting.session_limits import (
    CONNECT_SECONDS,
    END_SECONDS,
    INPUT_BYTES,
    MESSAGES_WAITING,
    RESIZE_SECONDS,
    REST_SECONDS,
    START_SECONDS,
)
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.hosting.terminal import Terminal
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.session.start_options import Start
from scoville_client.transport.base import Link, Listener
from scoville_client.transport.in_process import LocalLink
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.screens.lobby.lobby import UNASKED_SECONDS
from scoville_runtime.clock import Clock
from scoville_server.server import Server
from scoville_shared.engine.phrases import Phrase
from tests.client.doors.hosting.hosted import SilentLink, TapedChannel, a_server, come, in_the_lobby, shared_by
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle

TRUE = Terminal(colours="true")


async def test_the_lobby_and_its_end() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        assert "you are Anna, 1 user here" in anna.channel.text
        anna.type("q")
        await anna.session.task
        assert anna.channel.status == 0
        assert anna.channel.sent.endswith(b"\x1b[?1049l\x1b[?25h")


async def test_bytes_of_a_log_in_and_of_an_arrow_key() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        assert len(anna.channel.sent) < 10_000
        anna.type("c")
        await anna.sees("New table")
        assert await anna.bytes_of("\x1b[B") < 400
        await anna.leaves()


async def test_languages_and_characters_of_two_users_at_the_same_time() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server, "Anna"))
        bert = come(server, "Bert", Terminal(language="de", glyphs="ascii", colours="none", titles=False))
        await bert.sees("du bist Bert")
        await anna.until(lambda: anna.session._app.session.lobby.here == 2)  # type: ignore[union-attr]
        anna.clock.advance(UNASKED_SECONDS)
        await anna.sees("2 users here")
        bert.type("?")
        await bert.until(lambda: "+--" in bert.channel.text)
        assert bert.channel.sent.isascii()
        assert b"38;" not in bert.channel.sent
        await anna.leaves()
        await bert.leaves()


async def test_a_terminal_of_another_size() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        anna.channel.screen.resize(30, 100)
        anna.session.resize((100, 30))
        await anna.until(lambda: "q quit" in anna.channel.screen.display[29])
        anna.session.resize((10_000, 10_000))
        anna.clock.advance(RESIZE_SECONDS)
        await anna.until(lambda: anna.session._app is not None and anna.session._app.size == (300, 100))
        anna.clock.advance(RESIZE_SECONDS)
        anna.session.resize((1, 1))
        await anna.until(lambda: anna.session._app is not None and anna.session._app.size == (20, 6))
        await anna.leaves()


async def test_a_flood_of_sizes_costs_two_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[tuple[int, int]] = []
    monkeypatch.setattr(ScovilleApp, "on_resize", lambda _, event: laid_out.append(event.size), raising=False)
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        laid_out.clear()
        for columns in range(100, 200):
            anna.session.resize((columns, 30))
            await wait_until_idle()
        assert laid_out == [(100, 30)]
        anna.clock.advance(RESIZE_SECONDS)
        await wait_until_idle()
        assert laid_out == [(100, 30), (199, 30)]
        anna.clock.advance(RESIZE_SECONDS)
        await wait_until_idle()
        assert len(laid_out) == 2
        await anna.leaves()


async def test_a_lone_escape_is_a_key_once_nothing_follows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        anna.type("?")
        await anna.until(lambda: type(anna.session._app.screen).__name__ == "HelpDialog" and anna.is_up_to_date)  # type: ignore[union-attr]
        anna.type("\x1b")
        await wait_until_idle()
        assert type(anna.session._app.screen).__name__ == "HelpDialog"  # type: ignore[union-attr]
        monkeypatch.setattr("textual._parser.get_time", lambda: float("inf"))
        anna.clock.advance(0.2)
        await anna.until(lambda: type(anna.session._app.screen).__name__ == "LobbyScreen")  # type: ignore[union-attr]
        await anna.leaves()


async def test_a_character_cut_in_two_by_the_connection() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        anna.type("j")
        await anna.sees("Join by code")
        euro = "é".encode()
        anna.session.receive(euro[:1])
        anna.session.receive(euro[1:])
        await anna.sees("é")
        await anna.leaves()


async def test_a_flood_of_input_is_dropped() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        app = anna.session._app
        assert app is not None
        for _ in range(100):
            anna.session.receive(b"\x1b[B" * 1_000)
        assert app.message_queue_size <= MESSAGES_WAITING + 1
        assert anna.session._input_bytes._tokens < 1
        await anna.leaves()


async def test_a_paste_without_an_end_is_dropped() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        driver = anna.session._driver
        assert driver is not None
        driver.receive(b"\x1b[200~" + b"x" * 70_000)
        assert driver._parser.unparsed == 0
        driver.receive(b"?")
        await anna.until(lambda: type(anna.session._app.screen).__name__ == "HelpDialog")  # type: ignore[union-attr]
        await anna.leaves()


async def test_bytes_come_back_at_a_rate() -> None:
    clock = FakeClock()
    async with a_server() as server:
        anna = await in_the_lobby(come(server, clock=clock))
        anna.session.receive(b" " * INPUT_BYTES)
        await wait_until_idle()
        clock.advance(1)
        anna.session.receive(b"?")
        await anna.until(lambda: type(anna.session._app.screen).__name__ == "HelpDialog")  # type: ignore[union-attr]
        await anna.leaves()


async def test_a_full_channel_gets_nothing_and_the_present_screen_afterwards() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        anna.session.pause()
        before = anna.channel.sent
        anna.type("?")
        await wait_until_idle()
        assert anna.channel.sent == before
        anna.session.resume()
        await anna.until(lambda: "In the lobby" in anna.channel.text)
        assert not anna.channel.aborted
        await anna.leaves()


async def test_a_channel_that_stays_full_is_cut() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        anna.session.pause()
        anna.clock.advance(59)
        assert not anna.channel.aborted
        anna.clock.advance(2)
        assert anna.channel.aborted
        await anna.leaves()


def test_full_channel_has_one_deadline() -> None:
    clock, channel = FakeClock(), TapedChannel((80, 24))
    limit = StallLimit(clock.clock, 60, channel)
    limit.begin()
    clock.advance(40)
    limit.begin()
    assert limit.is_full
    clock.advance(21)
    assert channel.aborted


def test_a_channel_that_takes_bytes_again_has_its_time_anew() -> None:
    clock, channel = FakeClock(), TapedChannel((80, 24))
    limit = StallLimit(clock.clock, 60, channel)
    limit.begin()
    clock.advance(40)
    limit.end()
    assert not limit.is_full
    limit.begin()
    clock.advance(40)
    assert not channel.aborted


def test_idle_time_counts_from_the_last_key() -> None:
    clock, ended = FakeClock(), list[float]()
    limit = IdleLimit(clock.clock, 600, lambda: ended.append(clock.time))
    clock.advance(500)
    limit.note_input()
    clock.advance(599)
    assert not ended
    clock.advance(1_000)
    assert ended == [1_100]


async def test_an_idle_session_ends_with_a_sentence() -> None:
    clock = FakeClock()
    async with a_server() as server:
        anna = await in_the_lobby(come(server, clock=clock, shared=shared_by(clock, idle_seconds=600)))
        clock.advance(500)
        anna.type(" ")
        clock.advance(500)
        await wait_until_idle()
        assert anna.channel.status is None
        clock.advance(200)
        await anna.session.task
        assert b"You were disconnected after 10 minutes without a key." in anna.channel.sent
        assert anna.channel.status == 0


async def test_the_end_of_a_door_is_reported() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        anna.session.end(Phrase("The door closes."))
        await anna.session.task
        assert anna.channel.sent.endswith(b"The door closes.\r\n")


async def test_a_crash_prints_one_line_and_logs_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        app = anna.session._app
        assert app is not None
        secret = "secret in a variable"
        app.call_later(lambda: len(secret) / 0)
        await anna.session.task
        assert b"Scoville crashed because of a bug" in anna.channel.sent
        assert b"ZeroDivisionError" not in anna.channel.sent
        assert anna.channel.status == 1
        assert "ZeroDivisionError" in caplog.text
        assert secret not in caplog.text


async def test_a_page_waits_for_a_silent_server() -> None:
    clock = FakeClock()
    async with a_server() as server:
        anna = come(server, clock=clock, link=SilentLink)
        await wait_until_idle()
        assert anna.channel.sent == b""
        clock.advance(CONNECT_SECONDS)
        await anna.sees("Connect")
        await anna.leaves()


async def test_the_first_screen_is_the_lobby() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        assert b"Connect" not in anna.channel.sent
        await anna.leaves()


async def test_the_server_is_gone() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
    await anna.until(lambda: "Reconnecting" in anna.channel.text)
    await anna.leaves()


async def test_a_crowd_builds_its_first_screens_two_at_a_time() -> None:
    clock = FakeClock()
    shared = shared_by(clock)
    async with a_server() as server:
        users = [come(server, f"User{number}", clock=clock, shared=shared) for number in range(5)]
        started = 0
        while started < len(users):
            await wait_until_idle()
            building = [user for user in users if user.session._app is not None and not user.channel.text.strip()]
            assert len(building) <= 2
            started = sum(bool(user.channel.text.strip()) for user in users)
            clock.advance(REST_SECONDS)
        for user in users:
            await user.leaves()


async def test_a_crowd_comes_without_rests_while_nobody_types() -> None:
    clock = FakeClock()
    shared = shared_by(clock, places=1)
    gate = StartGate(1, clock.clock, shared.garbage.quiet_seconds)
    async with a_server() as server:
        users = [come(server, f"User{number}", clock=clock, shared=shared._replace(gate=gate)) for number in range(4)]
        for user in users:
            await in_the_lobby(user)
        users[0].type("?")
        late = [come(server, f"Late{number}", clock=clock, shared=shared._replace(gate=gate)) for number in range(2)]
        await in_the_lobby(late[0])
        await wait_until_idle()
        assert late[1].session._app is None
        clock.advance(REST_SECONDS)
        await in_the_lobby(late[1])
        for user in (*users, *late):
            await user.leaves()


async def test_answers_of_terminals_make_nobody_wait() -> None:
    clock = FakeClock()
    shared = shared_by(clock, places=1)
    gate = StartGate(1, clock.clock, shared.garbage.quiet_seconds)
    async with a_server() as server:
        users = [come(server, f"User{number}", clock=clock, shared=shared._replace(gate=gate)) for number in range(4)]
        for user in users:
            await in_the_lobby(user)
            user.type("\x1b[I")  # the focus, as soon as its reports are switched on
            await wait_until_idle()
        assert shared.garbage.quiet_seconds() >= FULL_QUIET
        users[0].type("?")
        await wait_until_idle()
        assert shared.garbage.quiet_seconds() == 0
        for user in users:
            await user.leaves()


async def test_a_session_that_shows_nothing_gives_up_its_place() -> None:
    clock = FakeClock()
    shared = shared_by(clock, places=1)
    slow = await shared.gate.wait_for_place()
    async with a_server() as server:
        anna = come(server, clock=clock, shared=shared)
        await wait_until_idle()
        assert anna.session._app is None
        clock.advance(START_SECONDS + REST_SECONDS)
        await anna.sees("quit")
        slow.leave_place()
        await anna.leaves()


async def test_gone_before_the_first_screen() -> None:
    clock = FakeClock()
    shared = shared_by(clock, places=1)
    async with a_server() as server:
        with await shared.gate.wait_for_place():
            anna = come(server, clock=clock, shared=shared)
            await wait_until_idle()
            await anna.leaves()
        assert anna.channel.sent == b""
        bert = come(server, "Bert", clock=clock, shared=shared)
        await wait_until_idle()
        clock.advance(REST_SECONDS)
        await bert.sees("quit")
        await bert.leaves()


async def test_nothing_is_left_of_sessions_that_have_ended() -> None:
    clock = FakeClock()
    shared = shared_by(clock, places=30)
    apps = []
    async with a_server() as server:
        for _ in range(3):
            users = [come(server, f"User{number}", clock=clock, shared=shared) for number in range(4)]
            for user in users:
                await user.sees("quit")
                user.type("?\x1b")
                assert user.session._app is not None
                apps.append(weakref.ref(user.session._app))
            for user in users:
                await user.leaves()
            users.clear()
    del user, server  # a server in this process keeps the context of its last visitor
    await wait_until_idle()
    clock.alarms.clear()  # a real clock calls and forgets them
    gc.collect()
    assert [app() for app in apps if app() is not None] == []


async def test_sessions_that_end_in_any_order_leave_stdout_alone(capsys: pytest.CaptureFixture[str]) -> None:
    async with a_server() as server:
        anna, bert = await in_the_lobby(come(server, "Anna")), await in_the_lobby(come(server, "Bert"))
        await anna.leaves()
        await bert.leaves()
    print("still here")
    assert capsys.readouterr().out == "still here\n"


async def test_no_file_program_or_url_of_the_servers_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it was started")

    monkeypatch.setattr("webbrowser.open", refuse)
    monkeypatch.setattr("asyncio.create_subprocess_exec", refuse)
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        app = anna.session._app
        assert app is not None
        app.open_url("https://example.org")
        assert app.save_screenshot() == ""
        app.action_suspend_process()
        assert not app.ENABLE_COMMAND_PALETTE
        assert app.driver is not None
        assert not app.driver.can_suspend
        await anna.leaves()


class LateLink(LocalLink):
    """A link to a server that does not answer the first one of a user; `still_open` are those that were not closed."""

    made = 0
    still_open: ClassVar[set[Link]] = set()

    def __init__(self, server: Server, clock: Clock) -> None:
        super().__init__(server, clock)
        type(self).made += 1
        self._is_first = self.made == 1

    async def open(self, listener: Listener) -> None:
        if self._is_first:
            await asyncio.get_running_loop().create_future()
        self.still_open.add(self)
        await super().open(listener)

    async def close(self) -> None:
        await super().close()
        self.still_open.discard(self)


@pytest.mark.parametrize("turns", [0, 1, 12, 36, 48, 60, 90, 140])
async def test_a_client_that_is_cut_off_leaves_no_connection(turns: int, caplog: pytest.LogCaptureFixture) -> None:
    LateLink.made, clock = 0, FakeClock()
    async with a_server() as server:
        anna = come(server, clock=clock, link=LateLink)
        await wait_until_idle()
        clock.advance(CONNECT_SECONDS)
        await anna.sees("Connect")
        clock.advance(REST_SECONDS)
        for _ in range(turns):  # until somewhere between its first step and the lobby
            await asyncio.sleep(0)
        anna.session.lose_connection()
        await asyncio.sleep(0)
        clock.advance(END_SECONDS)  # a busy door: the client had no time to end by itself
        anna.session.lose_connection()
        await anna.session.task
        assert not LateLink.still_open
        assert "crashed" not in caplog.text


@pytest.mark.parametrize("turns", [8, 24, 60])
async def test_a_line_mode_that_is_lost_twice_leaves_no_connection(turns: int) -> None:
    LateLink.made, clock, terminal = 1, FakeClock(), Terminal(colours="true")
    async with a_server() as server:
        visitor = Visitor(Start(kind="join", host="localhost", name="Anna"), lambda: LateLink(server, clock.clock))
        channel = TapedChannel(terminal.size)
        lines = HostedLines(visitor, channel, terminal, shared_by(clock), typed_on_terminal=True)
        for _ in range(turns):
            await asyncio.sleep(0)
        lines.lose_connection()
        await asyncio.sleep(0)
        lines.lose_connection()
        await lines.task
        await wait_until_idle()
        assert not LateLink.still_open
