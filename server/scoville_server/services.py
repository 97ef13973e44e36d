"""The composition root: which services a server has, in which order they are made, restored and closed."""

from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import Events
from scoville_server.accounts.connection import Handlers
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.doors.hosted import HostedUsers
from scoville_server.accounts.doors.web_codes import WebCodes
from scoville_server.accounts.handlers import (
    AccountHandlers,
    ConnectionProofs,
    DoorHandlers,
    LogInHandlers,
    LogIns,
)
from scoville_server.accounts.login_guesses import LogInGuesses
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import Sessions
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.background.safe_post import SafePost
from scoville_server.background.tasks import BackgroundTasks, HourlyChores
from scoville_server.background.thinking import Thinking
from scoville_server.chat.handlers import ChatHandlers, TalkAtTables, TalkPermits
from scoville_server.chat.service import ChannelReaders, ChatService
from scoville_server.clubs.administration import ClubAdministration
from scoville_server.clubs.agenda import ClubAgenda
from scoville_server.clubs.board import ClubBoards
from scoville_server.clubs.calls import ClubCalls
from scoville_server.clubs.handlers import ClubHandlers
from scoville_server.clubs.membership import ClubMembership
from scoville_server.clubs.service import ClubService
from scoville_server.daily.attempt_book import AttemptBook
from scoville_server.daily.days import DailyDays, Dealer
from scoville_server.daily.handlers import DailyHandlers
from scoville_server.daily.par import ParPlayer
from scoville_server.daily.service import DailyDeals, DailyResults
from scoville_server.hello import HelloHandlers, UserArrivals
from scoville_server.identity import ServerIdentity
from scoville_server.journal.base import Inspectable, Journal, Reporting, Shared, StoredTables
from scoville_server.journal.files.generations import GAMES
from scoville_server.journal.stores import GameStore, KeepsStores
from scoville_server.limits.live import Live
from scoville_server.lobby.announcer import LanAnnouncer
from scoville_server.lobby.default_tables import DefaultTables
from scoville_server.lobby.digests import make_digests
from scoville_server.lobby.feed import make_feed
from scoville_server.lobby.handlers import LobbyHandlers, QuickMatchHandlers
from scoville_server.lobby.quick_match import QuickMatch
from scoville_server.lobby.webhook import Webhook
from scoville_server.moderation.admin_codes import FILE as ADMIN_CODES
from scoville_server.moderation.admin_codes import AdminCodes, CodeFile
from scoville_server.moderation.audit import HostLog
from scoville_server.moderation.every_node import ConnectedUsers, EveryNode
from scoville_server.moderation.handlers import AdminHandlers, ReportHandlers
from scoville_server.moderation.maintenance import PlannedShutdown
from scoville_server.moderation.permits import make_permits
from scoville_server.moderation.records import ModerationRecords, Retention
from scoville_server.moderation.reports import ReportDesk
from scoville_server.moderation.service import ModerationService
from scoville_server.net.flushes import FlushQueue
from scoville_server.net.interfaces import announced_addresses
from scoville_server.nodes.directory import CHORES, COMMUNITY, DAILY
from scoville_server.nodes.duties import Duties
from scoville_server.nodes.members import Incarnation
from scoville_server.nodes.nodes import Nodes, is_alone, single_node
from scoville_server.observation.figures import JournalProbe, TableCensus, UserCensus
from scoville_server.observation.status import ServerFigures
from scoville_server.players.service import PlayerHandlers, PlayerService
from scoville_server.puzzles.handlers import PuzzleHandlers
from scoville_server.puzzles.service import PuzzleService
from scoville_server.settings.for_services import (
    find_daily_settings,
    find_idle_seconds,
    find_quick_tables,
    make_budgets,
    make_publisher,
)
from scoville_server.settings.model import Settings
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actor import TableActor, TableRuntime
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.archive.game_folder import GameFolder
from scoville_server.tables.archive.signing import TableSigner
from scoville_server.tables.calendars import CalendarService, CalendarSources
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.digests import Delivery, DigestDays, DigestService, OwedMoves
from scoville_server.tables.factory import FirstTable, TableFactory
from scoville_server.tables.handlers.tables import HostingHandlers, Joining, OpeningHandlers, SeatHandlers
from scoville_server.tables.handlers.visits import PlayingHandlers, Polls, Spectators, TableVisits, WatchingHandlers
from scoville_server.tables.invitations import Invitations
from scoville_server.tables.lifecycle.adoption import Adoption, WaitingTables
from scoville_server.tables.lifecycle.balance import make_reach
from scoville_server.tables.lifecycle.bot_thinking import BotThinking
from scoville_server.tables.lifecycle.heartbeat import Pulse
from scoville_server.tables.lifecycle.idle_timeouts import IdleTimeouts
from scoville_server.tables.lifecycle.reconnect_grace import DesertedGames
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.lifecycle.reporter import TableReporter
from scoville_server.tables.observers import TableObserver
from scoville_server.tables.opener import TableOpener, TableSpace
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.seating import Seating
from scoville_server.tables.stopped_games import StoppedGames
from scoville_server.tables.storage import TableStorage, pause_garbage_collector, restore_tables
from scoville_server.tables.unfinished import UnfinishedGames
from scoville_server.tables.vacations import VacationService
from scoville_server.tournaments.book import TournamentBook
from scoville_server.tournaments.handlers import TournamentHandlers
from scoville_server.tournaments.service import Tournaments
from scoville_server.tournaments.tables import TableReach, TournamentTables
from scoville_server.trusted_time import RememberedTime, TrustedTime
from scoville_shared.games.registry import is_ours, list_slugs
from scoville_shared.ids import UserId


