"""The composition root: creates the server's services, connects them, and restores and closes them in order."""

from pathlib import Path

from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import Greeted, User
from scoville_server.accounts.users import Users
from scoville_server.background.retry import RetryDelay
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.service import ChatService
from scoville_server.clock import SYSTEM, Alarm, Clock
from scoville_server.config import Settings
from scoville_server.errors import shutting_down
from scoville_server.event_log import EventLog, Field
from scoville_server.journal.base import Journal, Reporting
from scoville_server.journal.files.generations import GAMES
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.rate_budgets import Budget, Inbox
from scoville_server.limits.throttle import Rate, Source
from scoville_server.lobby.default_tables import DefaultTables
from scoville_server.lobby.feed import LobbyFeed
from scoville_server.lobby.quick_match import QuickMatch
from scoville_server.lobby.webhook import Webhook
from scoville_server.moderation.service import ModerationService
from scoville_server.net.service import Peer
from scoville_server.nodes.connections import LocalConnections, UserConnections
from scoville_server.nodes.directory import Directory, LocalDirectory
from scoville_server.players.service import PlayerService
from scoville_server.tables.access import GuessLimits, TableAccess
from scoville_server.tables.actor import TableActor
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.factory import TableFactory
from scoville_server.tables.game_log import GameLog
from scoville_server.tables.lifecycle.deserted import DesertedGames
from scoville_server.tables.lifecycle.heartbeat import Pulse
from scoville_server.tables.lifecycle.idle_timeouts import IdleSeconds, IdleTimeouts
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.recovery import nothing_is_garbage, reopened
from scoville_server.tables.registry import TableObserver, TableRegistry
from scoville_server.tables.seating import Seating
from scoville_server.tables.space import TableSpace
from scoville_server.tables.spectators import Spectators
from scoville_server.tables.watching.polls import Polls
from scoville_server.trusted_time import TrustedTime, newest_ms
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import AnnouncedNotice, CreateRequest, GameInfo, HelloRequest, UserInfo

EXPIRY_SECONDS = 3_600.0
"""Seconds between two removals of expired tokens, which expire after days."""


