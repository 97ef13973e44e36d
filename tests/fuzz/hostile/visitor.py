"""A session without screens that sends every request to a hostile server; only error sentences may result."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

from scoville_client.session.changes import Change
from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError
from scoville_client.transport.tcp import TcpLink
from scoville_runtime.clock import Clock
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import PauseRequest, ResumeRequest
from tests.support.hostile import HostileProxy, list_disturbances, texts_in
from tests.support.live_server import LiveServer

_TURNS = 40
"""Turns of the loop that pass between two actions at most."""


async def no_time(seconds: float) -> None:
    """Wait as a clock that is far ahead: a few turns of the loop."""
    for _ in range(5 if seconds < 3 else 50):
        await asyncio.sleep(0)


class Visitor:
    """Does `steps` random actions and collects `faults`."""

    def __init__(self, chance: Random, live_server: LiveServer, proxy: HostileProxy) -> None:
        self.faults: list[str] = []
        self._chance = chance
        self._town = live_server
        self._proxy = proxy
        self._session = self._come()

    async def run(self, steps: int) -> None:
        """Connect, repeatedly if necessary, and act."""
        for _ in range(steps):
            if self._session.connection.offline:
                await self._session.close()
                self._session = self._come()
                await self._try(lambda: self._session.connect(TcpLink("127.0.0.1", self._proxy.port), "Paul"))
            else:
                await self._try(self._chance.choice(self._actions()))
            for _ in range(self._chance.randrange(_TURNS)):
                await asyncio.sleep(0)
        await self._session.close()

    def _come(self) -> Session:
        session = Session(clock=Clock(sleep=no_time, chance=self._chance.random))
        session.subscribe(self._look)
        return session

    def _look(self, change: Change) -> None:
        """Read the table and render every sentence, as screens do."""
        at = self._session.table
        if at is not None:
            texts = [line.phrase.render(at.names) for line in at.log[-3:]]
            texts += [*at.marks, *(str(at.seconds_left(seat, at.now())) for seat in range(len(at.info.seats)))]
            if at.view is not None:
                texts += [phrase.render(at.names) for phrase in at.game.text.describe_table(at.view)]
                [*zip(at.legal_moves(), range(50), strict=False)]
            self._check([*texts, *texts_in(at.info)])
        self._check([*texts_in(self._session.lobby.tables)])
        assert change is not None

    def _check(self, texts: list[str]) -> None:
        for text in texts:
            if list_disturbances(text):
                self.faults.append(f"{text[:200]!r} reached the client")

    async def _try(self, action: Callable[[], Awaitable[Any]]) -> None:
        try:
            await action()
        except (ScovilleError, LinkError) as error:
            self._check([str(error)])

    def _actions(self) -> list[Callable[[], Awaitable[Any]]]:
        session = self._session
        tables = [table.table for table in session.lobby.tables] or ["none"]
        table = self._chance.choice(tables)
        actions: list[Callable[[], Awaitable[Any]]] = [
            session.lobby.watch_lobby,
            session.lobby.refresh_tables,
            lambda: session.join_table(table),
            lambda: session.watch_table(table),
            lambda: session.lobby.create_table("no_thanks", 3),
            lambda: session.chat.send_message("Hello"),
            lambda: session.chat.read_channel("lobby"),
            lambda: session.account.request_profile("Marie"),
            lambda: session.account.request_leaders("no_thanks"),
            session.account.show_account,
            lambda: self._town.marie.chat.send_message("Hello"),
        ]
        if session.table is not None:
            actions += [
                session.table_actions.start_game,
                self._play,
                self._play,
                self._play,
                self._play,
                session.table_actions.export_game,
                self._marie_plays,
            ]
            actions += [
                session.leave_table,
                session.return_to_lobby,
                lambda: session.table_actions.request_here(PauseRequest),
                lambda: session.table_actions.request_here(ResumeRequest),
            ]
        return actions

    async def _play(self) -> None:
        at = self._session.table
        moves = () if at is None else at.legal_moves()
        if len(moves):
            await self._session.play_move(moves[self._chance.randrange(len(moves))])

    async def _marie_plays(self) -> None:
        marie = self._town.marie
        if marie.table is not None and marie.table.my_turn:
            await marie.play_move(marie.table.legal_moves()[0])
