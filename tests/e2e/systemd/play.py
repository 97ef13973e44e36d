"""Plays through restarts of the service of a machine, in whose network this process is: `play PID OPTION...`."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.restarts.__main__ import Load, make_parser, play_through_restarts, print_report, read_load
from tests.e2e.restarts.doors import PageSession, SshSession
from tests.e2e.restarts.manager import read_used_seconds
from tests.e2e.restarts.waits import Noticed
from tests.e2e.systemd.machine import SystemdMachine
from tests.e2e.systemd.trial import SERVER

_SSH, _WEB, _PORT = 2222, 8080, 5757


class SystemdService:
    """The server's unit."""

    port = _PORT

    def __init__(self, machine: SystemdMachine) -> None:
        self._machine = machine

    @property
    def used_seconds(self) -> float:
        """Processor time of all processes of the machine that have ended, which systemd has waited for."""
        return read_used_seconds(self._machine.pid, children=True)

    async def restart_server(self) -> None:
        """Stop the server and start it again."""
        await asyncio.to_thread(self._machine.run, "systemctl", "restart", SERVER)

    async def restart_in_place(self) -> None:
        """Let a successor take over from the server."""
        await asyncio.to_thread(self._machine.run, "scoville-server", "restart")


async def measure_restarts(machine: SystemdMachine, load: Load, sessions: int) -> Noticed:
    """Let users come by the doors and play while the service restarts."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        users: list[SshSession | PageSession] = []
        for number in range(sessions):
            user: SshSession | PageSession
            user = await (SshSession.log_in(_SSH, Path(folder)) if number % 2 else PageSession.open_page(_WEB))
            stack.push_async_callback(user.close)
            users.append(user)
        return await play_through_restarts(SystemdService(machine), users, load)


def main() -> None:
    """Run and report."""
    asked = make_parser("scripts/systemd", __doc__).parse_args(sys.argv[2:])
    machine = SystemdMachine(int(sys.argv[1]))
    sys.exit(print_report(asyncio.run(measure_restarts(machine, read_load(asked), asked.sessions))))


main()