class ServerCore:
    """Everything that connections share: `catalog` has the games, `registry` the tables, `sessions` the users."""

    def __init__(self, settings: Settings, catalog: GameCatalog, journal: Journal, clock: Clock = SYSTEM) -> None:
        self.settings = settings
        self.catalog = catalog
        self.journal = journal
        self.background = BackgroundTasks(clock)
        self.clock, self.events = clock, EventLog(clock.seconds)
        self.time = TrustedTime(clock, settings.clock)
        self.people = Users(settings.guests, settings.accounts, journal, self.background, self.time)
        self.sessions = self.people.sessions
        self.accounts = AccountService(self.people, self.background)
        self.connections: UserConnections = LocalConnections(self.sessions.peer_of)
        self.lobby: Directory[TableActor] = LocalDirectory()
        self.archive = None if settings.data is None else self._archive(settings.data)
        self.registry = TableRegistry(
            self.lobby,
            catalog,
            journal,
            self.archive,
            self.connections.is_here,
            self.background,
            clock,
            inbox=settings.inbox,
            retries=settings.retries,
        )
        self.seating = Seating(self.registry, self.sessions, self.people.remember_soon, settings.grace_seconds)
        self.idle_timeouts = IdleTimeouts(self.registry, self.connections, _idle_seconds(settings))
        self.deserted = DesertedGames(
            self.registry, self.connections.is_here, settings.grace_seconds, settings.deserted_seconds
        )
        self.access = TableAccess(
            self.registry,
            self.accounts.passwords,
            _guess_limits(settings),
            lambda: self.sessions.arrivals,
            clock.seconds,
        )
        self.feed = LobbyFeed(self.registry, self.person_info, settings.lobby_seconds)
        self._factory = TableFactory(
            catalog, settings.bot_fill_seconds, opening=settings.opening, seed=settings.seed, now=clock.date_ms
        )
        self.space = TableSpace(self.registry, settings.tables, settings.tables_hosted)
        self.spectators = Spectators(settings.spectators)
        self.polls = Polls(settings.polls)
        self.tables_seated = settings.tables_seated
        opening = (self.registry, self.access, self._factory, self.background)
        self.rematches = Rematches(*opening, self.space)
        self.default_tables = DefaultTables(*opening, settings.default_tables)
        self.quick = QuickMatch(self.registry, catalog, self._factory)
        readers = self.feed.readers
        self.chat = ChatService(
            settings.chat,
            journal,
            self.connections,
            self.sessions.network_of,
            self.registry,
            self.background,
            self.remember,
            readers,
            clock,
        )
        self.careers = PlayerService(journal, self.sessions, self.background, clock.date_ms, self.registry.delay)
        limits = settings.moderation
        people = (self.people, self.registry, self.chat, self.background)
        self.moderation = ModerationService(
            limits, settings.admins, journal, self.connections, *people, settings.data, self.time.now_ms
        )
        self.registry.connect(self._observers(), (self.careers.settled,), self.space.networks_of)
        self.people.connect(
            forgotten=(self.chat.forgot, self.careers.forgot),
            renamed=(self.careers.renamed, self.moderation.claimed),
            shunned=self.moderation.shuns,
        )
        self.budgets = _budgets(settings, clock)
        self.pulse = Pulse(journal, self.registry, self.background, clock)
        self._expiring: Alarm | None = None
        self._draining = False

    def _archive(self, data: Path) -> Archive:
        settings = self.settings
        delay = RetryDelay(settings.retries)
        needed = self.lobby.__contains__
        return Archive(data / GAMES, settings.games, self.journal, self.background, delay, needed, self.clock)

    def _observers(self) -> tuple[TableObserver, ...]:
        """List the observers of tables in the order in which they are called."""
        return (
            self.space,
            self.spectators,
            self.seating,  # before `deserted` and `feed`: they look at who is connected, which `seating` notes
            self.idle_timeouts,
            self.deserted,
            self.access,
            self.rematches,  # before `default_tables` and `feed`: a rematch is known before it is announced
            self.feed,
            self.default_tables,  # after `space`: the table that was removed has made room for the next one
            self.chat,
            self.careers,
            GameLog(self.events),
            Webhook(self.settings.webhook, self.background),
        )

    async def open(self) -> None:
        """Restore users, tables and seats of an earlier run. Raises JournalError with a sentence for the host."""
        if isinstance(self.journal, Reporting):
            self.journal.on_lost = lambda lost: self.people.announce(lost.message)
        kept = await self.journal.open()
        self.time.begin(newest_ms(kept))
        if self.archive is not None:
            await self.archive.open(kept, self.registry.saved)
        await self.people.restore(kept)
        self.chat.restore(kept)
        self.careers.restore(kept)
        self.moderation.restore(kept)
        await self.moderation.audit.restore(kept)
        self._factory.avoid(kept.tables)
        if kept.tables:
            with nothing_is_garbage():
                self.registry.restore(reopened(kept.tables, self.catalog.game), kept.marks, kept.alive_ms)
        if self.archive is not None:
            self.archive.trim()
        self.rematches.catch_up()

    def begin(self) -> None:
        """Start the server's own activity once users can connect: a port in use must not have effects."""
        self.default_tables.open()
        self.pulse.begin()
        self._expire_later()

    def drain(self, seconds: float) -> None:
        """Refuse new connections and games, and announce the end in so many seconds.

        Running games continue until then.
        """
        self._draining = True
        self.default_tables.close()
        for actor in self.lobby.all():
            actor.hold_start()
        when = f"The server shuts down in {round(seconds)} seconds"
        self.people.announce(f"{when}. No game starts until it is back. Nothing is lost; come back later.")

    def check_open(self) -> None:
        """Refuse to start anything new while the server drains. Raises ScovilleError `shutting_down`."""
        if self._draining:
            raise shutting_down()

    def _expire_later(self) -> None:
        self._expiring = self.clock.call_later(EXPIRY_SECONDS, self._expire)

    def _expire(self) -> None:
        """Remove what has expired, and schedule the next removal."""
        self.background.write(self.people.expire_tokens())
        self._expire_later()

    # --- users -----------------------------------------------------------------------------------------

    def welcome(self, hello: HelloRequest, peer: Peer) -> Greeted:
        """Greet a connection; a known user gets their seats back at once."""
        self.check_open()
        error = self.moderation.at_the_door(hello, peer)
        if error is not None:
            raise error
        greeted = self.people.greet(hello, peer)
        user = greeted.user
        origin: dict[str, Field] = {"user": user.name, "address": peer.address, "connection": peer.number}
        self.events.write("hello", **origin, client=hello.client, claimed=user.claimed)
        if greeted.took_over:
            self.events.write("takeover", **origin)
        self.seating.came(greeted.user)
        self.feed.came(greeted.user)
        self._warn_of_clock(greeted.user, peer)
        return greeted

    def _warn_of_clock(self, user: User, peer: Peer) -> None:
        """Warn an admin that the machine's clock seems to be wrong."""
        if self.time.warning and user in self.moderation.admins:
            peer.notify(AnnouncedNotice(text=self.time.warning))

    def line_up(self, user: User, peer: Peer, key: str) -> None:
        """Give a connection to a user who has logged in, with the digest of the token issued for it."""
        if self.sessions.take_line(user, peer, key):
            self.events.write("takeover", user=user.name, address=peer.address, connection=peer.number)
        self.seating.came(user)
        self.feed.came(user)
        self._warn_of_clock(user, peer)

    def line_lost(self, user: User, peer: Peer) -> None:
        """Handle a lost connection: its user is disconnected, and the reconnect grace of their seats starts."""
        if self.sessions.hang_up(user, peer):
            self.seating.went(user)
            self.feed.went(user)

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
            raise ScovilleError(Code.SEATED, "You sit at a table; leave your tables first.")

    async def remember(self, user: User) -> None:
        """Keep a user before they have anything to return to. Raises JournalError."""
        await self.people.remember(user)

    def may_talk(self, user: User) -> ScovilleError | None:
        """Return why a user may not chat anywhere on this server, or None."""
        return self.moderation.forbids("chat", user)

    def check_may_play(self, user: User) -> None:
        """Check that a user may play here. Raises ScovilleError `banned` and `shutting_down`."""
        self.check_open()
        error = self.moderation.forbids("tables", user)
        if error is not None:
            raise error

    def person_info(self, user: User) -> UserInfo:
        """Describe a user as the lobby shows them."""
        return UserInfo(name=user.name, claimed=user.claimed, admin=user in self.moderation.admins)

    def ignores(self, user: User, other: User) -> bool:
        """Whether a user ignores another one, invitations included."""
        return not self.chat.hears(user.id, other.id)

    # --- tables ----------------------------------------------------------------------------------------

    async def open_table(self, user: User, source: Source, wish: CreateRequest) -> TableActor:
        """Open a table for a user. Raises ScovilleError."""
        self.check_may_play(user)
        with self.space.reserved(user.id, source.networks):
            self.budgets.opening(source)
            lock = await self.access.lock(wish.password, source)
            code = self.access.new_code()
            try:
                actor = await self.registry.open(self._factory.of(user, wish, code, lock))
            finally:
                self.access.give_up(code)
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
        self.seating.absences.end_all()
        self.idle_timeouts.close()
        self.deserted.close()
        self.default_tables.close()
        self.feed.close()
        self.registry.close()
        self.chat.close()
        await self.background.close()
        await self.pulse.end()
        self.accounts.close()
        await self.journal.close()


