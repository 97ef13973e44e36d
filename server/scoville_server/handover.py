"""Connections when another process takes over: most outlive a restart, and a node that steps down sends all of them on.

After a restart the successor continues each connection where this process stopped, and no client notices. Those with
TLS cannot: their keys are in the library's memory. Their clients connect again, as do all others with which the
successor could not go on in the middle.
"""

import asyncio
import logging
import os
import selectors
import socket
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.clock import Alarm
from scoville_server.accounts.connection import ConnectedClient
from scoville_server.errors import make_goodbye, server_moved
from scoville_server.identity import ServerKey
from scoville_server.net.flushes import in_portions
from scoville_server.net.listening import ListeningSockets
from scoville_server.net.peer import DetachedConnection, Peer
from scoville_server.net.tcp import RelayedOrigin, TcpServer
from scoville_server.requests import RequestRouter
from scoville_server.services import Services
from scoville_server.tables.actor import TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.registry import count_seated
from scoville_server.tables.watching.audience import Watcher
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import ByeNotice, HostedUser

if TYPE_CHECKING:  # a server that is alone does without
    from scoville_server.net.driver.driver import ConnectionDriver
    from scoville_server.net.driver.handing import HandedConnection
    from scoville_server.relays import FollowingUsers, LeavingUsers, SendingOn

_log = logging.getLogger(__name__)
STEP_DOWN_SECONDS: Final = 1.0
"""Most seconds for the answers that are under way: no longer, since all others wait to be sent on."""
_ANSWER_SECONDS: Final = 0.02
"""Seconds between two looks whether all requests are answered."""
HAND_OVER_SECONDS: Final = 15.0
"""Most seconds in which a node that ends gives its tables away; the other nodes adopt those that are left. A thousand
take some five, and with the rest of its end it must not take longer than half a minute."""
_FORMAT: Final = 1
"""Another version of the server that writes something else here drops all connections, whose clients connect again."""
_MOST: Final = 1024
"""Most connections that are handed over: each needs three open files for a moment."""
_AT_ONCE: Final = 64
"""Connections that begin together."""
RETURN_SECONDS: Final = 5.0
"""Seconds that the users of all other connections have to come back before they count as gone."""
_MOST_TURNS: Final = 100
"""Turns of the loop that handlers get to answer once everything is on the disk; they need a few."""
_BYE_MOVED: Final = make_goodbye(server_moved())
BYE_RESTARTING: Final = ByeNotice(code=Code.RESTARTING, message="The server is restarting; connect again at once.")


class StepDown:
    """Ends the work of `services` for the users of this node when another node serves, or is to go on with its tables.

    Args:
        services: Those of this node.
        connections: Its connections, with and without a user.
        on_done: Is called when all users were sent on.
    """

    def __init__(
        self, services: Services, connections: Mapping[Any, Peer], on_done: Callable[[], object] = lambda: None
    ) -> None:
        self._on_done = on_done
        self._services = services
        self._connections = connections

    async def hand_over_tables(self, hurry: asyncio.Event) -> None:
        """Give all tables to other nodes that serve, for some seconds, or until `hurry` is set.

        Uses of sessions are written meanwhile: at the end of the server all users would wait for those of everybody.
        """
        services = self._services
        services.duties.stop_serving()
        giving = _write_uses_beside(services, services.balance.hand_over_all())
        ends = [asyncio.ensure_future(giving), asyncio.ensure_future(hurry.wait())]
        await services.clock.wait(*ends, seconds=HAND_OVER_SECONDS)
        for end in ends:
            end.cancel()

    def begin_step_down(self) -> None:
        """Begin to step down: refuse everything from this moment on."""
        _log.warning("Another server process serves now; this one sends its users on, and saves nothing more.")
        services = self._services
        services.permits.send_users_on()
        services.stop_own_activity()
        services.registry.move_tables()
        services.background.stop_retrying()
        services.pulse.cancel_beats()
        services.background.start_task(self._send_users_on())

    async def _send_users_on(self) -> None:
        """Wait for the answers that are under way, then close all connections."""
        services = self._services
        finishing = services.background.start_task(services.registry.wait_for_moved())
        await services.clock.wait(finishing, seconds=STEP_DOWN_SECONDS)
        bye = make_goodbye(server_moved())
        for peer in tuple(self._connections.values()):
            peer.close(bye)
        self._on_done()


