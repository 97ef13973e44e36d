"""Options of the browser door, and its limits: what strangers can cost it before and while they play."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from msgspec import Struct

from scoville_client.doors.web.certificate import DoorCertificate
from scoville_client.doors.web.origins import Origins
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import Proxies

INPUT_FRAME: Final = 4_096
"""Bytes of a WebSocket message from the page; a longer one ends the connection."""
FRAME_SECONDS: Final = 0.0001
"""Processor time as which each WebSocket message counts, beside that of its bytes: aiohttp handles it in a task."""
HEAD_BYTES: Final = 8_192
"""Bytes of a request's first line, and of one header."""


class WebLimits(Struct, frozen=True, kw_only=True):
    """Bounds of one door.

    Attributes:
        connections: TCP connections at a time.
        connections_each: Of one address, or one IPv6 /64; proxies are exempt.
        pages: Open pages with a session.
        pages_each: Of one address, or one IPv6 /64, as proxies report it.
        head_seconds: Seconds for a TLS handshake, for a PROXY header and for a request; also between two requests.
        hello_seconds: Seconds until the page must have said its size.
        pulse_seconds: Seconds between two pings of the WebSocket; a page that does not answer is gone.
        close_seconds: Seconds for the page to agree that a WebSocket is closed.
        output_bytes: Bytes that may wait for a page before drawing pauses.
        starts_each: Sessions of one address a minute.
    """

    connections: int = 1_024
    connections_each: int = 64
    pages: int = 200
    pages_each: int = 32
    head_seconds: float = 15.0
    hello_seconds: float = 10.0
    pulse_seconds: float = 20.0
    close_seconds: float = 2.0
    output_bytes: int = 262_144
    starts_each: int = 60


async def _no_calendar(_: str, __: str) -> str:
    raise ScovilleError(Code.NO_CALENDAR, "This door has no calendars.")


class WebDoorOptions(NamedTuple):
    """Addresses of a browser door, and the headers it trusts.

    Attributes:
        hosts: Addresses to listen on; an empty text means all.
        port: Port to listen on; 0 picks any free one.
        origins: How the door is reached, beyond local names and addresses.
        proxies: Proxies whose X-Forwarded and PROXY headers are trusted.
        tls: The door's own certificate.
        secret: Makes its cookies, at least 16 bytes that only this door knows.
        read_calendar: Returns the calendar with a secret to a program in a network. Raises ScovilleError, LinkError.
        text_commands: Returns how the door is reached without a browser, by the host of the page.
    """

    secret: bytes
    hosts: tuple[str, ...] = ("127.0.0.1", "::1")
    port: int = 8080
    origins: Origins = Origins()
    proxies: Proxies = Proxies()
    tls: DoorCertificate | None = None
    limits: WebLimits = WebLimits()
    text_commands: Callable[[str], list[str]] = lambda _: []
    read_calendar: Callable[[str, str], Awaitable[str]] = _no_calendar