class Services:
    """Makes the services of a server in the order in which they depend on each other, and opens and closes them.

    Nobody is handed the whole of it but `Server`: each service and each class of handlers receives what it needs.
    `handlers` answer the requests of all connections.
    """

    def __init__(
        self,
        live: Live[Settings],
        catalog: GameCatalog,
        journal: Journal,
        clock: Clock = SYSTEM,
        events: Events | None = None,
        make_nodes: Callable[[FlushQueue], Nodes[TableActor]] = single_node,
    ) -> None:
        self.live, self.catalog, self.journal, self.clock = live, catalog, journal, clock
        self.identity = ServerIdentity()
        self.events, self.flushes = events or Events(), FlushQueue()
        self.background = BackgroundTasks(clock, live.value.retries)
        self.nodes = make_nodes(self.flushes)
        self.on_deposed: Callable[[], None] = lambda: None
        self.connections, self.tables = self.nodes.connections, self.nodes.tables
        self.time, self.remembered_time = TrustedTime(clock, live.value.clock), RememberedTime(journal)
        self._make_accounts()
        self._make_tables()
        self._make_observers_of_tables()
        self._make_services_of_users()
        self.figures = _make_figures(live.value, clock, self.sessions)
        self.host_log = HostLog(self.moderation_records.audit, self.time.now_ms, self.background.start_task)
        for sink in (self.figures.events, self.host_log):
            self.events.add_sink(sink)
        self.retention = Retention(live.select(lambda s: s.retention), self.moderation_records, self.chat, self.time)
        doers = ((DAILY, self.daily), (COMMUNITY, self.tournaments), (COMMUNITY, self.club_agenda))
        self.duties = Duties(self.nodes, clock.call_later, doers)
        self._hourly = _make_chores(self)
        self._probe = JournalProbe(journal, self.remember_time, self.background, clock)
        self.registry.observers.connect_observers(_list_table_observers(self))
        keepers = (self.careers, self.daily, self.tournaments.tables, self.club_agenda)
        self.storage.connect_keepers([keeper.is_settled for keeper in keepers], self.space.networks_of)
        self.users.connect_observers(_list_user_observers(self), self.permits)
        self.arrivals = UserArrivals(self.users, self.hosted, self.permits, self.events, self.journal)
        self.handlers = self._make_handlers()

    def _make_accounts(self) -> None:
        """Make the services of users, their accounts, and users of doors."""
        live, journal, background = self.live, self.journal, self.background
        settings, limits = live.value, live.select(lambda s: s.accounts)
        self.users = Users(live.select(lambda s: s.guests), limits, journal, background, self.connections, self.time)
        self.sessions = self.users.sessions
        self.accounts = AccountService(self.users, background, self.events)
        self.hosted = HostedUsers(self.users, self.accounts.proofs.guesses)
        self.web_codes = WebCodes(self.clock.seconds)
        self.client_settings = ClientSettings(self.users, limits, journal, background)
        self.moderation_records = ModerationRecords(
            settings.moderation, settings.admins, journal, self.users, settings.data, self.events
        )
        community = live.select(lambda s: s.community)
        self.moderation_records.moderators.follow_settings(community.select(lambda c: c.moderators))
        self.permits = make_permits(community, self.moderation_records, self.users, self.tables, self.clock)

    def _make_tables(self) -> None:
        """Make the registry of tables, and the services that open, find and watch them."""
        live, clock = self.live, self.clock
        settings = live.value
        self.thinking_pool = Thinking(clock, live.select(lambda s: s.thinking))
        self.bot_thinking = BotThinking(self.thinking_pool, lambda table: self.space.networks_of(table))  # noqa: PLW0108 - made below
        self.signer = TableSigner(self.identity)
        self.archive = _make_archive(self, settings.data)
        self.storage = TableStorage(self.journal, self.archive, self.background)
        ownership, ask = self.nodes.ownership, self.bot_thinking.ask_question
        runtime = TableRuntime(
            clock, self.background.new_back_off, settings.inbox, self.connections.is_here, ask, lambda: ownership.owner
        )
        self.registry = TableRegistry(self.nodes, self.catalog, self.storage, runtime, self.background)
        self.far_commands, self.balance = make_reach(self.nodes, self.registry, self.journal, self.background)
        self.stopped_games = StoppedGames(self.catalog, self.registry, self.events)
        self.budgets = make_budgets(live, clock)
        self.access = TableAccess(
            self.registry, self.accounts.passwords, settings.guesses, lambda: self.sessions.arrivals, clock.seconds
        )
        quick_tables = live.select(find_quick_tables)
        self.factory = TableFactory(
            self.catalog,
            quick_tables,
            FirstTable(settings.opening, settings.seed),
            clock.date_ms,
            self.signer.sign_commitment,
        )
        self.space = TableSpace(self.registry, live.select(lambda s: s.tables), settings.tables_hosted)
        self.opener = TableOpener(self.registry, self.factory, self.access, self.space, self.budgets, self.permits)
        self.rematches = Rematches(self.registry, self.access, self.factory, self.background, self.space)
        self.spectators, self.polls = Spectators(settings.spectators), Polls(live.select(lambda s: s.polls))
        self.invitations = Invitations(self.tables, self.connections, self.journal, self.background)
        self.visits = TableVisits(self.registry, self.rematches, self.spectators, self.budgets, settings.tables_watched)

    def _make_observers_of_tables(self) -> None:
        """Make the services that follow tables and send them commands of their own."""
        live, settings, records = self.live, self.live.value, self.moderation_records
        grace, deserted = live.select(lambda s: s.grace_seconds), live.select(lambda s: s.deserted_seconds)
        self.seating = Seating(self.registry, self.users, grace)
        self.idle_timeouts = IdleTimeouts(self.registry, self.connections, live.select(find_idle_seconds))
        self.deserted = DesertedGames(self.registry, self.connections.is_here, grace, deserted)
        staff = records.admins, records.moderators
        self.feed = make_feed(self.nodes, self.registry, self.sessions, *staff, self.flushes, settings.lobby_seconds)
        self.default_tables = DefaultTables(
            self.registry, self.access, self.factory, self.background, live.select(lambda s: s.default_tables)
        )
        self.quick = QuickMatch(self.catalog, self.factory, self.background)
        self.announcer = _make_announcer(self, settings)
        self.reporter = TableReporter(self.events)
        self.pulse = Pulse(self.journal, self.registry, self.background, self.clock)

    def _make_services_of_users(self) -> None:
        """Make the services that users need beside tables."""
        live, journal, background = self.live, self.journal, self.background
        records, by_network = self.moderation_records, live.select(lambda s: s.opponents_by_network)
        self.clubs, self.club_agenda = _make_clubs(self)
        readers = ChannelReaders(self.feed, self.nodes, self.clubs)
        self.chat = ChatService(
            live.select(lambda s: s.chat), journal, self.users, readers, background, records.moderators
        )
        self.clubs.on_removed = self.chat.forget_club
        self.vacations = VacationService(journal, self.registry, self.users, background, self.budgets)
        self.tournaments = _make_tournaments(self)
        dates = (self.vacations.find_vacation_end, self.tournaments.book.list_dates, self.clubs.list_dates)
        sources = CalendarSources(lambda: self.figures.doors, *dates)
        self.calendars = CalendarService(journal, self.nodes, self.users, background, self.budgets, sources)
        self.careers = PlayerService(journal, self.users, background, self.clock.date_ms, by_network=by_network)
        self.daily = _make_daily(self)
        self.digests = _make_digests(self)
        self.puzzles = PuzzleService(self.catalog.list_slugs, self.daily.days, journal, background)
        self.admin_codes = _make_admin_codes(self, live.value)
        self._every_node = EveryNode(self.nodes, self.far_commands, self.balance, self.calendars, self.tournaments)
        self.moderation = ModerationService(
            records, self.admin_codes, self.users, self._every_node, self.tables, background
        )
        live.select(lambda s: s.admins).follow(self.moderation.rename_admins)
        self.shutdown = PlannedShutdown(self.clock, self.users.notify_all_users)
        self.reporting = _make_report_desk(self)

    def _make_handlers(self) -> Handlers:
        """Make the handlers of all requests, by the kind of request."""
        users, accounts, visits, permits, budgets = self.users, self.accounts, self.visits, self.permits, self.budgets
        log_ins = LogIns(users, accounts, permits, self.arrivals, self.events)
        proofs = ConnectionProofs(accounts.proofs, self.identity)
        joining = Joining(users, self.tables, budgets, permits, self.live.value.tables_seated)
        settings, records = self.client_settings, self.moderation_records
        features = (
            HelloHandlers(self.live, self.arrivals, self.catalog, self.identity, settings, self.nodes),
            LogInHandlers(accounts, users, log_ins, proofs, self.moderation),
            AccountHandlers(accounts, users, log_ins, proofs),
            DoorHandlers(accounts, users, log_ins, proofs, self.client_settings, self.web_codes),
            OpeningHandlers(users, visits, self.opener, self.rematches, budgets, permits),
            SeatHandlers(visits, joining, self.rematches, permits),
            HostingHandlers(visits, self.access, users, budgets, self.chat, self.invitations),
            WatchingHandlers(self.tables, visits, self.rematches, self.access, self.polls, budgets),
            PlayingHandlers(visits, budgets, self.archive, self.signer),
            LobbyHandlers(self.tables, self.feed),
            QuickMatchHandlers(self.quick, users, joining, self.opener, budgets, permits),
            _daily_handlers(self),
            PuzzleHandlers(self.puzzles, self.daily.days, self.users, self.budgets),
            TournamentHandlers(self.tournaments, self.factory, self.careers, joining, permits),
            self.vacations,
            self.calendars,
            self.digests,
            _make_chat_handlers(self),
            *_make_club_handlers(self),
            PlayerHandlers(self.careers, self.catalog, self.sessions, records.admins, records.moderators),
            AdminHandlers(self.moderation, users, accounts),
            ReportHandlers(self.reporting, self.sessions, visits),
            self.figures.doors,
        )
        return {request: handler for feature in features for request, handler in feature.by_request.items()}

    # --- the start -------------------------------------------------------------------------------------

    async def open_journal(self) -> None:
        """Read the data that may refuse the start, and show all books their rows. `prepare_folder` changes the folder.

        Raises JournalError with a sentence for the host.
        """
        if isinstance(self.journal, Reporting):
            self.journal.on_lost = self.users.announce_error
        opened = await (self.journal.inspect() if isinstance(self.journal, Inspectable) else self.journal.open())
        self.identity.key = opened.key or self.identity.key
        self.time.compare_with(opened.newest_ms)  # first: tokens and bans are checked by this time
        await self.moderation_records.audit.load_entries()

    async def restore_services(self) -> None:
        """Restore everything of an earlier run in memory, in this order; `prepare_folder` changes the folder.

        On a journal with epochs this node serves from here on: the former one is not ended by a start that is refused.
        Raises JournalError with a sentence for the host.
        """
        if isinstance(self.journal, Shared):
            # First: later writes of the former node are refused, so the rows that are read are complete.
            self.journal.on_deposed = lambda: self.on_deposed()  # noqa: PLW0108 - it is set later
            begin_serving = self.journal.join_epoch if self.nodes.joins else self.journal.take_epoch
            self.nodes.ownership.owner = Incarnation(self.nodes.members.me, await begin_serving())
        if self.live.value.data is not None:
            self.stopped_games.watch_calls(self.live.value.data, self.time.now_ms())
        stored, users = await self.journal.tables(), await self.journal.users()
        if self.archive is not None:
            await self.archive.open_store(
                self.storage.note_filed,
                self.tables.__contains__,
                leave_out_damaged=self.live.value.leave_out_damaged,
            )
        self.users.restore_users(users)
        self.invitations.restore_missed(lambda user: self.sessions.find_user(user) is not None)
        self.clubs.restore_clubs()  # after the users, and before the messages, whose channels it knows
        self.chat.restore_messages(stored.tables, users)
        self.daily.restore_deals()  # before the tables, whose results it may still have to write
        self.careers.restore_careers()  # after the users: leaderboards show those who own their names
        self.moderation_records.audit.restore_entries()
        self.background.plan_tidying(self.moderation_records.admins.drop_unconfigured)
        connected = ConnectedUsers(self.users, self.permits, self.flushes)
        connected.follow_bans(self.moderation_records.bans, self.vacations)
        await self._every_node.subscribe_node(self.users.announce_text, connected.list_users)
        await self._every_node.share_users(self.users, self.web_codes, self.feed.user_elsewhere)
        self.factory.avoid_ids(stored.tables)
        # After the users, who get their seats, and the archive, which gets finished games.
        _restore_tables(self, stored)
        if self.archive is not None:
            self.background.plan_tidying(self.archive.make_room)
        self.reporter.end_restoring()
        self.rematches.catch_up()

    async def prepare_folder(self) -> None:
        """Make the data folder ready for writing, once nothing stands in the way of the start. Raises JournalError."""
        if isinstance(self.journal, Inspectable):
            await self.journal.prepare()
        await self.moderation_records.audit.prepare_store()
        self.admin_codes.prepare_codes()
        if self.archive is not None:
            self.archive.tidy_store()

    def abandon_start(self) -> None:
        """Give up a start that was refused."""
        if isinstance(self.journal, Inspectable):
            self.journal.abandon()

    def start_activity(self, port: int) -> None:
        """Start the server's own activity once users can connect to a port: one in use must not have effects."""
        if not self.nodes.joins:
            self.background.begin_tidying()
        self.announcer.begin_announcing(self.identity.key.pin, port)
        self.default_tables.begin_opening(self.nodes)
        self.duties.begin_serving()
        # Practice is not observed, and should let a laptop sleep.
        if port:
            self.figures.lag.start_ticking()
            self._probe.start_probing()
        self.host_log.begin_writing()
        self.pulse.start_beating()
        self.background.write_soon(self.remember_time())
        self._hourly.schedule_chores()

    def remember_time(self) -> Coroutine[Any, Any, None]:
        return self.remembered_time.remember_time(self.time.now_ms())

    # --- the end ---------------------------------------------------------------------------------------

    def start_draining(self, seconds: float) -> None:
        """Refuse new connections and games, and announce the end in so many seconds; running games continue."""
        self.permits.start_draining()
        self.announcer.withdraw_announcement()
        self.default_tables.stop_opening()
        for actor in self.tables.all_tables():
            actor.hold_start()
        self.shutdown.plan_shutdown(seconds, self.shutdown.reason)

    def stop_own_activity(self) -> None:
        """Stop everything that the server does by itself."""
        self._hourly.stop_chores()
        self.announcer.withdraw_announcement()
        self._probe.stop_probing()
        self.shutdown.forget_plan()
        self.seating.absences.end_all_absences()
        self.idle_timeouts.stop_timers()
        self.deserted.stop_waiting()
        self.default_tables.stop_opening()
        self.duties.stop_serving()
        self.feed.stop_notices()

    async def close(self) -> None:
        """Answer accepted requests, write all that must be written, and end; what fails stops nothing else."""
        async with AsyncExitStack() as ending:  # from its last callback to the first
            ending.callback(self.stopped_games.stop_watching)
            ending.callback(self.figures.lag.stop_ticking)
            ending.push_async_callback(self.journal.close)
            ending.callback(self.accounts.close)
            ending.push_async_callback(self.pulse.stop_beating)
            ending.callback(self.bot_thinking.close)
            ending.push_async_callback(self.background.close)
            self.stop_own_activity()
            self.registry.close_tables()
            self.chat.stop_accepting()
            self.background.write_soon(self.users.write_last_uses())


