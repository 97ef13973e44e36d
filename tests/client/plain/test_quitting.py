"""Quitting the line mode stops a hosted server; with users connected, only after a second `quit`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from scoville_client.session.start_options import Start
from tests.support.listener import Listener
from tests.support.screens import at_the_screen, coming


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
        async with at_the_screen(coming(port, "Paul")) as paul:
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
            await paul.sees("Announcement: The server shuts down in 5 seconds")
            assert (anna._task.done(), paul.app.session.online) == (False, True)
            anna.type("quit")
            assert await anna._task == 0
            await paul.sees("The server is shutting down.")


async def test_the_end_of_the_input_lets_the_others_finish_until_they_leave(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (anna, port):
        async with at_the_screen(coming(port, "Paul")) as paul:
            await paul.until(lambda: paul.where == "lobby")
            anna.type(None)
            await paul.sees("Announcement: The server shuts down in 5 seconds")
        assert await anna._task == 0
        assert "Type quit again to stop it now." in anna.said


async def test_a_host_who_is_alone_quits_at_once(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (anna, _):
        anna.type("quit")
        assert await anna._task == 0
