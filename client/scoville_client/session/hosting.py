"""Start of a session: a server in this process where needed, the connection, the first table, how to join, its end."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from msgspec.structs import asdict

from scoville_client.i18n.language import render, render_count, tr
from scoville_client.session.changes import DoorEnded
from scoville_client.session.joining.invitation import (
    Invitation,
    WayOf,
    collect_invitation,
    first_of_each,
    how_to_join,
    is_local,
)
from scoville_client.session.joining.local_doors import open_doors, wants_doors, ways_by_doors
from scoville_client.session.lobby import sits_at
from scoville_client.session.new_table.adaptive_bots import ADAPTIVE, MOST_GAMES, BotGame
from scoville_client.session.session import Session
from scoville_client.session.spectating import begin_watching
from scoville_client.session.start_options import Start, find_usual_players, practice_folder, usual_folder
from scoville_client.session.table.fair_deal import fresh_nonce, no_nonce
from scoville_client.session.table.pledge import file_pledges
from scoville_client.transport.address import Address
from scoville_client.transport.base import Link, LinkError
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.lan.browser import missing_zeroconf
from scoville_client.transport.tcp import TcpLink
from scoville_client.transport.tls import TlsLink, plain_text_refused
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.identity import pin_of
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableInfo

if TYPE_CHECKING:
    from scoville_client.session.identity.tokens import FindSlot


class Settings(Protocol):
    """The settings of a server that ending it needs."""

    @property
    def announce(self) -> bool:
        """Whether the server announces itself on the local network."""

    @property
    def drain_seconds(self) -> float:
        """Seconds that games may go on."""


class Server(Protocol):
    """The interface of a server in this process that ending it needs."""

    @property
    def settings(self) -> Settings:
        """The settings it runs with."""

    @property
    def others(self) -> int:
        """Number of connections from outside of this process."""

    async def drain(self, hurry: asyncio.Event) -> None:
        """Let games go on for some seconds, until no other user is connected or `hurry` is set."""


class Running:
    """Everything that runs for a session until `close`.

    Attributes:
        address: Where others join a table that is hosted here.
        addresses: The addresses of that server for others, the likeliest first.
        announced: Whether it announces itself on the local network.
        doors: Ways to join that doors beside it add.
        folder: Where that table is saved.
        unfinished: Where a game of practice is kept until it is over.
        again: Whether an earlier run has left the table.
    """

    def __init__(self, stack: AsyncExitStack, way: "WayToServer", *, again: bool) -> None:
        self.address = way.address
        self.addresses = way.addresses
        self.announced = way.announced
        self.doors: list[WayOf] = [*way.doors]
        self._invitation = way.invitation
        self.folder = way.folder
        self.unfinished = way.unfinished
        self.again = again
        self._server = way.server
        self._draining: asyncio.Future[None] | None = None
        self._hurry = asyncio.Event()
        self._stack = stack

    def join_instructions(self, code: str) -> list[str]:
        """Return how others join the table with this code (empty: the server), the best of each kind."""
        ways = first_of_each(door(code) for door in self.doors)
        return [*self._invitation(), *(f"{way.title}  {way.typed}" for way in ways)]

    @property
    def others(self) -> int:
        """Number of connections to the server here from outside of this process."""
        return 0 if self._server is None else self._server.others

    @property
    def drain_seconds(self) -> float:
        """Seconds that the server here would let others finish their moves; 0 if no other user is connected."""
        return self._server.settings.drain_seconds if self._server is not None and self.others else 0.0

    @property
    def draining(self) -> bool:
        """Whether the server here is letting others finish their moves."""
        return self._draining is not None and not self._draining.done()

    async def drain_server(self) -> None:
        """Announce the end of the server here, and let others go on for some seconds.

        Returns as soon as no other user is connected, or `hurry_drain` is called. A second call waits
        for the end of the first.
        """
        if self._draining is None and self._server is not None and self.drain_seconds:
            self._draining = asyncio.ensure_future(self._server.drain(self._hurry))
        if self._draining is not None:
            # A second caller, or one that gives up, must not end the wait of the others.
            await asyncio.shield(self._draining)

    def hurry_drain(self) -> None:
        """End the wait of `drain_server`, now or when it begins."""
        self._hurry.set()

    async def close(self) -> None:
        """Drain and stop the server here, and close the connection."""
        try:
            await self.drain_server()
        finally:
            await self._stack.aclose()


def session_for(start: Start, clock: Clock = SYSTEM) -> Session:
    """Return a session for a start; with a fixed seed its players send no nonces."""
    return Session(fresh_nonce if start.seed is None else no_nonce, clock)


async def begin_session(session: Session, start: Start, clock: Clock = SYSTEM, link: Link | None = None) -> Running:
    """Connect as `start` says (its kind is not "menu"), and take a seat; on `link`, nothing is stored.

    Practice starts at once, a hosted table waits for players; a table hosted here before continues. Raises LinkError
    and ScovilleError with a sentence for the user.
    """
    stack = AsyncExitStack()

    def report_door(sentence: Phrase) -> None:
        """Publish that a door beside the server that this user hosts has ended."""
        session.publish_change(DoorEnded(sentence))

    try:
        way = await _find_way(start, stack, clock, report_door) if link is None else WayToServer(link)
        if link is None and not start.watching:
            session.fair_deal.keep_game = _keep_game
            session.adaptive_bots.list_past = _list_bot_games
            session.daily.note_commitments = _note_commitments
        if way.find_slot is not None:
            from scoville_client.session.identity.tokens import StoredIdentity

            stored = StoredIdentity(
                session.connection,
                start.name,
                way.find_slot,
                lambda slot: session.fair_deal.store_pledges(file_pledges(slot.pledges)),
            )
            # Released last, since it is entered first: the slot stays locked while the connection is open.
            stack.callback(stored.release_slot)
        await session.connect(way.link, start.name)
        stack.push_async_callback(session.close)
        if start.kind == "host":
            # Called before the session is closed: callbacks run from the last to the first.
            stack.push_async_callback(_leave_finished_tables, session)
        again = await _first_steps(session, start)
    # Also after a cancel: a server started in this process would live on.
    except BaseException:
        await stack.aclose()
        raise
    return Running(stack, way, again=again)


def _note_commitments(commitments: Iterable[str]) -> None:
    """Note the commitments to daily deals on this computer, where the user has a place for that."""
    from scoville_client.session.daily import users_notes  # late: servers may have no daily deal

    with suppress(OSError):
        users_notes().note_commitments(commitments)


def _keep_game(lines: Sequence[str], game: str, table: str, seat: Seat) -> None:
    """Keep a finished game among the user's. Raises OSError."""
    from scoville_client.session.my_games import users_games  # late: no game is over at the start

    users_games().keep_game(lines, game, table, seat)


