"""Command `scoville door web`: the browser door as a process."""

import ssl
from typing import Final

from scoville_client.doors.hosting.events import DoorReady
from scoville_client.doors.hosting.process import FAILED, announce_door, run_door, serve_until_end, share_process
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.arguments import WebArguments
from scoville_client.doors.web.certificate import DoorCertificate
from scoville_client.i18n.language import tr
from scoville_client.output import complain
from scoville_runtime.events import Events

_PROGRAM: Final = "web-door"


def run_web_door(arguments: WebArguments) -> int:
    """Run the door until a signal ends it; returns the exit status."""
    missing = tr("The browser door needs aiohttp. Install it with: pip install aiohttp")
    return run_door("aiohttp", missing, _PROGRAM, arguments.log, lambda events: _serve_pages(arguments, events))


async def _serve_pages(arguments: WebArguments, events: Events) -> int:
    from scoville_client.doors.hosting.garbage import GarbageCollector
    from scoville_client.doors.hosting.reporting import DoorFigures, DoorReporter
    from scoville_client.doors.web.door import open_door

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
    tending = [garbage.collect_forever(), DoorReporter(upstream, "web", figures).report_forever()]
    if certificate is not None:
        tending.append(certificate.follow_files(events))
    address = door_address(arguments, door.port)
    if not arguments.supervised:
        announce_door(tr("The browser door is open: {address}", address=address), _PROGRAM, arguments.log)
    await serve_until_end(door, DoorReady(listens=address), events, tending, supervised=arguments.supervised)
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
