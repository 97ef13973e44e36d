"""SSH door: memory, log-ins and keys of many users, next to a minimal Textual app and to one process for each user.

The minimal app has one heading and one list and runs the same number of times in as many processes over asyncssh, with
Textual's own drawing; it knows no server. A process for each user is the real client on a pseudo-terminal, without ssh.
All users press an arrow key every second; each key is timed from when it was due until the terminal shows its effect.
Then a crowd logs in within two seconds while the others go on.

Only on Linux, with asyncssh. `--sessions-over N` instead lets N users come in bursts and go in every way: by the key q,
by a lost connection in the lobby, in a dialog, before the first screen, or from the line mode. The door's memory after
each burst must stay flat, also when nobody is polite.
"""

import argparse
import asyncio
import gc
import importlib.util
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from _arguments import bench_parser

MINIMAL = b"Chilli"
"""What the minimal app shows."""
LINES = b"Type ?"
"""What the line mode shows."""
WAYS = ("lost", "quit", "dialog", "early", "lines")
"""How users leave who come and go: an early one loses the connection at its first byte."""
CROWD_SECONDS = 2.0
AT_ONCE = 4
"""Users that log in at the same time before the measurement."""
BURST = 200
"""Users that come together."""
REST = 4.0
"""Seconds after a burst until the memory is read: the door collects its garbage once nobody types."""
GROWTH = 1.1
"""Memory of the door after the last burst, at most so many times that after the second: the first fills caches."""


class Figures(NamedTuple):
    """What was measured of one program; None for what it was not asked.

    Attributes:
        memory: MiB a user.
        login_cpu: Milliseconds of processor time that a log-in costs, with what it makes others draw.
        login: Milliseconds from connecting to the first screen, p95, at most AT_ONCE at a time.
        login_bytes: Bytes that a user receives for it.
        key, key_p95: Milliseconds from a key to its effect.
        key_cpu: Milliseconds of processor time that a key costs.
        key_bytes: Bytes that a key costs.
        crowd_p95: `key_p95` while a crowd logs in.
        crowd_login: Milliseconds until a user of the crowd sees the first screen, p95.
    """

    memory: float
    login_cpu: float
    login: float
    login_bytes: float
    key: float
    key_p95: float
    key_cpu: float
    key_bytes: float
    crowd_p95: float | None = None
    crowd_login: float | None = None


COLUMNS = {
    "memory": "MiB/user",
    "login_cpu": "log-in CPU ms",
    "login": "log-in ms",
    "login_bytes": "log-in bytes",
    "key": "key p50 ms",
    "key_p95": "key p95 ms",
    "key_cpu": "key CPU ms",
    "key_bytes": "key bytes",
    "crowd_p95": "crowd: key p95",
    "crowd_login": "crowd: log-in",
}
GOALS = {"memory": 4.0, "login_bytes": 25_000, "key_p95": 40.0, "key_bytes": 1_500, "crowd_p95": 120.0}


def find_p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return sorted(values)[max(0, round(len(values) * 0.95) - 1)]


