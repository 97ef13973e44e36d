"""The programs that `doors.py` measures, and what their processes cost."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import asyncssh

MIB = 1024 * 1024
_TICKS = os.sysconf("SC_CLK_TCK")
_PATIENCE = 30.0
SCOVILLE = (sys.executable, "-c", "import sys; from scoville_client.cli.main import main; sys.exit(main())")
SERVER = (sys.executable, "-c", "import sys; from scoville_server.cli.main import main; sys.exit(main())")


class Cost(NamedTuple):
    """What some processes have used: seconds of processor time, and bytes of memory in their share (PSS)."""

    cpu: float
    memory: int


def measure_cost(pids: Sequence[int]) -> Cost:
    """Ask the system, which must be Linux."""
    return Cost(sum(map(_read_cpu, pids)), sum(map(_read_memory, pids)))


def _read_cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _read_memory(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("The system does not say how much memory a process has.")


class Program(NamedTuple):
    """A running door: its port and the processes that serve users."""

    port: int
    pids: tuple[int, ...]


@contextmanager
def run_program(command: Sequence[str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program until the end of the block; its output goes to a file."""
    with log.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def run_server(folder: Path) -> Iterator[int]:
    """Run a server with the public tables of all games, on a port that is returned."""
    port = free_port()
    options = (f"--data={folder}/data", "--host=127.0.0.1", f"--port={port}", "--doors")
    with run_program((*SERVER, *options), folder / "server.log"):
        wait_for(port, folder / "server.log")
        yield port


@contextmanager
def scoville_door(folder: Path, workers: int) -> Iterator[Program]:
    """Run the SSH door of the server whose data are in a folder."""
    port = free_port()
    command = (
        *SCOVILLE,
        "door",
        "ssh",
        f"{folder}/data/door.sock",
        "--listen=127.0.0.1",
        f"--port={port}",
        f"--host-key={folder}/host_key",
        f"--workers={workers}",
    )
    with run_program(command, folder / "door.log") as process:
        wait_for(port, folder / "door.log")
        pids = (process.pid,) if workers == 1 else _wait_for_children(process.pid, workers)
        yield Program(port, pids)


@contextmanager
def web_door(folder: Path) -> Iterator[Program]:
    """Run the browser door of the server whose data are in a folder."""
    port = free_port()
    command = (*SCOVILLE, "door", "web", f"{folder}/data/door.sock", f"--port={port}", f"--state={folder}/web")
    with run_program(command, folder / "web.log") as process:
        wait_for(port, folder / "web.log")
        yield Program(port, (process.pid,))


@contextmanager
def minimal_door(folder: Path, workers: int) -> Iterator[Program]:
    """Run the minimal app in as many processes."""
    port, key = free_port(), folder / "minimal_key"
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(key)
    command = (sys.executable, str(Path(__file__).with_name("_door_minimal.py")), str(port), str(key))
    with ExitStack() as stack:
        running = [stack.enter_context(run_program(command, folder / f"minimal{n}.log")) for n in range(workers)]
        wait_for(port, folder / "minimal0.log")
        time.sleep(1)  # for the other workers
        yield Program(port, tuple(process.pid for process in running))


def _wait_for_children(pid: int, wanted: int) -> tuple[int, ...]:
    """Wait until a process has as many children."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        if len(found) == wanted and all(_is_listening(int(each)) for each in found):
            return tuple(map(int, found))
        time.sleep(0.1)
    raise SystemExit(f"The door has not started {wanted} workers.")


def _is_listening(pid: int) -> bool:
    """Whether a worker has a TCP socket that listens: then it has loaded what it needs."""
    listening = {
        line.split()[9]
        for line in Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        if line.split()[3] == "0A"
    }
    try:
        handles = [str(each.readlink()) for each in Path(f"/proc/{pid}/fd").iterdir()]
    except FileNotFoundError:  # it opens and closes files while it starts
        return False
    return any(handle == f"socket:[{inode}]" for handle in handles for inode in listening)


def free_port() -> int:
    """Find a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def wait_for(port: int, log: Path) -> None:
    """Wait until somebody listens."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit(f"Nothing listens on port {port}:\n{log.read_text(errors='replace')}")