def _list_user_observers(services: Services) -> tuple[UserObserver, ...]:
    """List the observers of users in the order in which they are called."""
    of_tables = (services.visits, services.invitations, services.seating, services.feed)
    lasting = (services.chat, services.careers, services.daily, services.puzzles, services.vacations, services.clubs)
    staff, counts = (services.moderation, services.shutdown), (services.figures.users, services.figures.doors)
    own = (services.calendars, services.digests, services.tournaments, services.web_codes, services.client_settings)
    return (*of_tables, *staff, *lasting, *own, services.tournaments.erasure, *counts)


def _list_table_observers(services: Services) -> tuple[TableObserver, ...]:
    """List the observers of tables in the order in which they are called.

    No observer depends on its place: each keeps a state of its own, and the commands and tasks that it starts run
    in later turns of the event loop. One that depends on another would stand behind it, with a comment.
    """
    return (
        services.space,
        services.spectators,
        services.seating,
        services.vacations,
        services.idle_timeouts,
        services.deserted,
        services.access,
        services.rematches,
        services.feed,
        services.default_tables,
        services.quick,
        services.chat,
        services.careers,
        services.daily,
        services.tournaments.tables,
        services.club_agenda,
        services.bot_thinking,
        services.reporter,
        Webhook(services.live.select(lambda s: s.webhook), services.background),
        services.announcer,
        services.figures.tables,
        *(() if is_alone(services.nodes) else (make_digests(services.nodes.lines, services.registry),)),
        *(UnfinishedGames(folder) for folder in (services.live.value.unfinished,) if folder is not None),
    )


