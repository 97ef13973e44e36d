"""A cluster on one machine: three servers of NATS and three nodes of Scoville, each a process. Run by scripts/cluster.

Only to look at it, and for tests: machines of their own are what a cluster is for.
"""

import argparse
import json
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Final

from scoville_runtime.control_client import ControlClient
from scoville_shared.errors import ScovilleError

NODES: Final = 3
SHARED: Final = ("server.key", "door.credential")
"""What all nodes have alike; the second one only where they take doors."""
BINARY: Final = "nats-server"
SERVES: Final = " ready listens="
"""What the log of a node says when it begins to serve."""
FOLLOWED: Final = "Another server process serves now; this one sends its users on"
"""What it says when it has learned that another one does."""
_LOCAL: Final = "127.0.0.1"
_FIRST_PORT: Final = 20_000
_PORTS: Final = 12_000
"""Below those of outgoing connections: such a one would take a port between its choice and its use."""
_CHANCE: Final = SystemRandom()
"""Not the chance of a test, which is the same in each run: two runs on one machine would choose the same ports."""
_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 15.0
_STATUS_SECONDS: Final = 1.0
_RUN: Final = "from scoville_server.cli.main import main; main()"
_RUN_OFF: Final = "import time; ns = time.time_ns; time.time_ns = lambda: ns() + {}; " + _RUN
"""The same with a clock that is off by so many nanoseconds."""

Show = Callable[[str, str], object]
"""Shows a line of a process: its name, and the line."""


