"""Effect of floods at the doors: a user's keys and newcomers' first screens beside packets and frames of every kind.

Each kind of flood runs for some seconds from one address and from many; its users have entered the door before. The
baseline, in the same run, is as many processes that only burn processor time. What counts is the maximum, not a
percentile: of keys and of the time that a newcomer needs to see the lobby.
"""

import argparse
import asyncio
import gc
import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from _arguments import bench_parser

GOAL = 4.0
"""How many times the maximum beside burning processes the one beside a flood may be."""
LEAST_MS = 50.0
"""A baseline is not counted as less: one screen of another user takes as long."""
ARROWS = (b"\x1b[B", b"\x1b[A")
KEY_EVERY, COME_EVERY = 0.1, 0.4


class Figures(NamedTuple):
    """Milliseconds: median and maximum of keys, maximum of newcomers' first screens; and how many did not get in."""

    key: float
    key_max: float
    come_max: float
    refused: int


async def measure_keys(come: Any, seconds: float) -> Figures:
    """Press keys and let newcomers in; `come` enters as a numbered user and returns how to press a key and to leave."""
    end = time.perf_counter() + seconds
    keys: list[float] = []
    came: list[float] = []
    refused = 0

    async def newcomers() -> None:
        nonlocal refused
        number = 1
        while time.perf_counter() < end:
            began = time.perf_counter()
            try:
                _, leave = await come(number)
                came.append(time.perf_counter() - began)
                await leave()
            except Exception:  # noqa: BLE001 - whatever keeps a newcomer out
                refused += 1
            number += 1
            await asyncio.sleep(COME_EVERY)

    press, leave = await come(0)
    coming = asyncio.ensure_future(newcomers())
    number = 0
    while time.perf_counter() < end:
        began = time.perf_counter()
        await press(ARROWS[number % 2])
        keys.append(time.perf_counter() - began)
        number += 1
        await asyncio.sleep(KEY_EVERY)
    await coming
    await leave()
    return Figures(sorted(keys)[len(keys) // 2] * 1e3, max(keys) * 1e3, max(came, default=0.0) * 1e3, refused)


def ssh_user(port: int) -> Any:
    """Return how users enter the SSH door."""

    async def come(number: int) -> Any:
        terminal = await SshTerminal.come(port, number, "user", SCREEN)

        async def press(key: bytes) -> None:
            shown = asyncio.ensure_future(terminal.sees(MARK))
            await asyncio.sleep(0)
            terminal.send(key)
            await shown

        async def leave() -> None:
            terminal.leave()

        return press, leave

    return come


def web_user(port: int) -> Any:
    """Return how users enter the browser door."""

    async def come(number: int) -> Any:
        visiting = open_page(port, f"127.0.1.{1 + number}")
        _, socket = await visiting.__aenter__()

        async def see(word: bytes) -> None:
            seen = b""
            while word not in seen:
                message = await socket.receive(30)
                seen += message.data if isinstance(message.data, bytes) else b""

        async def press(key: bytes) -> None:
            await socket.send_bytes(key)
            await see(MARK)

        async def leave() -> None:
            await visiting.__aexit__(None, None, None)

        await see(SCREEN)
        return press, leave

    return come


@contextmanager
def run_beside(commands: Sequence[Sequence[str]]) -> Iterator[None]:
    """Run programs beside the measurement."""
    programs = [subprocess.Popen(command) for command in commands]
    time.sleep(1.5)  # until they have entered
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def measure_rows(chosen: argparse.Namespace, ports: dict[str, int]) -> Iterator[tuple[str, Figures, Figures]]:
    """Measure each kind of flood, and the baseline of its door right before."""
    users = {"ssh": ssh_user(ports["ssh"]), "web": web_user(ports["web"])}
    burning: dict[str, Figures] = {}
    burners = [[sys.executable, "-c", "while True: pass"]] * chosen.flooders
    for kind in [chosen.kind] if chosen.kind else KINDS:
        door = kind[:3]
        if door not in burning:
            with run_beside(burners):
                burning[door] = asyncio.run(measure_keys(users[door], chosen.seconds))
            print(format_row(f"{door} door, {chosen.flooders} burning", burning[door]), flush=True)
        for addresses in (1, chosen.flooders):
            flooder = [
                sys.executable,
                __file__,
                "--flood",
                kind,
                str(ports[door]),
                str(chosen.flooders),
                str(addresses),
            ]
            with run_beside([flooder]):
                figures = asyncio.run(measure_keys(users[door], chosen.seconds))
            yield f"{kind}, {addresses} address{'es' * (addresses > 1)}", figures, burning[door]


def format_row(name: str, figures: Figures) -> str:
    """Return a row of the report."""
    return f"{name:34}{figures.key:10.1f}{figures.key_max:10.1f}{figures.come_max:12.1f}{figures.refused:9}"


def is_met(figures: Figures, burning: Figures) -> bool:
    """Whether maxima are within the goal, and every newcomer got in."""
    pairs = ((figures.key_max, burning.key_max), (figures.come_max, burning.come_max))
    return not figures.refused and all(flood <= GOAL * max(base, LEAST_MS) for flood, base in pairs)


def main() -> int:
    """Measure, or be a flood."""
    parser = bench_parser("door_floods", __doc__)
    parser.add_argument("--seconds", type=float, default=6.0, metavar="N", help="duration of one measurement")
    parser.add_argument("--flooders", type=int, default=2, metavar="N", help="users that flood; also try 20")
    parser.add_argument("--kind", choices=KINDS, help="kind of flood, all if not given")
    parser.add_argument("--flood", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.flood:
        kind, port, users, addresses = chosen.flood
        asyncio.run(flood_door(kind, int(port), int(users), int(addresses), 600.0))
        return 0
    gc.disable()
    print(f"{'milliseconds':34}{'key':>10}{'key max':>10}{'screen max':>12}{'refused':>9}")
    met = True
    with (
        tempfile.TemporaryDirectory() as name,
        run_server(folder := Path(name)),
        scoville_door(folder, 1) as ssh,
        web_door(folder) as web,
    ):
        for title, figures, burning in measure_rows(chosen, {"ssh": ssh.port, "web": web.port}):
            good = is_met(figures, burning)
            met = met and good
            print(format_row(title, figures) + ("" if good else "  above the goal"), flush=True)
    print(f"\nGoal: maxima at most {GOAL:g} times those beside burning processes, nobody refused: ", end="")
    print("met" if met else "NOT met")
    return 0 if met else 1


for module in ("asyncssh", "aiohttp"):
    if importlib.util.find_spec(module) is None:
        raise SystemExit("This benchmark needs asyncssh and aiohttp: .venv/bin/pip install -e '.[ssh,web]'")

from _door_flooders import KINDS, flood_door, open_page  # noqa: E402
from _door_programs import run_server, scoville_door, web_door  # noqa: E402
from _door_users import MARK, SCREEN, SshTerminal  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