def _make_figures(settings: Settings, clock: Clock, sessions: Sessions) -> ServerFigures:
    """Make the counters of the running server."""
    games = settings.offered or settings.allowed_games or list_slugs()
    # Our own first: those of other packages are counted one by one only while there are few.
    ordered = sorted(games, key=lambda slug: (not is_ours(slug), slug))
    return ServerFigures(clock, TableCensus(ordered, clock.seconds), UserCensus(sessions.find_user))


def _restore_tables(made: Services, stored: StoredTables) -> None:
    mine = made.nodes.ownership.inherited_tables(stored.tables)
    if mine:
        tables = {table: kept for table, kept in stored.tables.items() if table in mine}
        with pause_garbage_collector():
            made.registry.restore_tables(
                restore_tables(tables, made.catalog.find_game, made.journal.report_damage),
                {table: kept.mark for table, kept in tables.items()},
                stored.alive_ms_of,
            )

    made.stopped_games.close_restored_tables()
    waiting = WaitingTables(made.feed.far.may_wait, made.quick.waits_for_anybody)
    made.balance.waits_for_anybody = made.quick.waits_for_anybody
    Adoption(made.nodes, made.registry, made.journal, made.background, waiting).begin_adopting()


def _make_chores(made: Services) -> HourlyChores:
    expiries = (made.users.delete_expired, made.retention.delete_old, made.clubs.delete_closed)
    hourly = (*expiries, made.remember_time, made.digests.send_due)
    is_for_all = partial(made.duties.is_done_here, CHORES)
    return HourlyChores(hourly, made.background, made.clock, made.users.write_uses, is_for_all)


