"""A table is held still while another node takes it over; the command changes nothing."""

from collections.abc import Callable
from typing import NamedTuple

from scoville_server.journal.base import Mark
from scoville_server.net.peer import Peer
from scoville_server.tables.model.action import Command
from scoville_server.tables.watching.audience import Watcher

SendOn = Callable[[Peer, Watcher], object]
"""Lets a connection go on watching a table at another node."""


class HeldTable(NamedTuple):
    """A table at which nothing happens until it is released: its mark, and its time in milliseconds since 1970."""

    mark: Mark
    at_ms: int
    end_hold: Callable[[SendOn | None, bool], None]
    """Ends it: with what sends the watchers on if another node has adopted the table, and whether that is in doubt."""


class Hold(Command, frozen=True, kw_only=True):
    """Let nothing happen at a table: `begin` gets it when its turn has come, and what comes after that waits."""

    begin: Callable[[HeldTable], object]
