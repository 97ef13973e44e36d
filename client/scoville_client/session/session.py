"""Session with a server: the connection, the lobby, the current table, and what the user can request."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Literal

from scoville_client.clock import REAL, Clock
from scoville_client.i18n.errors import said
from scoville_client.i18n.language import words
from scoville_client.session.changes import (
    Change,
    Connected,
    ConnectionDown,
    ConnectionLost,
    EventApplied,
    RemovedFromTable,
    TableChanged,
    TablesChanged,
)
from scoville_client.session.chat.channels import Chat
from scoville_client.session.identity.account import AccountActions
from scoville_client.session.identity.admin import AdminActions
from scoville_client.session.lobby import Lobby, sits_at
from scoville_client.session.playable import playable
from scoville_client.session.reconnect import ReconnectFailed, ReconnectingLink
from scoville_client.session.requests import R
from scoville_client.session.table.actions import TableActions
from scoville_client.session.table.move_sender import Sender
from scoville_client.session.table.sync import TableSync
from scoville_client.session.table.table import AtTable, Line, Pledge, pledged
from scoville_client.transport.base import Link, LinkError
from scoville_shared import __version__
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    PROTOCOL,
    AnnouncedNotice,
    ClockParams,
    CreateReply,
    CreateRequest,
    Empty,
    EventNotice,
    ExportReply,
    ExportRequest,
    GameInfo,
    HelloReply,
    HelloRequest,
    InvitedNotice,
    JoinReply,
    JoinRequest,
    LeaveRequest,
    LobbyChangedNotice,
    LoginReply,
    Notice,
    Params,
    PauseRequest,
    PresenceNotice,
    QuickMatchRequest,
    ReactedNotice,
    RematchRequest,
    ResumeRequest,
    SaidNotice,
    SpectatorsNotice,
    StartRequest,
    TableInfo,
    TableSettingsParams,
    UnwatchRequest,
)

__all__ = [
    "AtTable",
    "Change",
    "Connected",
    "ConnectionDown",
    "ConnectionLost",
    "EventApplied",
    "Line",
    "RemovedFromTable",
    "Session",
    "TableChanged",
    "TablesChanged",
]

_MATTERS_OF_THE_LINE = {Code.UPGRADE_CLIENT, Code.UPGRADE_SERVER, Code.HELLO_FIRST, Code.SHUTTING_DOWN}


def fresh_nonce() -> str:
    """Draw a player's share of the chance: 32 bytes, hex."""
    return secrets.token_hex(32)


def empty_nonce() -> str:
    """Leave all chance to the server's seed, so that a game can be played again."""
    return ""