def _make_archive(made: Services, data: Path | None) -> Archive | None:
    journal, limits = made.journal, made.live.select(lambda s: s.games)
    if isinstance(journal, KeepsStores):
        store: GameStore = journal.games
    elif data is not None:
        store = GameFolder(data / GAMES)
    else:
        return None
    return Archive(store, limits, journal, made.background, made.signer, made.clock)


def _make_admin_codes(made: Services, settings: Settings) -> AdminCodes:
    guesses = LogInGuesses(settings.accounts, made.time.seconds, lambda: made.sessions.arrivals)
    code_file = CodeFile(None if settings.data is None else settings.data / ADMIN_CODES)
    return AdminCodes(made.moderation_records.admins, code_file, guesses)


def _make_announcer(made: Services, settings: Settings) -> LanAnnouncer:
    publisher, background = make_publisher(settings), made.background
    return LanAnnouncer(made.tables, publisher, lambda: announced_addresses(settings.host), background, made.clock)


def _make_report_desk(made: Services) -> ReportDesk:
    limits, reports = made.live.select(lambda s: s.moderation), made.moderation_records.reports
    return ReportDesk(limits, reports, made.tables, made.chat, made.time, made.events)


def _make_tournaments(made: Services) -> Tournaments:
    members = ClubMembership(made.clubs, made.chat)
    users, background = made.users, made.background
    book = TournamentBook(made.journal, made.tables, made.nodes.directory, users, made.permits, members)
    reach = TableReach(made.far_commands.send_command, made.feed.far.find_line)
    tables = TournamentTables(book, made.registry, reach, made.opener, users, background)
    tournaments = Tournaments(book, tables, users, background, made.feed, made.clock.call_later)
    made.clubs.on_members_changed = tournaments.of_clubs.follow_club
    return tournaments