async def measure_ssh(program: "Program", screen: bytes, effect: bytes, chosen: argparse.Namespace) -> Figures:
    """Measure a door: log-ins, keys, and keys while a crowd logs in."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def come(number: int, after: float = 0.0) -> tuple[Terminal, float]:
        await asyncio.sleep(after)
        async with gate if number < chosen.sessions else asyncio.Semaphore():
            began = time.perf_counter()
            terminal = await SshTerminal.come(program.port, number, f"user{number}", screen)
            return terminal, time.perf_counter() - began

    before = measure_cost(program.pids)
    arrived = await asyncio.gather(*(come(number) for number in range(chosen.sessions)))
    users = [user for user, _ in arrived]
    figures = await _measure_keys(users, program.pids, before, [took for _, took in arrived], effect, chosen)
    if not chosen.crowd:
        return figures
    numbers = range(chosen.sessions, chosen.sessions + chosen.crowd)
    coming = asyncio.gather(*(come(number, random.uniform(0, CROWD_SECONDS)) for number in numbers))
    crowd = await press_keys(users, coming, effect)
    keys = [took for took, _ in collect_keys(users)]
    for user, _ in [*arrived, *crowd]:
        user.leave()
    return figures._replace(crowd_p95=find_p95(keys) * 1e3, crowd_login=find_p95([took for _, took in crowd]) * 1e3)


async def _measure_keys(
    users: Sequence["Terminal"],
    pids: Sequence[int],
    before: "Cost",
    logins: Sequence[float],
    effect: bytes,
    chosen: argparse.Namespace,
) -> Figures:
    """Measure users who have logged in; `before` is the cost of the processes without them."""
    await asyncio.sleep(CROWD_SECONDS)
    here = measure_cost(pids)
    received = statistics.median(user.received for user in users)
    await press_keys(users, asyncio.sleep(chosen.seconds), effect)
    used = measure_cost(pids).cpu - here.cpu
    keys = list(collect_keys(users))
    return Figures(
        memory=(here.memory - before.memory) / len(users) / MIB,
        login_cpu=(here.cpu - before.cpu) / len(users) * 1e3,
        login=find_p95(logins) * 1e3,
        login_bytes=received,
        key=statistics.median(took for took, _ in keys) * 1e3,
        key_p95=find_p95([took for took, _ in keys]) * 1e3,
        key_cpu=used / len(keys) * 1e3,
        key_bytes=statistics.median(size for _, size in keys),
    )


async def measure_processes(port: int, folder: Path, chosen: argparse.Namespace) -> Figures:
    """Measure the client in a process for each user; all of its memory counts, and the whole start as its log-in."""
    users, logins = [], []
    for number in range(chosen.processes):
        began = time.perf_counter()
        user = ProcessTerminal((*SCOVILLE, "join", f"127.0.0.1:{port}", f"--name=Process {number}"), folder)
        await user.sees(SCREEN)
        logins.append(time.perf_counter() - began)
        users.append(user)
    figures = await _measure_keys(users, [user.pid for user in users], Cost(0.0, 0), logins, MARK, chosen)
    for user in users:
        user.leave()
    return figures


async def _visit_door(program: "Program", number: int, way: str) -> bool:
    """Come, and go in one way; returns whether the door let the user in."""
    user, word = ("plain", LINES) if way == "lines" else ("visitor", b"" if way == "early" else SCREEN)
    try:
        terminal = await SshTerminal.come(program.port, number, user, word)
    except (asyncssh.Error, OSError):
        return False
    if way == "dialog":
        terminal.send(b"?")
        await terminal.sees(b"Esc")
    elif way == "quit":
        terminal.send(b"q")
        await asyncio.sleep(PAUSE)
    terminal.leave()
    return True


async def come_and_go(program: "Program", visits: int, burst: int) -> tuple[list[float], int]:
    """Let users come in bursts and go in every way; returns the door's MiB after each burst, and how many got in."""
    memory, entered = [], 0
    for first in range(0, visits, burst):
        numbers = range(first, min(first + burst, visits))
        entered += sum(await asyncio.gather(*(_visit_door(program, n, WAYS[n % len(WAYS)]) for n in numbers)))
        await asyncio.sleep(REST)
        memory.append(measure_cost(program.pids).memory / MIB)
        print(f"{first + len(numbers)} users: {memory[-1]:.0f} MiB", flush=True)
    return memory, entered


