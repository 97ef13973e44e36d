"""Quitting the line mode stops a hosted server; with users connected, only after a second `quit`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from scoville_client.plain.input.stdin import TypedLines
from scoville_client.session.start_options import Start
from tests.support.listener import LOCAL, TIMEOUT, Keyboard, Listener, serve_cheaply
from tests.support.proxy import Proxy
from tests.support.screens import at_the_screen, start_as


@asynccontextmanager
async def hosting(folder: Path) -> AsyncIterator[tuple[Listener, int]]:
    """Host in the line mode; returns the port, too."""
    host = Listener(Start(kind="host", game="no_thanks", host="127.0.0.1", port=0, name="Anna", data=folder))
    try:
        yield host, int((await host.hear(r"scoville join 127\.0\.0\.1:(\d+)$")).group(1))
    finally:
        host.type(None)
        await host._task


async def test_a_host_with_users_connected_types_quit_twice(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (anna, port):
        anna.type("lobby")
        await anna.hear("^You are in the lobby and keep your seat")
        async with at_the_screen(start_as(port, "Paul")) as paul:
            await paul.until(lambda: paul.where == "lobby")
            anna.type("users")
            while "2" not in (await anna.hear(r"^(\d+) (user is|users are) here: ")).group(1):
                anna.type("users")
            anna.type("quit")
            await anna.hear(r"^1 other user is connected to your server\. 1 table is open\.$")
            await anna.hear("^Type quit again to stop your server")
            anna.type("next")
            await anna.hear("^Anna takes seat 1")
            anna.type("quit")
            await anna.hear("^Type quit again to stop your server")
            assert not anna._task.done()
            anna.type("quit")
            await anna.hear(r"^Your server stops in 5 seconds, so that the others can finish their moves\.")
            await paul.sees("The server shuts down in 5 seconds")
            assert (anna._task.done(), paul.app.session.connection.online) == (False, True)
            anna.type("quit")
            assert await anna._task == 0
            await paul.sees("The server is shutting down.")


async def test_at_the_end_of_input_others_finish(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (anna, port):
        async with at_the_screen(start_as(port, "Paul")) as paul:
            await paul.until(lambda: paul.where == "lobby")
            anna.type(None)
            await paul.sees("The server shuts down in 5 seconds")
        assert await anna._task == 0
        assert "Type quit again to stop it now." in anna.said


async def test_a_host_who_is_alone_quits_at_once(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (anna, _):
        anna.type("quit")
        assert await anna._task == 0


class Terminal(Keyboard):
    """A keyboard at a terminal."""

    def isatty(self) -> bool:
        return True


async def test_quit_goes_before_a_command_that_gets_no_answer() -> None:
    async with serve_cheaply() as server, Proxy(server.port) as proxy:
        anna = Listener(Start(kind="join", host=LOCAL, port=proxy.port, name="Anna"), Terminal())
        await anna.hear("^You are Anna")
        await anna.ask("tables", "no tables")
        proxy.silence()
        anna.type("tables", "users", "quit")
        assert await asyncio.wait_for(anna._task, TIMEOUT) == 0


async def test_a_piped_quit_waits_for_the_lines_before_it() -> None:
    async with serve_cheaply() as server:
        anna = Listener(Start(kind="join", host=LOCAL, port=server.port, name="Anna"))
        anna.type("users", "tables", "quit")
        assert await asyncio.wait_for(anna._task, TIMEOUT) == 0
        assert any("user is here" in line for line in anna.said)


async def test_quit_is_an_answer_where_a_question_was_asked() -> None:
    lines = TypedFromNowhere()
    answer = asyncio.ensure_future(lines.read_secret())
    await asyncio.sleep(0)
    lines.add_line("quit")
    assert await answer == "quit"
    lines.add_line("tables")
    lines.add_line("quit")
    await lines.quit_typed()
    assert await lines.read_next() == "quit", "what was typed before it is dropped"


class TypedFromNowhere(TypedLines):
    """Lines of a terminal that only a test adds."""

    is_terminal = True
    hides = True

    async def read_secret(self) -> str | None:
        return await self.read_next()
