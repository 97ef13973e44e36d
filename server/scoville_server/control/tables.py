"""The tables of all nodes as their host sees them, without any card."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct, msgpack

from scoville_outside.guard import GameFailed
from scoville_server.control.commands import ListTables
from scoville_server.errors import RetryableError
from scoville_server.nodes.bus import at_node
from scoville_server.nodes.nodes import Nodes, is_alone
from scoville_server.tables.actor import TableActor
from scoville_server.tables.model.clock import let_time_pass, time_left_ms
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableStatus
from scoville_shared.text import clean_text

_ROWS: Final = "control.tables"
_MOST_BYTES: Final = 400_000
"""Bytes of one node's rows, more than a thousand tables have: the engine refuses a message of a megabyte."""


class TableRow(Struct, frozen=True, kw_only=True):
    """A table as its host may see it: nothing of any hand, and no chat.

    `node` serves it, empty for a server alone; `waits_for` are the names of those whose move is awaited,
    `left_seconds` is what the first of them has left.
    """

    id: str
    game: str
    status: TableStatus
    paused: bool
    humans: int
    bots: int
    seats: int
    spectators: int
    moves: int
    age_seconds: int
    idle_seconds: int
    players: list[str]
    waits_for: list[str]
    left_seconds: int | None
    node: str


class TableList(Struct, frozen=True, kw_only=True):
    """Tables, at most as many as wanted, how many there are, and the nodes that have not answered."""

    tables: list[TableRow]
    total: int
    unreached: list[str] = []


# Those of tables are cheap: `top` asks once a second, and a server may have 10,000 of them.
_KEYS: Final[dict[str, tuple[Callable[[TableActor], int], Callable[[TableRow], int]]]] = {
    "age": (lambda actor: -actor.table.opened.at_ms, lambda row: row.age_seconds),
    "seats": (lambda actor: len(actor.table.human_seats), lambda row: row.humans),
    "spectators": (lambda actor: actor.watched.spectator_count, lambda row: row.spectators),
    "moves": (lambda actor: len(actor.table.moves), lambda row: row.moves),
    "idle": (lambda actor: -actor.table.acted_ms, lambda row: row.idle_seconds),
}
"""By what a list is sorted, the largest first: of a table of this node, and of a row."""


class TablesOfNodes:
    """Lists the tables of all nodes."""

    def __init__(self, nodes: Nodes[Any]) -> None:
        self._members, self._bus, self._tables = nodes.members, nodes.bus, nodes.tables
        self._me = "" if is_alone(nodes) else nodes.members.me

    async def begin_sharing(self) -> None:
        """Answer other nodes from now on."""
        await self._bus.answer(at_node(self._members.me, _ROWS), self._answer_node)

    async def list_tables(self, wanted: ListTables) -> TableList:
        """List tables, the largest first, by a column of `TableRow` without its unit."""
        lists, unreached = [self._list_own(wanted)], list[str]()
        for node in self._members.running_nodes():
            if node != self._members.me:
                try:
                    reply = await self._bus.request(at_node(node, _ROWS), msgpack.encode(wanted))
                except RetryableError:
                    unreached.append(node)
                else:
                    lists.append(msgpack.decode(reply, type=TableList))
        rows = [row for each in lists for row in each.tables]
        if len(lists) > 1:
            rows.sort(key=_KEYS[wanted.sort][1], reverse=True)
        return TableList(tables=rows[: wanted.most], total=sum(each.total for each in lists), unreached=unreached)

    async def _answer_node(self, message: bytes) -> bytes:
        found = self._list_own(msgpack.decode(message, type=ListTables))
        while len(answer := msgpack.encode(found)) > _MOST_BYTES:
            found = TableList(tables=found.tables[: len(found.tables) // 2], total=found.total)
        return answer

    def _list_own(self, wanted: ListTables) -> TableList:
        found = [actor for actor in self._tables.all_tables() if is_in_any(wanted.match, _texts_of(actor.table))]
        found.sort(key=_KEYS[wanted.sort][0], reverse=True)
        rows = [_describe_table(actor, self._me) for actor in found[: wanted.most]]
        return TableList(tables=rows, total=len(found))


def is_in_any(wanted: str, texts: Iterable[str]) -> bool:
    """Whether a text is in one of some others; an empty one always is."""
    wanted = wanted.casefold()
    return not wanted or any(wanted in text.casefold() for text in texts)


def _texts_of(table: Table) -> list[str]:
    return [table.id, table.opened.game, table.status, *table.names]


def _describe_table(actor: TableActor, node: str) -> TableRow:
    table, now = actor.table, actor.now()
    humans = len(table.human_seats)
    waiting = _awaited_seats(table)
    left = None
    if table.clocks is not None and waiting and not table.paused:
        clocks = let_time_pass(table.clocks, now)
        left = min(time_left_ms(clocks, seat) for seat in waiting) // 1000
    return TableRow(
        id=table.id,
        game=table.opened.game,
        status=table.status,
        paused=table.paused,
        humans=humans,
        bots=sum(not seat.open for seat in table.seats) - humans,
        seats=len(table.seats),
        spectators=actor.watched.spectator_count,
        moves=len(table.moves),
        age_seconds=max(0, now - table.opened.at_ms) // 1000,
        idle_seconds=max(0, now - table.acted_ms) // 1000,
        players=[clean_text(seat.name) for seat in table.seats if seat.human],
        waits_for=[clean_text(table.seats[seat].name) for seat in waiting],
        left_seconds=left,
        node=node,
    )


def _awaited_seats(table: Table) -> list[Seat]:
    """List the seats whose move the running game awaits."""
    if not table.running:
        return []
    if table.clocks is not None and table.clocks.running:
        return sorted(table.clocks.running)
    try:
        return sorted(table.game.pending(table.state))
    except GameFailed:  # a game of another package, whose fault the table itself reports
        return []