def _make_clubs(made: Services) -> tuple[ClubService, ClubAgenda]:
    users, background, find_ban = made.users, made.background, made.permits.find_ban
    clubs = ClubService(made.journal, users, background, lambda user: find_ban("server", user) is not None)
    return clubs, ClubAgenda(clubs, users, background, made.clock.call_later)


def _make_club_handlers(
    made: Services,
) -> tuple[ClubHandlers, ClubCalls, ClubBoards, ClubAdministration]:
    clubs, users, budgets, careers = made.clubs, made.users, made.budgets, made.careers
    handlers = ClubHandlers(clubs, users, budgets, made.permits, made.chat)
    return (
        handlers,
        ClubCalls(clubs, made.visits, budgets, made.chat, made.invitations),
        ClubBoards(clubs, made.tables, made.feed.far, users, budgets, lambda user: careers.describe_user(user).ratings),
        ClubAdministration(clubs, handlers, made.moderation, made.reporting, users),
    )


def _make_chat_handlers(made: Services) -> ChatHandlers:
    tables = TalkAtTables(made.visits, made.idle_timeouts)
    permits = TalkPermits(made.permits, made.tournaments.book.keeps_secret)
    return ChatHandlers(made.chat, made.users, made.accounts, tables, permits, made.clubs)


