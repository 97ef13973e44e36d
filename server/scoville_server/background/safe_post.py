"""HTTP requests to addresses that users give: never into private networks, never for long, nothing that is read back.

The name is resolved once, every address of it is checked, and the connection goes to a checked one: a second look-up
could have another answer. Redirects are failures, since they lead to addresses that nobody has checked.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.networks import Address
from scoville_shared.protocol.messages import LONGEST_URL

SECONDS: Final = 5.0
"""Time of a whole request in seconds, from the look-up of the name to the first line of the answer."""
MOST_AT_ONCE: Final = 16
"""Requests at a time; others wait. With five seconds each, receivers that hang cannot hold up the others for long."""
_LONGEST_ANSWER: Final = 1_024
_EMBEDDED: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("2002::/16"))
"""IPv6 addresses that lead to an IPv4 address: that of NAT64 in the last 32 bits, that of 6to4 after the first 16."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host name. Raises OSError."""


class UnsafeAddress(ValueError):
    """An address to which no request goes."""


class PrivateAddress(UnsafeAddress):
    """An address in a private network."""


class PostTarget(NamedTuple):
    """Where a request goes: host and port, the path with its query, and whether it is encrypted."""

    host: str
    port: int
    path: str
    secure: bool


def parse_url(url: str, *, private: bool = False) -> PostTarget:
    """Parse the address of a request. Raises UnsafeAddress, PrivateAddress where the host is an address itself.

    Where the host allows `private` networks, http is possible as well.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UnsafeAddress("This is no address.") from None
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise UnsafeAddress(f"An address has up to {LONGEST_URL} characters of ASCII, and no blanks.")
    secure = parts.scheme == "https"
    if not parts.hostname or not (secure or (private and parts.scheme == "http")):
        raise UnsafeAddress("The address must begin with https:// and a host.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise UnsafeAddress("The address must have no user, password or fragment.")
    if not private and not _may_be_public(parts.hostname):
        raise PrivateAddress(f"{parts.hostname} is in a private network.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return PostTarget(parts.hostname, port or (443 if secure else 80), path, secure)


def _may_be_public(host: str) -> bool:
    """Whether a host is a name, or a public address."""
    try:
        return is_public(ip_address(host))
    except ValueError:
        return True


def is_public(address: Address) -> bool:
    """Whether an address is one of the internet, also where it leads to another one."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    return address.is_global and not address.is_multicast and all(map(is_public, _embedded_in(address)))


def _embedded_in(address: IPv6Address) -> list[IPv4Address]:
    found = [address.ipv4_mapped, address.sixtofour]
    if address in _EMBEDDED[0]:
        found.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return [each for each in found if each is not None]


async def resolve_name(host: str, port: int) -> list[str]:
    """Return the addresses of a host name. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for *_, sockaddr in found]


class SafePost:
    """Sends requests.

    Args:
        private: Whether addresses of private networks are allowed.
        clock: The time in which a request must be over.
        resolve: Looks up names.
    """

    def __init__(
        self, *, private: Adjustable[bool] = False, clock: Clock = SYSTEM, resolve: Resolve = resolve_name
    ) -> None:
        self._private = as_live(private)
        self._clock = clock
        self._resolve = resolve
        self._context: ssl.SSLContext | None = None
        self._free = asyncio.Semaphore(MOST_AT_ONCE)

    def check_url(self, url: str) -> None:
        """Raise UnsafeAddress for a text that can be no address of a request; a name is looked up when one is sent."""
        parse_url(url, private=self._private.value)

    async def post_body(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Post a body and return the status of the answer; nothing else of it is read.

        Raises UnsafeAddress, and OSError (TimeoutError too) when there is no answer.
        """
        place = parse_url(url, private=self._private.value)
        async with self._free, self._clock.limit(SECONDS):
            address = await self._find_address(place)
            return await self._send_request(place, address, body, headers)

    async def _find_address(self, place: PostTarget) -> str:
        try:
            found = await self._resolve(place.host, place.port)
        except UnicodeError as error:  # of a label that is empty or too long
            raise OSError(f"{place.host} is no name") from error
        if not found:
            raise OSError(f"{place.host} has no address")
        # All of them: a name with a public and a private address is a trick.
        if not self._private.value and not all(is_public(ip_address(each.partition("%")[0])) for each in found):
            raise PrivateAddress(f"{place.host} is in a private network.")
        return found[0]

    async def _send_request(self, place: PostTarget, address: str, body: bytes, headers: Mapping[str, str]) -> int:
        context = await self._load_certificates() if place.secure else None
        reader, writer = await asyncio.open_connection(
            address,
            place.port,
            ssl=context,
            server_hostname=place.host if context is not None else None,
            limit=_LONGEST_ANSWER,
        )
        try:
            writer.write(_write_head(place, len(body), headers) + body)
            await writer.drain()
            try:
                line = await reader.readuntil(b"\n")
            except (asyncio.LimitOverrunError, asyncio.IncompleteReadError) as error:
                raise OSError("the answer is not HTTP") from error
        finally:
            # At once: a receiver that neither reads nor closes must not keep the connection.
            writer.transport.abort()
        version, _, rest = line.partition(b" ")
        status = rest[:3]
        if not version.startswith(b"HTTP/1.") or not status.isdigit():
            raise OSError("the answer is not HTTP")
        return int(status)

    async def _load_certificates(self) -> ssl.SSLContext:
        """Return the certificates of the system, read once, in a thread: they take tens of milliseconds."""
        if self._context is None:
            self._context = await asyncio.to_thread(ssl.create_default_context)
        return self._context


def _write_head(place: PostTarget, size: int, headers: Mapping[str, str]) -> bytes:
    host = f"[{place.host}]" if ":" in place.host else place.host
    usual = place.port == (443 if place.secure else 80)
    lines = {
        "Host": host if usual else f"{host}:{place.port}",
        "User-Agent": "Scoville",
        "Content-Type": "application/json",
        "Content-Length": str(size),
        "Connection": "close",
        **headers,
    }
    written = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {place.path} HTTP/1.1\r\n{written}\r\n".encode("ascii")
