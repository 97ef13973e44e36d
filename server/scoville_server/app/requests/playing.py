"""What happens at a table: watched, asked for, played."""

from scoville_server.app.guest import Answer, Guest, Handlers
from scoville_server.table.commands import Play, Refused
from scoville_server.table.export import export
from scoville_server.table.project import legal_moves
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire import messages as m


def _watch(guest: Guest, p: m.WatchTable) -> m.TableSnapshot:
    actor, me = guest.find(p.table), guest.person.id
    guest.begin_to_watch(p.table)
    return actor.watch(guest.peer, me, p.since)


def _unwatch(guest: Guest, p: m.UnwatchTable) -> m.Empty:
    guest.forget(p.table)
    return m.Empty()


def _poll(guest: Guest, p: m.PollTable) -> Answer:
    return guest.find(p.table).poll(guest.person.id, p.since, p.wait_ms)


def _moves(guest: Guest, p: m.ListMoves) -> m.LegalMoves:
    table = guest.find(p.table).table
    seat = table.seat_of(guest.person.id)
    if seat is None:
        raise ScovilleError(Code.NOT_SEATED, "You do not sit at this table; join it first.")
    return m.LegalMoves(moves=legal_moves(table, seat))


async def _play(guest: Guest, p: m.PlayMove) -> m.Played:
    done = await guest.find(p.table).do(Play(person=guest.person.id, move=p.move, nth=p.nth))
    return m.Played(seq=done.before.seq + 1)


def _export(guest: Guest, p: m.ExportTable) -> m.ExportedGame:
    lines = export(guest.find(p.table).table)
    if isinstance(lines, Refused):
        raise lines.error()
    return m.ExportedGame(lines=lines)


HANDLERS: Handlers = {
    m.WatchTable: _watch,
    m.UnwatchTable: _unwatch,
    m.PollTable: _poll,
    m.ListMoves: _moves,
    m.PlayMove: _play,
    m.ExportTable: _export,
}
