"""Restarts a server under play, in place and as systemd does it, and reports what its players noticed."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple, Protocol

from scoville_runtime.clock import SYSTEM
from tests.e2e.restarts.doors import PageSession, SshSession, open_doors
from tests.e2e.restarts.manager import ServiceManager
from tests.e2e.restarts.players import Played, play_until


class Restart(NamedTuple):
    """A restart: whether in place, when it began and the successor was ready, and what it cost the server's processes.

    `seconds` are those of their processors: those of a busy machine say more about others than about this server.
    """

    in_place: bool
    began: float
    ended: float
    seconds: float


class Service(Protocol):
    """A service whose server can be restarted."""

    @property
    def port(self) -> int:
        """The server's port."""

    @property
    def used_seconds(self) -> float:
        """Processor time of all servers until now."""

    async def restart_server(self) -> None:
        """Stop the server and start it again."""

    async def restart_in_place(self) -> None:
        """Let a successor take over from the server, which ends."""


class Noticed(NamedTuple):
    """What players have noticed of the restarts, and how many sessions of doors have ended or stand still."""

    played: list[Played]
    restarts: list[Restart]
    closed: int
    silent: int


_SOON = 1.0
"""Seconds after a restart in which a move may still have waited for it."""
_LOOKS = 1200
"""Looks at the sessions, twenty a second, until one that shows nothing counts as silent."""


async def measure_restarts(players: int, restarts: int, rest: float, pause: float, sessions: int = 0) -> Noticed:
    """Start a server with doors, and let players play through its restarts; returns what each has seen."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        manager = stack.enter_context(ServiceManager(Path(folder) / "data", "--doors"))
        stack.push_async_callback(manager.end_server)
        await manager.start_server()
        users = await open_doors(stack, manager.data, sessions) if sessions else []
        return await play_through_restarts(manager, users, players, restarts, rest, pause)


async def play_through_restarts(
    service: Service,
    users: Sequence[SshSession | PageSession],
    players: int,
    restarts: int,
    rest: float,
    pause: float,
) -> Noticed:
    """Let players play while the server restarts, every other time in place; returns what each has seen."""
    done, happened = False, list[Restart]()
    async with asyncio.TaskGroup() as group:
        playing = [
            group.create_task(play_until(service.port, f"Player {each}", lambda: done, pause))
            for each in range(players)
        ]
        await SYSTEM.sleep(rest)
        for each in range(restarts):
            happened.append(await restart_server(service, in_place=bool(each % 2)))
            await SYSTEM.sleep(rest)
            print(f"restart {each + 1} of {restarts}", file=sys.stderr)
        done = True
    closed = sum(not user.is_open for user in users)
    silent = await count_silent(users)
    return Noticed([each.result() for each in playing], happened, closed, silent)


async def restart_server(service: Service, *, in_place: bool) -> Restart:
    """Restart the server, and measure it."""
    began, used = SYSTEM.seconds(), service.used_seconds
    await (service.restart_in_place() if in_place else service.restart_server())
    return Restart(in_place, began, SYSTEM.seconds(), service.used_seconds - used)


def list_waits(found: Noticed, *, in_place: bool) -> list[float]:
    """List the longest wait of each player for a move that ended while the server restarted, or soon after."""
    waits = list[float]()
    for each in found.restarts:
        if each.in_place is in_place:
            for player in found.played:
                near = [wait for at, wait in player.waits if each.began <= at <= each.ended + _SOON]
                waits += [max(near)] if near else []
    return sorted(waits)


def list_gaps(found: Noticed, *, in_place: bool) -> list[float]:
    """List for each restart the longest time in which no move of anybody was answered."""
    answered = sorted(at for player in found.played for at, _ in player.waits)
    gaps = list[float]()
    for each in found.restarts:
        near = [at for at in answered if each.began <= at <= each.ended + _SOON]
        if each.in_place is in_place and len(near) > 1:
            gaps.append(max(later - at for at, later in pairwise(near)))
    return sorted(gaps)


async def count_silent(users: Sequence[SshSession | PageSession]) -> int:
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


def print_report(found: Noticed) -> int:
    """Print the figures; returns the exit status."""
    refused = [sentence for each in found.played for sentence in each.refused]
    lost = sum(each.lost for each in found.played)
    print(f"{sum(len(each.waits) for each in found.played)} acknowledged moves, {lost} lost")
    for in_place, kind in (False, "by the service manager"), (True, "in place"):
        waits = list_waits(found, in_place=in_place)
        used = [each.seconds for each in found.restarts if each.in_place is in_place]
        if waits:
            print(
                f"restarts {kind}: {len(used)}, of {median(used):.2f} s of processor time; waits of players over them: "
                f"median {median(waits):.2f} s, 95th percentile {waits[int(len(waits) * 0.95)]:.2f} s, "
                f"most {waits[-1]:.2f} s"
            )
        if gaps := list_gaps(found, in_place=in_place):
            print(f"  nobody was answered for {median(gaps):.2f} s in the median, {gaps[-1]:.2f} s at most")
    print(f"connections of players that were lost: {sum(each.reconnects for each in found.played)}")
    print(f"sessions of doors that were closed: {found.closed}, that show nothing more: {found.silent}")
    print(f"refusals: {len(refused)}", *sorted({*refused})[:5], sep="\n  ")
    return int(bool(lost or refused or found.closed or found.silent))


def main() -> None:
    """Run and report."""
    parser = make_parser("scripts/restarts", __doc__)
    asked = parser.parse_args()
    measured = measure_restarts(asked.players, asked.restarts, asked.rest, asked.pause, asked.sessions)
    sys.exit(print_report(asyncio.run(measured)))


def make_parser(program: str, description: str | None) -> argparse.ArgumentParser:
    """Make the parser of a command that restarts a server under play."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--players", type=int, default=200, metavar="N", help="players, each at a table with bots")
    parser.add_argument("--sessions", type=int, default=40, metavar="N", help="users in the lobby, by ssh and browsers")
    parser.add_argument("--restarts", type=int, default=20, metavar="N", help="restarts")
    parser.add_argument("--rest", type=float, default=3.0, metavar="N", help="seconds between two restarts")
    parser.add_argument("--pause", type=float, default=0.4, metavar="N", help="seconds between a player's moves")
    return parser


if __name__ == "__main__":
    main()