def _list_bot_games(game: str) -> Sequence[BotGame]:
    """List this user's latest games of a kind against bots; none where there is no home folder."""
    from scoville_client.session.my_games import users_games  # late: most starts choose no bots

    with suppress(OSError):
        return users_games().list_bot_games(game, MOST_GAMES)
    return ()


def proved_pin(session: Session) -> str:
    """Return the pin of the server's key, empty if the connection does not prove it."""
    return next((pin_of(bytes.fromhex(key)) for key in session.connection.server_keys), "")


def invitation_to(start: Start, session: Session, running: Running | None) -> Invitation:
    """Return every way in which others join the current table, or the server; no way in practice."""
    code = "" if session.table is None else session.table.info.code or ""
    if running is not None and running.address is not None:
        pin = running.address.pin
        made = collect_invitation(running.addresses, code, pin, announced=running.announced, doors=running.doors)
        return made._replace(note=missing_zeroconf() if start.announce and not running.announced else "")
    if start.kind != "join" or is_local(start.host):
        return Invitation((), code if start.kind == "join" else "")
    return collect_invitation([Address(start.host, start.port)], code, proved_pin(session))


class WayToServer(NamedTuple):
    """How to reach the server: the link, the stored identity, and for a hosted table its address and folder.

    `unfinished` is the folder in which a game of practice is kept until it is over.
    """

    link: Link
    find_slot: "FindSlot | None" = None
    address: Address | None = None
    addresses: tuple[Address, ...] = ()
    announced: bool = False
    invitation: Callable[[], list[str]] = list
    folder: Path | None = None
    server: Server | None = None
    doors: tuple[WayOf, ...] = ()
    unfinished: Path | None = None


async def _find_way(start: Start, stack: AsyncExitStack, clock: Clock, report: Callable[[Phrase], None]) -> WayToServer:
    """Return how to reach the server; one in this process is started."""
    if start.kind == "join":
        return _way_of_guest(start, clock)
    if start.kind == "practice":
        from scoville_client.transport.in_process import LocalLink, serve_in_process

        folder: Path | None = None
        with suppress(OSError):  # a user without a home keeps nothing
            folder = practice_folder()
        server = await serve_in_process(
            seed=start.seed,
            game_options=start.game_options,
            offered=(start.game,),
            opening=start.opening,
            unfinished=folder,
        )
        stack.push_async_callback(server.close)
        return WayToServer(LocalLink(server, clock), unfinished=folder)
    return await _way_of_host(start, stack, clock, report)


def _way_of_guest(start: Start, clock: Clock) -> WayToServer:
    if start.watching:  # never the identity of a player on this computer: it would show their hand
        return WayToServer(_link_to(start, clock))
    from scoville_client.session.identity.tokens import by_address, by_keys, take_slot

    plain = by_address(start.host, start.port)
    return WayToServer(_link_to(start, clock), lambda keys: take_slot(by_keys(keys) or plain, start.name))


