"""Joins the tables of this node with those of all others."""

from typing import Final

from msgspec import Struct, msgpack

from scoville_server.accounts.connection import Handlers
from scoville_server.nodes.bus import Bus, at_node
from scoville_server.nodes.connections import SharedConnections
from scoville_server.nodes.directory import Directory
from scoville_server.nodes.link.links import Links
from scoville_server.nodes.members import Members
from scoville_server.services import Services
from scoville_server.tables.invitations import Invitations
from scoville_server.visiting.awake import read_once_sure
from scoville_server.visiting.lines import TableLines
from scoville_server.visiting.resuming import WatchesGoOn
from scoville_server.visiting.visitors import CarryOut, Visitors
from scoville_shared.ids import TableId, UserId

_MISSED: Final = "invitations.missed"


class _Missed(Struct, frozen=True, array_like=True):
    """An invitation that a user has missed, as the node to which they have come back tells that of the table."""

    user: UserId
    table: TableId
    by: str


class MissedElsewhere:
    """Gives missed invitations to the nodes that serve their tables: those know whether they still hold."""

    def __init__(self, invitations: Invitations, directory: Directory) -> None:
        self._invitations = invitations
        self._find_owner = directory.find_owner

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        """Share from now on."""

        def pass_on(user: UserId, table: TableId, by: str) -> None:
            owner = self._find_owner(table)
            if owner is not None:
                bus.publish(at_node(owner, _MISSED), msgpack.encode(_Missed(user, table, by)))

        def invite(message: bytes) -> None:
            missed = msgpack.decode(message, type=_Missed)
            self._invitations.invite_again(missed.user, missed.table, missed.by)

        self._invitations.pass_on = pass_on
        await bus.subscribe(at_node(members.me, _MISSED), invite)


def join_tables(services: Services, links: Links, carry_out: CarryOut) -> Handlers:
    """Return the handlers of this node's users, and let users of other nodes visit its tables."""
    connections, users = services.connections, services.users
    handlers = read_once_sure(services.handlers, services.nodes)
    assert isinstance(connections, SharedConnections), "links lead to other nodes"
    find_seat = services.tournaments.book.find_seat
    lines = TableLines(services.nodes, links, find_seat, users, services.budgets, services.clock)
    balance, visits = services.balance, services.visits
    goes_on = WatchesGoOn(services.tables, visits, balance.moves, lines.watch_elsewhere)
    lines.resume_here, lines.choose_node = goes_on.resume_watching, balance.choose_node
    lines.note_seat, lines.note_leave = services.feed.far.note_seat, services.feed.far.note_leave
    balance.moves.send_on = goes_on.send_on
    users.observers = (*users.observers, lines)
    missed = MissedElsewhere(services.invitations, services.nodes.directory)
    connections.on_sharing.append(missed.begin_sharing)
    connections.on_changed = lambda user, is_here: [
        note(user, is_here) for note in (services.seating.user_located, services.tournaments.user_located)
    ]
    services.nodes.members.follow_losses(links.lose_node)
    links.open_visit = Visitors(users, connections, handlers, carry_out, goes_on.resume_watching).open_visit
    return lines.route_requests(handlers)
