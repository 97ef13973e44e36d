"""Real clients of a server that is killed: they return to their seats automatically."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from random import Random
from typing import Any

import msgpack

from scoville_client.i18n.own_words import FULL
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.transport.base import LinkError
from scoville_client.transport.tcp import TcpLink
from tests.e2e.kill.boundaries import NAMES
from tests.e2e.kill.players import SHORT
from tests.e2e.kill.proof import Proof
from tests.support.process import ServerProcess
from tests.support.proxy import Proxy
from tests.support.recording_session import RecordingSession

LOCAL = "127.0.0.1"
MISSED = 3
"""Moves that the others make, as far as they can, while one's line is down."""


class Gathering:
    """A table of real clients and a spectator, whose server is killed after the events in `killed`.

    `missed` counts the events that somebody heard of only later, because their own line had been cut as well.
    """

    def __init__(self, server: ServerProcess, game: str, seats: int, seed: int) -> None:
        self.killed: list[int] = []
        self.missed = 0
        self._server = server
        self._game = game
        self._luck = Random(seed)
        self._people = [RecordingSession() for _ in NAMES[:seats]]
        self._watcher = RecordingSession()
        self._ways: dict[RecordingSession, Proxy] = {}
        self._commitment = ""

    @property
    def events(self) -> int:
        """The events that the spectator knows of."""
        return self._watcher.at.seq

    async def play(self, kill_after: Callable[[int], bool]) -> None:
        """Play move by move to the end; kill after each event that `kill_after` names, and after the last one."""
        async with AsyncExitStack() as stack:
            await self._sit_down(stack)
            while due := self._due():
                await self._move(self._luck.choice(due))
                await self._rest(self._all_users)
                if kill_after(self.events) and self._due():
                    await self._kill_while_one_is_away()
            await self._kill(self._all_users)
            await self._prove(stack)

    async def play_freely(self, gaps: Iterable[int]) -> None:
        """Let all players play, and kill the server each time after some more events."""
        async with AsyncExitStack() as stack:
            await self._sit_down(stack)
            async with asyncio.TaskGroup() as playing:
                for user in self._people:
                    playing.create_task(self._play_out(user))
                for gap in gaps:
                    enough = self.events + gap
                    await self._watcher.until(lambda enough=enough: self.events >= enough or self._is_over())  # type: ignore[misc]
                    await self._restart()
            await self._prove(stack)

    async def start_through_a_kill(self) -> None:
        """Kill the server while one has revealed no nonce yet, then play to the end."""
        async with AsyncExitStack() as stack:
            await self._take_seats(stack)
            late = self._people[-1]
            self._ways[late].silence()  # the request for the nonces does not arrive
            starting = asyncio.ensure_future(self._people[0].table_actions.start_game())
            await self._watcher.until(lambda: self._watcher.at.deal.requested is not None)
            assert self._watcher.at.started is None
            await self._restart()
            self._ways[late].cut()
            self._ways[late].mend()
            await asyncio.gather(starting, return_exceptions=True)  # lost with the connection, where it was waited for
            for user in self._all_users:
                await user.until(lambda user=user: user.at.started is not None)  # type: ignore[misc]
            started = self._watcher.at.started
            assert started is not None
            assert started.missing == []
            for user in self._people:
                assert user.at.deal.pledge is not None
                assert started.nonces[user.at.seat or 0] == user.at.deal.pledge.nonce
            while due := self._due():
                await self._move(self._luck.choice(due))
                await self._rest(self._all_users)
            await self._prove(stack)
            for user in self._people:
                await user.until(lambda user=user: user.at.deal.verdict is not None)  # type: ignore[misc]
                assert user.at.deal.verdict == (DealStanding.VERIFIED, FULL, ())

    # --- playing ----------------------------------------------------------------------------------------

    async def _sit_down(self, stack: AsyncExitStack) -> None:
        """Open a table, fill and start it."""
        await self._take_seats(stack)
        await self._people[0].table_actions.start_game()
        await self._rest(self._all_users)

    async def _take_seats(self, stack: AsyncExitStack) -> None:
        """Open a table and fill it."""
        for user, name in zip(self._all_users, (*NAMES[: len(self._people)], "Zoe"), strict=True):
            self._ways[user] = await stack.enter_async_context(Proxy(self._server.port))
            stack.push_async_callback(user.close)
            await user.connect(TcpLink(LOCAL, self._ways[user].port), name)
        opened = await self._people[0].lobby.create_table(self._game, len(self._people), SHORT.get(self._game))
        self._commitment = opened.commitment
        await self._watcher.watch_table(opened.table)
        for user in self._people:
            await user.join_table(opened.table)

    async def _play_out(self, user: RecordingSession) -> None:
        """Move whenever a move is due, until the game is over."""
        while True:
            await user.until(lambda: user.at.my_turn or user.at.result is not None)
            if user.at.result is not None:
                return
            made = await self._move(user)
            await user.until(lambda made=made: user.at.seq >= made)  # type: ignore[misc]

    async def _move(self, user: RecordingSession) -> int:
        return await user.play_move(self._luck.choice([*user.at.legal_moves()]))

    async def _rest(self, users: list[RecordingSession]) -> None:
        """Wait until all clients have received all events: notices arrive before later replies."""
        for user in users:
            await user.lobby.refresh_tables()

    def _due(self) -> list[RecordingSession]:
        return [self._people[seat] for seat in sorted(self._watcher.at.pending)]

    def _is_over(self) -> bool:
        return self._watcher.at.result is not None

    # --- killing ----------------------------------------------------------------------------------------

    async def _kill_while_one_is_away(self) -> None:
        """Cut a connection, let the others continue, kill the server, and restore the connection only then."""
        mover = self._luck.choice(self._due())
        straggler = self._luck.choice([user for user in self._people if user is not mover])
        there = [user for user in self._all_users if user is not straggler]
        back, known = straggler.returns, straggler.at.seq
        self._ways[straggler].cut()
        await straggler.until(lambda: straggler.connection.reconnecting)
        for _ in range(MISSED):
            for user in [user for user in self._due() if user is not straggler][:1]:
                await self._move(user)
                await self._rest(there)
        await self._kill(there)
        self._ways[straggler].mend()
        await straggler.until(lambda: straggler.returns > back)
        await self._rest(self._all_users)
        assert straggler.at.seq == self.events
        assert all(seat.connected for user in self._all_users for seat in user.at.info.seats)
        self.missed += self.events - known

    async def _kill(self, there: list[RecordingSession]) -> None:
        """Kill and restart the server, and compare the Views of the reconnected clients."""
        before = [_read_seen(user) for user in there]
        back = [user.returns for user in there]
        await self._restart()
        for user, returns in zip(there, back, strict=True):
            await user.until(lambda user=user, returns=returns: user.returns > returns)  # type: ignore[misc]
        assert [_read_seen(user) for user in there] == before, f"after event {self.events} of {self._game}"

    async def _restart(self) -> None:
        await self._server.kill()
        self.killed.append(self.events)
        await self._server.start()

    # --- proving ----------------------------------------------------------------------------------------

    async def _prove(self, stack: AsyncExitStack) -> None:
        """Compare with the exported game, and with the snapshot of a new spectator."""
        for user in self._all_users:
            await _surely_here(user)
        proof = Proof(await self._watcher.table_actions.export_game(), self._commitment)
        for user in self._all_users:
            assert user.at.result is not None
            seen = user.at.game.codec.encode_plain(user.at.view)
            assert msgpack.unpackb(msgpack.packb(seen)) == proof.view(len(proof.exported.moves), user.at.seat)
            await self._check_the_story(user, stack)

    async def _check_the_story(self, user: RecordingSession, stack: AsyncExitStack) -> None:
        """Check that each client received every event once and in order, live or afterwards."""
        afresh = RecordingSession()
        stack.push_async_callback(afresh.close)
        afresh.connection.token = user.connection.token
        await afresh.connect(TcpLink(LOCAL, self._server.port))
        await afresh.watch_table(user.at.id)
        assert user.at.log == afresh.at.log
        assert user.at.seat == afresh.at.seat
        assert user.seqs == list(range(1, self.events + 1))
        assert sorted({*user.happened}) == user.happened

    @property
    def _all_users(self) -> list[RecordingSession]:
        return [*self._people, self._watcher]


def _read_seen(user: RecordingSession) -> tuple[Any, ...]:
    at = user.at
    seated = [(seat.name, seat.kind) for seat in at.info.seats]
    return at.id, at.seat, at.seq, at.view, at.pending, at.played, seated, at.info.host, [*at.log], at.legal_moves()


async def _surely_here(user: RecordingSession) -> None:
    """Wait until the server answers; one that was killed just now may not have been missed yet."""
    while True:
        await user.until(lambda: user.connection.online)
        try:
            return await user.lobby.refresh_tables()
        except LinkError:
            continue
