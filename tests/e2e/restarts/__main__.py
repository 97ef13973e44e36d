"""Restarts a server under play, in place and as systemd does it, and reports what its players noticed."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple, Protocol

from scoville_runtime.clock import SYSTEM
from tests.e2e.restarts.doors import PageSession, SshSession, open_doors
from tests.e2e.restarts.manager import ServiceManager
from tests.e2e.restarts.players import play_until
from tests.e2e.restarts.waits import Noticed, Restart, find_outages, find_quantile, list_waits


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


_LOOKS = 1200
"""Looks at the sessions, twenty a second, until one that shows nothing counts as silent."""


class Load(NamedTuple):
    """What happens to a server: how many players play through how many restarts.

    `rest` are the seconds between two restarts, `pause` those between a player's moves. `tls` says whether the players'
    connections are encrypted, as those over the internet are; the others are those of doors, and of this machine.
    """

    players: int
    restarts: int
    rest: float
    pause: float
    tls: bool = False


async def measure_restarts(load: Load, sessions: int = 0) -> Noticed:
    """Start a server with doors, and let players play through its restarts; returns what each has seen."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        manager = stack.enter_context(ServiceManager(Path(folder) / "data", "--doors"))
        stack.push_async_callback(manager.end_server)
        await manager.start_server()
        users = await open_doors(stack, manager.data, sessions) if sessions else []
        return await play_through_restarts(manager, users, load)


async def play_through_restarts(service: Service, users: Sequence[SshSession | PageSession], load: Load) -> Noticed:
    """Let players play while the server restarts, every other time in place; returns what each has seen."""
    done, happened = False, list[Restart]()
    with tempfile.TemporaryDirectory() as folder:
        async with asyncio.TaskGroup() as group:
            pins = Path(folder) if load.tls else None
            playing = [
                group.create_task(play_until(service.port, f"Player {each}", lambda: done, load.pause, pins))
                for each in range(load.players)
            ]
            await SYSTEM.sleep(load.rest)
            for each in range(load.restarts):
                happened.append(await restart_server(service, in_place=bool(each % 2)))
                await SYSTEM.sleep(load.rest)
                print(f"restart {each + 1} of {load.restarts}", file=sys.stderr)
            done = True
    closed = sum(not user.is_open for user in users)
    silent = await count_silent(users)
    return Noticed([each.result() for each in playing], happened, closed, silent)


async def restart_server(service: Service, *, in_place: bool) -> Restart:
    """Restart the server, and measure it."""
    began, used = SYSTEM.seconds(), service.used_seconds
    await (service.restart_in_place() if in_place else service.restart_server())
    return Restart(in_place, began, SYSTEM.seconds(), service.used_seconds - used)


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
        outages = sorted(outage.seconds for outage in find_outages(found, in_place=in_place))
        waits = list_waits(found, in_place=in_place)
        if not outages:
            continue
        used = [each.seconds for each in found.restarts if each.in_place is in_place]
        print(f"restarts {kind}: {len(used)}, of {median(used):.2f} s of processor time")
        print(f"  nobody was answered for {median(outages):.2f} s in the median, {outages[-1]:.2f} s at most")
        print(
            f"  waits for the {len(waits)} moves that met them: median {median(waits):.2f} s, 95th percentile "
            f"{find_quantile(waits, 0.95):.2f} s, most {waits[-1]:.2f} s"
        )
    print(f"connections of players that were lost: {sum(each.reconnects for each in found.played)}")
    print(f"sessions of doors that were closed: {found.closed}, that show nothing more: {found.silent}")
    print(f"refusals: {len(refused)}", *sorted({*refused})[:5], sep="\n  ")
    return int(bool(lost or refused or found.closed or found.silent))


def main() -> None:
    """Run and report."""
    parser = make_parser("scripts/restarts", __doc__)
    asked = parser.parse_args()
    sys.exit(print_report(asyncio.run(measure_restarts(read_load(asked), asked.sessions))))


def read_load(asked: argparse.Namespace) -> Load:
    """Read what is to happen to a server from the options of a command."""
    return Load(asked.players, asked.restarts, asked.rest, asked.pause, asked.tls)


def make_parser(program: str, description: str | None) -> argparse.ArgumentParser:
    """Make the parser of a command that restarts a server under play."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--players", type=int, default=200, metavar="N", help="players, each at a table with bots")
    parser.add_argument("--sessions", type=int, default=40, metavar="N", help="users in the lobby, by ssh and browsers")
    parser.add_argument("--restarts", type=int, default=20, metavar="N", help="restarts")
    parser.add_argument("--rest", type=float, default=3.0, metavar="N", help="seconds between two restarts")
    parser.add_argument("--pause", type=float, default=0.4, metavar="N", help="seconds between a player's moves")
    parser.add_argument("--tls", action="store_true", help="encrypt the connections of the players")
    return parser


if __name__ == "__main__":
    main()
