"""Membership at a table: joining, watching and leaving one, and returning to it after a lost connection."""

from collections.abc import Callable
from contextlib import suppress

from scoville_client.i18n.language import tr
from scoville_client.session.changes import (
    AccountWarned,
    Change,
    Connected,
    RemovedFromTable,
    TableChanged,
)
from scoville_client.session.chat.channels import Chat
from scoville_client.session.connection import ServerConnection
from scoville_client.session.identity.warnings import warning_text
from scoville_client.session.lobby import Lobby
from scoville_client.session.playable import UNPLAYABLE, playable
from scoville_client.session.reconnect.back_off import ReconnectFailed
from scoville_client.session.table.fair_deal import FairDeal
from scoville_client.session.table.move_sender import Sender
from scoville_client.session.table.pledge import Pledges
from scoville_client.session.table.start_record import ConnectionLost
from scoville_client.session.table.sync import TableSync
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_runtime.clock import Clock
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    AccountWarnedNotice,
    AnnouncedNotice,
    Empty,
    EventNotice,
    HelloReply,
    InvitedNotice,
    LeaveRequest,
    LobbyChangedNotice,
    Notice,
    PresenceNotice,
    ReactedNotice,
    SaidNotice,
    SpectatorsNotice,
    TableInfo,
    UnwatchRequest,
)


