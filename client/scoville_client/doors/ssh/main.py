"""Command `scoville door ssh`: one door process, or several that share the port."""

import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from scoville_client.doors.hosting.events import DoorReady
from scoville_client.doors.hosting.process import (
    FAILED,
    LogOptions,
    announce_door,
    reported_to_manager,
    run_door,
    serve_until_end,
    share_process,
)
from scoville_client.doors.upstream import ServerAddresses, Upstream
from scoville_client.i18n.language import tr
from scoville_client.output import complain
from scoville_runtime.events import Events

if TYPE_CHECKING:
    from scoville_client.processes import Supervised

_PROGRAM: Final = "ssh-door"


class DoorArguments(NamedTuple):
    """Arguments of the command.

    Attributes:
        place: The server: the path of its socket, or its addresses with a pin.
        credential: File with the door's credential.
        host: Address to listen on; empty for all.
        port: Port to listen on.
        host_key: File of the host key.
        workers: Number of processes that share the port.
        idle_seconds: Seconds without a key after which a session ends.
        supervised: Whether another process has started this one, and it ends with that.
        log: Options of the log.
    """

    place: Path | ServerAddresses
    credential: Path
    host: str
    port: int
    host_key: Path
    workers: int
    idle_seconds: float
    supervised: bool
    log: LogOptions = LogOptions()


def run_ssh_door(arguments: DoorArguments) -> int:
    """Run the door until a signal ends it; returns the exit status."""
    missing = tr("The SSH door needs asyncssh. Install it with: pip install asyncssh==2.24.1")
    return run_door(
        "asyncssh",
        missing,
        _PROGRAM,
        arguments.log,
        lambda events: _serve_users(arguments, events) if arguments.workers == 1 else _start_processes(arguments),
    )


async def _serve_users(arguments: DoorArguments, events: Events) -> int:
    """Run one door in this process."""
    from scoville_client.doors.hosting.reporting import DoorFigures, DoorReporter
    from scoville_client.doors.ssh.server import DoorOptions, SshDoor, host_key

    upstream, figures = Upstream(arguments.place, arguments.credential), DoorFigures()
    events.add_sink(figures)
    # Processes that were started together share a port; one alone must fail where the port is in use.
    options = DoorOptions(arguments.host, arguments.port, arguments.supervised, arguments.idle_seconds)
    try:
        door = SshDoor(upstream, host_key(arguments.host_key), options, events=events, figures=figures)
        await door.open()
    except (OSError, ValueError) as error:
        complain(tr("The SSH door cannot open: {reason}.", reason=getattr(error, "strerror", None) or str(error)))
        return FAILED
    share_process()
    if not arguments.supervised:
        _announce_door(arguments, door.port, door.fingerprint)
    ready = DoorReady(listens=str(door.port), key=door.fingerprint)
    tending = [door.garbage.collect_forever(), DoorReporter(upstream, "ssh", figures).report_forever()]
    await serve_until_end(door, ready, events, tending, supervised=arguments.supervised)
    return 0


async def _start_processes(arguments: DoorArguments) -> int:
    """Run several doors that share the port, each started again when it dies."""
    from scoville_client.doors.ssh.server import host_key
    from scoville_client.processes import Supervised, wait_for_end

    try:
        key = host_key(arguments.host_key)
    except (OSError, ValueError) as error:
        complain(tr("The SSH door cannot open: {reason}.", reason=getattr(error, "strerror", None) or str(error)))
        return FAILED
    workers = [Supervised(worker_arguments(arguments)) for _ in range(arguments.workers)]
    for worker in workers:
        worker.start()
    _announce_door(arguments, arguments.port, key.get_fingerprint())
    with reported_to_manager(f"{len(workers)} processes".format):
        await wait_for_end(supervised=False, reopened=lambda: _signal_workers(workers))
    await asyncio.gather(*(worker.close() for worker in workers))
    return 0


def _signal_workers(workers: "Sequence[Supervised]") -> None:
    for worker in workers:
        worker.send_signal(signal.SIGUSR1)


def _announce_door(arguments: DoorArguments, port: int, key: str) -> None:
    sentence = tr("The SSH door is open on port {port}. Its host key is {key}", port=port, key=key)
    announce_door(sentence, _PROGRAM, arguments.log)


def worker_arguments(arguments: DoorArguments) -> list[str]:
    """Return the command line of one process of the door."""
    place = arguments.place if isinstance(arguments.place, Path) else arguments.place.short
    return [
        "door",
        "ssh",
        str(place),
        f"--credential={arguments.credential}",
        f"--listen={arguments.host}",
        f"--port={arguments.port}",
        f"--host-key={arguments.host_key}",
        f"--idle={round(arguments.idle_seconds / 60)}",
        "--supervised",
        *arguments.log.arguments,
    ]