class Session:
    """One user's connection to one server, and a model of everything received over it.

    Methods that send a request raise ScovilleError with a sentence for the user when the server refuses it, and
    LinkError when there is no answer. A lost connection is reconnected; until then the table stays as it was.

    Attributes:
        name: The user's name, as the server gave it.
        token: Proves who the user is to a later connection.
        games: The games of the server.
        name_claimed: Whether the requested name belongs to another user.
        lobby, chat, account, table_actions, admin: Requests beside playing.
        commentary_keys: Commentators' keys of the tables that this user has opened, by table id.
    """

    def __init__(self, nonce: Callable[[], str] = fresh_nonce, clock: Clock = REAL) -> None:
        self.name = ""
        self.token = ""
        self.games: list[GameInfo] = []
        self.name_claimed = False
        self._nonce = nonce
        self._line = ReconnectingLink(self._hear, self._greet, self._fares, clock)
        self._wanted = ""
        self._sender = Sender(self._line, self._ask, self._tell)
        self.lobby = Lobby(self._ask, self._tell)
        self.chat = Chat(self._ask, self._tell)
        self.account = AccountActions(self._ask)
        self.admin = AdminActions(self._ask)
        self.table_actions = TableActions(self._ask)
        self.commentary_keys: dict[str, str] = {}
        self._subscribers: list[Callable[[Change], None]] = []
        self._attendance = TableSync(
            self._ask,
            self._tell,
            self._line.lost,
            lambda: self.name,
            lambda slug: playable(slug, self.games),
            clock.now,
        )
        self._sent_away: RemovedFromTable | None = None

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Tell `listener` of every change, on the event loop; returns what ends it."""
        self._subscribers.append(listener)
        return lambda: self._subscribers.remove(listener)

    @property
    def table(self) -> AtTable | None:
        """Give the table I am at."""
        return self._attendance.at

    @property
    def tables(self) -> list[TableInfo]:
        """List the tables that are known, as they were heard of."""
        return self.lobby.tables

    # --- the line ---------------------------------------------------------------------------------------

    @property
    def state(self) -> Literal["offline", "online", "lost"]:
        """Say how the line is: `lost` while it is down and comes back."""
        return self._line.state

    @property
    def place(self) -> str:
        """Name the server in a sentence."""
        return self._line.place

    async def connect(self, link: Link, name: str = "") -> None:
        """Open the line and say hello; an empty `name` gets a friendly one. Raises LinkError."""
        self._wanted = name
        try:
            await self._line.open(link)
        except ScovilleError as error:
            if error.code in _MATTERS_OF_THE_LINE:
                raise LinkError(said(error)) from error
            raise

    async def switch_user(self, answer: Awaitable[LoginReply]) -> None:
        """Be whom a log-in or log-out at the `account` desk makes me; the server tells that person nothing yet."""
        somebody = await answer
        self.name = self._wanted = somebody.name
        self.token = somebody.token
        self.lobby.start_over()
        self.chat.start_over()
        await self._look_again()
        self._fares(Connected())

    async def close(self) -> None:
        """Hang up; the seat stays mine as far as the server keeps it."""
        self._attendance.close()
        await self._line.close()

    async def _greet(self) -> None:
        """Say who I am on a line that was just opened, and take my seat again."""
        hello = HelloRequest(protocol=PROTOCOL, client=f"scoville {__version__}", name=self._wanted, token=self.token)
        welcome = await self._ask(hello, HelloReply)
        at = self.table
        if at is not None and at.seat is not None and at.result is None and welcome.token != self.token:
            raise ReconnectFailed(
                words("The server at {place} does not know you any more: the seat is lost.", place=self._line.place)
            )
        self.name, self.token, self.games = welcome.name, welcome.token, welcome.games
        self._wanted, self.name_claimed = self.name, welcome.name_claimed
        await self._look_again()

    async def _look_again(self) -> None:
        """Look again at everything that was looked at."""
        if self.table is not None:
            self._sent_away = await self._take_up(self.table)
        if self.lobby.watched:
            await self.lobby.watch()
        await self.chat.catch_up()

    async def _take_up(self, at: AtTable) -> RemovedFromTable | None:
        """Go on at a table; a bot that stood in for me gets up."""
        if at.seat is not None and at.result is None:
            nonce = self._nonce() if at.pledge is None else at.pledge.nonce
            try:
                await self._ask(JoinRequest(table=at.id, nonce=nonce), JoinReply)
            except ScovilleError as error:
                return self._attendance.refused(at, error)
        return await self._attendance.take_up()

    def _fares(self, change: Change) -> None:
        """Tell how the line fares; a table that was taken up again is new."""
        self._tell(self._sender.fares(change))
        if isinstance(change, Connected):
            sent, self._sent_away = self._sent_away, None
            if sent is not None:
                self._tell(sent)
            elif self.table is not None:
                self._tell(TableChanged())
                self._attendance.settle()

    # --- tables -----------------------------------------------------------------------------------------

    async def refresh(self) -> None:
        """Ask which tables there are."""
        await self.lobby.refresh()

    async def create(
        self,
        game: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        clock: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        password: str = "",
    ) -> TableInfo:
        """Open a table; nobody sits at it yet. Options that are left out take their defaults.

        `clock` and `settings` have fields of the protocol's TableClock and TableSettings; what is left out is as usual.
        """
        asked = CreateRequest(
            game=game,
            seats=seats,
            options=dict(options or {}),
            clock=ClockParams(**(clock or {})),
            settings=TableSettingsParams(**(settings or {})),
            password=password,
        )
        created = await self._ask(asked, CreateReply)
        self.commentary_keys[created.info.table] = created.key
        self.lobby.add(created.info)
        return created.info

    async def join(self, table: str, seat: int | None = None) -> None:
        """Take a seat (any free one without `seat`), and see the table from there."""
        listed = self.lobby.find(table)
        nonce = self._nonce()
        seated = await self._ask(JoinRequest(table=table, seat=seat, nonce=nonce), JoinReply)
        await self._go_to(table, pledged(listed, seated.info, nonce))

    async def come_back(self) -> None:
        """Go straight to a table where I sit, one that waits for my move before the others, if there is any.

        A seat that I gave up in a running game is a bot's until I ask for it.
        """
        for table in self.lobby.mine:
            with suppress(ScovilleError):  # it may be gone by now; then there is another one, or the lobby
                if sits_at(table) or await self.lobby.was_absent(table):
                    return await self.join(table.table)
        return None

    async def quick(self, game: str = "") -> None:
        """Sit down at once, at a public table that waits for players of `game`, or of any."""
        seated = await self._ask(QuickMatchRequest(game=game), JoinReply)
        self.lobby.add(seated.info)
        await self.join(seated.info.table)

    async def follow(self) -> None:
        """Go on to the table where the people of this one play again: to the seat that is kept for me, or to watch."""
        at = self._at
        if at.next is None:
            return
        info = await self.lobby.enter(table=at.next)
        if at.seat is None:
            await self.watch(info.table)
        else:
            await self.join(info.table)

    async def watch(self, table: str, key: str = "", point_of_view: int | None = None) -> None:
        """Go to a table without taking a seat; a commentator's `key` shows the hand of the seat `point_of_view`."""
        await self._go_to(table, None, key, point_of_view)

    async def return_to_lobby(self) -> None:
        """Go to the lobby; a seat that is mine stays mine."""
        at = self._at
        self._attendance.at = None
        self._tell(TableChanged())
        await self._turn_from(at)

    async def _go_to(self, table: str, pledge: Pledge | None, key: str = "", point_of_view: int | None = None) -> None:
        before = self.table
        at = await self._attendance.go_to(table, key, point_of_view)
        if at.openers_key:
            self.commentary_keys[at.id] = at.openers_key
        if before is not None and before.id == at.id and pledge is None:
            at.pledge, at.dealt = before.pledge, before.dealt
        else:
            at.pledge = pledge
        self._tell(TableChanged())
        self._attendance.settle()
        if before is not None and before.id != at.id:
            await self._turn_from(before)

    async def _turn_from(self, at: AtTable) -> None:
        """Hear no more of a table that I am not at; the talk goes on where I sit."""
        if at.seat is None or at.result is not None:
            self.chat.forget(at.id)
        with suppress(ScovilleError, LinkError):  # it may be gone, or the line: then nobody tells me anyway
            await self._ask(UnwatchRequest(table=at.id), Empty)

    async def start(self, bots: str = "greedy") -> None:
        """Start the game; bots of strength `bots` take the open seats."""
        await self._line.call(StartRequest(table=self._at.id, bots=bots))

    async def pause(self) -> None:
        """Ask for a pause, or agree to one."""
        await self._line.call(PauseRequest(table=self._at.id))

    async def resume(self) -> None:
        """Go on after a pause, or withdraw the wish for one."""
        await self._line.call(ResumeRequest(table=self._at.id))

    async def play(self, move: Any) -> int:
        """Play a move of the game's own type; returns the number of its event. A refusal's sentence is the game's."""
        return await self._sender.play(self._at, move)

    async def rematch(self) -> TableInfo:
        """Open the next table for the same people; everybody follows by `follow`."""
        info = (await self._ask(RematchRequest(table=self._at.id), CreateReply)).info
        self.lobby.add(info)
        return info

    async def leave(self) -> None:
        """Get up and go back to the lobby."""
        at = self._at
        await self._line.call(UnwatchRequest(table=at.id))
        self._attendance.at = None
        self.chat.forget(at.id)
        try:
            if at.seat is not None:
                await self._line.call(LeaveRequest(table=at.id))
        finally:
            self._tell(TableChanged())

    async def give_up_seat(self, table: str) -> None:
        """Give a seat up, at a table that I need not be at."""
        await self._line.call(LeaveRequest(table=table))

    async def export(self) -> list[str]:
        """Fetch the finished game of this table as the lines of its file."""
        return (await self._ask(ExportRequest(table=self._at.id), ExportReply)).lines

    # --- what the server says unasked -------------------------------------------------------------------

    def _hear(self, notice: Notice) -> None:
        match notice:
            case EventNotice() | PresenceNotice() | SpectatorsNotice():
                self._attendance.hear(notice)
            case LobbyChangedNotice() | InvitedNotice() | AnnouncedNotice():
                self.lobby.hear(notice)
            case SaidNotice() | ReactedNotice():
                self.chat.hear(notice)

    # --- asking -----------------------------------------------------------------------------------------

    @property
    def _at(self) -> AtTable:
        if self.table is None:
            raise ScovilleError(Code.NOT_SEATED, words("You are not at a table; join one first."))
        return self.table

    async def _ask(self, params: Params, kind: type[R]) -> R:
        reply = await self._line.call(params)
        assert isinstance(reply, kind), f"a link answers {type(params).__name__} with {kind.__name__}"
        return reply

    def _tell(self, change: Change) -> None:
        for subscriber in tuple(self._subscribers):
            subscriber(change)