async def _way_of_host(
    start: Start, stack: AsyncExitStack, clock: Clock, report: Callable[[Phrase], None]
) -> WayToServer:
    from scoville_client.session.identity.tokens import own_slot
    from scoville_client.transport.in_process import LocalLink, lan_addresses, serve_in_process

    folder = (start.data or usual_folder()).absolute()
    server = await serve_in_process(
        host=start.host,
        port=start.port,
        seed=start.seed,
        game_options=start.game_options,
        data=folder,
        announce=start.announce,
        doors=wants_doors(start),
    )
    stack.push_async_callback(server.close)
    if server.door_socket is not None and server.door_credential_file is not None:
        await open_doors(start, server.door_socket, server.door_credential_file, folder, stack, clock, report)
    addresses = lan_addresses() if not start.host else [start.host]
    address = Address(start.host or next(iter(addresses), "localhost"), server.port, server.key.pin)
    return WayToServer(
        LocalLink(server, clock),
        lambda _: own_slot(folder),
        address,
        () if is_local(start.host) else tuple(Address(each, server.port) for each in addresses),
        server.settings.announce,
        lambda: how_to_join(start.host, server.port, addresses, server.key.pin),
        folder,
        server,
        ways_by_doors(start, addresses),
    )


def _link_to(start: Start, clock: Clock) -> Link:
    """Return the link to the server that a user joins. Raises LinkError when it must not be plain text."""
    address, known = Address(start.host, start.port, start.pin), KnownServers.of_user()
    if not start.plain_text:
        return TlsLink(address, known, clock=clock)
    if refusal := plain_text_refused(address, known):
        raise LinkError(refusal)
    return TcpLink(start.host, start.port, clock=clock)


async def _first_steps(session: Session, start: Start) -> bool:
    """Take a seat, and return whether it is at a table of an earlier run."""
    insist = session.connection.insist_on_answer
    if start.watching:
        await insist(lambda: begin_watching(session, start.code))
        return False
    # A practice server is new: it has neither tables nor seats to return to.
    if start.kind != "practice":
        await insist(session.lobby.refresh_tables)
        await (_go_on(session, start) if start.kind == "host" else session.rejoin_table(start.code))
    if start.kind == "join" or session.table is not None:
        return session.table is not None
    await _open_table(session, start)
    return False


async def _go_on(session: Session, start: Start) -> None:
    """Return to this user's table; give up seats at finished tables and at waiting ones that do not match."""
    mine = [table for table in session.lobby.tables if sits_at(table)]
    kept = [table for table in mine if _goes_on(table, start)]
    for table in mine:
        if table not in kept:
            await session.give_up_seat(table.table)
    if kept:
        # A running game first: its other players wait.
        await session.join_table(min(kept, key=lambda table: table.status != "playing").table)


async def _leave_finished_tables(session: Session) -> None:
    """Leave a finished table, so that the server can remove it."""
    if session.table is not None and session.table.result is not None:
        # Without a connection the server removes the table later by itself.
        with suppress(LinkError, ScovilleError):
            await session.leave_table()


def _goes_on(table: TableInfo, start: Start) -> bool:
    """Whether a saved table is to be continued: a running game always is."""
    if table.status != "waiting":
        return table.status == "playing"
    wanted = table.game == start.game and start.players in (None, len(table.seats))
    # Adaptive bots are others every time.
    settings = {key: value for key, value in start.settings.items() if value != ADAPTIVE}
    terms = (table.options, start.options), (asdict(table.clock), start.clock), (asdict(table.settings), settings)
    return wanted and table.locked == bool(start.password) and all(_fulfils_terms(*each) for each in terms)


def _fulfils_terms(terms: object, wanted: dict[str, Any]) -> bool:
    return isinstance(terms, dict) and terms.items() >= wanted.items()


async def _open_table(session: Session, start: Start) -> None:
    players = start.players or find_usual_players(session.games, start.game)
    table = await session.lobby.create_table(
        start.game, players, start.options, start.clock, start.settings, password=start.password
    )
    await session.join_table(table.table)
    if start.kind == "practice" and start.opening is None:
        await session.table_actions.start_game()


def count_other_users(session: Session, running: Running | None) -> int:
    """Return how many other users are connected to the server that runs here.

    The lobby counts users but tells changes after a while; the server knows its connections at once.
    """
    return max(0, session.lobby.here - 1, 0 if running is None else running.others)


def on_the_server(session: Session, running: Running | None) -> list[str]:
    """Return sentences about the other users and the unfinished tables on the server that runs here."""
    users = count_other_users(session, running)
    tables = sum(table.status != "finished" for table in session.lobby.tables)
    connected = Phrase(
        "{n} other user is connected to your server.",
        {"n": users},
        many="{n} other users are connected to your server.",
        number=users,
    )
    opened = Phrase("{n} table is open.", {"n": tables}, many="{n} tables are open.", number=tables)
    return [render(connected) if users else tr("Nobody else is connected to your server."), render(opened)]


def kept_in(folder: str) -> str:
    """Return a sentence about the fate of the tables when the server stops."""
    return tr("The tables are saved in {folder}; when you host again, every game resumes there.", folder=folder)


_STOPS = Phrase(
    "Your server stops in {n} second, so that the others can finish their moves. No new games start.",
    many="Your server stops in {n} seconds, so that the others can finish their moves. No new games start.",
)


def draining_text(seconds: float) -> str:
    """Return a sentence that the server stops soon."""
    return render_count(_STOPS, round(seconds))
