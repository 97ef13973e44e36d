"""Drills for alerts: each drives a real server into the state for which an alert was made."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scoville_client.doors.hosting.events import DoorCrash
from scoville_client.doors.hosting.reporting import DoorFigures, DoorReporter
from scoville_client.doors.upstream import Upstream
from scoville_server.journal.backups.note import Copied, note_backup, note_failed_backup
from scoville_server.journal.store import Store
from scoville_server.limits.thinking_limits import ThinkingLimits
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.observation.figures import TICK_SECONDS
from scoville_server.observation.metrics_settings import MetricsSettings
from scoville_server.server import Server
from scoville_server.settings.model import ScaleSettings, Settings
from tests.server.observation.scrape import Scrape, scrape_port
from tests.support.clock import FakeClock
from tests.support.idle import eventually
from tests.support.rpc import Refusal, RpcClient


class Stage:
    """Where a drill plays: a server on a clock of its own, its patches, and what to close at the end."""

    def __init__(self, server: Server, clock: FakeClock, patch: pytest.MonkeyPatch, stack: AsyncExitStack) -> None:
        self.server = server
        self.clock = clock
        self.patch = patch
        self._stack = stack

    async def connect_client(self) -> RpcClient:
        """Connect a client that stays until the end."""
        return await self._stack.enter_async_context(RpcClient(self.server.port))

    async def open_table(self, client: RpcClient) -> str:
        made = await client.call("table.create", game="no_thanks", seat_count=3)
        return str(made["info"]["table"])

    async def play_moves(self, most: int) -> None:
        """Let a user play some moves against bots."""
        client = await self.connect_client()
        await client.hello()
        table = await self.open_table(client)
        await client.call("table.join", table=table)
        await client.call("table.start", table=table)
        made = 0
        while made < most:
            legal = (await client.call("table.moves", table=table))["moves"]
            if legal:
                await client.call("table.play", table=table, move=legal[0])
                made += 1


class Drill(NamedTuple):
    """How to make an alert fire: the settings of the server, and what happens."""

    act: Callable[[Stage], Awaitable[None]]
    settings: Mapping[str, Any] = {}


async def _fill_disk(stage: Stage) -> None:
    class Usage(NamedTuple):
        total: int = 10**12
        used: int = 10**12
        free: int = 0

    stage.patch.setattr("scoville_server.observation.process.shutil.disk_usage", lambda _: Usage())


async def _hold_loop(stage: Stage) -> None:
    for _ in range(3):
        stage.clock.time += 1.0
        await stage.clock.elapse(TICK_SECONDS)


async def _slow_disk(stage: Stage) -> None:
    commit = Store.commit_writes

    def commit_slowly(store: Store, writes: Any) -> Any:
        stage.clock.time += 0.9
        return commit(store, writes)

    with stage.patch.context() as patch:
        patch.setattr(Store, "commit_writes", commit_slowly)
        await stage.play_moves(3)


async def _refuse_writes(stage: Stage) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR

    def refuse(*_: object, **__: object) -> None:
        raise error

    with stage.patch.context() as patch:
        patch.setattr("scoville_server.journal.statements.Statements.write_changes", refuse)
        client = await stage.connect_client()
        await client.hello()
        with pytest.raises(Refusal):
            await client.call("account.claim_name", password="seven habaneros")


async def _fill_connections(stage: Stage) -> None:
    for _ in range(4):
        await stage.connect_client()
        await stage.clock.elapse(1.0)
    await eventually(lambda: stage.server.status.gauges.connections() == 4)


async def _fill_tables(stage: Stage) -> None:
    client = await stage.connect_client()
    await client.hello()
    for _ in range(3):
        await stage.open_table(client)


async def _do_nothing(_: Stage) -> None:
    """The settings alone suffice."""


async def _queue_bots(stage: Stage) -> None:
    from scoville_thinking.pool import Pool

    # No process ever comes: the questions of the bots stay in the queue.
    stage.patch.setattr(Pool, "_work_through_queue", lambda _: None)
    client = await stage.connect_client()
    await client.hello()
    table = await stage.open_table(client)
    await client.call("table.join", table=table)
    await client.call("table.start", table=table, bots="master")
    await eventually(lambda: stage.server.status.gauges.bots() > 0)


async def _fail_request(stage: Stage) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    client = await stage.connect_client()
    await client.hello()
    with stage.patch.context() as patch:
        patch.setattr("scoville_server.requests.sanitize_params", fail)
        with pytest.raises(Refusal, match="internal"):
            await client.call("player.leaderboard", game="no_thanks")


async def _guess_passwords(stage: Stage) -> None:
    client = await stage.connect_client()
    await client.hello()
    for _ in range(40):
        with pytest.raises(Refusal, match=r"wrong_login|slow_down"):
            await client.call("account.login", name="Anna", password="wrong")
        stage.clock.time += 60


async def _refuse_reload(stage: Stage) -> None:
    stage.server.live_settings.refuse_reload(("A typo.",))


async def _doubt_clock(stage: Stage) -> None:
    stage.patch.setattr("tests.support.clock.START_MS", 946_684_800_000)
    stage.server._services.time.now_ms()


async def _stop_game(stage: Stage) -> None:
    stage.server._services.catalog.leave_out("chilli_chase", "three of its calls did not end")


async def _fail_backup(stage: Stage) -> None:
    assert stage.server.settings.data is not None
    note_failed_backup(stage.server.settings.data, "The disk is full.", 1)
    stage.clock.time += 11


async def _miss_backups(stage: Stage) -> None:
    # The rules are tested in the first hours of 1970.
    assert stage.server.settings.data is not None
    note_backup(stage.server.settings.data, stage.server.settings.data, Copied(1, 1), -3 * 86_400_000)
    stage.clock.time += 11


async def _crash_door(stage: Stage) -> None:
    """Let a door report a crash, as its process does."""
    figures, credential = DoorFigures(), stage.server.door_credential_file
    figures.take_event(DoorCrash(address="", mode="screens", fault="ZeroDivisionError"))
    assert stage.server.door_socket is not None
    assert credential is not None
    reporter = DoorReporter(Upstream(stage.server.door_socket, credential), "ssh", figures)
    reporting = asyncio.ensure_future(reporter.report_forever())
    await eventually(lambda: stage.server.status.read_status().doors)
    reporting.cancel()


DRILLS: Mapping[str, Drill] = {
    "ScovilleNotReady": Drill(_fill_disk),
    "ScovilleLoopSlow": Drill(_hold_loop),
    "ScovilleMovesSlow": Drill(_slow_disk),
    "ScovilleDiskSlow": Drill(_slow_disk),
    "ScovilleWritesFail": Drill(_refuse_writes),
    "ScovilleDiskFillsUp": Drill(_fill_disk),
    "ScovilleNearlyFull": Drill(_fill_connections, {"connections": ConnectionLimits(total=4, per_address=0)}),
    "ScovilleTablesNearlyFull": Drill(_fill_tables, {"tables": 3}),
    "ScovilleMemoryHigh": Drill(_do_nothing, {"limits": ScaleSettings(memory_mib=8)}),
    "ScovilleBotsWait": Drill(_queue_bots, {"thinking": ThinkingLimits(waiting=1)}),
    "ScovilleInternalErrors": Drill(_fail_request),
    "ScovilleDoorCrashes": Drill(_crash_door, {"doors": DoorSettings(enabled=True)}),
    "ScovilleGuessing": Drill(_guess_passwords),
    "ScovilleReloadFailed": Drill(_refuse_reload),
    "ScovilleClockWrong": Drill(_doubt_clock),
    "ScovilleGamesStopped": Drill(_stop_game),
    "ScovilleBackupFailed": Drill(_fail_backup),
    "ScovilleBackupOld": Drill(_miss_backups),
}
"""A drill for each alert; a server that is down has none, since it has no figures."""


class Drilled(NamedTuple):
    """The metrics before and after a drill."""

    before: Scrape
    after: Scrape


@asynccontextmanager
async def _staged_server(data: Path, settings: Mapping[str, Any]) -> AsyncIterator[Stage]:
    clock = FakeClock()
    metrics = MetricsSettings(listen="127.0.0.1:0", page_seconds=0.0)
    server = Server(Settings(host="127.0.0.1", port=0, data=data, metrics=metrics, **settings), clock=clock.server)
    await server.start()
    async with AsyncExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            yield Stage(server, clock, patch, stack)
    await server.close()


async def run_drill(data: Path, drill: Drill) -> Drilled:
    """Start a server, scrape it, let something happen, and scrape it again."""
    async with _staged_server(data, drill.settings) as stage:
        before = await scrape_port(stage.server.monitoring_port)
        await drill.act(stage)
        return Drilled(before, await scrape_port(stage.server.monitoring_port))
