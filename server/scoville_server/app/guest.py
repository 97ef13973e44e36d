"""One connection's dealings with the house: each request of the wire has one method here."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from scoville_server.actor import TableActor
from scoville_server.app.house import House
from scoville_server.net.service import Peer
from scoville_server.sessions import Person
from scoville_server.table.commands import Join, Leave, Pause, Play, Refused, Resume, Start
from scoville_server.table.export import export
from scoville_server.table.project import legal_moves
from scoville_shared import __version__
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire import messages as m

Answer = m.Reply | Awaitable[m.Reply]


class Guest:
    """A `Visit`. Who it is comes from `hello` alone; what a request claims about the seat is never believed."""

    def __init__(self, house: House, peer: Peer, left: Callable[["Guest"], None]) -> None:
        self._house = house
        self._peer = peer
        self._left = left
        self._known: Person | None = None
        self._watched: set[str] = set()

    def handle(self, params: m.Params) -> Answer:
        """Answer a request. Raises ScovilleError."""
        return self._HANDLERS[type(params)](self, params)

    def closed(self) -> None:
        """Let go of everything that hangs on this line; the person and their seats stay."""
        for table in tuple(self._watched):
            self._forget(table)
        if self._known is not None:
            self._house.line_lost(self._known, self._peer)
        self._left(self)

    # --- who and what is here ---------------------------------------------------------------------------

    def _hello(self, p: m.Hello) -> m.Welcome:
        _check_protocol(p.protocol)
        if self._known is not None:
            raise ScovilleError(Code.BAD_PARAMS, "This connection has said hello already.")
        self._known = person = self._house.welcome(p.token, p.name, self._peer)
        return m.Welcome(
            protocol=m.PROTOCOL,
            server=f"scoville-server {__version__}",
            name=person.name,
            token=person.token,
            games=self._house.shelf.infos(),
        )

    def _ping(self, p: m.Ping) -> m.Pong:
        return m.Pong(payload=p.payload)

    @property
    def _person(self) -> Person:
        if self._known is None:
            raise ScovilleError(Code.HELLO_FIRST, "The first call of a connection is hello.")
        if self._known.peer is not self._peer:
            raise ScovilleError(Code.TAKEN_OVER, "You have come in from somewhere else; this line is closed.")
        return self._known

    # --- tables -----------------------------------------------------------------------------------------

    def _list(self, _: m.ListTables) -> m.Tables:
        me = self._person.id
        return m.Tables(tables=[actor.listed(me) for actor in self._house.lobby.all()])

    async def _create(self, p: m.CreateTable) -> m.TableCreated:
        person = self._person
        await self._house.remember(person)
        actor = await self._house.open_table(person, p)
        return m.TableCreated(info=actor.info())

    async def _join(self, p: m.JoinTable) -> m.Seated:
        actor, person = self._find(p.table), self._person
        limit = self._house.settings.tables_seated
        if len(person.tables) >= limit and actor.table.id not in person.tables:
            raise ScovilleError(Code.TOO_MANY, f"You sit at {limit} tables already; leave one first.")
        await self._house.remember(person)
        wish = Join(person=person.id, name=person.name, seat=p.seat, nonce=bytes.fromhex(p.nonce))
        done = await actor.do(wish)
        seat = done.after.seat_of(person.id)
        assert seat is not None, "who joined has a seat"
        return m.Seated(seat=seat, info=actor.info())

    async def _leave(self, p: m.LeaveTable) -> m.Empty:
        await self._find(p.table).do(Leave(person=self._person.id))
        return m.Empty()

    async def _start(self, p: m.StartTable) -> m.Empty:
        await self._find(p.table).do(Start(person=self._person.id, strength=p.bots))
        return m.Empty()

    async def _pause(self, p: m.PauseTable) -> m.Empty:
        await self._find(p.table).do(Pause(person=self._person.id))
        return m.Empty()

    async def _resume(self, p: m.ResumeTable) -> m.Empty:
        await self._find(p.table).do(Resume(person=self._person.id))
        return m.Empty()

    # --- what happens at a table ------------------------------------------------------------------------

    def _watch(self, p: m.WatchTable) -> m.TableSnapshot:
        actor = self._find(p.table)
        limit = self._house.settings.tables_watched
        if len(self._watched) >= limit and p.table not in self._watched:
            raise ScovilleError(Code.TOO_MANY, f"This line watches {limit} tables already; stop watching one first.")
        self._watched.add(p.table)
        return actor.watch(self._peer, self._person.id, p.since)

    def _unwatch(self, p: m.UnwatchTable) -> m.Empty:
        self._forget(p.table)
        return m.Empty()

    def _poll(self, p: m.PollTable) -> Answer:
        return self._find(p.table).poll(self._person.id, p.since, p.wait_ms)

    def _moves(self, p: m.ListMoves) -> m.LegalMoves:
        table = self._find(p.table).table
        seat = table.seat_of(self._person.id)
        if seat is None:
            raise ScovilleError(Code.NOT_SEATED, "You do not sit at this table; join it first.")
        return m.LegalMoves(moves=legal_moves(table, seat))

    async def _play(self, p: m.PlayMove) -> m.Played:
        done = await self._find(p.table).do(Play(person=self._person.id, move=p.move, nth=p.nth))
        return m.Played(seq=done.before.seq + 1)

    def _export(self, p: m.ExportTable) -> m.ExportedGame:
        lines = export(self._find(p.table).table)
        if isinstance(lines, Refused):
            raise lines.error()
        return m.ExportedGame(lines=lines)

    def _find(self, table: str) -> TableActor:
        return self._house.lobby.find(table)

    def _forget(self, table: str) -> None:
        if table in self._watched:
            self._watched.discard(table)
            self._house.unwatch(table, self._peer)

    _HANDLERS: ClassVar[dict[type[m.Params], Callable[["Guest", Any], Answer]]] = {
        m.Hello: _hello,
        m.Ping: _ping,
        m.ListTables: _list,
        m.CreateTable: _create,
        m.JoinTable: _join,
        m.LeaveTable: _leave,
        m.StartTable: _start,
        m.PauseTable: _pause,
        m.ResumeTable: _resume,
        m.WatchTable: _watch,
        m.UnwatchTable: _unwatch,
        m.PollTable: _poll,
        m.ListMoves: _moves,
        m.PlayMove: _play,
        m.ExportTable: _export,
    }


def _check_protocol(spoken: int) -> None:
    data = {"client": spoken, "server": m.PROTOCOL, "server_version": __version__}
    if spoken < m.PROTOCOL:
        sentence = f"Your client is too old for this server; install scoville {__version__} or newer."
        raise ScovilleError(Code.UPGRADE_CLIENT, sentence, data)
    if spoken > m.PROTOCOL:
        sentence = f"This server is too old for your client: it is scoville {__version__}; ask its host to upgrade it."
        raise ScovilleError(Code.UPGRADE_SERVER, sentence, data)
