"""Moves typed before their turn: each is played when it is due, in order, and none is lost."""

import io
import re

from scoville_client.plain.input.stdin import LINES_AHEAD, LineReader
from scoville_client.plain.input.typed_ahead import MOVES_AHEAD
from scoville_client.session.start_options import Start
from tests.client.plain.test_conversation import conversation
from tests.support.idle import eventually, wait_until_idle
from tests.support.listener import Keyboard, Listener, listen_as, serve_cheaply

NO_THANKS = Start(kind="practice", game="no_thanks", seed=bytes(32), name="Anna")


async def test_piped_moves_are_played_one_a_turn() -> None:
    _, said = await conversation(NO_THANKS, "2", "2", "2", "1", "scores")
    assert len([line for line in said if re.match("Anna(, .+)? declines? the ", line)]) == 3
    assert len([line for line in said if line.startswith("Anna takes the ")]) == 1
    assert not [line for line in said if "no move" in line]
    taken = next(number for number, line in enumerate(said) if line.startswith("Anna takes the "))
    assert any(line.startswith("Anna: ") for line in said[taken:]), "the command after the moves was obeyed last"


async def test_a_missing_card_is_refused_and_the_next_played() -> None:
    _, said = await conversation(Start(kind="practice", seed=bytes(32), name="Anna"), "7", "999", "20")
    turns = [number for number, line in enumerate(said) if line.startswith("Your turn.")]
    refused = said.index("You do not hold the 999; choose a card from your hand.")
    assert turns[1] < refused < turns[2]


class Terminal(Keyboard):
    """Simulated typing at a terminal."""

    def isatty(self) -> bool:
        return True


async def paul_is_to_decide(anna: Listener, paul: Listener) -> None:
    """Begin a game of Anna, Paul and a bot, and play until it is Paul's turn."""
    anna.type("create no_thanks 3")
    await anna.hear("^Anna takes seat 1")
    await paul.ask("tables", "^1. ")
    paul.type("join 1")
    await anna.hear("^Paul takes seat 2")
    anna.type("start")
    first = (await anna.hear(r"; (\w+)[^;]* decides\.$")).group(1)
    if first == "Paul":
        await paul.hear("^Your turn")
        paul.type("2")
    if first != "Anna":
        await anna.hear("^Your turn")
    anna.type("2")
    await paul.hear("Anna(, .+)? declines? the ")
    await paul.hear("^Your turn")
    await anna.ask("moves", "^Waiting for Paul")


async def test_piped_lines_wait_behind_an_unplayed_move() -> None:
    async with serve_cheaply() as server, listen_as(server, "Anna") as anna, listen_as(server, "Paul") as paul:
        await paul_is_to_decide(anna, paul)
        await anna.ask("2", "^It is not your turn yet. Saved for your turn: 2$")
        anna.type("who")
        await wait_until_idle()
        assert not [line for line in anna.said if line.startswith("Seat 2: Paul")]
        paul.type("2")
        await anna.hear("^Anna(, .+)? declines? the ")
        await anna.hear("^Seat 2: Paul")


async def test_at_a_terminal_commands_are_obeyed_while_moves_wait() -> None:
    async with (
        serve_cheaply() as server,
        listen_as(server, "Anna", Terminal()) as anna,
        listen_as(server, "Paul") as paul,
    ):
        await paul_is_to_decide(anna, paul)
        await anna.ask("2", "^It is not your turn yet. Saved for your turn: 2$")
        await anna.ask("1", "^It is not your turn yet. Saved for your turn: 1$")
        await anna.ask("who", "^Seat 2: Paul")
        paul.type("2")
        await anna.hear("^Anna(, .+)? declines? the ")
        paul.type("2")
        await anna.hear("^Anna takes the ")


async def test_an_empty_line_drops_waiting_moves() -> None:
    async with (
        serve_cheaply() as server,
        listen_as(server, "Anna", Terminal()) as anna,
        listen_as(server, "Paul") as paul,
    ):
        await paul_is_to_decide(anna, paul)
        await anna.ask("1", "^It is not your turn yet")
        await anna.ask("", "^The moves that you typed ahead are dropped")
        paul.type("2")
        await anna.hear("^Your turn")
        await anna.ask("2", "^Anna(, .+)? declines? the ")
        assert not [line for line in anna.said if line.startswith("Anna takes the ")]


async def test_more_moves_than_can_wait_are_refused() -> None:
    async with (
        serve_cheaply() as server,
        listen_as(server, "Anna", Terminal()) as anna,
        listen_as(server, "Paul") as paul,
    ):
        await paul_is_to_decide(anna, paul)
        for _ in range(MOVES_AHEAD):
            await anna.ask("2", "^It is not your turn yet")
        await anna.ask("2", f"^{MOVES_AHEAD} moves are already waiting")


async def test_a_flood_of_lines_is_bounded() -> None:
    read = 0

    class Flood(io.StringIO):
        def __iter__(self) -> "Flood":
            return self

        def __next__(self) -> str:
            nonlocal read
            read += 1
            if read > 3 * LINES_AHEAD:
                raise StopIteration
            return f"{read}\n"

    typed = LineReader(Flood())
    assert await typed.read_next() == "1"
    await eventually(lambda: read >= LINES_AHEAD)
    await wait_until_idle()
    assert read <= LINES_AHEAD + 2
    rest = [await typed.read_next() for _ in range(3 * LINES_AHEAD)]
    assert rest == [*map(str, range(2, 3 * LINES_AHEAD + 1)), None], "every line came, in order"
