"""What the client knows: the line, the games, the tables and the one I am at. Screens and the line mode show it."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, cast

from scoville_client.changes import Change, Connected, Happened, Lost, TableChanged, TablesChanged
from scoville_client.language import told, words
from scoville_client.link.base import Link, LinkError
from scoville_client.refusals import said
from scoville_client.table import AtTable, Line
from scoville_shared import __version__
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games import registry
from scoville_shared.kit.contract import Refusal
from scoville_shared.wire.messages import (
    PROTOCOL,
    ByeNotice,
    CreateTable,
    EventNotice,
    ExportedGame,
    ExportTable,
    GameInfo,
    Hello,
    JoinTable,
    LeaveTable,
    ListTables,
    Notice,
    Params,
    Plain,
    Played,
    PlayMove,
    PresenceNotice,
    Reply,
    Seated,
    StartTable,
    TableCreated,
    TableInfo,
    Tables,
    TableSnapshot,
    UnwatchTable,
    WatchTable,
    Welcome,
)

__all__ = ["AtTable", "Change", "Connected", "Happened", "Line", "Lost", "Session", "TableChanged", "TablesChanged"]

R = TypeVar("R", bound=Reply)
_MATTERS_OF_THE_LINE = {Code.UPGRADE_CLIENT, Code.UPGRADE_SERVER, Code.HELLO_FIRST, Code.SHUTTING_DOWN}


def fresh_nonce() -> str:
    """Draw a player's share of the chance: 32 bytes, hex."""
    return secrets.token_hex(32)


def no_nonce() -> str:
    """Leave all chance to the server's seed, so that a game can be played again."""
    return ""