async def _write_uses_beside(services: Services, work: Awaitable[object]) -> None:
    """Write the latest uses of sessions while `work` is done, and wait for both."""
    writing = services.background.write_soon(services.users.write_last_uses())
    await work
    if writing is not None:
        await writing


async def _release_in_portions(offered: Iterable[DetachedConnection]) -> None:
    """Release what is left of connections that another node has; it asks for them meanwhile."""
    async for detached in in_portions(offered):
        detached.release()


async def _let_replies_come(unanswered: Iterable[Collection[object]]) -> None:
    """Let handlers finish the writes that are on the disk by now: what is not answered counts as not done."""
    for _ in range(_MOST_TURNS):
        if not any(unanswered):
            return
        await asyncio.sleep(0)


class HandedTable(Struct, frozen=True):
    """A table that a connection watches: as whom, and the table's number of events that it has been sent."""

    table: TableId
    seq: int
    watcher: Watcher


class HandedState(Struct, frozen=True):
    """A connection of a greeted user.

    Attributes:
        address: The user's "host:port" if a proxy has named it, or the connection has a number, else empty.
        session: The key of its session.
        fresh_seconds: How long its user may still change credentials.
        inode: That of its socket, by which it is found among all that are inherited.
        unread: Bytes that it has sent and this process has not read.
        number: Its number at a node that leaves and has the connection; negative for one whose socket is given away.
        secure: Whether nobody reads along between the user and that node.
        local: Whether the user is at the machine of that node.
    """

    address: str
    door: HostedUser | None
    user: UserId
    session: str
    nonce: str
    fresh_seconds: float
    in_lobby: bool
    tables: tuple[HandedTable, ...]
    inode: int = 0
    unread: bytes = b""
    number: int = -1
    secure: bool = False
    local: bool = False


class Handed(Struct, frozen=True):
    """All connections that are handed over, and the names that the lobby shows as connected."""

    format: int
    connections: tuple[HandedState, ...] = ()
    names: tuple[str, ...] = ()


class _Watching(NamedTuple):
    """Tables and lists that a connection watched when its requests were held; its tables stop sending as they close."""

    in_lobby: bool
    tables: list[tuple[TableActor, Watcher]]


HandsOver = Literal["", "inherited", "stored", "relayed"]
"""How a successor gets connections, if it does: from the process that it replaces, from the service manager, or, as
another node, by way of this process."""