class TableMembership(ServerConnection):
    """A connection whose user is at one table at most, with a seat or as a spectator.

    Args:
        nonce: Draws the user's share of the randomness of each table.
        clock: Clock for everything in the session.

    Attributes:
        lobby, chat: What is received beside the table, and the requests for it.
        commentary_keys: Commentators' keys of the tables that this user has opened, by table id.
    """

    def __init__(self, nonce: Callable[[], str | None], clock: Clock) -> None:
        super().__init__(clock)
        self._sender = Sender(self._link, self.request, self._publish)
        self.lobby = Lobby(self.request, self._publish)
        self.chat = Chat(self.request, self._publish)
        self.commentary_keys: dict[str, str] = {}
        self._sync = TableSync(
            self.request,
            self._publish,
            self._link.lost,
            lambda: self.name,
            lambda slug: playable(slug, self.games),
            clock.seconds,
        )
        self._removed: RemovedFromTable | None = None
        self._fair_deal = FairDeal(self.request, self._publish, self.leave, nonce, clock, lambda: self.signing_keys)

    @property
    def table(self) -> AtTable | None:
        """The table that the user is at."""
        return self._sync.at

    @property
    def tables(self) -> list[TableInfo]:
        """The tables of the lobby, as they were last received."""
        return self.lobby.tables

    async def close(self) -> None:
        """Close the connection; the server keeps the seat for a while."""
        self._sync.close()
        self._fair_deal.close()
        await super().close()

    def store_pledges(self, pledges: Pledges) -> None:
        """Keep what this user commits to at tables in another place, such as a file."""
        self._fair_deal.pledges = pledges

    def _publish(self, change: Change) -> None:
        super()._publish(change)
        self._fair_deal.follow(self.table)

    # --- connection -------------------------------------------------------------------------------------

    def _on_notice(self, notice: Notice) -> None:
        match notice:
            case EventNotice() | PresenceNotice() | SpectatorsNotice():
                self._sync.on_notice(notice)
            case LobbyChangedNotice() | InvitedNotice() | AnnouncedNotice():
                self.lobby.on_notice(notice)
            case SaidNotice() | ReactedNotice():
                self.chat.on_notice(notice)
            case AccountWarnedNotice(warning=warning):
                self._publish(AccountWarned(warning_text(warning)))

    def _accept(self, welcome: HelloReply) -> None:
        at = self.table
        # As a new guest the user would look at the own table as a spectator, and wait for a turn that never comes.
        if at is not None and at.seat is not None and at.result is None and not welcome.resumed:
            raise ReconnectFailed(
                tr("The server at {place} no longer knows you; your seat is lost.", place=self.server_name)
            )

    def _forget(self) -> None:
        self.lobby.start_over()
        self.chat.start_over()

    async def _restore(self) -> None:
        if self.table is not None:
            self._removed = await self._resume_table(self.table)
        if self.lobby.watched:
            await self.lobby.watch()
        await self.chat.catch_up()

    async def _resume_table(self, at: AtTable) -> RemovedFromTable | None:
        """Take the seat again from a bot, and catch up with the table."""
        # Noted first: from here on an honest server may have missed what was sent.
        at.deal.start.note(ConnectionLost())
        if at.seat is not None and at.result is None:
            try:
                # The seat first, then the events: the snapshot must be that of the seat and not of a spectator.
                await self._fair_deal.rejoin(at)
            except ScovilleError as error:
                return self._sync.refused(at, error)
        return await self._sync.resume()

    def _on_connection_change(self, change: Change) -> None:
        """Publish a change of the connection, then what became of the table."""
        self._publish(self._sender.on_connection_change(change))
        if isinstance(change, Connected):
            removed, self._removed = self._removed, None
            if removed is not None:
                self._publish(removed)
            elif self.table is not None:
                self._publish(TableChanged())
                self._sync.settle()

    # --- tables -----------------------------------------------------------------------------------------

    async def join(self, table: str, seat: int | None = None) -> None:
        """Take a seat, any free one without `seat`, and go to the table.

        Raises ScovilleError with a code of UNPLAYABLE for a game that this client cannot play; it takes no seat then.
        """
        info = self.lobby.find(table)
        if info is not None:
            # Before the request, so that no seat is taken that this client cannot play.
            playable(info.game, self.games)
        await self._fair_deal.join(table, seat, info)
        try:
            await self._go_to(table)
        except ScovilleError as error:
            if error.code in UNPLAYABLE:  # the table is not listed, so that its game is known only now
                await self.give_up_seat(table)
            raise

    async def watch(self, table: str, key: str = "", point_of_view: int | None = None) -> None:
        """Go to a table without taking a seat; a seat that this user has there stays theirs.

        Args:
            table: Id of the table.
            key: Commentators' key, which shows the hand of the seat `point_of_view`.
            point_of_view: Number of that seat.
        """
        await self._go_to(table, key, point_of_view)

    async def look_back(self) -> None:
        """Request what the user has missed at the table, for looking back."""
        await self._sync.look_back()

    async def return_to_lobby(self) -> None:
        """Go to the lobby and keep the seat."""
        at = self._at
        self._sync.at = None
        self._publish(TableChanged())
        await self._unwatch(at)

    async def _go_to(self, table: str, key: str = "", point_of_view: int | None = None) -> None:
        before = self.table
        at = await self._sync.go_to(table, key, point_of_view)
        if at.openers_key:
            self.commentary_keys[at.id] = at.openers_key
        if before is not None and before.id == at.id:
            # Another View of the same table must not lose what was sent and received until now.
            at.deal.continue_from(before.deal)
            at.dealt, at.missed = before.dealt, before.missed
        self._fair_deal.continue_at(at)
        self._publish(TableChanged())
        self._sync.settle()
        if before is not None and before.id != at.id:
            await self._unwatch(before)

    async def _unwatch(self, at: AtTable) -> None:
        """Stop the events of a table; its chat continues if this user has a seat."""
        # A player who looks at the lobby still gets the talk of the table.
        if at.seat is None or at.result is not None:
            self.chat.forget(at.id)
        with suppress(ScovilleError, LinkError):  # without the table or the connection there are no events either
            await self.request(UnwatchRequest(table=at.id), Empty)

    async def leave(self) -> None:
        """Give up the seat and go to the lobby."""
        at = self._at
        # Before the seat is given up, so that no event about it arrives.
        await self._link.call(UnwatchRequest(table=at.id))
        self._sync.at = None
        self.chat.forget(at.id)
        try:
            if at.seat is not None:
                self._fair_deal.note_leaving(at.id)
                await self._link.call(LeaveRequest(table=at.id))
        finally:
            self._publish(TableChanged())

    async def give_up_seat(self, table: str) -> None:
        """Give up the seat at a table, which need not be the current one."""
        self._fair_deal.note_leaving(table)
        await self._link.call(LeaveRequest(table=table))

    @property
    def _at(self) -> AtTable:
        if self.table is None:
            raise ScovilleError(Code.NOT_SEATED, tr("You are not at a table; join one first."))
        return self.table