def _guess_limits(settings: Settings) -> GuessLimits:
    return GuessLimits(
        of_user=settings.guesses,
        per_address=settings.guesses_per_address,
        at_table=settings.guesses_at_table,
        seconds=settings.guesses_seconds,
    )


def _budgets(s: Settings, clock: Clock) -> Budgets:
    opened, acted, invited = s.table_creations_seconds, s.table_actions_seconds, s.invitations_seconds
    return Budgets(
        table_creations=Budget(Rate(s.table_creations, opened), Rate(s.table_creations_per_address, opened)),
        actions=Budget(Rate(s.table_actions, acted), Rate(s.table_actions_per_address, acted)),
        at_table=Inbox(Rate(s.table_actions_at_table_per_address, acted), Rate(s.table_actions_at_table, acted)),
        invitations=Budget(Rate(s.invitations, invited), Rate(s.invitations_per_address, invited)),
        invited=Inbox(Rate(s.invitations_received_per_address, invited), Rate(s.invitations_received, invited)),
        now=clock.seconds,
    )


def _idle_seconds(settings: Settings) -> IdleSeconds:
    return IdleSeconds(
        unseated=settings.unseated_seconds,
        host_idle=settings.host_idle_seconds,
        idle=settings.idle_seconds,
        finished=settings.finished_seconds,
        moved_on=settings.rematch_seconds,
    )
