"""The composition root: creates the server's services, connects them, and restores them in order."""

from pathlib import Path

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.doors.hosted import HostedUsers
from scoville_server.accounts.doors.web_codes import WebCodes
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.background.thinking import Thinking
from scoville_server.chat.service import ChatService
from scoville_server.config import Settings
from scoville_server.event_log import EventLog
from scoville_server.identity.key import ServerKey
from scoville_server.journal.base import Inspectable, Journal, Kept, Reporting
from scoville_server.journal.files.generations import GAMES
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.rate_budgets import Budget, Inbox
from scoville_server.limits.throttle import Rate
from scoville_server.lobby.announcer import LanAnnouncer
from scoville_server.lobby.default_tables import DefaultTables
from scoville_server.lobby.feed import LobbyFeed
from scoville_server.lobby.quick_match import QuickMatch
from scoville_server.lobby.webhook import Webhook
from scoville_server.moderation.every_node import EveryNode
from scoville_server.moderation.service import ModerationService
from scoville_server.net.flushes import FlushQueue
from scoville_server.net.interfaces import announced_addresses
from scoville_server.net.lan.publisher import Publisher
from scoville_server.nodes.nodes import Nodes, single_node
from scoville_server.players.service import PlayerService
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actor import TableActor
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.archive.signing import TableSigner
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.factory import TableFactory
from scoville_server.tables.lifecycle.bot_thinking import BotThinking
from scoville_server.tables.lifecycle.deserted import DesertedGames
from scoville_server.tables.lifecycle.game_log import GameLog
from scoville_server.tables.lifecycle.heartbeat import Pulse
from scoville_server.tables.lifecycle.idle_timeouts import IdleSeconds, IdleTimeouts
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.recovery import nothing_is_garbage, reopened
from scoville_server.tables.registry import TableObserver, TableRegistry
from scoville_server.tables.seating import Seating
from scoville_server.tables.space import TableSpace
from scoville_server.tables.spectators import Spectators
from scoville_server.tables.watching.polls import Polls
from scoville_server.trusted_time import RememberedTime, TrustedTime, newest_ms
from scoville_shared.protocol.messages import TableClock, UserInfo


