"""Rematches: the first player to press Enter opens the next table, and the others can follow."""

from collections.abc import AsyncIterator

import pytest

from scoville_client.session.start_options import Start
from scoville_client.tui.shell import PACE
from tests.support.screens import NARROW, Player, at_the_screen, play_to_the_end, port_of, start_as, start_practice


@pytest.fixture
async def two() -> AsyncIterator[tuple[Player, Player]]:
    """Two users who have just finished a game of one cycle."""
    hosted = Start(kind="host", host="127.0.0.1", port=0, name="Anna", players=2, options={"cycles": 1})
    async with at_the_screen(hosted) as anna, at_the_screen(start_as(await port_of(anna), "Paul"), size=NARROW) as paul:
        await paul.sees("Enter take a seat")
        await paul.press("enter")
        await anna.sees("Paul")
        await anna.press("enter")
        await play_to_the_end(anna, paul)
        yield anna, paul


def table(player: Player) -> str:
    assert player.app.session.table is not None
    return player.app.session.table.id


async def test_the_host_plays_again_and_the_guest_joins_in(two: tuple[Player, Player]) -> None:
    anna, paul = two
    old = table(anna)
    await anna.sees("The game is over.")
    await anna.press("enter")
    await anna.until(lambda: anna.where == "waiting")
    await paul.sees("Anna wants a rematch: press Enter")
    await paul.press("enter")
    await paul.sees("Anna is the host")
    assert table(paul) == table(anna) != old
    await anna.sees("All seats are taken.")
    await anna.press("enter")
    await play_to_the_end(anna, paul)


async def test_the_host_follows_the_guest_into_the_kept_seat(two: tuple[Player, Player]) -> None:
    anna, paul = two
    await paul.press("enter")
    await paul.sees("Anna is the host")
    await anna.sees("Paul wants a rematch: press Enter")
    await anna.press("enter")
    await anna.sees("Press Enter to start")
    assert table(paul) == table(anna)


async def test_the_guest_may_go_back_to_the_lobby(two: tuple[Player, Player]) -> None:
    _, paul = two
    await paul.press("escape")
    await paul.until(lambda: paul.where == "lobby")


@pytest.mark.parametrize("key", ["enter", "escape"])
async def test_a_late_story_key_leaves_the_result_alone(key: str) -> None:
    async with at_the_screen(start_practice(players=2, options={"cycles": 1}), pace=PACE) as anna:
        await anna.until(lambda: anna.where == "play")
        while anna.where == "play":
            await anna.press("enter")
        old = table(anna)
        await anna.press(key)
        anna.clock.advance(PACE / 2 - 0.01)
        await anna.press(key)
        assert (anna.where, table(anna)) == ("result", old)
        anna.clock.advance(PACE / 2 + 0.01)  # a key that is held down waits on
        await anna.press(key)
        await anna.until(lambda: anna.where != "result")
