"""Pages: a session for each, one page per visitor, and bounds for what pages send and take."""

import json

import pytest
from aiohttp import WSMsgType, WSServerHandshakeError

from scoville_client.doors.web.options import WebDoorOptions, WebLimits
from tests.client.doors.web.browser import SECRET, Browser, Sessions, door
from tests.support.clock import FakeClock
from tests.support.idle import eventually


async def test_a_page_types_and_sees() -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        tab = await (await browser.open()).hello(columns=46, rows=19, touch=True, table="brave-otter")
        assert (sessions.last.hello.touch, sessions.last.hello.table) == (True, "brave-otter")
        await tab.socket.send_bytes("é".encode())
        assert await tab.output() == "echo:é".encode()
        await tab.send(type="resize", columns=100, rows=30)
        assert await tab.output() == b"size:100x30"
        assert sessions.last.sizes == [(46, 19), (100, 30)]
        await tab.send(type="ping")
        assert await tab.message() == {"type": "pong"}


async def test_a_reload_continues_the_visitor_and_ends_the_old_session() -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        first = await (await browser.open()).hello()
        await first.socket.close()
        await (await browser.open()).hello()
        assert sessions.opened[0].gone.is_set()
        assert sessions.opened[0].visit.visitor == sessions.opened[1].visit.visitor is not None


async def test_a_second_window_takes_over_and_the_first_says_so() -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        first = await (await browser.open()).hello()
        second = await (await browser.open()).hello()
        end = await first.message()
        assert (end["type"], end["text"]) == ("end", "Your seat is open in another window.")
        assert not end["retry"]
        assert end["button"] == "Play here"
        assert await first.closed()
        await second.socket.send_bytes(b"x")
        assert await second.output() == b"echo:x"
        assert sessions.opened[0].gone.is_set()
        assert served.sessions == 1


async def test_windows_that_have_not_said_hello_are_replaced() -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        first = await browser.open()
        await eventually(lambda: served.sessions == 1)
        await (await browser.open()).hello()
        assert (await first.message())["type"] == "end"
        assert len(sessions.opened) == 1


async def test_two_browsers_are_two_visitors() -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as one, Browser(served.port) as other:
        await (await one.open()).hello()
        await (await other.open()).hello()
        assert sessions.opened[0].visit.visitor != sessions.opened[1].visit.visitor
        assert served.sessions == 2


async def test_a_session_reports_its_end_after_its_last_bytes() -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        tab = await (await browser.open()).hello()
        sessions.last.channel.write(b"goodbye")
        sessions.last.channel.end(0)
        assert await tab.output() == b"goodbye"
        end = await tab.message()
        assert (end["text"], end["button"]) == ("You have left Scoville.", "Come back"), "from anywhere"
        assert await tab.closed()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[" * 4000,
        '{"type": "hello", "columns": 0, "rows": 24}',
        '{"type": "hello", "columns": 10001, "rows": 24}',
        '{"type": "hello", "columns": "80", "rows": 24}',
        json.dumps({"type": "hello", "columns": 80, "rows": 24, "table": "x" * 65}),
        '{"type": "resize", "columns": 80, "rows": 24}',
    ],
)
async def test_a_page_that_does_not_say_hello_properly_is_closed(text: str) -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        tab = await browser.open()
        await tab.socket.send_str(text)
        assert await tab.closed()
        assert sessions.opened == []


@pytest.mark.parametrize("text", ["", "nonsense", '{"type": "hello", "columns": 80, "rows": 24}', '{"type": "resize"}'])
async def test_nonsense_ends_a_session(text: str) -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        tab = await (await browser.open()).hello()
        await tab.socket.send_str(text)
        assert await tab.closed()
        await eventually(lambda: served.sessions == 0)
        assert sessions.last.gone.is_set()


@pytest.mark.parametrize("kind", ["text", "binary"])
async def test_an_oversized_frame_ends_the_connection(kind: str) -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        tab = await (await browser.open()).hello()
        await (tab.socket.send_str("x" * 5000) if kind == "text" else tab.socket.send_bytes(b"x" * 5000))
        assert await tab.closed()
        assert sessions.last.received == b""


