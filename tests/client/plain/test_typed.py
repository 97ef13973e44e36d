"""Input of the line mode: lines, and passwords without echo."""

import asyncio
import io
import os
import pty
import threading
from collections.abc import Iterator
from typing import TextIO

import pytest

from scoville_client.plain.input.stdin import LineReader


@pytest.fixture
def terminal() -> Iterator[tuple[int, TextIO]]:
    """A pseudo-terminal: the end of a user and the end of a program."""
    before = set(threading.enumerate())
    ours, theirs = pty.openpty()
    source = os.fdopen(theirs, "r", encoding="utf-8")
    yield ours, source
    os.close(ours)  # the terminal hangs up, which ends the thread that reads it
    for reading in set(threading.enumerate()) - before:
        reading.join()
    source.close()


def shown(ours: int, until: bytes) -> bytes:
    """Read the terminal until some text appears."""
    seen = b""
    while until not in seen:
        seen += os.read(ours, 100)
    return seen


async def test_secrets_are_hidden_and_later_input_is_shown(terminal: tuple[int, TextIO]) -> None:
    ours, source = terminal
    typed = LineReader(source)
    assert typed.hides
    os.write(ours, b"login Zoe\n")
    assert await typed.read_next() == "login Zoe"
    assert b"login Zoe" in shown(ours, b"Zoe")

    secret = asyncio.ensure_future(typed.read_secret())
    await asyncio.sleep(0)  # from here on nothing is shown
    os.write(ours, b" seven habaneros\n")
    assert await secret == " seven habaneros"
    os.write(ours, b"tables\n")
    assert await typed.read_next() == "tables"
    assert b"habaneros" not in shown(ours, b"tables")


async def test_a_cancelled_secret_restores_the_terminals_echo(
    terminal: tuple[int, TextIO],
) -> None:
    ours, source = terminal
    typed = LineReader(source)
    typed.end()
    assert await typed.read_secret() is None
    os.write(ours, b"quit\n")
    assert b"quit" in shown(ours, b"quit")


async def test_the_end_of_input_stays_the_end() -> None:
    typed = LineReader(io.StringIO("secret\n"))
    assert await typed.read_next() == "secret"
    assert await typed.read_secret() is None
    assert await typed.read_next() is None
