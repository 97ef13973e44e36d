"""The core: what connections share. Users who come and go, tables that open, the server's own activity and its end."""

from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_server import greeting
from scoville_server.accounts.sessions import Greeted, User
from scoville_server.config import Settings
from scoville_server.errors import shutting_down
from scoville_server.event_log import Field
from scoville_server.journal.base import Journal
from scoville_server.limits.throttle import Source
from scoville_server.net.lan.publisher import Publisher
from scoville_server.net.service import Peer
from scoville_server.services import Services
from scoville_server.tables.actor import TableActor
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import AnnouncedNotice, CreateRequest, GameInfo, HelloRequest

EXPIRY_SECONDS = 3_600.0
"""Seconds between two removals of expired tokens, which expire after days."""


class ServerCore(Services):
    """Everything that connections share: the services, and what concerns several of them."""

    def __init__(
        self,
        settings: Settings,
        catalog: GameCatalog,
        journal: Journal,
        clock: Clock = SYSTEM,
        publisher: Publisher | None = None,
    ) -> None:
        super().__init__(settings, catalog, journal, clock, publisher)
        self.features, self.limits = greeting.features(settings), greeting.limits(settings)
        self._expiring: Alarm | None = None
        self._draining = False

    def begin(self, port: int) -> None:
        """Start the server's own activity once users can connect to a port: one in use must not have effects."""
        self.announcer.begin(self.server_key.pin, port)
        self.default_tables.open()
        self.pulse.begin()
        self.background.write(self.remembered_time.write(self.time.now_ms()))
        self._expire_later()

    def drain(self, seconds: float) -> None:
        """Refuse new connections and games, and announce the end in so many seconds.

        Running games continue until then.
        """
        self._draining = True
        self.announcer.withdraw()
        self.default_tables.close()
        for actor in self.lobby.all():
            actor.hold_start()
        when = f"The server shuts down in {round(seconds)} seconds"
        self.users.announce(f"{when}. No new games start. Everything is saved; come back later.")

    def check_open(self) -> None:
        """Refuse to start anything new while the server drains. Raises ScovilleError `shutting_down`."""
        if self._draining:
            raise shutting_down()

    def _expire_later(self) -> None:
        self._expiring = self.clock.call_later(EXPIRY_SECONDS, self._expire)

    def _expire(self) -> None:
        """Remove what has expired, and schedule the next removal."""
        self.background.write(self.users.expire())
        self.background.write(self.remembered_time.write(self.time.now_ms()))
        self._expire_later()

    # --- users -----------------------------------------------------------------------------------------

    def welcome(self, hello: HelloRequest, peer: Peer) -> Greeted:
        """Greet a connection; a known user gets their seats back at once."""
        self.check_open()
        found = self.hosted.find(hello, peer)
        error = self.moderation.hello_refusal(hello, peer, None if found is None else found.user)
        if error is not None:
            raise error
        opened = None if found is None else self.hosted.open(found, hello.client or "")
        greeted = self.users.greet(hello, peer, opened)
        user = greeted.user
        greeted = greeted._replace(resume_code=self.hosted.bind(user, peer), fresh_until=self._fresh_until(user, peer))
        origin: dict[str, Field] = {"user": user.name, "address": peer.address, "connection": peer.number}
        door = "" if peer.door is None else peer.door.transport
        self.events.write("hello", **origin, client=hello.client or "", claimed=user.claimed, door=door)
        if greeted.token_reused:
            self.events.write("token_reused", **origin, client=hello.client or "")
        if greeted.took_over:
            self.events.write("takeover", **origin)
        self.seating.user_connected(greeted.user)
        self.feed.user_connected(greeted.user)
        self._warn_of_clock(greeted.user, peer)
        return greeted

    def knows(self, hello: HelloRequest) -> bool:
        """Whether a hello, whose door has proved itself, comes from a user who is known."""
        return self.users.knows(hello) or self.hosted.knows(hello)

    def _fresh_until(self, user: User, peer: Peer) -> float:
        """Return until when a key is freshly proved that a door has seen (monotonic seconds)."""
        ago_ms = self.hosted.proved_ms_ago(user, peer)
        return 0.0 if ago_ms is None else self.accounts.fresh_until() - ago_ms / 1000

    def _warn_of_clock(self, user: User, peer: Peer) -> None:
        """Warn an admin that the machine's clock seems to be wrong."""
        if self.time.warning and user in self.moderation.admins:
            peer.notify(AnnouncedNotice(text=self.time.warning))

    def logged_in(self, user: User, peer: Peer, key: str) -> None:
        """Give a connection to a user who has logged in, with the key of the session that has begun."""
        if self.sessions.connect_user(user, peer, key):
            self.events.write("takeover", user=user.name, address=peer.address, connection=peer.number)
        self.seating.user_connected(user)
        self.feed.user_connected(user)
        self._warn_of_clock(user, peer)

    async def note_recovery(self, user: User) -> None:
        """Write a log-in by a recovery code to the audit log. Raises JournalError."""
        await self.moderation.note_recovery(user, user, "recovered")

    def disconnected(self, user: User, peer: Peer) -> None:
        """Handle a lost connection: its user is disconnected, and the reconnect grace of their seats starts."""
        if self.sessions.disconnect_user(user, peer):
            self.seating.user_disconnected(user)
            self.feed.user_disconnected(user)

    def games(self) -> list[GameInfo]:
        """Describe the games that can be played here."""
        return self.catalog.infos()

    def check_may_come(self, user: User) -> None:
        """Check that a user is not banned from the server. Raises ScovilleError `banned`."""
        error = self.moderation.forbids("server", user)
        if error is not None:
            raise error

    def check_not_playing(self, user: User) -> None:
        """Check that a user has no seat, except in finished games, where a seat shows nothing more.

        Raises ScovilleError `seated`.
        """
        statuses = {self.lobby.find(table).table.status for table in user.tables}
        if statuses - {"finished"}:
            raise ScovilleError(Code.SEATED, "You have a seat at a table; leave your tables first.")

    async def remember(self, user: User) -> None:
        """Keep a user before they have anything to return to. Raises JournalError."""
        await self.users.remember(user)

    def may_talk(self, user: User) -> ScovilleError | None:
        """Return why a user may not chat anywhere on this server, or None."""
        return self.moderation.forbids("chat", user)

    def check_may_play(self, user: User) -> None:
        """Check that a user may play here. Raises ScovilleError `banned` and `shutting_down`."""
        self.check_open()
        error = self.moderation.forbids("tables", user)
        if error is not None:
            raise error

    def ignores(self, user: User, other: User) -> bool:
        """Whether a user ignores another one, invitations included."""
        return not self.chat.receives_from(user.id, other.id)

    # --- tables ----------------------------------------------------------------------------------------

    async def open_table(self, user: User, source: Source, request: CreateRequest) -> TableActor:
        """Open a table for a user. Raises ScovilleError."""
        self.check_may_play(user)
        with self.space.reserved(user.id, source.networks):
            self.budgets.opening(source)
            lock = await self.access.lock(request.password, source)
            with self.access.reserved_code() as code:
                actor = await self.registry.open(self._factory.of(user, request, code, lock))
            self.space.opened_by(actor.table.id, source.networks)
            return actor

    async def open_rematch(self, old: TableActor, user: User, source: Source) -> TableActor:
        """Find or open the rematch of a finished game. Raises ScovilleError."""
        self.check_may_play(user)
        if not self.rematches.opened_after(old):
            self.budgets.opening(source)
        await self.remember(user)
        return await self.rematches.after(old, user, source)

    # --- the end ---------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Answer accepted requests, write what must be written, and end."""
        if self._expiring is not None:
            self._expiring.cancel()
        self.announcer.withdraw()
        self.seating.absences.end_all()
        self.idle_timeouts.close()
        self.deserted.close()
        self.default_tables.close()
        self.feed.close()
        self.registry.close()
        self.chat.close()
        self.background.write(self.users.flush())
        await self.background.close()
        self.thinking.close()
        await self.pulse.end()
        self.accounts.close()
        await self.journal.close()
