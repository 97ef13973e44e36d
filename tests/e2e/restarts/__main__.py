"""Restarts a server under play, in place and as systemd does it, and reports what its players noticed."""

import argparse
import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

from scoville_runtime.clock import SYSTEM
from tests.e2e.restarts.doors import PageSession, SshSession, open_doors
from tests.e2e.restarts.manager import ServiceManager
from tests.e2e.restarts.players import Played, play_until


class Noticed(NamedTuple):
    """What players have noticed of the restarts, and how many sessions of doors have ended or stand still."""

    played: list[Played]
    closed: int
    silent: int


_LOOKS = 1200
"""Looks at the sessions, twenty a second, until one that shows nothing counts as silent."""


async def measure(players: int, restarts: int, rest: float, pause: float, sessions: int = 0) -> Noticed:
    """Let players play while the server restarts, every other time in place; returns what each has seen."""
    done = False
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        manager = stack.enter_context(ServiceManager(Path(folder) / "data", "--doors"))
        stack.push_async_callback(manager.end_server)
        await manager.start_server()
        users = await open_doors(stack, manager.data, sessions) if sessions else []
        async with asyncio.TaskGroup() as group:
            playing = [
                group.create_task(play_until(manager.port, f"Player {each}", lambda: done, pause))
                for each in range(players)
            ]
            await SYSTEM.sleep(rest)
            for each in range(restarts):
                await (manager.restart_in_place() if each % 2 else manager.restart_server())
                await SYSTEM.sleep(rest)
                print(f"restart {each + 1} of {restarts}", file=sys.stderr)
            done = True
        closed = sum(not user.is_open for user in users)
        silent = await count_silent(users)
    return Noticed([each.result() for each in playing], closed, silent)


async def count_silent(users: list[SshSession | PageSession]) -> int:
    """Press a key in each session, and count those that show nothing."""
    before = [user.received for user in users]
    for user in users:
        if user.is_open:
            user.type(b"?")
    for _ in range(_LOOKS):
        if all(user.received > number for user, number in zip(users, before, strict=True)):
            break
        await SYSTEM.sleep(0.05)
    return sum(user.received <= number for user, number in zip(users, before, strict=True))


def report(found: Noticed) -> int:
    """Print the figures; returns the exit status."""
    waits = sorted(wait for each in found.played for wait in each.waits)
    longest = sorted(each.longest for each in found.played)
    refused = [sentence for each in found.played for sentence in each.refused]
    lost = sum(each.lost for each in found.played)
    print(f"{sum(each.moves for each in found.played)} acknowledged moves, {lost} lost")
    if waits:
        print(f"waits over a restart: {len(waits)}, median {median(waits):.2f} s, most {waits[-1]:.2f} s")
    print(f"longest wait of a player for a move: median {median(longest):.2f} s, most {longest[-1]:.2f} s")
    print(f"sessions of doors that were closed: {found.closed}, that show nothing more: {found.silent}")
    print(f"refusals: {len(refused)}", *sorted({*refused})[:5], sep="\n  ")
    return int(bool(lost or refused or found.closed or found.silent))


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(prog="scripts/restarts", description=__doc__)
    parser.add_argument("--players", type=int, default=200, metavar="N", help="players, each at a table with bots")
    parser.add_argument("--sessions", type=int, default=40, metavar="N", help="users in the lobby, by ssh and browsers")
    parser.add_argument("--restarts", type=int, default=20, metavar="N", help="restarts")
    parser.add_argument("--rest", type=float, default=3.0, metavar="N", help="seconds between two restarts")
    parser.add_argument("--pause", type=float, default=0.4, metavar="N", help="seconds between a player's moves")
    asked = parser.parse_args()
    measured = measure(asked.players, asked.restarts, asked.rest, asked.pause, asked.sessions)
    sys.exit(report(asyncio.run(measured)))


if __name__ == "__main__":
    main()
