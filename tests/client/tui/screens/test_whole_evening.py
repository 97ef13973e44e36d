"""A whole evening by keys: a private table, its code, a countdown, a game and a rematch, and a kick."""

from collections.abc import AsyncIterator

import pytest

from scoville_client.transport.in_process import serve_in_process
from tests.support.screens import NARROW, WIDE, Player, at_the_screen, play_to_the_end, start_as


@pytest.fixture
async def port() -> AsyncIterator[int]:
    server = await serve_in_process(host="127.0.0.1", port=0)
    yield server.port
    await server.close()


async def mark(player: Player, label: str) -> None:
    """Move down to a row of a list by its text."""
    for _ in range(30):
        if f"▸ {label}" in player.text:
            return
        await player.press("down")
    raise AssertionError(f"there is no line {label}:\n{player.text}")


async def open_private_table(anna: Player) -> str:
    """Open a private table for two that starts when all are ready; returns its code."""
    await anna.sees("There are no tables yet.")
    await anna.press("c")
    await anna.sees("New table")
    await mark(anna, "Seats")
    await anna.press("2")
    await mark(anna, "Cycles")
    await anna.press("1")
    await mark(anna, "More")
    await anna.press("enter")
    await mark(anna, "Private")
    await anna.press("right")
    await mark(anna, "Starts")
    await anna.press("right", "right")
    await anna.sees("when everybody is ready")
    await mark(anna, "Countdown")
    await anna.press("1")
    await anna.sees("◂ 1 s ▸")
    await anna.press("up", "enter")
    await anna.sees("Table code:")
    assert anna.app.session.table is not None
    return anna.app.session.table.info.code


async def come_by_code(player: Player, code: str) -> None:
    await player.until(lambda: player.where == "lobby")
    assert "Anna" not in player.text
    await player.press("j")
    await player.sees("Join by code")
    await player.press(*code, "enter")


async def test_an_evening_by_keys_alone(port: int) -> None:
    async with (
        at_the_screen(start_as(port, "Anna"), size=WIDE) as anna,
        at_the_screen(start_as(port, "Paul"), size=NARROW) as paul,
    ):
        code = await open_private_table(anna)
        await come_by_code(paul, code)
        await paul.sees("Enter when you are.")
        await anna.press("space")
        await paul.sees("host ready")
        await paul.press("enter")
        await anna.sees("The game starts in")
        await play_to_the_end(anna, paul)

        await paul.press("enter")
        await paul.until(lambda: "Anna is the host." in " ".join(paul.text.split()))
        await anna.sees("Paul wants a rematch: press Enter to join.")
        await anna.press("enter")
        await anna.sees("Table code:")

        await anna.press("x")
        await anna.sees("Kick which player?")
        await anna.press("enter")
        await anna.sees("Kick Paul?")
        await anna.press(*"late", "enter")
        await anna.sees("This cannot be undone.")
        await anna.press("y")
        await paul.until(lambda: paul.where == "lobby")
        await paul.sees("The host has kicked you")
        assert "late" in paul.text
        await anna.until(lambda: "Paul" not in anna.text.splitlines()[4])
        await paul.press("down")
        assert "late" not in paul.text