def compare_programs(chosen: argparse.Namespace, folder: Path) -> dict[str, Figures]:
    """Measure everything, and print a row for each program."""
    found: dict[str, Figures] = {}

    def note(name: str, figures: Figures) -> None:
        found[name] = figures
        print(_format_row(name, figures), flush=True)

    print(" " * 34 + "".join(f"{head:>15}" for head in COLUMNS.values()))
    with run_server(folder) as port:
        with scoville_door(folder, chosen.workers) as door:
            note(f"scoville, {chosen.sessions} users", asyncio.run(measure_ssh(door, SCREEN, MARK, chosen)))
        if chosen.processes:
            figures = asyncio.run(measure_processes(port, folder, chosen))
            note(f"a process each, {chosen.processes} users", figures)
    with minimal_door(folder, chosen.workers) as door:
        note(f"minimal app, {chosen.sessions} users", asyncio.run(measure_ssh(door, MINIMAL, b"", chosen)))
    return found


def _format_row(name: str, figures: Figures) -> str:
    cells = ("" if value is None else f"{value:,.2f}" for value in figures)
    return f"{name:<34}" + "".join(f"{cell:>15}" for cell in cells)


def _format_ratios(name: str, ours: Figures, theirs: Figures) -> str:
    pairs = zip(ours, theirs, strict=True)
    cells = ("" if one is None or not other else f"× {one / other:.2f}" for one, other in pairs)
    return f"{f'scoville : {name}':<34}" + "".join(f"{cell:>15}" for cell in cells)


def judge_goals(found: dict[str, Figures]) -> bool:
    """Print ratios and goals; returns whether all goals are met."""
    (_, ours), *others = found.items()
    for name, theirs in others:
        print(_format_ratios(name.split(",")[0], ours, theirs))
    met = True
    for field, goal in GOALS.items():
        reached = getattr(ours, field)
        if reached is not None:
            met = met and reached <= goal
            print(f"goal {COLUMNS[field]:<15} at most {goal:>9,g}: {'met' if reached <= goal else 'NOT met'}")
    return met


def watch_memory(chosen: argparse.Namespace, folder: Path) -> bool:
    """Let users come and go, and print the door's memory; returns whether it stays flat."""
    with run_server(folder), scoville_door(folder, chosen.workers) as door:
        memory, entered = asyncio.run(come_and_go(door, chosen.sessions_over, chosen.burst))
    print(f"MiB after each {chosen.burst} users:", *(f"{each:.0f}" for each in memory))
    second = memory[min(1, len(memory) - 1)]
    flat = memory[-1] <= GROWTH * second
    print(f"{entered} of {chosen.sessions_over} users got in")
    print(f"end : second {memory[-1] / second:.2f}, goal at most {GROWTH}: {'met' if flat else 'NOT met'}")
    return flat and entered == chosen.sessions_over


def main() -> int:
    """Measure, print, judge."""
    parser = bench_parser("doors", __doc__)
    parser.add_argument("--sessions", type=int, default=100, metavar="N", help="users at the door")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes of the door")
    parser.add_argument("--crowd", type=int, default=40, metavar="N", help="users that log in within two seconds")
    parser.add_argument("--processes", type=int, default=10, metavar="N", help="users with a process of their own")
    parser.add_argument("--seconds", type=float, default=20.0, metavar="N", help="time for which users press keys")
    parser.add_argument("--sessions-over", type=int, default=0, metavar="N", help="users that come and go instead")
    parser.add_argument("--burst", type=int, default=BURST, metavar="N", help="users that come together then")
    chosen = parser.parse_args()
    gc.disable()  # a hundred users in one process would wait for it
    with tempfile.TemporaryDirectory() as name:
        if chosen.sessions_over:
            return 0 if watch_memory(chosen, Path(name)) else 1
        return 0 if judge_goals(compare_programs(chosen, Path(name))) else 1


if importlib.util.find_spec("asyncssh") is None:
    raise SystemExit("This benchmark needs asyncssh: .venv/bin/pip install -e '.[ssh]'")

import asyncssh  # noqa: E402
from _door_programs import MIB, SCOVILLE, Cost, Program, measure_cost, minimal_door, run_server, scoville_door  # noqa: E402
from _door_users import MARK, PAUSE, SCREEN, ProcessTerminal, SshTerminal, Terminal, collect_keys, press_keys  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
