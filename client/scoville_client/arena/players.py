"""The players of one match: each has a line of its own to the server, as everybody has."""

import asyncio

from scoville_client.arena.contestants import Contestant
from scoville_client.transport.base import Link
from scoville_shared.bots.base import find_bot
from scoville_shared.engine.dice import Dice
from scoville_shared.games import registry
from scoville_shared.protocol.messages import (
    PROTOCOL,
    HelloRequest,
    JoinRequest,
    Notice,
    PlayRequest,
    PollRequest,
    TableSnapshot,
)
from scoville_shared.values import Plain

WAIT_MS = 8_000
"""How long a question for news waits; less than a call may take."""

PARTING_SECONDS = 2.0
"""How long a program may take to end after the game has."""


class Deaf:
    """Passes over notices: whoever asks by `table.poll` needs none."""

    def notice(self, notice: Notice) -> None:
        """Pass over it."""

    def lost(self, reason: str) -> None:
        """Pass over it: the next call says so."""


async def introduced(link: Link, name: str) -> Link:
    """Open a line and say hello. Raises LinkError and ScovilleError."""
    await link.open(Deaf())
    await link.call(HelloRequest(protocol=PROTOCOL, client="scoville arena", name=name))
    return link


async def news(link: Link, table: str, since: int, wait_ms: int = WAIT_MS) -> TableSnapshot:
    """Wait for what happens after event `since`; without any for a while, the table as it is."""
    snapshot = await link.call(PollRequest(table=table, since=since, wait_ms=wait_ms))
    assert isinstance(snapshot, TableSnapshot), "a poll is answered with a snapshot"
    return snapshot


async def play_built_in(link: Link, entrant: Contestant, table: str, seat: int, dice: Dice) -> None:
    """Play a whole match for a built-in bot, through the same bytes as a program. Raises LinkError, ScovilleError."""
    await introduced(link, entrant.label)
    await link.call(JoinRequest(table=table, seat=seat))
    snapshot = await news(link, table, 0)
    while snapshot.info.status != "finished":
        if seat in snapshot.pending:
            await link.call(PlayRequest(table=table, move=_choice(entrant, snapshot, seat, dice)))
        snapshot = await news(link, table, snapshot.seq)


def _choice(entrant: Contestant, snapshot: TableSnapshot, seat: int, dice: Dice) -> Plain:
    assert snapshot.view is not None, "a running game has a View"
    game = registry.load(snapshot.info.game)
    bot = find_bot(game.info.slug, entrant.strength)
    chance = dice.stream(f"arena/{seat}/{snapshot.played[seat]}")
    return game.codec.plain(bot(game, game.codec.view(snapshot.view), chance))


async def run_program(entrant: Contestant, host: str, port: int, table: str, seat: int) -> None:
    """Run a program until the match is over: it gets HOST PORT TABLE SEAT as arguments. Raises OSError."""
    program = await asyncio.create_subprocess_exec(
        *entrant.command,
        host,
        str(port),
        table,
        str(seat),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        await program.wait()
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
