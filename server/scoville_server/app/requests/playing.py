"""What happens at a table: watched, asked for, played."""

from typing import TypeVar

from scoville_server.actor import Done, TableActor
from scoville_server.app.guest import Answer, Guest, Handlers
from scoville_server.eventual import Eventual
from scoville_server.table.audience import Watcher, exported_to, watcher
from scoville_server.table.commands import Play, Refused
from scoville_server.table.project import legal_moves
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire import messages as m

T = TypeVar("T")


def _watch(guest: Guest, p: m.WatchTable) -> m.TableSnapshot:
    actor = guest.house.lobby.find(p.table)
    looking = _received(guest, actor, p)
    guest.begin_to_watch(actor)
    return actor.watch(guest.peer, looking, p.since)


def _received(guest: Guest, actor: TableActor, p: m.WatchTable | m.PollTable) -> Watcher:
    """Let somebody look at a table, as a commentator with its key; wrong keys count as wrong passwords do."""
    person, doors = guest.person, guest.house.doors
    guest.house.rematches.came(actor.table.id, person.id)
    if not p.key or actor.table.place_of(person.id) is not None:
        return _granted(watcher(actor.table, person.id, person.name, p.key, p.eyes))
    with doors.guess(guest.source, actor.table.id) as attempt:
        answer = watcher(actor.table, person.id, person.name, p.key, p.eyes)
        attempt.failed = isinstance(answer, Refused)
    return _granted(answer)


def _unwatch(guest: Guest, p: m.UnwatchTable) -> m.Empty:
    guest.forget(p.table)
    return m.Empty()


def _poll(guest: Guest, p: m.PollTable) -> Answer:
    actor = guest.house.lobby.find(p.table)
    looking = _received(guest, actor, p)
    return _wait(guest, actor, looking, p) if p.wait_ms else actor.snapshot(looking, p.since)


async def _wait(guest: Guest, actor: TableActor, looking: Watcher, p: m.PollTable) -> m.TableSnapshot:
    """Wait for an event, as one of so many requests that may wait at a time."""
    with guest.house.polls.waiting(guest.source.networks):
        return await actor.poll(looking, p.since, p.wait_ms)


def _moves(guest: Guest, p: m.ListMoves) -> m.LegalMoves:
    table = guest.find(p.table).table
    seat = table.seat_of(guest.person.id)
    if seat is None:
        raise ScovilleError(Code.NOT_SEATED, "You do not sit at this table; join it first.")
    return m.LegalMoves(moves=legal_moves(table, seat))


def _play(guest: Guest, p: m.PlayMove) -> Eventual[m.Played]:
    """Play a move. The most frequent request, so it is answered without a Task."""
    played: Eventual[m.Played] = Eventual()

    def answered(answer: Done | Refused) -> None:
        if isinstance(answer, Refused):
            played.set_exception(answer.error())
        else:
            played.set_result(m.Played(seq=answer.before.seq + 1))

    actor = guest.find(p.table)
    if actor.table.place_of(guest.person.id) is None:  # moves of users who sit there have their bound in the game
        guest.house.budgets.action(guest.source, actor.table.id)
    actor.submit(Play(person=guest.person.id, move=p.move, nth=p.nth), answered)
    return played


def _export(guest: Guest, p: m.ExportTable) -> m.ExportedGame:
    table = guest.find(p.table).table
    return m.ExportedGame(lines=_granted(exported_to(table, guest.person.id)))


def _granted(answer: T | Refused) -> T:
    if isinstance(answer, Refused):
        raise answer.error()
    return answer


HANDLERS: Handlers = {
    m.WatchTable: _watch,
    m.UnwatchTable: _unwatch,
    m.PollTable: _poll,
    m.ListMoves: _moves,
    m.PlayMove: _play,
    m.ExportTable: _export,
}
