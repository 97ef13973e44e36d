"""The servers on the local network, as items of the start screen; searched while that screen is in front."""

import asyncio
from collections.abc import Callable

from scoville_client.i18n.lan_text import host_text, in_a_row, nothing_found_rows
from scoville_client.transport.lan.browser import Browse, Browser
from scoville_client.transport.lan.found import FoundServer, FoundServers
from scoville_client.tui.widgets.menu import Item

SEARCH_SECONDS = 2.0
"""Seconds after which the screen says that nothing was found."""
_PREFIX = "lan:"


class LanServers:
    """Searches between `open` and `close`, and calls `changed` when the list is another one."""

    def __init__(self, browse: Browse, changed: Callable[[], None]) -> None:
        self._browse = browse
        self._found = FoundServers(changed)
        self._browser: Browser | None = None
        # A search that is ended while it begins would leave a browser that nobody closes.
        self._turn = asyncio.Lock()
        self.failed = False
        """Whether this machine has no network to search."""

    async def start_search(self) -> None:
        """Begin to search."""
        async with self._turn:
            if self._browser is None:
                self._browser = self._browse()
                try:
                    await self._browser.open(self._found.add_sighting, self._found.remove_sighting)
                except OSError:
                    self.failed = True

    async def stop_search(self) -> None:
        """Search no longer; what was found stays until the next search says otherwise."""
        async with self._turn:
            browser, self._browser = self._browser, None
            if browser is not None:
                await browser.close()

    def list_items(self) -> list[Item]:
        """Describe each server in a row."""
        return [
            Item(_PREFIX + server.name, host_text(server.announcement), in_a_row(server.announcement))
            for server in self._found.listed
        ]

    def find_server(self, item: str) -> FoundServer | None:
        """Return the server of an item, None for items of another kind."""
        return self._found.find_server(item.removeprefix(_PREFIX)) if item.startswith(_PREFIX) else None

    def hint_text(self) -> str:
        """Write the commands for both machines, if nothing was found."""
        return "" if self._found.listed else nothing_found_rows()
