"""Handlers of watching and playing."""

from scoville_server.accounts.connection import Answer, Handlers
from scoville_server.background.eventual import Eventual
from scoville_server.errors import unknown_table
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.archive.index import KeptGame
from scoville_server.tables.handlers.connection import TableConnection
from scoville_server.tables.model.audience import Watcher, exported_to, watcher
from scoville_server.tables.model.commands import ListCommentator, Play, Refused, granted
from scoville_server.tables.model.export import PAGE
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m


def _watch(connection: TableConnection, p: m.WatchRequest) -> Answer:
    actor = connection.core.lobby.find(p.table)
    looking = _received(connection, actor, p)
    if _must_be_listed(actor, looking):
        return _watch_as_commentator(connection, actor, looking, p)
    return _begin_to_watch(connection, actor, looking, p)


async def _watch_as_commentator(
    connection: TableConnection, actor: TableActor, looking: Watcher, p: m.WatchRequest
) -> m.TableSnapshot:
    await _list(actor, looking)
    return _begin_to_watch(connection, actor, _watcher(connection, actor, p), p)


def _begin_to_watch(
    connection: TableConnection, actor: TableActor, looking: Watcher, p: m.WatchRequest
) -> m.TableSnapshot:
    connection.begin_to_watch(actor)
    return actor.watch(connection.peer, looking, p.since)


def _received(connection: TableConnection, actor: TableActor, p: m.WatchRequest | m.PollRequest) -> Watcher:
    """Return the watcher that a user becomes, as a commentator with the table's key.

    A wrong key counts as a wrong password.
    """
    user, access = connection.user, connection.core.access
    connection.core.rematches.user_arrived(actor.table.id, user.id)
    if not p.commentary_key or actor.table.owned_seat(user.id) is not None:
        return _watcher(connection, actor, p)
    with access.guess(connection.source, actor.table.id) as attempt:
        attempt.failed = True
        looking = _watcher(connection, actor, p)
        attempt.failed = False
    return looking


def _watcher(connection: TableConnection, actor: TableActor, p: m.WatchRequest | m.PollRequest) -> Watcher:
    user, key = connection.user, p.commentary_key or ""
    return granted(watcher(actor.table, user.id, user.name, key, p.point_of_view, claimed=user.claimed))


def _must_be_listed(actor: TableActor, looking: Watcher) -> bool:
    """Whether a watcher is a commentator whom the table does not list yet, and so may be sent nothing hidden."""
    return looking.commentator and looking.user not in actor.table.commentators


async def _list(actor: TableActor, looking: Watcher) -> None:
    """List a commentator for good. Raises ScovilleError `too_many`: all of them are named, so there is a bound."""
    await actor.do(ListCommentator(user=looking.user, name=looking.name, claimed=looking.claimed))


def _unwatch(connection: TableConnection, p: m.UnwatchRequest) -> m.Empty:
    connection.forget(p.table)
    return m.Empty()


def _poll(connection: TableConnection, p: m.PollRequest) -> Answer:
    actor = connection.core.lobby.find(p.table)
    looking = _received(connection, actor, p)
    if p.wait_ms or _must_be_listed(actor, looking):
        return _wait(connection, actor, looking, p)
    return actor.snapshot(looking, p.since)


async def _wait(connection: TableConnection, actor: TableActor, looking: Watcher, p: m.PollRequest) -> m.TableSnapshot:
    """List a new commentator, then wait for an event, as one of a bounded number of waiting requests."""
    if _must_be_listed(actor, looking):
        await _list(actor, looking)
        looking = _watcher(connection, actor, p)
    if not p.wait_ms:
        return actor.snapshot(looking, p.since)
    with connection.core.polls.waiting(connection.source.networks):
        return await actor.poll(looking, p.since, p.wait_ms)


def _look_back(connection: TableConnection, p: m.LookBackRequest) -> m.LookBackReply:
    """Return past Views to a connection that watches the table; it counts as an action, since it replays the game."""
    actor = connection.core.lobby.find(p.table)
    connection.core.budgets.action(connection.source)
    views = actor.look_back(connection.peer, p.since)
    if views is None:
        raise unknown_table(p.table)
    return views


def _moves(connection: TableConnection, p: m.MovesRequest) -> m.MovesReply:
    actor = connection.find(p.table)
    seat = actor.table.seat_of(connection.user.id)
    if seat is None:
        raise ScovilleError(Code.NOT_SEATED, "You have no seat at this table; join it first.")
    return m.MovesReply(moves=actor.legal_moves(seat))


def _play(connection: TableConnection, p: m.PlayRequest) -> Eventual[m.PlayReply]:
    """Play a move. The most frequent request, so it is answered without a Task."""
    played: Eventual[m.PlayReply] = Eventual()

    def answered(answer: Done | Refused) -> None:
        if isinstance(answer, Refused):
            played.set_exception(answer.error())
        else:
            played.set_result(m.PlayReply(seq=answer.before.seq + 1))

    actor = connection.find(p.table)
    if actor.table.owned_seat(connection.user.id) is None:  # the game's rules bound the moves of its players
        connection.core.budgets.action(connection.source, actor.table.id)
    actor.submit(Play(user=connection.user.id, move=p.move, nth=p.nth), answered)
    return played


def _export(connection: TableConnection, p: m.ExportRequest) -> Answer:
    """Export a finished game, from the archive once its table is removed."""
    try:
        table = connection.find(p.table).table
    except ScovilleError:
        archive, user = connection.core.archive, connection.user
        game = None if archive is None else archive.played_by(p.table, user.id)
        if archive is None or game is None:
            raise
        connection.core.budgets.action(connection.source)
        return _read(archive, game, p)
    return granted(exported_to(table, connection.user.id, p.since, connection.core.signer.result_line))


async def _read(archive: Archive, game: KeptGame, p: m.ExportRequest) -> m.ExportReply:
    try:
        lines = await archive.read(game)
    except OSError:
        raise unknown_table(p.table) from None  # it was removed a moment ago
    return m.ExportReply(lines=lines[p.since : p.since + PAGE], line_count=len(lines))


HANDLERS: Handlers[TableConnection] = {
    m.WatchRequest: _watch,
    m.UnwatchRequest: _unwatch,
    m.PollRequest: _poll,
    m.LookBackRequest: _look_back,
    m.MovesRequest: _moves,
    m.PlayRequest: _play,
    m.ExportRequest: _export,
}