def _make_daily(made: Services) -> DailyDeals:
    """Make the daily deal, once there are tables and users."""
    later, background = made.clock.call_later, made.background
    dealer = Dealer(made.catalog, made.signer.sign_terms)
    days = DailyDays(made.live.select(find_daily_settings), made.journal, dealer, made.time, later, background)
    par = ParPlayer(days, made.thinking_pool, later, background)
    # Nine tenths: with 2,500 bytes each, all that grows with the memory still fits into it (docs/host/capacity.md).
    most = made.live.select(lambda s: max(1, s.guests * 9 // 10))
    attempts = AttemptBook(days, made.journal, most)
    deals = DailyDeals(attempts, made.registry, made.far_commands, made.opener, made.users, background)
    deals.on_finished = par.play_deal
    return deals


def _make_digests(made: Services) -> DigestService:
    """Make the digests, once there is the calendar of daily deals: a day begins when its deal does."""
    reach = made.live.select(lambda s: s.digests)
    post = SafePost(private=reach.select(lambda value: value == "everywhere"), clock=made.clock)
    return DigestService(
        made.journal,
        made.background,
        made.budgets,
        OwedMoves(made.calendars.list_deadlines, made.connections.is_here),
        # Found again each time: after a reload there is another calendar.
        DigestDays(made.time, lambda now_ms: made.daily.days.calendar.find_day(now_ms)),  # noqa: PLW0108
        Delivery(reach, post),
    )


def _daily_handlers(made: Services) -> DailyHandlers:
    def is_friend(user: UserId, other: UserId) -> bool:
        return made.clubs.share_club(user, other) or made.careers.have_met(user, other)

    results = DailyResults(made.daily.attempts, made.users, made.catalog, is_friend)
    return DailyHandlers(made.daily, results, made.users, made.budgets, made.permits, made.signer.sign_result)
