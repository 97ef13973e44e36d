"""Which node serves a table, for those that this one does not serve. That nodes tell each other is known here."""

from typing import Protocol

from scoville_server.nodes.held_keys import HeldKeys
from scoville_server.nodes.members import NodeId


class Directory(Protocol):
    """The nodes that serve tables."""

    def find_owner(self, table: str) -> NodeId | None:
        """Return the other node that serves a table; None if this one does, and if none is known to."""

    async def begin_sharing(self) -> None:
        """Tell the other nodes which tables this one serves, and hear what they serve, from now on."""


class SharedDirectory:
    """The `Directory` of nodes that tell each other which tables they hold; empty while this one is alone."""

    def __init__(self, held: HeldKeys) -> None:
        self._held = held

    def find_owner(self, table: str) -> NodeId | None:
        return None if self._held.is_held_here(table) else self._held.find_holder(table)

    async def begin_sharing(self) -> None:
        await self._held.begin_sharing()
