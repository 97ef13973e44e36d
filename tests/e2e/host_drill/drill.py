"""What all points of the drill use: a folder, the command, servers that end with it, and the tests of a point."""

import asyncio
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scoville_runtime.clock import SYSTEM
from tests.server.observation.scrape import Scrape, request_page, scrape_port
from tests.support.process import port_of
from tests.support.tree import ROOT
from tests.support.warm_start import CLIENT, SERVER

PATIENCE_SECONDS = 60.0
"""How long anything may take on a busy machine until it counts as not held."""


class NotHeldError(Exception):
    """A point does not hold, in a sentence."""


class CannotRunError(Exception):
    """A point cannot be shown on this machine, in a sentence."""


class Ran(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What it has printed."""
        return self.out.splitlines()


def expect_held(held: object, sentence: str) -> None:
    """Raise NotHeldError with a sentence unless something holds."""
    if not held:
        raise NotHeldError(sentence)


class RunningServer:
    """A server in a process of its own, with its log in a file.

    Attributes:
        port: Where users connect.
        monitoring: Where metrics and health are, 0 without.
    """

    def __init__(self, process: Process, data: Path, log: Path, monitoring: int) -> None:
        self.process = process
        self.data = data
        self.log = log
        self.monitoring = monitoring
        self.port = 0
        self.printed: list[str] = []
        self._reading: asyncio.Task[None] | None = None

    async def wait_until_ready(self) -> "RunningServer":
        """Wait until it listens. Raises NotHeldError if it ends instead."""
        self._reading = asyncio.get_running_loop().create_task(self._read())
        await wait_until(lambda: self._has_answered, "the server does not start")
        expect_held(self.port, f"the server has ended: {self.log.read_text()[-500:]}")
        return self

    @property
    def _has_answered(self) -> bool:
        found = [line for line in self.printed if "listens on" in line]
        if found:
            self.port = port_of(found[-1])
        return bool(found) or self.process.returncode is not None

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            self.printed.append(line.decode().rstrip())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    async def scrape(self) -> Scrape:
        """Read its metrics."""
        return await scrape_port(self.monitoring)

    async def ask_health(self, page: str) -> int:
        """Return the status of `/healthz` or `/readyz`; 0 if nobody answers."""
        try:
            return (await request_page(self.monitoring, page))[0]
        except OSError:
            return 0

    def list_events(self, kind: str = "") -> list[dict[str, Any]]:
        """List the events of its log, which is in JSON."""
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("{")]
        events: list[dict[str, Any]] = [json.loads(line) for line in lines]
        return [event for event in events if not kind or event["event"] == kind]

    async def stop(self) -> int:
        """End it with SIGTERM; returns its exit status."""
        if self.process.returncode is None:
            self.signal(signal.SIGTERM)
        status = await self.process.wait()
        if self._reading is not None:
            await self._reading
        return status

    async def end(self) -> None:
        """End it at once, whatever it does."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        if self._reading is not None:
            await self._reading


class Drill:
    """Runs commands and servers in a folder, as many times as a whole or a short drill wants.

    Args:
        folder: An empty folder.
        whole: Whether all is done as often as the acceptance list says; else a few times, and tests are left out.
        code: Runs the command `scoville-server`.
        patience: Seconds that anything may take.
    """

    def __init__(self, folder: Path, *, whole: bool, code: str = SERVER, patience: float = PATIENCE_SECONDS) -> None:
        self.patience = patience
        self.folder = folder
        self.whole = whole
        self.code = code
        self._servers: list[RunningServer] = []

    def make_folder(self, name: str) -> Path:
        """Make an empty folder of this name."""
        made = self.folder / name
        made.mkdir()
        return made

    async def run(self, *arguments: object, **environment: str) -> Ran:
        """Run the command `scoville-server` to its end."""
        return await run_program(sys.executable, "-c", self.code, *map(str, arguments), environment=environment)

    async def run_well(self, *arguments: object, **environment: str) -> Ran:
        """Run the command; it must succeed."""
        ran = await self.run(*arguments, **environment)
        expect_held(ran.status == 0, f"scoville-server {' '.join(map(str, arguments))}: status {ran.status}: {ran.err}")
        return ran

    async def start(
        self,
        folder: Path,
        *,
        top: str = "",
        tables: str = "",
        code: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> RunningServer:
        """Start a server on loopback, with its settings, data and log in a folder, and with metrics.

        Args:
            folder: An empty folder, or that of an earlier server.
            top: More settings above the first table.
            tables: More tables of settings.
            code: Runs the command, instead of that of this drill.
            environment: More environment variables.
        """
        monitoring, log = find_port(), folder / "server.log"
        settings = top + write_settings(folder, monitoring) + tables
        (folder / "server.toml").write_text(settings, encoding="utf-8")
        with log.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", code or self.code, "--config", str(folder / "server.toml")),
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=errors,
                env={**os.environ, "HOME": str(folder), "LANGUAGE": "en", **(environment or {})},
                cwd=ROOT,
            )
        server = RunningServer(process, folder / "data", log, monitoring)
        self._servers.append(server)
        return await server.wait_until_ready()

    async def end_servers(self) -> None:
        """End all servers that still run."""
        for server in self._servers:
            await server.end()
        self._servers.clear()

    async def say_in_lines(self, server: RunningServer, typed: str, language: str = "en", name: str = "Zoe") -> str:
        """Connect in the line mode, type some lines, and return what was written."""
        ran = await run_program(
            *(sys.executable, "-c", CLIENT, "--language", language, "--plain", "--name", name),
            *("join", f"127.0.0.1:{server.port}"),
            environment={"HOME": str(self.folder), "LANGUAGE": language},
            typed=typed,
        )
        return ran.out + ran.err

    async def until(self, met: Callable[[], bool], failure: str) -> float:
        """Wait until something is so; returns how long that took. Raises NotHeldError."""
        return await wait_until(met, failure, self.patience)

    async def until_asked(self, ask: Callable[[], Awaitable[object]], wanted: object, failure: str) -> float:
        """Ask again and again until the answer is the wanted one; returns how long that took. Raises NotHeldError."""
        begun = SYSTEM.seconds()
        while (answer := await ask()) != wanted:
            expect_held(SYSTEM.seconds() - begun < self.patience, f"{failure}: {answer}, not {wanted}")
            await SYSTEM.sleep(0.05)
        return SYSTEM.seconds() - begun

    async def run_tests(self, paths: Sequence[str]) -> str:
        """Run the tests that are a point's evidence; returns how many have passed."""
        command = ("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *paths)
        ran = await run_program(sys.executable, *command, environment={})
        last = (ran.lines or [""])[-1].strip("= ")
        expect_held(ran.status == 0, f"{' '.join(paths)}: {last}\n{ran.out[-2000:]}")
        return last


class Point(NamedTuple):
    """A point of the acceptance list.

    Attributes:
        number: Its number there.
        title: What must hold.
        show: Shows it with real processes, and returns what was done; None where that is left to the tests.
        tests: The tests that show the rest, which only a whole drill runs.
    """

    number: int
    title: str
    show: Callable[[Drill], Awaitable[str]] | None
    tests: tuple[str, ...] = ()


def write_settings(folder: Path, monitoring: int) -> str:
    """Write what every server of the drill has; more settings may follow."""
    return (
        f'host = "127.0.0.1"\nport = 0\ndata = "{folder / "data"}"\ndrain_seconds = 0.1\ndefault_tables = []\n'
        '[limits]\nper_user = 0\nper_address = 0\n[log]\nformat = "json"\n'
        f'[metrics]\nlisten = "127.0.0.1:{monitoring}"\n'
    )


async def run_program(*command: str, environment: Mapping[str, str], typed: str = "") -> Ran:
    """Run a program to its end, in the repository's folder."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=ROOT, env={**os.environ, **environment}
    )
    out, err = await process.communicate(typed.encode())
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


async def wait_until(met: Callable[[], bool], failure: str, seconds: float = PATIENCE_SECONDS) -> float:
    """Wait until something is so; returns how long that took. Raises NotHeldError."""
    begun = SYSTEM.seconds()
    while not met():
        expect_held(SYSTEM.seconds() - begun < seconds, f"{failure} ({seconds:g} s)")
        await SYSTEM.sleep(0.02)
    return SYSTEM.seconds() - begun


def find_port() -> int:
    """Return a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number: int = listening.getsockname()[1]
        return number
