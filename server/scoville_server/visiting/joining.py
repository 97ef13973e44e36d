"""Joins the tables of this node with those of all others."""

from scoville_server.accounts.connection import Handlers
from scoville_server.nodes.connections import SharedConnections
from scoville_server.nodes.link.links import Links
from scoville_server.services import Services
from scoville_server.visiting.invitations import MissedElsewhere
from scoville_server.visiting.lines import TableLines
from scoville_server.visiting.resuming import WatchesGoOn
from scoville_server.visiting.visitors import CarryOut, Visitors


def join_tables(services: Services, links: Links, carry_out: CarryOut) -> Handlers:
    """Return the handlers of this node's users, and let users of other nodes visit its tables."""
    connections, handlers, users = services.connections, services.handlers, services.users
    assert isinstance(connections, SharedConnections), "links lead to other nodes"
    directory, clock, find_seat = services.nodes.directory, services.clock, services.tournaments.book.find_seat
    lines = TableLines(links, directory, services.tables.__contains__, find_seat, users, services.budgets, clock)
    balance, visits = services.balance, services.visits
    goes_on = WatchesGoOn(services.tables, visits, balance.moves, lines.watch_elsewhere)
    lines.restore_contact = services.nodes.restore_contact
    lines.resume_here, lines.choose_node = goes_on.resume_watching, balance.choose_node
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