class HandingOver:
    """Hands connections to a successor.

    `write_ahead` while users are served, `note_watched` while services run, `keep_connections` once they are closed,
    and `relay_connections` at last.
    """

    def __init__(
        self,
        services: Services,
        connections: Mapping[RequestRouter, Peer],
        sockets: ListeningSockets,
        way: HandsOver,
    ) -> None:
        self._services = services
        self._connections = connections
        self._sockets = sockets
        self._way = way
        self._watching: dict[Peer, _Watching] = {}
        self._leaving: LeavingUsers | None = None

    async def write_ahead(self) -> None:
        """Write early, while users are still served: at the end all of them would wait for it."""
        if not self._way:
            return
        if self._way == "relayed":
            from scoville_server.relays import LeavingUsers

            self._leaving = LeavingUsers(self._services.nodes, self._services.clock)
            # Before other nodes know that this one leaves.
            await self._leaving.begin_offering()
        await _write_uses_beside(self._services, self._write_guests())

    async def note_watched(self) -> None:
        """Note the tables and lists that each connection watches, and write the guests whom only this process knows."""
        if not self._way:
            return
        feed, visits = self._services.feed, self._services.visits
        for peer in self._connections.values():
            watched = [(actor, actor.watched.find_watcher(peer)) for actor in visits.list_watched(peer)]
            tables = [(actor, watcher) for actor, watcher in watched if watcher is not None]
            self._watching[peer] = _Watching(feed.is_watched_by(peer), tables)
        await self._write_guests()

    async def _write_guests(self) -> None:
        users = [router.connection.known_user for router in self._connections]
        unwritten = [user for user in users if user is not None and user.written is None]
        # A connection that cannot be described is unknown to the successor, and its client reconnects.
        await asyncio.gather(*map(self._services.users.write_user, unwritten), return_exceptions=True)

    async def keep_connections(self, unanswered: Iterable[Collection[object]]) -> None:
        """Keep the sockets of all connections with which a successor can go on, and their states.

        Args:
            unanswered: The requests of each connection, which get their last turns of the loop.
        """
        await _let_replies_come(unanswered)
        if not self._way:
            return
        # Before anything is handed over: a connection with bytes that it has not sent cannot be.
        self._services.feed.send_last_notices()
        self._services.flushes.flush_all()
        names = tuple(self._services.feed.users.list_names_here())
        if self._leaving is not None:
            await _release_in_portions(self._offer_connections(self._leaving, names))
            return
        sockets, states = list[socket.socket](), list[HandedState]()
        for router, peer in tuple(self._connections.items()):
            state = self._describe_connection(router.connection) if len(sockets) < _MOST else None
            handed = None if state is None else peer.hand_over()
            if state is not None and handed is not None:
                inode = os.fstat(handed.sock.fileno()).st_ino
                sockets.append(handed.sock)
                proxied = state.address if handed.is_proxied else ""
                states.append(replace(state, inode=inode, address=proxied, unread=handed.unread))
        encoded = encode_handed(Handed(_FORMAT, tuple(states), names))
        await self._sockets.keep_connections(sockets, encoded, store=self._way == "stored")

    def _offer_connections(self, leaving: "LeavingUsers", names: tuple[str, ...]) -> list[DetachedConnection]:
        """Offer all connections with which the next node can go on to it; returns them."""
        states, offered = list[HandedState](), list[DetachedConnection]()
        for router, peer in tuple(self._connections.items()):
            state = self._describe_connection(router.connection)
            secure, local = peer.secure, peer.local
            detached = None if state is None else peer.hand_to_relay()
            if state is not None and detached is not None:
                offered.append(detached)
                number = leaving.add_connection(detached)
                address, unread = detached.address, detached.unread
                states.append(replace(state, address=address, unread=unread, number=number, secure=secure, local=local))
        leaving.offer_connections(encode_handed(Handed(_FORMAT, tuple(states), names)), len(states))
        return offered

    async def relay_connections(self) -> None:
        """Pass on the bytes between the users of this node and the next one, until the users are sent on."""
        if self._leaving is not None:
            await self._leaving.relay_until_gone(_BYE_MOVED)

    def _describe_connection(self, connection: ConnectedClient) -> HandedState | None:
        """Describe the connection of a user; None for one without, or that another one has taken over."""
        user, peer = connection.known_user, connection.peer
        watching = self._watching.get(peer)
        if user is None or user.peer is not peer or watching is None:
            return None
        tables = tuple(HandedTable(actor.table.id, actor.table.seq, watcher) for actor, watcher in watching.tables)
        return HandedState(
            address=peer.address,
            door=peer.door,
            user=user.id,
            session=user.session,
            nonce=connection.nonce,
            fresh_seconds=max(0.0, connection.fresh_until - self._services.clock.seconds()),
            in_lobby=watching.in_lobby,
            tables=tables,
        )


