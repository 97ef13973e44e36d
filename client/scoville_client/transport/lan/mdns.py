"""Search by multicast DNS (RFC 6762), with python-zeroconf from the extra `lan`.

The only module of the client that imports zeroconf.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from scoville_client.transport.lan.browser import Browse, Sighting, is_off, missing_zeroconf
from scoville_shared.announcement import SERVICE

if TYPE_CHECKING:
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

RESOLVE_MS: Final = 1_500
"""Milliseconds in which a service has to answer with its address and record."""
MOST_NAMES: Final = 256
"""Names that are looked up in one search: with more the network is flooded, and the search ends."""
MOST_LOOKUPS: Final = 16
"""Lookups at a time; a name that is announced meanwhile is looked up at its next announcement."""


def mdns_browse() -> Browse | None:
    """Return the search by multicast DNS; None where it is turned off or zeroconf is missing."""
    return None if is_off() or missing_zeroconf() else MdnsBrowser


class MdnsBrowser:
    """A search on every interface, IPv4 and IPv6, with bounds for what hostile packets can cause."""

    def __init__(self) -> None:
        self._zeroconf: AsyncZeroconf | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._names: set[str] = set()
        self._lookups: dict[str, asyncio.Task[None]] = {}
        self._seen: Callable[[Sighting], None] = lambda _: None
        self._gone: Callable[[str], None] = lambda _: None

    async def open(self, seen: Callable[[Sighting], None], gone: Callable[[str], None]) -> None:
        """Report found services, again whenever they change, and the names of lost ones. Raises OSError."""
        self._seen, self._gone = seen, gone
        await asyncio.to_thread(import_module, "zeroconf.asyncio")  # a tenth of a second, in which screens are drawn
        from zeroconf import IPVersion
        from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

        # A machine without IPv6 refuses to open its sockets, and is searched by IPv4 alone.
        try:
            self._zeroconf = AsyncZeroconf(ip_version=IPVersion.All)
        except OSError:
            self._zeroconf = AsyncZeroconf(ip_version=IPVersion.V4Only)
        self._browser = AsyncServiceBrowser(self._zeroconf.zeroconf, SERVICE, handlers=[self._on_change])

    async def close(self) -> None:
        """End the search."""
        lookups = tuple(self._lookups.values())
        for lookup in lookups:
            lookup.cancel()
        await asyncio.gather(*lookups, return_exceptions=True)
        browser, self._browser = self._browser, None
        zeroconf, self._zeroconf = self._zeroconf, None
        if browser is not None:
            await browser.async_cancel()
        if zeroconf is not None:
            await zeroconf.async_close()

    def _on_change(self, *, name: str, state_change: Any, **_: Any) -> None:
        from zeroconf import ServiceStateChange

        if state_change is ServiceStateChange.Removed:
            self._gone(name)
        elif len(self._names) < MOST_NAMES or name in self._names:
            self._names.add(name)
            self._look_up(name)
        # Kept under the name of no service: a task that nobody holds may be collected before it has run.
        elif self._browser is not None:
            browser, self._browser = self._browser, None
            self._lookups[""] = asyncio.ensure_future(browser.async_cancel())

    def _look_up(self, name: str) -> None:
        if name not in self._lookups and len(self._lookups) < MOST_LOOKUPS:
            lookup = self._lookups[name] = asyncio.ensure_future(self._resolve_name(name))
            lookup.add_done_callback(lambda _: self._lookups.pop(name, None))

    async def _resolve_name(self, name: str) -> None:
        from zeroconf import BadTypeInNameException
        from zeroconf.asyncio import AsyncServiceInfo

        if self._zeroconf is None:
            return
        # Names come from whatever machine answers.
        with suppress(BadTypeInNameException, OSError):
            found = AsyncServiceInfo(SERVICE, name)
            if await found.async_request(self._zeroconf.zeroconf, RESOLVE_MS):
                addresses = tuple(found.parsed_scoped_addresses())
                self._seen(Sighting(name, addresses, found.port or 0, dict(found.properties)))