class Session:
    """One person's dealings with one server: a `link.base.Listener` that keeps a model of what it hears.

    Every method that asks the server raises ScovilleError with a sentence for the person when it refuses, and
    LinkError when it does not answer. `token` proves who I am to a later connection. `nonce` gives my share of the
    chance at each table that I join.
    """

    def __init__(self, nonce: Callable[[], str] = fresh_nonce) -> None:
        self.state: Literal["offline", "online", "lost"] = "offline"
        self.name = ""
        self.token = ""
        self.games: list[GameInfo] = []
        self.tables: list[TableInfo] = []
        self.table: AtTable | None = None
        self._nonce = nonce
        self._link: Link | None = None
        self._subscribers: list[Callable[[Change], None]] = []
        self._opening: str | None = None
        self._early: list[EventNotice] = []
        self._farewell: ByeNotice | None = None
        self._resync: asyncio.Task[None] | None = None

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Tell `listener` of every change, on the event loop; returns what ends it."""
        self._subscribers.append(listener)
        return lambda: self._subscribers.remove(listener)

    # --- the line ---------------------------------------------------------------------------------------

    async def connect(self, link: Link, name: str = "") -> None:
        """Open the line and say hello; an empty `name` gets a friendly one. Raises LinkError."""
        self._farewell = None
        await link.open(self)
        self._link = link
        try:
            hello = Hello(protocol=PROTOCOL, client=f"scoville {__version__}", name=name, token=self.token)
            welcome = await self._ask(hello, Welcome)
        except ScovilleError as error:
            await self.close()
            if error.code in _MATTERS_OF_THE_LINE:
                raise LinkError(said(error)) from error
            raise
        except LinkError:
            await self.close()
            raise
        self.name, self.token, self.games = welcome.name, welcome.token, welcome.games
        self.state = "online"
        self._tell(Connected())

    async def close(self) -> None:
        """Hang up; the seat stays mine as far as the server keeps it."""
        link, self._link, self.state = self._link, None, "offline"
        if self._resync is not None:
            self._resync.cancel()
        if link is not None:
            await link.close()

    # --- tables -----------------------------------------------------------------------------------------

    async def refresh(self) -> None:
        """Ask which tables there are."""
        self.tables = (await self._ask(ListTables(), Tables)).tables
        self._tell(TablesChanged())

    async def create(self, game: str, seats: int, options: Mapping[str, Any] | None = None) -> TableInfo:
        """Open a table; nobody sits at it yet. Options that are left out take their defaults."""
        asked = CreateTable(game=game, seats=seats, options=dict(options or {}))
        info = (await self._ask(asked, TableCreated)).info
        self.tables = [*self.tables, info]
        self._tell(TablesChanged())
        return info

    async def join(self, table: str, seat: int | None = None) -> None:
        """Take a seat (any free one without `seat`), and see the table from there."""
        await self._ask(JoinTable(table=table, seat=seat, nonce=self._nonce()), Seated)
        await self.watch(table)

    async def watch(self, table: str) -> None:
        """Go to a table without taking a seat; somebody who has one there keeps it."""
        snapshot = await self._open(table, since=0)
        self.table = AtTable(registry.load(snapshot.info.game), snapshot)
        self._tell(TableChanged())
        self._work_off_early()

    async def start(self, bots: str = "greedy") -> None:
        """Start the game; bots of strength `bots` take the open seats."""
        await self._call(StartTable(table=self._at.id, bots=bots))

    async def play(self, move: Any) -> int:
        """Play a move of the game's own type; returns the number of its event. A refusal's sentence is the game's."""
        at = self._at
        nth = None if at.seat is None or not at.played else at.played[at.seat]
        try:
            wish = PlayMove(table=at.id, move=cast("Plain", at.game.codec.plain(move)), nth=nth)
            return (await self._ask(wish, Played)).seq
        except ScovilleError as error:
            raise _in_the_games_words(error, at) from error

    async def leave(self) -> None:
        """Get up and go back to the lobby."""
        at, self.table = self._at, None
        try:
            await self._call(UnwatchTable(table=at.id))
            if at.seat is not None:
                await self._call(LeaveTable(table=at.id))
        finally:
            self._tell(TableChanged())

    async def export(self) -> list[str]:
        """Fetch the finished game of this table as the lines of its file."""
        return (await self._ask(ExportTable(table=self._at.id), ExportedGame)).lines

    # --- what the server says unasked -------------------------------------------------------------------

    def notice(self, notice: Notice) -> None:
        """Apply a notice; one that comes early waits, one that comes twice is dropped."""
        match notice:
            case EventNotice():
                self._event(notice)
            case PresenceNotice(table=table):
                if self.table is not None and self.table.id == table:
                    self.table.presence(notice)
                    self._tell(TableChanged())
            case ByeNotice():
                self._farewell = notice

    def lost(self, reason: str) -> None:
        """Note that the line is gone; a server that said why is believed. A call under way raises LinkError besides."""
        if self.state != "online":
            return
        self.state, self._link = "lost", None
        self._tell(Lost(reason if self._farewell is None else _goodbye(self._farewell)))

    def _event(self, notice: EventNotice) -> None:
        if notice.table == self._opening:
            self._early.append(notice)
        elif self.table is not None and notice.table == self.table.id:
            self._apply(self.table, notice)

    def _apply(self, at: AtTable, notice: EventNotice) -> None:
        if notice.event.seq <= at.seq:
            return
        if notice.event.seq > at.seq + 1:
            self._opening = at.id
            self._resync = asyncio.get_running_loop().create_task(self._catch_up(at))
            return
        before = at.view
        at.apply(notice.event, notice.view)
        self._tell(Happened(notice.event, at.facts(notice.event), before, at.view))

    async def _catch_up(self, at: AtTable) -> None:
        """Close a gap in the numbers: ask for everything after the last event that is known."""
        try:
            snapshot = await self._open(at.id, since=at.seq)
        except ScovilleError as error:
            self.lost(said(error))
        except LinkError as error:
            self.lost(error.message)
        else:
            at.catch_up(snapshot)
            self._tell(TableChanged())
            self._work_off_early()

    async def _open(self, table: str, since: int) -> TableSnapshot:
        """Watch from `since` on; events that overtake the answer wait in `_early`."""
        self._opening, self._early = table, []
        try:
            return await self._ask(WatchTable(table=table, since=since), TableSnapshot)
        finally:
            self._opening = None

    def _work_off_early(self) -> None:
        early, self._early = self._early, []
        for notice in early:
            self._event(notice)

    # --- asking -----------------------------------------------------------------------------------------

    @property
    def _at(self) -> AtTable:
        if self.table is None:
            raise ScovilleError(Code.NOT_SEATED, words("You are not at a table; join one first."))
        return self.table

    async def _call(self, params: Params) -> Reply:
        if self._link is None:
            raise LinkError(words("There is no line to a server."))
        return await self._link.call(params)

    async def _ask(self, params: Params, kind: type[R]) -> R:
        reply = await self._call(params)
        assert isinstance(reply, kind), f"a link answers {type(params).__name__} with {kind.__name__}"
        return reply

    def _tell(self, change: Change) -> None:
        for subscriber in tuple(self._subscribers):
            subscriber(change)


def _goodbye(bye: ByeNotice) -> str:
    return said(ScovilleError(bye.code, bye.message))


def _in_the_games_words(error: ScovilleError, at: AtTable) -> ScovilleError:
    """Say a game's refusal by its own text; anything else already is a sentence of the server."""
    if error.code in set(Code):
        return error
    refusal = Refusal(cast("Any", error.code), error.data)
    return ScovilleError(error.code, told(at.game.text.refusal(refusal), at.names), error.data)