class Inheriting:
    """Goes on with the connections that a former process has handed over.

    Args:
        services: The services of this process.
        following: Asks a node that has left for them; None for connections of the process before this one.
    """

    def __init__(self, services: Services, following: "FollowingUsers | None" = None) -> None:
        self._services = services
        self._following = following
        self._bye = BYE_RESTARTING if following is None else _BYE_MOVED
        self._sockets: dict[int, socket.socket] = {}
        self._handed = Handed(_FORMAT)
        self._before: dict[TableId, Table] = {}
        """The tables as the former process has left them, before the restart changes their clocks."""
        self._sending_on: SendingOn | None = None
        self._alarm: Alarm | None = None
        self._relayed: list[ConnectionDriver] = []
        """The connections with whose users this process went on, and whom it is to send on."""

    async def receive_connections(self, sockets: ListeningSockets) -> None:
        """Receive the connections once all services have been restored, and before any table changes."""
        if self._following is None:
            self.note_connections(*sockets.take_connections())
        else:
            self.note_connections((), await self._following.wait_for_states(self._bye))

    def note_connections(self, sockets: Iterable[socket.socket], states: bytes) -> None:
        """Note inherited sockets, in any order, and the states of the connections in the former process."""
        # By inode: a service manager gives sockets back in an order and under numbers of its own.
        self._sockets = {os.fstat(sock.fileno()).st_ino: sock for sock in sockets}
        self._handed = _read_states(states)
        needed = {each.table for one in self._handed.connections for each in one.tables}
        tables = self._services.tables
        self._before = {table: tables.find_table(table).table for table in needed if table in tables}

    async def begin_connections(self, tcp: TcpServer | None) -> None:
        """Begin the inherited connections, first those that wait for an answer; none without a `tcp`."""
        connections = () if tcp is None else self._list_waiting_first()
        for first in range(0, len(connections), _AT_ONCE):
            some = connections[first : first + _AT_ONCE]
            await asyncio.gather(*(self._begin_connection(cast("TcpServer", tcp), state) for state in some))
        if self._following is not None:
            self._send_on_later(self._following)
        # The other sockets are of users whom this process does not know; their clients connect again.
        for sock in self._sockets.values():
            sock.close()
        self._sockets.clear()
        if connections:
            self._alarm = self._services.clock.call_later(RETURN_SECONDS, self._report_missing)

    def _send_on_later(self, following: "FollowingUsers") -> None:
        from scoville_server.relays import SendingOn

        following.refuse_users(self._bye)
        self._sending_on = SendingOn(self._relayed, self._bye, self._services.clock)
        self._sending_on.begin_sending()

    def stop_waiting(self) -> None:
        """Stop reporting users as gone, and sending them on; this process may have failed to start."""
        if self._following is not None:
            self._following.refuse_users(self._bye)
        if self._alarm is not None:
            self._alarm.cancel()
        if self._sending_on is not None:
            self._sending_on.stop_sending()

    def _list_waiting_first(self) -> list[HandedState]:
        """List the connections: first those whose users have asked for something that nobody has answered yet."""
        if (following := self._following) is not None:
            return sorted(
                self._handed.connections, key=lambda state: not (state.unread or following.has_unread(state.number))
            )
        if not self._sockets:
            return [*self._handed.connections]
        with selectors.DefaultSelector() as looking:
            for inode, sock in self._sockets.items():
                looking.register(sock, selectors.EVENT_READ, inode)
            asking = {key.data for key, _ in looking.select(0)}
        return sorted(self._handed.connections, key=lambda state: not (state.unread or state.inode in asking))

    async def _begin_connection(self, tcp: TcpServer, state: HandedState) -> None:
        begun = await self._go_on(tcp, state)
        if begun is None:
            return
        driver, handed = begun
        try:
            self._resume_user(cast("RequestRouter", driver.handler).connection, state)
        except ScovilleError as error:
            _log.info("a connection cannot go on, and is asked to come back: %s", error.message)
            driver.close(self._bye)
        except Exception:  # noqa: BLE001 - one of them must not keep the server shut for all others
            _log.exception("a connection cannot go on, and is asked to come back")
            driver.close(self._bye)
        else:
            handed.continue_reading(state.unread)
            if self._following is not None:
                self._relayed.append(driver)

    async def _go_on(self, tcp: TcpServer, state: HandedState) -> "tuple[ConnectionDriver, HandedConnection] | None":
        """Begin a connection, from which nothing is read yet; None for one that is lost or may not stay."""
        if self._following is None:
            sock = self._sockets.pop(state.inode, None)
            return None if sock is None else await tcp.begin_handed(sock, state.address, state.door)
        transport = self._following.take_transport(state.number)
        if transport is None:
            return None
        origin = RelayedOrigin(tcp, state.address, secure=state.secure, local=state.local)
        return tcp.begin_relayed(transport, origin, state.door)

    def _resume_user(self, connection: ConnectedClient, state: HandedState) -> None:
        """Give a connection its user and the tables that they watch. Raises ScovilleError."""
        services = self._services
        user, session = services.sessions.find_user(state.user), services.users.tokens.get_session(state.session)
        if user is None or session is None or session.user != user.id or user.is_here:
            raise ScovilleError(Code.RESTARTING, "Its user is not known, or has come back already.")
        services.arrivals.resume_connection(connection, user, state.session)
        connection.nonce = state.nonce
        connection.fresh_until = services.clock.seconds() + state.fresh_seconds if state.fresh_seconds else 0.0
        for each in state.tables:
            before = self._before.get(each.table)
            # From any other event on the client would miss some, or get some twice.
            if before is None or before.seq != each.seq or each.watcher.user != user.id:
                raise ScovilleError(Code.RESTARTING, f"Table {each.table} is another one than before.")
            actor = services.tables.find_table(each.table)
            services.visits.start_watching(connection, actor)
            actor.watched.adopt_watcher(connection.peer, each.watcher, before)
        if state.in_lobby:
            services.feed.go_on_watching(user, connection.peer)

    def _report_missing(self) -> None:
        """Report the users who have not come back to those who stayed connected."""
        self._alarm = None
        services = self._services
        services.feed.announce_missing(self._handed.names)
        for table in self._before:
            for seat in services.tables.find_table(table).table.seats if table in services.tables else ():
                if seat.human and seat.user is not None and not services.connections.is_here(seat.user):
                    services.tables.find_table(table).watched.report_presence(seat.user, False)


