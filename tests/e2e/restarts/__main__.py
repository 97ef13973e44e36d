"""Restarts a server under play, in place and as systemd does it, and reports what its players noticed."""

import argparse
import asyncio
import os
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from statistics import median

from scoville_runtime.clock import SYSTEM
from scoville_runtime.control_client import ControlClient
from tests.e2e.restarts.players import Played, play_until
from tests.support.process import SERVER, first_line


async def start_server(data: Path, port: socket.socket) -> Process:
    """Start a server with an inherited port, as a socket unit hands it over."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVER, "--data", str(data), "--host", "127.0.0.1"),
        *("--port", str(port.getsockname()[1]), "--no-default-tables", "--log-level", "warning"),
        stdin=DEVNULL,
        stdout=PIPE,
        # All players come from one address.
        env={**os.environ, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "port", "SCOVILLE_LIMITS__PER_ADDRESS": "0"},
        pass_fds=(3,),
        preexec_fn=lambda: os.dup2(port.fileno(), 3),
    )
    await first_line(process)
    return process


def restart_in_place(data: Path) -> None:
    client = ControlClient(data, seconds=60)
    client.send_command("restart", {}, "a new version")
    client.close()


async def measure(players: int, restarts: int, rest: float, pause: float) -> list[Played]:
    """Let players play while the server restarts, every other time in place; returns what each has seen."""
    done = False
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as port:
        data = Path(folder) / "data"
        process = await start_server(data, port)
        number = port.getsockname()[1]
        async with asyncio.TaskGroup() as group:
            playing = [
                group.create_task(play_until(number, f"Player {each}", lambda: done, pause)) for each in range(players)
            ]
            await SYSTEM.sleep(rest)
            for each in range(restarts):
                if each % 2:
                    await asyncio.to_thread(restart_in_place, data)
                    await first_line(process)
                else:
                    process.send_signal(signal.SIGTERM)
                    await process.wait()
                    process = await start_server(data, port)
                await SYSTEM.sleep(rest)
                print(f"restart {each + 1} of {restarts}", file=sys.stderr)
            done = True
        process.kill()
        await process.wait()
    return [each.result() for each in playing]


def report(found: list[Played]) -> int:
    """Print the figures; returns the exit status."""
    waits = sorted(each.longest for each in found)
    refused = [sentence for each in found for sentence in each.refused]
    print(f"{sum(each.moves for each in found)} acknowledged moves, {sum(each.lost for each in found)} lost")
    print(f"longest wait of a player for a move: median {median(waits):.2f} s, most {waits[-1]:.2f} s")
    print(f"refusals: {len(refused)}", *sorted({*refused})[:5], sep="\n  ")
    return int(any(each.lost for each in found) or bool(refused))


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(prog="scripts/restarts", description=__doc__)
    parser.add_argument("--players", type=int, default=100, metavar="N", help="players, each at a table with bots")
    parser.add_argument("--restarts", type=int, default=20, metavar="N", help="restarts")
    parser.add_argument("--rest", type=float, default=3.0, metavar="N", help="seconds between two restarts")
    parser.add_argument("--pause", type=float, default=0.3, metavar="N", help="seconds between a player's moves")
    asked = parser.parse_args()
    sys.exit(report(asyncio.run(measure(asked.players, asked.restarts, asked.rest, asked.pause))))


if __name__ == "__main__":
    main()
