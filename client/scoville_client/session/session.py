"""Session with a server: the connection, the lobby, the current table, and what the user can request."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from scoville_client.i18n.language import tr
from scoville_client.session.changes import (
    AccountWarned,
    Change,
    Connected,
    ConnectionDown,
    RemovedFromTable,
    TableChanged,
)
from scoville_client.session.chat_channels import Chat
from scoville_client.session.clubs import Clubs
from scoville_client.session.coach_quota import CoachQuota
from scoville_client.session.community import Community
from scoville_client.session.connection import UserConnection
from scoville_client.session.daily import Daily
from scoville_client.session.identity.account import AccountActions
from scoville_client.session.identity.admin import AdminActions
from scoville_client.session.identity.warnings import warning_text
from scoville_client.session.link import ReconnectFailed
from scoville_client.session.lobby import Lobby, sits_at
from scoville_client.session.new_table.adaptive_bots import AdaptiveBots
from scoville_client.session.planned_end import ShutdownWatch
from scoville_client.session.playable import UNPLAYABLE, OfferedTexts, PlayableGames, find_only_playable
from scoville_client.session.table.actions import MoveSender, TableActions
from scoville_client.session.table.fair_deal import FairDeal, fresh_nonce
from scoville_client.session.table.plans import PlanWatch
from scoville_client.session.table.start_record import ConnectionLost
from scoville_client.session.table.sync import TableSync
from scoville_client.session.table.table import AtTable
from scoville_client.session.tournaments import Tournaments
from scoville_client.transport.base import Link, LinkError
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    AccountWarnedNotice,
    AnnouncedNotice,
    ClubChangedNotice,
    ClubDueNotice,
    ClubSeasonNotice,
    Empty,
    EventNotice,
    GameInfo,
    HelloReply,
    InvitedNotice,
    JoinReply,
    LeaveRequest,
    LobbyChangedNotice,
    Notice,
    Params,
    PresenceNotice,
    QuickMatchRequest,
    ReactedNotice,
    SaidNotice,
    ShutdownNotice,
    SpectatorsNotice,
    TableInfo,
    TournamentChangedNotice,
    TournamentDueNotice,
    TournamentSeatedNotice,
    UnwatchRequest,
)


class Session:
    """One user's session with one server, and a model of everything received from it.

    The user is at one table at most, with a seat or as a spectator. Requests raise ScovilleError with a sentence for
    the user when the server refuses, LinkError without an answer. A lost connection is reconnected; the table stays.

    Args:
        nonce: Draws the user's share of the randomness of each table.
        clock: Clock for everything in the session.

    Attributes:
        connection: Who the user is to the server, and whether it answers.
        playable: Which games this client can play with the server.
        lobby, chat, clubs, account, admin, daily, tournaments: The other parts of the server, each with its requests.
        table_actions: Requests about the current table beside its moves.
        community, coach_quota, shutdown: The host's texts; how often the coach may be asked; when the server ends.
        fair_deal: The user's part in the deals, and where pledges and finished games are kept.
        adaptive_bots: The bots of this user's tables, where they asked for adaptive ones.
    """

    def __init__(self, nonce: Callable[[], str | None] = fresh_nonce, clock: Clock = SYSTEM) -> None:
        self._subscribers: list[Callable[[Change], None]] = []
        self.shutdown = ShutdownWatch(self.publish_change, clock.seconds)
        self.connection = connection = UserConnection(self, clock)
        link, request = connection.link, connection.send_request
        self.adaptive_bots = AdaptiveBots(lambda: connection.games, lambda: connection.features)
        self.lobby = Lobby(request, self.publish_change, self.adaptive_bots, clock.seconds)
        self.chat = Chat(request, self.publish_change)
        self.account = AccountActions(request, connection)
        self.admin = AdminActions(request)
        self.community = Community(request)
        self.clubs = Clubs(request, self.publish_change, lambda: connection.features)
        self.daily = Daily(request, self.publish_change, partial(_take_given_seat, self))
        self.tournaments = Tournaments(request, self.publish_change, partial(_take_given_seat, self))
        self.coach_quota = CoachQuota(clock.seconds)
        self._sender = MoveSender(link, request, self.publish_change)
        self.playable = PlayableGames(connection)
        self._texts = OfferedTexts(connection, self.publish_change)
        self._sync = TableSync(
            request, self.publish_change, link.note_loss, lambda: connection.name, self.playable, clock.seconds
        )
        self._plans = PlanWatch(request, self.publish_change)
        self._removed: RemovedFromTable | None = None
        self.fair_deal = FairDeal(
            request, self.publish_change, self.leave_table, nonce, clock, lambda: connection.signing_keys
        )
        self.table_actions = TableActions(
            request, lambda: self.current_table, self._wait_for_deal, self.lobby.add_table, self.adaptive_bots
        )

    @property
    def name(self) -> str:
        """The user's name, as the server gave it."""
        return self.connection.name

    @property
    def games(self) -> list[GameInfo]:
        """The games of the server."""
        return self.connection.games

    @property
    def table(self) -> AtTable | None:
        """The table that the user is at."""
        return self._sync.at

    @property
    def current_table(self) -> AtTable:
        """The table that the user is at. Raises ScovilleError if there is none: it may close at any moment."""
        if self.table is None:
            raise ScovilleError(Code.NOT_SEATED, tr("You are not at a table; join one first."))
        return self.table

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` with every change, on the event loop. Returns the function that unsubscribes it."""
        self._subscribers.append(listener)
        return lambda: self._subscribers.remove(listener)

    def publish_change(self, change: Change) -> None:
        """Show a change to all subscribers, then let the deal's protocol answer it."""
        for subscriber in tuple(self._subscribers):  # a copy: one may unsubscribe in its call
            subscriber(change)
        if self.table is not None:
            self.adaptive_bots.note_result(self.table.info, self.table.seat, self.table.result)
        self.fair_deal.follow_change(change, self.table)
        self._plans.follow_table(self.table)

    # --- connection -------------------------------------------------------------------------------------

    async def connect(self, link: Link, name: str = "") -> None:
        """Connect and log in, see `UserConnection.connect`."""
        await self.connection.connect(link, name)

    async def close(self) -> None:
        """Close the connection; the server keeps the seat for a while."""
        self._texts.forget_texts()
        self._sync.stop_requests()
        self.fair_deal.stop_tasks()
        self._plans.stop_asking()
        await self.connection.close()

    def on_notice(self, notice: Notice) -> None:
        """Pass a notice to the part of the session that it is about."""
        match notice:
            case EventNotice() | PresenceNotice() | SpectatorsNotice():
                self._sync.on_notice(notice)
            case LobbyChangedNotice() | InvitedNotice() | AnnouncedNotice():
                self.lobby.on_notice(notice)
                self.tournaments.note_entrants(notice)
            case TournamentChangedNotice() | TournamentSeatedNotice() | TournamentDueNotice():
                self.tournaments.on_notice(notice)
            case ShutdownNotice():
                self.shutdown.on_notice(notice)
            case ClubChangedNotice() | ClubDueNotice() | ClubSeasonNotice():
                self.clubs.on_notice(notice, self.name)
            case SaidNotice() | ReactedNotice():
                self.chat.on_notice(notice)
            case AccountWarnedNotice(warning=warning):
                self.publish_change(AccountWarned(warning_text(warning)))

    def check_welcome(self, welcome: HelloReply) -> None:
        """Note the server's texts. Raises ReconnectFailed for another user's welcome while this one is in a game."""
        self.community.info = welcome.community
        at = self.table
        # As a new guest the user would watch their own table as a spectator, and wait for a turn that never comes.
        if at is not None and at.seat is not None and at.result is None and not welcome.resumed:
            place = self.connection.server_name
            raise ReconnectFailed(tr("The server at {place} no longer knows you; your seat is lost.", place=place))

    def forget_user(self) -> None:
        """Forget the data of the former user."""
        for part in (self.lobby, self.chat, self.clubs, self.daily, self.tournaments):
            part.start_over()

    async def watch_again(self) -> None:
        """Request the texts of games, the table, the lobby and the chat on a new connection."""
        await self._texts.read_texts()
        if self.table is not None:
            self._removed = await self._resume_table(self.table)
        if self.lobby.watched:
            await self.lobby.watch_lobby()
        await self.chat.catch_up()
        await self.clubs.list_if_any(self.connection)

    async def _resume_table(self, at: AtTable) -> RemovedFromTable | None:
        """Take the seat again from a bot, and catch up with the table."""
        # Noted first: from here on an honest server may have missed our messages.
        at.deal.start.add_entry(ConnectionLost())
        if at.seat is not None and at.result is None:
            try:
                # The seat first, then the events: the snapshot must be that of the seat and not of a spectator.
                await self.fair_deal.rejoin_table(at)
            except ScovilleError as error:
                return self._sync.leave_refused(at, error)
        return await self._sync.resume_table()

    def on_connection_change(self, change: Change) -> None:
        """Publish a change of the connection, then the new state of the table."""
        if isinstance(change, ConnectionDown):
            self.shutdown.planned = None  # the next server says so itself, if it is about to end
        self.publish_change(self._sender.on_connection_change(change))
        if isinstance(change, Connected):
            removed, self._removed = self._removed, None
            if removed is not None:
                self.publish_change(removed)
            elif self.table is not None:
                self.publish_change(TableChanged())
                self._sync.apply_early()

    # --- tables -----------------------------------------------------------------------------------------

    async def join_table(self, table: str, seat: int | None = None) -> None:
        """Take a seat, any free one without `seat`, and go to the table.

        Raises ScovilleError with a code of UNPLAYABLE for a game that this client cannot play; it takes no seat then.
        """
        info = self.lobby.find_table(table)
        if info is not None:
            # Before the request, so that no seat is taken that this client cannot play.
            self.playable.load_game(info.game)
        await self.fair_deal.join_table(table, seat, info)
        await self._go_to_own_seat(table)

    async def quick_match(self, game: str = "") -> None:
        """Take a seat at a public table that waits for players of `game`, or of any game."""
        await _take_given_seat(self, QuickMatchRequest(game=game or find_only_playable(self.games)))

    async def rejoin_table(self, code: str = "") -> None:
        """Go to a table at which this user has a seat, if any; tables that wait for a move of this user come first.

        A seat that the user left in a running game stays a bot's. A game that has ended comes last: who reloads the
        page at its end wants to see the result. A user who has come by the `code` of another table wants to go there.
        """
        until = self.connection.find_insisting_end()
        for table in [*self.lobby.my_tables, *self.lobby.list_finished(code)]:
            with suppress(ScovilleError):  # it may be gone by now; then there is another one, or the lobby
                if await self.connection.insist_on_answer(partial(_rejoin_own, self, table), until):
                    return

    async def follow_rematch(self) -> None:
        """Go to the rematch of this table: to the reserved seat, or as a spectator."""
        at = self.current_table
        if at.notes.next is None:
            return
        info = await self.lobby.enter_table(table=at.notes.next)
        if at.seat is None:
            await self.watch_table(info.table)
        else:
            await self.join_table(info.table)

    async def join_rematch(self) -> None:
        """Go to the rematch of this table; open one if there is none."""
        if self.current_table.notes.next is None:
            self.current_table.notes.next = (await self.table_actions.open_rematch()).table
        await self.follow_rematch()

    async def watch_table(self, table: str, key: str = "", point_of_view: int | None = None) -> None:
        """Go to a table without taking a seat; a seat that this user has there stays theirs.

        Args:
            table: Id of the table.
            key: Commentators' key, which shows the hand of the seat `point_of_view`.
            point_of_view: Number of that seat.
        """
        await self._go_to(table, key, point_of_view)

    async def look_back(self) -> None:
        """Request the missed events of the table, for looking back."""
        await self._sync.look_back()

    async def change_language(self) -> None:
        """Request sentences of the server in the user's language, which has changed."""
        await self._texts.change_language()
        await self._sync.change_language()

    async def play_move(self, move: Any) -> int:
        """Play a move of the game's own type and return the number of its event.

        Raises ScovilleError with the game's own sentence for an illegal move.
        """
        return await self._sender.send_move(self.current_table, move)

    async def return_to_lobby(self) -> None:
        """Go to the lobby and keep the seat."""
        at = self.current_table
        self._sync.at = None
        self.publish_change(TableChanged())
        await self._unwatch_table(at)

    async def leave_table(self) -> None:
        """Give up the seat and go to the lobby."""
        at = self.current_table
        # Before the seat is given up, so that no event about it arrives.
        await self.connection.send_request(UnwatchRequest(table=at.id), Empty)
        self._sync.at = None
        self.chat.forget_channel(at.id)
        try:
            if at.seat is not None:
                await self.give_up_seat(at.id)
        finally:
            self.publish_change(TableChanged())

    async def give_up_seat(self, table: str) -> None:
        """Give up the seat at a table, which need not be the current one."""
        self.fair_deal.note_leaving(table)
        await self.connection.send_request(LeaveRequest(table=table), Empty)

    async def _go_to_own_seat(self, table: str) -> None:
        try:
            await self._go_to(table)
        except ScovilleError as error:
            if error.code in UNPLAYABLE:  # the table is not listed, so that its game is known only now
                await self.give_up_seat(table)
            raise

    async def _go_to(self, table: str, key: str = "", point_of_view: int | None = None) -> None:
        before = self.table
        at = await self._sync.go_to(table, key, point_of_view)
        if at.openers_key:
            self.lobby.commentary_keys[at.id] = at.openers_key
        if before is not None and before.id == at.id:
            # Another View of the same table must not lose the messages until now.
            at.deal.continue_from(before.deal)
            at.dealt, at.missed = before.dealt, before.missed
        self.fair_deal.continue_at(at)
        self.publish_change(TableChanged())
        self._sync.apply_early()
        if before is not None and before.id != at.id:
            await self._unwatch_table(before)

    async def _unwatch_table(self, at: AtTable) -> None:
        """Stop the events of a table; its chat continues if this user has a seat."""
        # A player who looks at the lobby still gets the talk of the table.
        if at.seat is None or at.result is not None:
            self.chat.forget_channel(at.id)
        with suppress(ScovilleError, LinkError):  # without the table or the connection there are no events either
            await self.connection.send_request(UnwatchRequest(table=at.id), Empty)

    async def _wait_for_deal(self, at: AtTable) -> None:
        """Wait until the cards are dealt, the start is void, or the user is no longer there to see it."""
        await self.fair_deal.wait_for_deal(at, lambda: self.connection.online and self.table is at)


async def _take_given_seat(session: Session, wanted: Params) -> None:
    """Go to the table at which the server seats this user in its reply."""
    seated = await session.connection.send_request(wanted, JoinReply)
    session.lobby.add_table(seated.info)
    try:
        await session.join_table(seated.info.table)
    except ScovilleError as error:
        if error.code in UNPLAYABLE:
            await session.give_up_seat(seated.info.table)
        raise


async def _rejoin_own(session: Session, table: TableInfo) -> bool:
    """Go to a table, and return whether this user still has a seat there.

    Insisted on, for a table that another node takes over at this moment is not gone.
    """
    has_seat = sits_at(table) or await session.lobby.was_absent(table)
    if has_seat:
        await session.join_table(table.table)
    return has_seat
