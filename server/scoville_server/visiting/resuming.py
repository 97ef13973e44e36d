"""Watching goes on where a table has moved to: from the event after the last one that its former node has sent."""

from collections.abc import Callable

from msgspec import msgpack

from scoville_server.accounts.connection import ConnectedClient
from scoville_server.errors import make_goodbye, table_moved
from scoville_server.net.peer import Peer
from scoville_server.nodes.link.answering import FarPeer
from scoville_server.nodes.link.frames import PassedOn
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.visits import TableVisits
from scoville_server.tables.lifecycle.moving import TableMoves
from scoville_server.tables.watching.audience import Watcher
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId

ResumeWatching = Callable[[ConnectedClient, PassedOn], None]
"""Lets a connection go on watching a table that has moved to this node. Raises ScovilleError."""


class WatchesGoOn:
    """Lets those go on watching who have watched a table before it moved.

    Args:
        tables: The tables of this node.
        visits: Notes who watches which of them.
        moves: Knows which tables have just come, and how they were then.
        watch_elsewhere: Lets a connection to this node go on at the node of a table.
    """

    def __init__(
        self,
        tables: Serving[TableActor],
        visits: TableVisits,
        moves: TableMoves,
        watch_elsewhere: ResumeWatching,
    ) -> None:
        self._tables = tables
        self._visits = visits
        self._find_taken = moves.find_taken
        self._watch_elsewhere = watch_elsewhere

    def resume_watching(self, connection: ConnectedClient, passed: PassedOn) -> None:
        """Go on with a connection at a table that has moved to this node. Raises ScovilleError."""
        watcher = msgpack.decode(passed.watcher, type=Watcher)
        taken = self._find_taken(passed.table)
        if taken is None or watcher.user != connection.user.id:
            raise table_moved(passed.table)
        if passed.table in self._tables:
            self._visits.start_watching(connection, taken.actor)
        else:
            self._check_removed(passed.table)
        taken.actor.watched.adopt_watcher(connection.peer, watcher, taken.before)

    def _check_removed(self, table: str) -> None:
        """Raise ScovilleError `moved` for a table that has left, and was not closed: its end must be seen by all."""
        try:
            self._tables.find_table(table)
        except ScovilleError as error:
            if error.code != Code.UNKNOWN_TABLE:
                raise

    def send_on(self, table: TableId, to: NodeId, peer: Peer, watcher: Watcher) -> None:
        """Let a connection that has watched a table here go on at the node to which it has moved."""
        passed = PassedOn(table, to, msgpack.encode(watcher))
        if isinstance(peer, FarPeer):
            peer.watch_elsewhere(passed, make_goodbye(table_moved(passed.table)))
        elif (connection := self._visits.find_connection(peer)) is not None:
            self._watch_elsewhere(connection, passed)
