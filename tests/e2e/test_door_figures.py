"""Real doors: what their logs report is in the metrics, the status and the alerts of their server, to the unit."""

import asyncio
import json
import re
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from scoville_client.doors.ssh.connection import HANDSHAKES_PER_ADDRESS
from scoville_server.control.host_status import list_alerts
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.observation.metrics import MetricsPage
from scoville_server.observation.metrics_settings import MetricsSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.client.doors.ssh.test_door import TERMINAL, Keyless
from tests.client.doors.ssh.test_door import opened as opened_session
from tests.client.doors.web.browser import HELLO, Browser
from tests.server.observation.scrape import Scrape, scrape_port
from tests.support.idle import eventually

# As the command runs it, but that it reports more often, and that a visitor of the table "boom-table" finds a bug.
DOOR = """
import sys
from scoville_client.doors.hosting import reporting, session
reporting.REPORT_SECONDS = 0.05
run_app = session.HostedSession._run_app

async def run_with_a_bug(self):
    if self._visitor.start.code == "boom-table":
        raise KeyError("prepared")
    return await run_app(self)

session.HostedSession._run_app = run_with_a_bug
from scoville_client.cli.main import main
sys.exit(main())
"""


class DoorProcess:
    """A door in a process of its own, with what it writes to its log."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.port = 0
        self.events: list[dict[str, Any]] = []
        self._reading = asyncio.ensure_future(self._read_log())

    async def _read_log(self) -> None:
        assert self.process.stderr is not None
        while line := await self.process.stderr.readline():
            event = json.loads(line)
            self.events.append(event)
            if event["event"] == "door_ready":
                self.port = int(re.findall(r"\d+", event["listens"])[-1])

    def count(self, kind: str, field: str = "event") -> Counter[str]:
        return Counter(event[field] for event in self.events if event["event"] == kind)

    async def stop(self) -> None:
        self.process.terminate()
        assert await self.process.wait() == 0
        await self._reading


@asynccontextmanager
async def door_of(server: Server, kind: str, folder: Path, *more: str) -> AsyncIterator[DoorProcess]:
    arguments = [str(server.door_socket), f"--credential={server.door_credential_file}", "--port=0", *more]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", DOOR, "door", kind, *arguments, "--listen=127.0.0.1", "--log-format=json",
        stdout=PIPE, stderr=PIPE, cwd=folder,
    )  # fmt: skip
    door = DoorProcess(process)
    try:
        await eventually(lambda: door.port)
        yield door
    finally:
        await door.stop()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    settings = Settings(
        host="127.0.0.1",
        port=0,
        data=tmp_path / "data",
        doors=DoorSettings(enabled=True),
        metrics=MetricsSettings(listen="127.0.0.1:0", page_seconds=0.0),
    )
    server = Server(settings)
    await server.start()
    yield server
    await server.close()


def read_page(server: Server) -> Scrape:
    return Scrape(MetricsPage(server.status).render_page().decode())


async def page_shows(server: Server, met: Callable[[Scrape], object]) -> None:
    await eventually(lambda: met(read_page(server)))


def connect(port: int, user: str) -> Any:
    return asyncssh.connect(
        "127.0.0.1", port, username=user, client_keys=[], agent_path=None, known_hosts=None, config=[],
        client_factory=Keyless,
    )  # fmt: skip


async def test_an_ssh_door_reports_to_its_server(server: Server, tmp_path: Path) -> None:
    async with door_of(server, "ssh", tmp_path, f"--host-key={tmp_path / 'key'}") as door:
        async with connect(door.port, "jan") as connection:
            jan = await opened_session(connection, **TERMINAL)
            await jan.sees("resume-")
            await page_shows(
                server, lambda page: page.value_of("scoville_door_sessions", door="ssh", mode="screens") == 1
            )
            assert read_page(server).value_of("scoville_door_processes", door="ssh") == 1
            drawn = len(jan.text.encode())
            await page_shows(
                server, lambda page: page.value_of("scoville_door_bytes_total", door="ssh", direction="sent") >= drawn
            )
        async with connect(door.port, "boom-table") as connection:
            await (await opened_session(connection, **TERMINAL)).ends()
        async with AsyncExitStack() as stack:
            for _ in range(HANDSHAKES_PER_ADDRESS + 3):
                _, writer = await asyncio.open_connection("127.0.0.1", door.port)
                stack.callback(writer.close)
            await eventually(lambda: door.count("door_refusal"))
            await eventually(lambda: sum(door.count("door_disconnect").values()) == 2)
            await check_counts(server, door, "ssh")
        [alert] = [each for each in list_alerts(server.status.read_status()) if each.rule == "ScovilleDoorCrashes"]
        assert "crash because of a bug" in alert.text
    await page_shows(server, lambda page: page.value_of("scoville_door_processes", door="ssh") == 0)


async def test_a_browser_door_reports_to_its_server(server: Server, tmp_path: Path) -> None:
    async with door_of(server, "web", tmp_path, f"--state={tmp_path / 'web'}") as door:
        async with Browser(door.port) as browser:
            tab = await browser.open()
            await tab.send(**HELLO)
            await page_shows(
                server, lambda page: page.value_of("scoville_door_sessions", door="web", mode="screens") == 1
            )
        async with Browser(door.port) as browser:
            tab = await browser.open()
            await tab.send(**HELLO, table="boom-table")
            await eventually(lambda: door.count("door_crash"))
        async with Browser(door.port) as browser:
            await browser.open(page=False)
            await eventually(lambda: door.count("door_refusal", "code")["no_cookie"])
        await eventually(lambda: sum(door.count("door_disconnect").values()) == 2)
        await check_counts(server, door, "web")


async def check_counts(server: Server, door: DoorProcess, kind: str) -> None:
    """Compare the server's metrics with what the door has written to its log."""

    # Read each time: connections that wait may still be refused, and are in the log first.
    def written() -> dict[str, tuple[str, Counter[str]]]:
        return {
            "connects": ("mode", door.count("door_connect", "mode")),
            "disconnects": ("reason", door.count("door_disconnect", "reason")),
            "refusals": ("code", door.count("door_refusal", "code")),
            "crashes": ("kind", door.count("door_crash", "fault")),
        }

    assert written()["crashes"][1] == Counter(KeyError=1)

    def counted(scrape: Scrape) -> dict[str, tuple[str, Counter[str]]]:
        found = {}
        for name, (label, _) in written().items():
            values = {
                dict(labels)[label]: int(value)
                for (each, labels), value in scrape.series.items()
                if each == f"scoville_door_{name}_total" and dict(labels)["door"] == kind and value
            }
            found[name] = (label, Counter(values))
        return found

    await page_shows(server, lambda page: counted(page) == written())
    before = written()
    assert counted(await scrape_port(server.monitoring_port)) in (before, written())