class Services:
    """The services of a server: `catalog` has the games, `registry` the tables, `sessions` the users.

    `server_key` is that of the journal once the server is open.
    """

    def __init__(
        self,
        settings: Settings,
        catalog: GameCatalog,
        journal: Journal,
        clock: Clock = SYSTEM,
        publisher: Publisher | None = None,
    ) -> None:
        self.settings = settings
        self.catalog = catalog
        self.journal = journal
        self.server_key = ServerKey.new()
        self.background = BackgroundTasks(clock, settings.retries)
        self.clock, self.events, self.flushes = clock, EventLog(clock.seconds), FlushQueue()
        self.thinking = BotThinking(Thinking(clock, settings.thinking), lambda table: self.space.networks_of(table))  # noqa: PLW0108
        self.time = TrustedTime(clock, settings.clock)
        self.remembered_time = RememberedTime(journal)
        self.nodes: Nodes[TableActor] = single_node(self.flushes)
        self.connections, self.lobby = self.nodes.connections, self.nodes.tables
        self.users = Users(
            settings.guests, settings.accounts, journal, self.background, self.connections, self.time
        )
        self.sessions = self.users.sessions
        self.accounts = AccountService(self.users, self.background)
        self._add_doors()
        self.signer = TableSigner(lambda: self.server_key)
        self.archive = None if settings.data is None else self._archive(settings.data)
        self.registry = TableRegistry(
            self.nodes,
            catalog,
            journal,
            self.archive,
            self.background,
            clock,
            inbox=settings.inbox,
            ask=self.thinking.ask,
        )
        self.announcer = LanAnnouncer(
            self.lobby, publisher, lambda: announced_addresses(settings.host), self.background, clock
        )
        self._add_tables()
        self._add_users()
        self.registry.connect(self._observers(), (self.careers.settled,), self.space.networks_of)
        self.users.connect(
            forgotten=(
                self.chat.forgot,
                self.careers.forgot,
                self.moderation.forgot,
                self.web_codes.forgot,
                self.client_settings.forgot,
            ),
            renamed=(self.careers.renamed,),
            shunned=self.moderation.bans_name,
        )
        self.budgets = _budgets(settings, clock)
        self.pulse = Pulse(journal, self.registry, self.background, clock)

    def _add_doors(self) -> None:
        """Create the services that users of doors need."""
        self.hosted = HostedUsers(self.users, self.accounts.proofs.guesses)
        self.web_codes = WebCodes(self.clock.seconds)
        self.client_settings = ClientSettings(self.users, self.settings.accounts, self.journal, self.background)

    def _add_tables(self) -> None:
        """Create the services that tables need."""
        settings, clock = self.settings, self.clock
        self.seating = Seating(self.registry, self.sessions, self.users.remember_soon, settings.grace_seconds)
        self.idle_timeouts = IdleTimeouts(self.registry, self.connections, _idle_seconds(settings))
        self.deserted = DesertedGames(
            self.registry, self.connections.is_here, settings.grace_seconds, settings.deserted_seconds
        )
        self.access = TableAccess(
            self.registry,
            self.accounts.passwords,
            settings.guesses,
            lambda: self.sessions.arrivals,
            clock.seconds,
        )
        self.feed = LobbyFeed(self.registry, self.user_info, self.flushes, settings.lobby_seconds)
        self._factory = TableFactory(
            self.catalog,
            settings.bot_fill_seconds,
            TableClock(
                move_ms=1000 * settings.quick_move_seconds or None, bank_ms=1000 * settings.quick_bank_seconds or None
            ),
            opening=settings.opening,
            seed=settings.seed,
            now=clock.date_ms,
            sign=self.signer.opened,
        )
        self.space = TableSpace(self.registry, settings.tables, settings.tables_hosted)
        self.spectators = Spectators(settings.spectators)
        self.polls = Polls(settings.polls)
        self.tables_seated = settings.tables_seated
        opening = (self.registry, self.access, self._factory, self.background)
        self.rematches = Rematches(*opening, self.space)
        self.default_tables = DefaultTables(*opening, settings.default_tables)
        self.quick = QuickMatch(self.catalog, self._factory, self.background)

    def _add_users(self) -> None:
        """Create the services that users need beside tables."""
        settings, journal, clock = self.settings, self.journal, self.clock
        self.chat = ChatService(
            settings.chat,
            journal,
            self.connections,
            self.sessions.network_of,
            self.registry,
            self.background,
            self.users.remember,
            self.feed.readers,
            clock,
        )
        self.careers = PlayerService(
            journal,
            self.sessions,
            self.background,
            clock.date_ms,
            by_network=settings.opponents_by_network,
        )
        limits = settings.moderation
        shared = (self.users, self.registry, self.chat, self.background)
        everywhere = EveryNode(self.nodes)
        self.moderation = ModerationService(
            limits, settings.admins, journal, self.connections, everywhere, *shared, settings.data, self.time.now_ms
        )

    def _archive(self, data: Path) -> Archive:
        settings = self.settings
        needed = self.lobby.__contains__
        return Archive(
            data / GAMES,
            settings.games,
            self.journal,
            self.background,
            needed,
            self.signer,
            self.clock,
            leave_out_damaged=settings.leave_out_damaged,
        )

    def _observers(self) -> tuple[TableObserver, ...]:
        """List the observers of tables in the order in which they are called.

        No observer depends on its place: each keeps a state of its own, and the commands and tasks that it starts run
        in later turns of the event loop. One that depends on another would stand behind it, with a comment.
        """
        return (
            self.space,
            self.spectators,
            self.seating,
            self.idle_timeouts,
            self.deserted,
            self.access,
            self.rematches,
            self.feed,
            self.default_tables,
            self.quick,
            self.chat,
            self.careers,
            self.thinking,
            GameLog(self.events),
            Webhook(self.settings.webhook, self.background),
            self.announcer,
        )

    async def open(self) -> None:
        """Restore everything of an earlier run in memory, in this order; the folder stays as it is until `prepare`.

        Raises JournalError with a sentence for the host.
        """
        if isinstance(self.journal, Reporting):
            self.journal.on_lost = lambda lost: self.users.announce(lost.message)
        kept = await (self.journal.inspect() if isinstance(self.journal, Inspectable) else self.journal.open())
        self.server_key = kept.key or self.server_key
        self.time.begin(newest_ms(kept))  # first: tokens and bans are checked by this time
        if self.archive is not None:
            await self.archive.open(kept, self.registry.saved)
        await self.users.restore(kept)
        self.client_settings.restore(kept)
        self.chat.restore(kept)
        self.careers.restore(kept)  # after the users: leaderboards show those who own their names
        self.moderation.restore(kept)  # after the users: admins are found by their names
        await self.moderation.audit.restore(kept)
        await self.moderation.subscribe()
        self._factory.avoid(kept.tables)
        self._restore_tables(kept)  # after the users, who get their seats, and the archive, which gets finished games
        if self.archive is not None:
            self.archive.trim()  # after the tables: their games are not removed
        self.rematches.catch_up()

    async def prepare(self) -> None:
        """Make the data folder ready for writing, once nothing stands in the way of the start. Raises JournalError."""
        if isinstance(self.journal, Inspectable):
            await self.journal.prepare()
        await self.moderation.prepare()
        if self.archive is not None:
            self.archive.tidy()

    def abandon(self) -> None:
        """Give up a start that was refused."""
        if isinstance(self.journal, Inspectable):
            self.journal.abandon()

    def _restore_tables(self, kept: Kept) -> None:
        mine = self.nodes.ownership.inherited(kept.tables)
        if mine:
            stored = {table: records for table, records in kept.tables.items() if table in mine}
            with nothing_is_garbage():
                self.registry.restore(reopened(stored, self.catalog.game), kept.marks, kept.alive_ms)

    def user_info(self, user: User) -> UserInfo:
        """Describe a user as the lobby shows them."""
        return UserInfo(name=user.name, claimed=user.claimed, admin=user in self.moderation.admins)


def _budgets(s: Settings, clock: Clock) -> Budgets:
    opened, acted = s.table_creations_seconds, s.table_actions_seconds
    invitations, invited = s.invitations, s.invitations.seconds
    return Budgets(
        table_creations=Budget(Rate(s.table_creations, opened), Rate(s.table_creations_per_address, opened)),
        actions=Budget(Rate(s.table_actions, acted), Rate(s.table_actions_per_address, acted)),
        at_table=Inbox(Rate(s.table_actions_at_table_per_address, acted), Rate(s.table_actions_at_table, acted)),
        invitations=Budget(Rate(invitations.sent, invited), Rate(invitations.sent_per_address, invited)),
        invited=Inbox(Rate(invitations.received_per_address, invited), Rate(invitations.received, invited)),
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
