"""After a game: whoever presses Enter first opens the next table, the others are told and follow."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from scoville_client.boards.board import Board
from scoville_client.start import Start
from tests.support.screens import NARROW, PATIENCE, Player, at_the_screen


@pytest.fixture
async def two() -> AsyncIterator[tuple[Player, Player]]:
    """Two people who have just finished a game of one cycle."""
    hosted = Start(kind="host", host="127.0.0.1", port=0, name="Anna", players=2, options={"cycles": 1})
    async with at_the_screen(hosted) as anna:
        await anna.sees("Press Enter to start")
        port = anna.app._line.address.port  # type: ignore[union-attr]
        async with at_the_screen(Start(kind="join", host="127.0.0.1", port=port, name="Paul"), size=NARROW) as paul:
            await paul.sees("Enter sit down")
            await paul.press("enter")
            await anna.sees("Paul")
            await anna.press("enter")
            await finish(anna, paul)
            yield anna, paul


async def finish(*players: Player) -> None:
    """Play to the end by Enter."""
    for player in players:
        await player.until(partial(player.app.screen.query, Board))
    for _ in range(PATIENCE):
        if all(player.where == "result" for player in players):
            return
        for player in players:
            board = player.app.screen.query(Board)
            if player.where == "play" and board and board.first().at.my_turn:
                await player.press("enter")
        await players[0].pilot.pause(0.01)
    raise AssertionError("\n".join(player.text for player in players))


def table(player: Player) -> str:
    assert player.app.session.table is not None
    return player.app.session.table.id


async def test_the_host_plays_again_and_the_guest_joins_in(two: tuple[Player, Player]) -> None:
    anna, paul = two
    old = table(anna)
    await anna.sees("The game is over.")
    await anna.press("enter")
    await anna.until(lambda: anna.where == "waiting")
    await paul.sees("Anna plays again: press Enter")
    await paul.press("enter")
    await paul.sees("Anna is the host")
    assert table(paul) == table(anna) != old
    await anna.sees("All seats are taken.")
    await anna.press("enter")
    await finish(anna, paul)


async def test_the_guest_goes_first_and_the_host_follows_into_the_seat_that_is_kept(two: tuple[Player, Player]) -> None:
    anna, paul = two
    await paul.press("enter")
    await paul.sees("Anna is the host")
    await anna.sees("Paul plays again: press Enter")
    await anna.press("enter")
    await anna.sees("Press Enter to start")
    assert table(paul) == table(anna)


async def test_the_guest_may_go_back_to_the_lobby(two: tuple[Player, Player]) -> None:
    _, paul = two
    await paul.press("escape")
    await paul.until(lambda: paul.where == "lobby")
