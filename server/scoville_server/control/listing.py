"""What the control socket lists: tables without their cards, and networks with their users."""

from collections import Counter
from collections.abc import Callable, Iterable

from msgspec import Struct

from scoville_outside.guard import GameFailed
from scoville_server.control.commands import ListNetworks, ListTables
from scoville_server.tables.actor import TableActor
from scoville_server.tables.model.clock import let_time_pass, time_left_ms
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat
from scoville_shared.networks import network_of
from scoville_shared.protocol.messages import TableStatus
from scoville_shared.text import clean_text


class TableRow(Struct, frozen=True, kw_only=True):
    """A table as its host may see it: nothing of any hand, and no chat.

    `waits_for` are the names of those whose move is awaited, `left_seconds` is what the first of them has left.
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


class NetworkRow(Struct, frozen=True, kw_only=True):
    """A network as limits count it: its users and connections, and the share of all connections."""

    network: str
    users: int
    connections: int
    share: float
    refusals_per_minute: int
    banned: bool


class TableList(Struct, frozen=True, kw_only=True):
    """Tables, at most as many as wanted, and how many there are."""

    tables: list[TableRow]
    total: int


class NetworkList(Struct, frozen=True, kw_only=True):
    """Networks, at most as many as wanted, and how many there are."""

    networks: list[NetworkRow]
    total: int


def list_tables(actors: Iterable[TableActor], wanted: ListTables) -> TableList:
    """List tables, the largest first, by a column of `TableRow` without its unit."""
    # Sorted by cheap keys before the rows are made: `top` asks once a second, and a server may have 10,000 tables.
    keys = {
        "age": lambda actor: -actor.table.opened.at_ms,
        "seats": lambda actor: len(actor.table.human_seats),
        "spectators": lambda actor: actor.watched.spectator_count,
        "moves": lambda actor: len(actor.table.moves),
        "idle": lambda actor: -actor.table.acted_ms,
    }
    found = [actor for actor in actors if _matches(wanted.match, _texts_of(actor.table))]
    found.sort(key=keys[wanted.sort], reverse=True)
    return TableList(tables=[describe_table(actor) for actor in found[: wanted.most]], total=len(found))


def _texts_of(table: Table) -> list[str]:
    return [table.id, table.opened.game, table.status, *table.names]


def describe_table(actor: TableActor) -> TableRow:
    """Describe a table for its host."""
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


def list_networks(
    addresses: Iterable[str],
    users: Iterable[str],
    is_banned: Callable[[str], bool],
    count_refusals: Callable[[str], int],
    wanted: ListNetworks,
) -> NetworkList:
    """List networks, those with the most connections first.

    Args:
        addresses: The "host:port" of each connection.
        users: That of each connected user.
        is_banned: Whether a host is banned from the server.
        count_refusals: Returns the refusals of a network in the last minute.
        wanted: Which rows the list has.
    """
    connections, people = Counter(map(network_of, addresses)), Counter(map(network_of, users))
    total = max(1, connections.total())
    found = [network for network, _ in connections.most_common() if network and _matches(wanted.match, [network])]
    rows = [
        NetworkRow(
            network=network,
            users=people[network],
            connections=connections[network],
            share=round(connections[network] / total, 3),
            refusals_per_minute=count_refusals(network),
            banned=is_banned(network.partition("/")[0]),
        )
        for network in found[: wanted.most]
    ]
    return NetworkList(networks=rows, total=len(found))


def _matches(wanted: str, texts: Iterable[str]) -> bool:
    """Whether a text is in one of some others; an empty one always is."""
    wanted = wanted.casefold()
    return not wanted or any(wanted in text.casefold() for text in texts)
