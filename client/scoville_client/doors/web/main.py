"""Command `scoville door web`: the browser door as a process."""

import asyncio
import ssl
from contextlib import nullcontext
from typing import Final

from scoville_client.doors.hosting.events import DoorReady, DoorStop
from scoville_client.doors.hosting.process import FAILED, announce_door, count_sessions, reported_to_manager, run_door
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.arguments import WebArguments
from scoville_client.doors.web.certificate import DoorCertificate
from scoville_client.i18n.language import tr
from scoville_client.output import complain
from scoville_runtime.clock import SYSTEM
from scoville_runtime.events import Events

_PROGRAM: Final = "web-door"


def run_web_door(arguments: WebArguments) -> int:
    """Run the door until a signal ends it; returns the exit status."""
    missing = tr("The browser door needs aiohttp. Install it with: pip install aiohttp")
    return run_door("aiohttp", missing, _PROGRAM, arguments.log, lambda events: _serve_pages(arguments, events))


async def _serve_pages(arguments: WebArguments, events: Events) -> int:
    from scoville_client.doors.hosting.garbage import GarbageCollector
    from scoville_client.doors.hosting.process import share_process
    from scoville_client.doors.hosting.reporting import DoorFigures, DoorReporter
    from scoville_client.doors.web.service import open_door
    from scoville_client.processes import ended

    garbage, figures = GarbageCollector(), DoorFigures()
    events.add_sink(figures)
    try:
        certificate = load_certificate(arguments)
        upstream = Upstream(arguments.place, arguments.credential)
        door = await open_door(arguments, upstream, garbage, events, certificate, figures)
    except (OSError, ssl.SSLError, ValueError) as error:
        complain(tr("The browser door cannot open: {reason}.", reason=getattr(error, "strerror", None) or str(error)))
        return FAILED
    share_process()
    loop = asyncio.get_running_loop()
    tending = [
        loop.create_task(garbage.collect_forever()),
        loop.create_task(DoorReporter(upstream, "web", figures).report_forever()),
    ]
    if certificate is not None:
        tending.append(loop.create_task(certificate.follow_files(events)))
    began, address = SYSTEM.seconds(), door_address(arguments, door.port)
    events.report_event(DoorReady(listens=address))
    if not arguments.supervised:
        announce_door(tr("The browser door is open: {address}", address=address), _PROGRAM, arguments.log)
    with nullcontext() if arguments.supervised else reported_to_manager(lambda: count_sessions(door.open_pages)):
        await ended(supervised=arguments.supervised)
    for task in tending:
        task.cancel()
    await door.stop()
    events.report_event(DoorStop(seconds=round(SYSTEM.seconds() - began, 3)))
    return 0


def load_certificate(arguments: WebArguments) -> DoorCertificate | None:
    """Load the door's own certificate, if it has one. Raises OSError, ssl.SSLError, and ValueError with a sentence."""
    if arguments.certificate is None:
        return None
    return DoorCertificate(arguments.certificate, arguments.key)


def door_address(arguments: WebArguments, port: int) -> str:
    """Return an address under which the page is reached."""
    if arguments.origins:
        return arguments.origins[0]
    scheme = "http" if arguments.certificate is None else "https"
    host = next((each for each in arguments.hosts if each), "localhost")
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