def begin_inheriting(services: Services) -> Inheriting:
    """Begin to inherit connections: a node that has just left is asked for those of its users."""
    if services.nodes.left is None:
        return Inheriting(services)
    from scoville_server.relays import FollowingUsers

    following = FollowingUsers(services.nodes, services.nodes.left, services.clock)
    services.background.start_task(following.ask_node())
    return Inheriting(services, following)


def encode_handed(handed: Handed) -> bytes:
    """Encode the handed states, for the successor."""
    return msgspec.msgpack.encode(handed)


def _read_states(states: bytes) -> Handed:
    """Decode the states that a former process, perhaps of another version, has written."""
    if not states:
        return Handed(_FORMAT)
    try:
        handed = msgspec.msgpack.decode(states, type=Handed)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        _log.info("the connections of the former process cannot be read, and are closed: %s", error)
        return Handed(_FORMAT)
    return handed if handed.format == _FORMAT else Handed(_FORMAT)


class UsersPort:
    """The port of a server, at which many users come back at once: after a start, from a lost node, for another key.

    Args:
        services: The services.
        connections: The open connections.
        expect_returns: Takes about how many users will come back soon.
    """

    def __init__(
        self, services: Services, connections: Mapping[RequestRouter, Peer], expect_returns: Callable[[int], object]
    ) -> None:
        self._services = services
        self._connections = connections
        self._expect_returns = expect_returns
        # About as many come from a lost node as are here, whose tables are about as many.
        services.nodes.members.follow_losses(lambda _: self._expect_seated())
        self._tcp: TcpServer | None = None
        self._holds = False

    def open_port(self, tcp: TcpServer | None) -> None:
        """Accept connections from now on, unless they are held."""
        self._tcp = tcp
        self._expect_seated()
        if not self._holds:
            self.begin_accepting()

    def _expect_seated(self) -> None:
        self._expect_returns(count_seated(self._services.tables))

    def hold_connections(self) -> None:
        """Accept nothing until `begin_accepting`; the system holds who comes."""
        self._holds = True
        if self._tcp is not None:
            self._tcp.hold_connections()

    def begin_accepting(self) -> None:
        """Accept connections again."""
        self._holds = False
        if self._tcp is not None:
            self._tcp.begin_accepting()

    def use_key(self, key: ServerKey) -> None:
        """Show another key, and send all users away for a moment: they prove who they are to one key alone."""
        self._services.identity.key = key
        self._services.announcer.change_pin(key.pin)
        if self._tcp is not None:
            self._tcp.renew_tls()
        self._services.background.start_task(self._disconnect_users())

    async def _disconnect_users(self) -> None:
        """Answer the requests from before: after the goodbye clients ask again for what was not answered."""
        unanswered = {peer: peer.hold_requests() for peer in tuple(self._connections.values())}
        clock = self._services.clock
        until = clock.seconds() + STEP_DOWN_SECONDS
        while any(unanswered.values()) and clock.seconds() < until:
            await clock.sleep(_ANSWER_SECONDS)
        self._expect_returns(len(unanswered))
        for peer, requests in unanswered.items():
            # Without a goodbye, clients do not repeat requests that may still be carried out.
            peer.close(None if requests else BYE_RESTARTING)