async def test_a_page_that_stays_silent_is_closed() -> None:
    clock, sessions = FakeClock(), Sessions()
    async with door(sessions, clock=clock.clock) as served, Browser(served.port) as browser:
        tab = await browser.open()
        await eventually(lambda: served.sessions == 1)
        await clock.elapse(9)
        assert not tab.socket.closed
        await clock.elapse(2)
        assert (await tab.message())["retry"]
        assert await tab.closed()


async def test_a_page_that_takes_nothing_is_paused_and_continues_later() -> None:
    sessions = Sessions()
    options = WebDoorOptions(SECRET, limits=WebLimits(output_bytes=1000))
    async with door(sessions, options) as served, Browser(served.port) as browser:
        tab = await (await browser.open()).hello()
        before = sessions.last.resumed
        sessions.last.channel.write(b"x" * 900)
        assert sessions.last.paused == 0
        sessions.last.channel.write(b"x" * 900)
        assert sessions.last.paused == 1
        taken = 0
        while taken < 1800:
            taken += len(await tab.output())
        await eventually(lambda: sessions.last.resumed > before)


async def test_a_channel_that_is_cut_ends_the_page() -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        tab = await (await browser.open()).hello()
        sessions.last.channel.abort()
        assert await tab.closed()
        await eventually(lambda: served.sessions == 0)


async def test_a_full_door_says_so_and_the_page_tries_again() -> None:
    sessions = Sessions()
    options = WebDoorOptions(SECRET, limits=WebLimits(pages=1))
    async with door(sessions, options) as served, Browser(served.port) as one, Browser(served.port) as other:
        tab = await (await one.open()).hello()
        refused = await (await other.open()).message()
        assert (refused["retry"], refused["text"]) == (True, "This door is full. The page tries again.")
        await tab.socket.close()
        await eventually(lambda: served.sessions == 0)
        await (await other.open()).hello()


async def test_each_address_has_a_share_of_pages_and_starts() -> None:
    clock, sessions = FakeClock(), Sessions()
    limits = WebLimits(pages_each=1, starts_each=3)
    options = WebDoorOptions(SECRET, limits=limits)
    async with (
        door(sessions, options, clock.clock) as served,
        Browser(served.port) as one,
        Browser(served.port) as other,
    ):
        tab = await (await one.open()).hello()
        assert (await (await other.open()).message())["retry"]
        await tab.socket.close()
        await eventually(lambda: served.sessions == 0)
        await (await other.open()).hello()
        assert (await (await one.open()).message())["text"].startswith("Too many sessions")
        clock.advance(60)
        assert (await (await one.open()).message())["text"].startswith("This door is full")


@pytest.mark.parametrize("cookie", ["", "x", "A" * 43, "é" * 43])
async def test_a_made_up_cookie_opens_nothing(cookie: str) -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        tab = await browser.open(page=False, Cookie=f"scoville={cookie}")
        refused = await tab.message()
        assert refused["text"].startswith("This page needs cookies")
        assert await tab.closed()
        assert sessions.opened == []


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1", "http://localhost:{port}"],
)
async def test_a_page_of_another_origin_is_refused(origin: str | None) -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        with pytest.raises(WSServerHandshakeError) as refused:
            await browser.open(origin=origin and origin.format(port=served.port))
        assert refused.value.status == 403
        assert sessions.opened == []


async def test_a_stopping_door_sends_pages_to_the_next() -> None:
    sessions = Sessions()
    async with door(sessions) as served, Browser(served.port) as browser:
        tab = await (await browser.open()).hello()
        await served.close()
        assert await tab.message() == {
            "type": "end",
            "text": "The door is being restarted.",
            "button": "",
            "retry": True,
        }
        assert (await tab.socket.receive()).type in {WSMsgType.CLOSE, WSMsgType.CLOSED}
        assert sessions.last.gone.is_set()
