"""Players of a match: each has its own connection to the server."""

import asyncio
from functools import partial
from typing import Any

from scoville_client.arena.contestants import Contestant
from scoville_client.transport.base import Link
from scoville_outside import guard
from scoville_shared.bots.base import Bot
from scoville_shared.bots.registry import find_contestant
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.protocol.messages import (
    PROTOCOL,
    HelloRequest,
    JoinRequest,
    Notice,
    Played,
    PlayRequest,
    PollRequest,
    TableSnapshot,
)
from scoville_shared.values import Plain
from scoville_thinking.machines import fastest_machine

WAIT_MS = 8_000
"""Milliseconds that a poll waits; fewer than a call may take."""

PARTING_SECONDS = 2.0
"""Seconds in which a program must end after the game."""


class NoticeSink:
    """A listener that ignores notices: a player that polls needs none."""

    def notice(self, notice: Notice) -> None:
        """Ignore a notice."""

    def lost(self, reason: str) -> None:
        """Ignore the loss: the next call raises it."""


async def introduced(link: Link, name: str) -> Link:
    """Connect and log in. Raises LinkError and ScovilleError."""
    await link.open(NoticeSink())
    await link.call(HelloRequest(protocol=PROTOCOL, client="scoville arena", name=name))
    return link


async def news(link: Link, table: str, since: int, wait_ms: int = WAIT_MS) -> TableSnapshot:
    """Poll for events after `since`; without any for a while, return the table as it is."""
    snapshot = await link.call(PollRequest(table=table, since=since, wait_ms=wait_ms))
    assert isinstance(snapshot, TableSnapshot), "a poll is answered with a snapshot"
    return snapshot


async def play_built_in(link: Link, entrant: Contestant, table: str, seat: int, dice: Dice) -> None:
    """Play a whole match for a built-in bot, through the protocol. Raises LinkError and ScovilleError."""
    await introduced(link, entrant.label)
    await link.call(JoinRequest(table=table, seat=seat))
    snapshot = await news(link, table, 0)
    slug = snapshot.info.game
    bot = _bot(slug, entrant, seat, dice)(guard.load_game(slug))
    while snapshot.info.status != "finished":
        _observe(bot, snapshot)
        if seat in snapshot.pending:
            await link.call(PlayRequest(table=table, move=_choice(bot, snapshot, seat, dice)))
        snapshot = await news(link, table, snapshot.seq)


def _bot(slug: str, entrant: Contestant, seat: int, dice: Dice) -> type[Bot]:
    """Find the bot of a contestant; of a mix, the seed of the match draws one."""
    names = entrant.mixed or (entrant.level,)
    found = find_contestant(slug, names[dice.open_stream(f"arena/{seat}/mix").draw_below(len(names))])
    assert found is not None, "contestants were checked"
    return found


def _observe(bot: Bot, snapshot: TableSnapshot) -> None:
    for event in snapshot.events:
        if isinstance(event, Played):
            for fact in event.facts:
                guard.ask_bot(bot.game, partial(bot.observe_fact, bot.game.codec.decode_fact(fact)))


def _choice(bot: Bot, snapshot: TableSnapshot, seat: int, dice: Dice) -> Plain:
    assert snapshot.view is not None, "a running game has a View"
    chance = dice.open_stream(f"arena/{seat}/{snapshot.move_counts[seat]}")
    view = bot.game.codec.decode_view(snapshot.view)
    return bot.game.codec.encode_plain(guard.ask_bot(bot.game, lambda: _chosen(bot, view, chance)))


def _chosen(bot: Bot, view: Any, chance: Stream) -> Any:
    """Let a bot choose; one that searches has the fastest machine, and all its playouts."""
    return (
        bot.choose_by(fastest_machine(), view, chance) if isinstance(bot, SearchBot) else bot.choose_move(view, chance)
    )


async def run_program(entrant: Contestant, host: str, port: int, table: str, seat: int) -> None:
    """Run a program until the match is over, with the arguments HOST PORT TABLE SEAT. Raises OSError."""
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
