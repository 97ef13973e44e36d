"""Users at real clients with short waits, which record all notices; their nonces and links are under control."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from heapq import merge
from itertools import groupby, islice

from scoville_client.session.changes import Connected, ConnectionDown, EventApplied
from scoville_client.session.link import ReconnectWaits
from scoville_client.session.session import Session
from scoville_client.session.table.fair_deal import no_nonce
from scoville_client.session.table.pledge import Pledges
from scoville_client.session.table.table import AtTable
from scoville_client.transport.in_process import LocalLink
from scoville_runtime.clock import Clock
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import NoncesRequested
from tests.support.client import Recorder

SCALE = 0.01
"""Real seconds for a second of a client's clock."""

TIMEOUT = 60.0
"""Real seconds after which what was waited for is not coming, however busy the machine is."""


async def wait_by_clock(seconds: float) -> None:
    """Wait as a client's clock does."""
    await asyncio.sleep(seconds * SCALE)


class RecordingSession(Session):
    """A user at a real client, with waits for what the session shows."""

    def __init__(self) -> None:
        super().__init__(clock=Clock(sleep=wait_by_clock, chance=lambda: 0.0))
        self.recorder = Recorder(self)
        self._changed = asyncio.Event()
        self.subscribe(lambda _: self._changed.set())

    async def until(self, met: Callable[[], bool]) -> None:
        """Wait until the session is as wished; a change is what wakes it."""
        async with asyncio.timeout(TIMEOUT):
            while not met():
                self._changed.clear()
                await self._changed.wait()

    @property
    def at(self) -> AtTable:
        """The table, where there must be one."""
        assert self.table is not None
        return self.table

    @property
    def seqs(self) -> list[int]:
        """The numbers of the events that were received, in the order of the log.

        The log has no sentence for a request for nonces: this counts where it was received.
        """
        logged = (seq for seq, _ in groupby(line.seq for line in self.at.log))
        silent = (seen.event.seq for seen in self.at.deal.events if isinstance(seen.event, NoncesRequested))
        return [*merge(logged, silent)]

    @property
    def happened(self) -> list[int]:
        """Numbers of the events received live."""
        return [change.event.seq for change in self.recorder.of(EventApplied)]

    @property
    def returns(self) -> int:
        """Number of reconnects."""
        return self.recorder.of(Connected).count(Connected(again=True))

    @property
    def seconds_away(self) -> float:
        """Longest time without a connection, at least, in seconds of the client's clock."""
        tries = max((down.tries for down in self.recorder.of(ConnectionDown)), default=1)
        return sum(islice(ReconnectWaits(lambda: 0.0), tries - 1))


SHORT = {"dicht_dran": {"cycles": 1}, "no_thanks": {"rounds": 1}, "chilli_chase": {"points": 3, "turn_limit": 50}}
GAMES = sorted(SHORT)


async def connect_guest(
    stack: AsyncExitStack, server: Server, name: str, pledges: Pledges | None = None, link: LocalLink | None = None
) -> RecordingSession:
    """Connect a client, which keeps its nonces in `pledges` if they are given."""
    client = RecordingSession()
    if pledges is not None:
        client.fair_deal.pledges = pledges
    await client.connect(link or LocalLink(server), name)
    stack.push_async_callback(client.close)
    return client


async def seat_two_guests(
    stack: AsyncExitStack, server: Server, game: str = "no_thanks", *, nonces: bool = True
) -> tuple[RecordingSession, RecordingSession]:
    """Seat two clients at a new table of three; without `nonces` the first one does not take part in the deal."""
    anna, ben = await connect_guest(stack, server, "Anna"), await connect_guest(stack, server, "Ben")
    if not nonces:
        anna.fair_deal._nonce = no_nonce
    table = (await anna.lobby.create_table(game, 3, SHORT[game])).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.join_table(table)
    return anna, ben


async def play_game(stack: AsyncExitStack, game: str, *, nonces: bool = True) -> tuple[AtTable, list[str]]:
    """Play a game of two users and a bot to the end; returns Anna's session, and the exported game."""
    server = Server(Settings())
    stack.push_async_callback(server.close)
    anna, ben = await seat_two_guests(stack, server, game, nonces=nonces)
    await anna.table_actions.start_game()
    while anna.at.result is None:
        await anna.until(lambda: anna.at.result is not None or anna.at.my_turn or ben.at.my_turn)
        for user in (anna, ben):
            if user.at.my_turn:
                await user.play_move(user.at.legal_moves()[0])
    await anna.until(lambda: anna.at.deal.verdict is not None)
    return anna.at, await anna.table_actions.export_game()
