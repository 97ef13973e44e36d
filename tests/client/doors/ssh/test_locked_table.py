"""A table with a password, opened by the user name of ssh: the password is asked for, on screens and in lines."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scoville_client.session.session import Session
from scoville_client.transport.in_process import LocalLink
from tests.client.doors.ssh.test_door import TERMINAL, Open, a_door, opened
from tests.client.doors.ssh.test_own_key import screen, shows
from tests.support.idle import eventually

PASSWORD = "mild pepper"


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Open]:
    async with a_door(tmp_path) as at:
        yield at


@pytest.fixture
async def code(at: Open) -> AsyncIterator[str]:
    """The code of a locked table of Marie's."""
    marie = Session()
    await marie.connect(LocalLink(at.server), "Marie")
    info = await marie.lobby.create_table("no_thanks", 3, password=PASSWORD)
    await marie.join_table(info.table)
    assert marie.table is not None
    yield marie.table.info.code or ""
    await marie.close()


async def test_the_password_is_asked_for_until_it_is_right(at: Open, code: str) -> None:
    async with at.connect(code) as connection:
        jan = await opened(connection, **TERMINAL)
        await shows(jan, "This table has a password")
        jan.type("wild pepper\r")
        await shows(jan, "rong password")
        assert "wild pepper" not in screen(jan)
        jan.type(f"{PASSWORD}\r")
        await shows(jan, "Marie is the host")


async def test_without_the_password_the_lobby_is_left(at: Open, code: str) -> None:
    async with at.connect(code) as connection:
        jan = await opened(connection, **TERMINAL)
        await shows(jan, "This table has a password")
        jan.type("\x1b")
        await eventually(lambda: "This table has a password" not in screen(jan), lambda: screen(jan))
        assert "Marie is the host" not in screen(jan)


async def test_lines_ask_for_it_too(at: Open, code: str) -> None:
    async with at.connect("plain") as connection:
        jan = await opened(connection, f"join {code}")
        await jan.sees("This table has a password. Type it.")
        jan.type(f"{PASSWORD}\n")
        await eventually(lambda: "seat 2" in jan.text, lambda: jan.text)