class Process:
    """A process of the cluster, what it has printed, how often it has begun to serve, and since when it does.

    `served_at` is in monotonic seconds, 0 while it does not serve.
    """

    def __init__(self, name: str, command: Sequence[str | Path], show: Show) -> None:
        self.name = name
        self.lines: list[str] = []
        self.starts, self.served_at = 0, 0.0
        self._show = show
        self.process = subprocess.Popen(
            [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
        )
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()

    def _read_lines(self) -> None:
        assert self.process.stdout is not None, "it is a pipe"
        with self.process.stdout as printed:
            for line in printed:
                if SERVES in line:
                    self.starts, self.served_at = self.starts + 1, time.monotonic()
                elif FOLLOWED in line:
                    self.served_at = 0.0
                self.lines.append(line.rstrip())
                self._show(self.name, line.rstrip())

    def wait(self, seconds: float) -> None:
        """Wait until it has ended; one that takes longer is killed."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join()

    def has_said(self, text: str) -> bool:
        """Whether a line with a text was printed."""
        return any(text in line for line in self.lines)

    def send(self, number: signal.Signals) -> None:
        """Send a signal, if the process still runs."""
        if self.process.poll() is None:
            self.process.send_signal(number)


class Cluster:
    """Three servers of NATS and three nodes in a folder, on free ports of this machine.

    Args:
        folder: Where they keep what they keep.
        ports: The ports of the nodes; 0 for free ones.
        settings: More options of each node.
        show: Shows what they print.
        clocks: By how many seconds the clock of each node is off.
        lines: More lines of the settings of each node.
        hosts: The addresses of the machines, each with a server of NATS and a node.
        prefixes: What begins each command on a machine, such as that of a network namespace.
        all_serve: Whether all nodes serve, and not one alone.

    Attributes:
        nats_ports: The ports of the servers of NATS.
        ways: By the number of a node the ports by which it reaches them, where something is in between.
    """

    def __init__(
        self,
        folder: Path,
        ports: Sequence[int] = (0,) * NODES,
        settings: Sequence[str] = (),
        show: Show = lambda *_: 0,
        clocks: Sequence[float] = (0.0,) * NODES,
        lines: Sequence[str] = (),
        hosts: Sequence[str] = (_LOCAL,) * NODES,
        prefixes: Sequence[Sequence[str]] = ((),) * NODES,
        *,
        all_serve: bool = False,
    ) -> None:
        self.folder = folder
        self.hosts = hosts
        self._prefixes = prefixes
        self._lines = lines
        self._clocks = clocks
        self.ways: dict[int, Sequence[int]] = {}
        self._show = show
        self._settings = settings
        self._password = secrets.token_urlsafe(18)
        self._all_serve = all_serve
        free = free_ports(4 * NODES)
        self.ports = [port or free.pop() for port in ports]
        self.nats_ports = [free.pop() for _ in range(NODES)]
        self._routes = [free.pop() for _ in range(NODES)]
        self._links = [free.pop() for _ in range(NODES)]
        self.engines: list[Process] = []
        self.nodes: list[Process] = []

    def start(self) -> None:
        """Start everything, and wait until a node serves."""
        for number in range(NODES):
            self.engines.append(self.start_engine(number))
        # The first one makes the key that all show.
        self.nodes.append(self.start_node(0))
        self.wait_until(lambda: self.nodes[0].has_said("has joined the cluster"), "the first node")
        for number in range(1, NODES):
            data = self.data_of(number)
            data.mkdir(parents=True, exist_ok=True, mode=0o700)
            for name in SHARED:
                if (self.data_of(0) / name).exists():
                    shutil.copy2(self.data_of(0) / name, data / name)
            self.nodes.append(self.start_node(number))
        self.wait_until(
            lambda: (
                all(node.has_said("has joined the cluster") for node in self.nodes)
                and sum(node.has_said(SERVES) for node in self.nodes) >= (NODES if self._all_serve else 1)
            ),
            "the nodes",
        )

    def start_engine(self, number: int) -> Process:
        """Start a server of NATS, perhaps again with what it has kept."""
        home = self.folder / f"nats{number}"
        home.mkdir(parents=True, exist_ok=True)
        routes = ", ".join(f'"nats://{at}:{port}"' for at, port in zip(self.hosts, self._routes, strict=True))
        host = self.hosts[number]
        config = home / "nats.conf"
        config.write_text(
            f"""
server_name: nats{number}
listen: "{host}:{self.nats_ports[number]}"
ping_interval: "2s"
ping_max: 2
jetstream {{ store_dir: "{home / "store"}", sync_interval: always }}
cluster {{ name: local, listen: "{host}:{self._routes[number]}", routes: [{routes}], no_advertise: true }}
accounts {{
    SYS {{ users: [{{user: system, password: "{self._password}"}}] }}
    SCOVILLE {{ jetstream: enabled, users: [{{user: scoville, password: "{self._password}"}}] }}
}}
system_account: SYS
""",
            encoding="utf-8",
        )
        config.chmod(0o600)
        return Process(f"nats{number}", [*self._prefixes[number], find_binary(), "-c", config], lambda *_: None)

    def start_node(self, number: int) -> Process:
        """Start a node, perhaps again with what it has kept."""
        host, port = self.hosts[number], self.ports[number]
        config = self.folder / f"node{number}.toml"
        config.write_text(
            "\n".join(
                [
                    f'host = "{host}"',
                    f"port = {port}",
                    f'data = "{self.data_of(number)}"',
                    *self._lines,
                    "[cluster]",
                    f"servers = {self.addresses('scoville', number)}",
                    f"system = {self.addresses('system', number)}",
                    f'address = "{host}:{port}"',
                    f'link = "{host}:{self._links[number]}"' if self._all_serve else "",
                    "",
                ]
            ),
            encoding="utf-8",
        )
        config.chmod(0o600)
        off = round(self._clocks[number] * 1_000_000_000)
        run = _RUN_OFF.format(off) if off else _RUN
        command = [*self._prefixes[number], sys.executable, "-c", run, "--config", str(config), *self._settings]
        return Process(f"node{number}", command, self._show)

    def addresses(self, user: str, number: int) -> str:
        """Return the addresses by which a node reaches the servers of NATS, as a list of TOML and JSON."""
        ports = self.ways.get(number, self.nats_ports)
        places = zip(self.hosts, ports, strict=True)
        return json.dumps([f"nats://{user}:{self._password}@{host}:{port}" for host, port in places])

    def serving_node(self) -> int:
        """Return the number of the node that serves."""
        return max(range(len(self.nodes)), key=lambda number: self.nodes[number].served_at)

    def data_of(self, number: int) -> Path:
        """Return the data folder of a node."""
        return self.folder / f"node{number}"

    def describe_spread(self) -> str:
        """Say how many tables each node serves, as the first one that answers has heard; empty if none answers."""
        places = zip(self.hosts, self.ports, strict=True)
        names = {f"{host}:{port}": f"node{number}" for number, (host, port) in enumerate(places)}
        for number in range(NODES):
            control = ControlClient(self.data_of(number), _STATUS_SECONDS)
            try:
                nodes = control.send_command("status")["cluster"]["nodes"]
            except ScovilleError:
                continue
            finally:
                control.close()
            serving = {names[node["address"]]: node["tables"] for node in nodes if node["serves"]}
            return "Tables: " + ", ".join(f"{name} {count}" for name, count in sorted(serving.items()))
        return ""

    def wait_until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds. Raises RuntimeError with what the processes have said."""
        until = time.monotonic() + _START_SECONDS
        while not holds():
            dead = [each for each in (*self.engines, *self.nodes) if each.process.poll() is not None]
            if time.monotonic() > until or dead:
                said = [f"{each.name}: {line}" for each in (*self.engines, *self.nodes) for line in each.lines[-10:]]
                raise RuntimeError("\n".join([f"The cluster waits for {what}.", *said]))
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop everything."""
        for each in self.nodes:
            each.send(signal.SIGCONT)
            each.send(signal.SIGTERM)
        for each in self.nodes:
            each.wait(_STOP_SECONDS)
        for each in self.engines:
            each.send(signal.SIGTERM)
        for each in self.engines:
            each.wait(_STOP_SECONDS)


def free_ports(count: int) -> list[int]:
    """Return ports of this machine that nothing listens on, none of which it gives to connections meanwhile."""
    bound: list[socket.socket] = []
    while len(bound) < count:
        with suppress(OSError):
            bound.append(socket.create_server((_LOCAL, _FIRST_PORT + _CHANCE.randrange(_PORTS))))
    found = [int(each.getsockname()[1]) for each in bound]
    for each in bound:
        each.close()
    return found


def find_binary() -> Path:
    """Return the program nats-server. Raises SystemExit with a sentence when it is not installed."""
    beside = Path(sys.executable).with_name(BINARY)
    found = beside if beside.exists() else shutil.which(BINARY)
    if found is None:
        raise SystemExit("nats-server is not installed; get the official release, and put it into a folder of PATH.")
    return Path(found)


def main() -> None:
    """Run a cluster until Ctrl+C."""
    parser = argparse.ArgumentParser(prog="scripts/cluster", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder for everything, by default a temporary one")
    parser.add_argument("--port", type=int, default=5757, help="port of the first node; the others have the next ones")
    parser.add_argument("--all-serve", action="store_true", help="let all nodes serve, each its own tables")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scoville-cluster-") as temporary:
        folder = arguments.data or Path(temporary)
        ports = [arguments.port + number for number in range(NODES)]
        cluster = Cluster(
            folder.absolute(),
            ports,
            show=lambda name, line: print(f"{name}: {line}", flush=True),
            all_serve=arguments.all_serve,
        )
        try:
            cluster.start()
            pids = ", ".join(f"{node.name} {node.process.pid}" for node in cluster.nodes)
            print(f"\nJoin with: scripts/play join 127.0.0.1:{ports[0]}")
            print(f"Processes to stop, kill or pause: {pids}\n", flush=True)
            shown = ""
            while True:
                if (spread := cluster.describe_spread()) != shown:
                    print(shown := spread, flush=True)
                time.sleep(1)
        except KeyboardInterrupt:
            pass
        finally:
            cluster.stop()


if __name__ == "__main__":
    # Also when the terminal is closed: six processes would go on without it.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    main()
