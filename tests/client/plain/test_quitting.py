"""Quitting in the line mode stops a server that is hosted there: with people on it, only when it is typed again."""

import asyncio
import io
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from scoville_client.plain.run import converse
from scoville_client.start import Start
from tests.support.idle import eventually
from tests.support.screens import at_the_screen, coming


class Host:
    """Somebody who hosts in the line mode; lines are typed into a pipe."""

    def __init__(self, folder: Path) -> None:
        reading, self._writing = os.pipe()
        self.said: list[str] = []
        start = Start(kind="host", game="no_thanks", host="127.0.0.1", port=0, name="Anna", data=folder)
        self._source = io.TextIOWrapper(os.fdopen(reading, "rb"))
        self.talk = asyncio.ensure_future(converse(start, self._source, self.said.append))

    def type(self, line: str) -> None:
        os.write(self._writing, f"{line}\n".encode())

    async def says(self, words: str, times: int = 1) -> str:
        await eventually(lambda: len(self.with_words(words)) >= times, lambda: self.said)
        return self.with_words(words)[-1]

    def with_words(self, words: str) -> list[str]:
        return [line for line in self.said if words in line]

    async def close(self) -> None:
        os.close(self._writing)
        await self.talk
        self._source.close()


@asynccontextmanager
async def hosting(folder: Path) -> AsyncIterator[Host]:
    host = Host(folder)
    try:
        yield host
    finally:
        await host.close()


async def test_a_host_with_people_connected_types_quit_twice(tmp_path: Path) -> None:
    async with hosting(tmp_path) as anna:
        port = int((await anna.says("Others join with")).rpartition(":")[2])
        anna.type("lobby")
        await anna.says("You are in the lobby. Your seat is kept")
        async with at_the_screen(coming(port, "Paul")) as paul:
            await paul.until(lambda: paul.where == "lobby")
            asked = 0
            while not anna.with_words("2 people are here"):
                anna.type("people")
                asked += 1
                await anna.says(" here: ", asked)
            anna.type("quit")
            await anna.says("1 other person is connected to your server. 1 table is open.")
            await anna.says("Type quit again to stop your server")
            anna.type("next")
            await anna.says("Anna takes seat 1", times=2)
            anna.type("quit")
            await anna.says("Type quit again to stop your server", times=2)
            assert not anna.talk.done()
            anna.type("quit")
            assert await anna.talk == 0


async def test_a_host_who_is_alone_quits_at_once(tmp_path: Path) -> None:
    async with hosting(tmp_path) as anna:
        await anna.says("Others join with")
        anna.type("quit")
        assert await anna.talk == 0
