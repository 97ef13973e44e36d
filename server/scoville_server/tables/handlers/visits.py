"""Visits of tables: which tables connections find, act at and watch, and the handlers of watching and playing.

Every address has its fair share of visits.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from scoville_outside.catalogs import written_language
from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers
from scoville_server.accounts.users import UserObserver
from scoville_server.background.eventual import Eventual, answer_after
from scoville_server.errors import unknown_table
from scoville_server.journal.base import JournalError
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.net.peer import Peer
from scoville_server.nodes.serving import Serving
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actions.enter import ListCommentator
from scoville_server.tables.actions.plan import FollowPlan, describe_plan
from scoville_server.tables.actions.play import Play
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.archive.archive import Archive
from scoville_server.tables.archive.export import PAGE, export_to
from scoville_server.tables.archive.index import KeptGame
from scoville_server.tables.archive.signing import TableSigner
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.model.action import Refused, require_granted
from scoville_server.tables.model.table import Table, list_due_plans
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.watching.audience import Watcher, make_watcher
from scoville_server.tables.watching.project import in_language
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import OfTable


class Spectators(TableObserver):
    """Counts the connections that watch a table without a seat, at most `most` per table."""

    observed = frozenset({Change.SEATS})

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: dict[str, dict[object, UserId]] = {}
        self._shares: dict[str, Shares[object]] = {}

    def add_spectator(self, table: str, connection: object, user: UserId, networks: Sequence[str]) -> None:
        """Add a connection. Raises ScovilleError `too_many`."""
        watching = self._of.setdefault(table, {})
        if connection in watching:
            return
        shares = self._shares.setdefault(table, Shares())
        free = self._most - len(watching)
        if free <= 0 or shares.refuses_more(networks, free):
            sentence = "This table already has too many spectators; try another one."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "spectators"})
        watching[connection] = user
        shares.hold_thing(connection, networks)

    def remove_spectator(self, table: str, connection: object) -> None:
        if connection in self._of.get(table, {}):
            del self._of[table][connection]
            self._shares[table].release_thing(connection)

    def table_changed(self, actor: TableActor, _: Done) -> None:
        """Stop counting users who have taken a seat as spectators."""
        table = actor.table
        seated = [peer for peer, user in self._of.get(table.id, {}).items() if table.owned_seat(user) is not None]
        for peer in seated:
            self.remove_spectator(table.id, peer)

    def table_removed(self, actor: TableActor) -> None:
        self._of.pop(actor.table.id, None)
        self._shares.pop(actor.table.id, None)


class Polls:
    """Counts the waiting requests, at most `most` at a time."""

    def __init__(self, most: Adjustable[int]) -> None:
        self._most = as_live(most)
        self._count = 0
        self._shares: Shares[object] = Shares()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return self._count

    @contextmanager
    def count_poll(self, networks: Sequence[str]) -> Iterator[None]:
        """Count one request while it waits. Raises ScovilleError `too_many`."""
        free = self._most.value - self._count
        if free <= 0 or self._shares.refuses_more(networks, free):
            raise ScovilleError(Code.TOO_MANY, "Too many requests are waiting for events; poll with wait_ms 0.")
        request = object()
        self._count += 1
        self._shares.hold_thing(request, networks)
        try:
            yield
        finally:
            self._count -= 1
            self._shares.release_thing(request)


class TableVisits(UserObserver):
    """Finds tables for the users of connections, and notes which connection watches which tables, at most `most`."""

    def __init__(
        self, registry: TableRegistry, rematches: Rematches, spectators: Spectators, budgets: Budgets, most: int
    ) -> None:
        self._registry = registry
        self._rematches = rematches
        self._spectators = spectators
        self._budgets = budgets
        self._most = most
        self._watched: defaultdict[Peer, set[TableId]] = defaultdict(set)
        self._connections: dict[Peer, ConnectedClient] = {}

    def find_table(self, connection: ConnectedClient, table: str) -> TableActor:
        """Find a table for the connection's user; one that is hidden from them does not exist. Raises ScovilleError."""
        actor = self._registry.tables.find_table(table)
        if actor.table.hidden_from(connection.user.id):
            raise unknown_table(table)
        return actor

    def visit_table(self, connection: ConnectedClient, table: str) -> TableActor:
        """Find a table at which the connection's user is now: their seat in a rematch stays theirs.

        Raises ScovilleError.
        """
        actor = self.find_table(connection, table)
        self._rematches.user_arrived(actor.table.id, connection.user.id)
        return actor

    def visit_to_act(self, connection: ConnectedClient, p: OfTable, *, ends: bool = False) -> TableActor:
        """Visit a table for an action other than a move, and count the action. Raises ScovilleError.

        An action that `ends` something (leave, resume) follows one that was counted, and is refused only by its user's
        own count.
        """
        actor = self.visit_table(connection, p.table)
        source = connection.source._replace(networks=()) if ends else connection.source
        self._budgets.count_action(source, actor.table.id)
        return actor

    def start_watching(self, connection: ConnectedClient, actor: TableActor) -> None:
        """Note that a connection watches a table. Raises ScovilleError `too_many`."""
        table, watched = actor.table.id, self._watched[connection.peer]
        # Removed tables are forgotten only when the bound is reached: their removal does not know who watched them.
        if len(watched) >= self._most:
            watched.intersection_update([each for each in watched if each in self._registry.tables])
        if len(watched) >= self._most and table not in watched:
            raise ScovilleError(
                Code.TOO_MANY, f"This connection already watches {self._most} tables; stop watching one first."
            )
        if actor.table.owned_seat(connection.user.id) is None:
            self._spectators.add_spectator(table, connection.peer, connection.user.id, connection.source.networks)
        watched.add(table)
        self._connections[connection.peer] = connection

    def find_connection(self, peer: Peer) -> ConnectedClient | None:
        """Return a connection that has watched tables, with its user."""
        return self._connections.get(peer)

    def list_watched(self, peer: Peer) -> list[TableActor]:
        """List the tables that a connection watches."""
        tables = self._registry.tables
        return [tables.find_table(table) for table in self._watched.get(peer, ()) if table in tables]

    def stop_watching(self, peer: Peer, table: str) -> None:
        """Note that a connection no longer watches a table; one that it did not watch is fine."""
        watched = self._watched.get(peer, set())
        if table in watched:
            watched.discard(TableId(table))
            self._spectators.remove_spectator(table, peer)
            self._registry.unwatch_table(table, peer)

    def connection_released(self, peer: Peer) -> None:
        for table in tuple(self._watched.get(peer, ())):
            self.stop_watching(peer, table)
        self._watched.pop(peer, None)
        self._connections.pop(peer, None)


class WatchingHandlers:
    """Handlers of watching, polling and looking back."""

    def __init__(
        self,
        tables: Serving[TableActor],
        visits: TableVisits,
        rematches: Rematches,
        access: TableAccess,
        polls: Polls,
        budgets: Budgets,
    ) -> None:
        self._tables = tables
        self._visits = visits
        self._rematches = rematches
        self._access = access
        self._polls = polls
        self._budgets = budgets
        self.by_request: Handlers = {
            m.WatchRequest: self._watch_table,
            m.UnwatchRequest: self._unwatch_table,
            m.PollRequest: self._poll_table,
            m.LookBackRequest: self._look_back,
        }

    def _watch_table(self, connection: ConnectedClient, p: m.WatchRequest) -> Answer:
        actor = self._tables.find_table(p.table)
        return _show_newest(actor, p.since, lambda: self._watch_now(connection, actor, p))

    def _watch_now(
        self, connection: ConnectedClient, actor: TableActor, p: m.WatchRequest
    ) -> m.TableSnapshot | Awaitable[m.TableSnapshot]:
        looking = self._receive_watcher(connection, actor, p)
        if _must_be_listed(actor, looking):
            return self._watch_as_commentator(connection, actor, looking, p)
        return self._start_watching(connection, actor, looking, p)

    async def _watch_as_commentator(
        self, connection: ConnectedClient, actor: TableActor, looking: Watcher, p: m.WatchRequest
    ) -> m.TableSnapshot:
        await _list_commentator(actor, looking)
        return self._start_watching(connection, actor, _make_watcher(connection, actor, p), p)

    def _start_watching(
        self, connection: ConnectedClient, actor: TableActor, looking: Watcher, p: m.WatchRequest
    ) -> m.TableSnapshot:
        self._visits.start_watching(connection, actor)
        return actor.watched.add_watcher(connection.peer, looking, p.since)

    def _receive_watcher(
        self, connection: ConnectedClient, actor: TableActor, p: m.WatchRequest | m.PollRequest
    ) -> Watcher:
        """Return the watcher that a user becomes, as a commentator with the table's key.

        A wrong key counts as a wrong password.
        """
        user = connection.user
        self._rematches.user_arrived(actor.table.id, user.id)
        if not p.commentary_key or actor.table.owned_seat(user.id) is not None:
            return _make_watcher(connection, actor, p)
        with self._access.count_guess(connection.source, actor.table.id) as attempt:
            # Failed until the next line has returned: it raises for a wrong key.
            attempt.failed = True
            looking = _make_watcher(connection, actor, p)
            attempt.failed = False
        return looking

    def _unwatch_table(self, connection: ConnectedClient, p: m.UnwatchRequest) -> m.Empty:
        self._visits.stop_watching(connection.peer, p.table)
        return m.Empty()

    def _poll_table(self, connection: ConnectedClient, p: m.PollRequest) -> Answer:
        actor = self._tables.find_table(p.table)
        return _show_newest(actor, p.since, lambda: self._poll_now(connection, actor, p))

    def _poll_now(
        self, connection: ConnectedClient, actor: TableActor, p: m.PollRequest
    ) -> m.TableSnapshot | Awaitable[m.TableSnapshot]:
        looking = self._receive_watcher(connection, actor, p)
        if p.wait_ms or _must_be_listed(actor, looking):
            return self._wait_for_event(connection, actor, looking, p)
        return actor.watched.take_snapshot(looking, p.since)

    async def _wait_for_event(
        self, connection: ConnectedClient, actor: TableActor, looking: Watcher, p: m.PollRequest
    ) -> m.TableSnapshot:
        """List a new commentator, then wait for an event, as one of a bounded number of waiting requests."""
        if _must_be_listed(actor, looking):
            await _list_commentator(actor, looking)
            looking = _make_watcher(connection, actor, p)
        if not p.wait_ms:
            return actor.watched.take_snapshot(looking, p.since)
        with self._polls.count_poll(connection.source.networks):
            return await actor.watched.wait_for_event(looking, p.since, p.wait_ms)

    def _look_back(self, connection: ConnectedClient, p: m.LookBackRequest) -> m.LookBackReply:
        """Return past Views to a connection that watches the table; it counts as an action, for it replays the game."""
        actor = self._tables.find_table(p.table)
        self._budgets.count_action(connection.source)
        views = actor.watched.look_back(connection.peer, p.since)
        if views is None:
            raise unknown_table(p.table)
        return views


def _show_newest(
    actor: TableActor, since: int, show: Callable[[], m.TableSnapshot | Awaitable[m.TableSnapshot]]
) -> m.TableSnapshot | Awaitable[m.TableSnapshot]:
    """Show nobody less of a table than they know already: a former owner may not know yet that it is one."""
    if actor.is_behind(since):
        return answer_after(actor.catch_up(), show)
    if actor.watched.awaits_adoption:
        # Users of a node that was lost come all at once, perhaps before that: refused, they would come back later and
        # later.
        return answer_after(actor.wait_for_adoption(), show)
    return show()


class PlayingHandlers:
    """Handlers of moves, and of exports of finished games."""

    def __init__(self, visits: TableVisits, budgets: Budgets, archive: Archive | None, signer: TableSigner) -> None:
        self._visits = visits
        self._budgets = budgets
        self._archive = archive
        self._signer = signer
        self.by_request: Handlers = {
            m.MovesRequest: self._list_moves,
            m.ReadMoveRequest: self._read_move,
            m.PlayRequest: self._play_move,
            m.ShowPlanRequest: self._show_plan,
            m.ExportRequest: self._export_game,
        }

    def _list_moves(self, connection: ConnectedClient, p: m.MovesRequest) -> m.MovesReply:
        actor = self._visits.visit_table(connection, p.table)
        seat = actor.table.seat_of(connection.user.id)
        if seat is None:
            raise _not_seated()
        return m.MovesReply(moves=actor.watched.list_legal_moves(seat))

    def _read_move(self, connection: ConnectedClient, p: m.ReadMoveRequest) -> m.ReadMoveReply:
        """Read a typed move for a client without the game; it counts as an action, for it runs the game's code."""
        actor = self._visits.visit_to_act(connection, p)
        seat = actor.table.seat_of(connection.user.id)
        if seat is None:
            raise _not_seated()
        return m.ReadMoveReply(
            named_move=require_granted(actor.watched.read_move(seat, p.typed, written_language(p.sentence_language)))
        )

    async def _show_plan(self, connection: ConnectedClient, p: m.ShowPlanRequest) -> m.PlanReply:
        actor, user = self._visits.visit_table(connection, p.table), connection.user.id
        seat = actor.table.seat_of(user)
        if seat is None:
            raise _not_seated()
        # A player whose turn has just come asks while the plan is being followed: the answer is its result.
        if seat in list_due_plans(actor.table):
            await actor.carry_out(FollowPlan(seat=seat))
        return describe_plan(actor.table, user)

    def _play_move(self, connection: ConnectedClient, p: m.PlayRequest) -> Eventual[m.PlayReply]:
        """Play a move. The most frequent request, so it is answered without a Task."""
        played: Eventual[m.PlayReply] = Eventual()

        def answered(answer: Done | Refused) -> None:
            if isinstance(answer, Refused):
                watcher = actor.watched.find_watcher(connection.peer)
                if watcher is not None and watcher.language is not None:
                    answer = in_language(actor.table, answer, watcher.language)
                played.set_exception(answer.to_error())
            else:
                played.set_result(m.PlayReply(seq=answer.before.seq + 1))

        # No visit: only a player who leaves the former table asks for who has come to its rematch, by moves as well.
        actor = self._visits.find_table(connection, p.table)
        # The game's rules bound the moves of its players.
        if actor.table.owned_seat(connection.user.id) is None:
            self._budgets.count_action(connection.source, actor.table.id)
        actor.submit_command(Play(user=connection.user.id, move=p.move, nth=p.nth), answered)
        return played

    def _export_game(self, connection: ConnectedClient, p: m.ExportRequest) -> Answer:
        """Export a finished game, from the archive once its table is removed."""
        archive, user = self._archive, connection.user.id
        try:
            table = self._visits.visit_table(connection, p.table).table
        except ScovilleError:
            games = [] if archive is None else archive.find_games_of(p.table, user)
            if archive is None or not games:
                raise
            self._budgets.count_action(connection.source)
            return _read_archived(archive, games, p)
        written = require_granted(export_to(table, user, p.since, self._signer.sign_table))
        if archive is None or not archive.was_filed_earlier(table.id):
            return written
        self._budgets.count_action(connection.source)
        return _read_filed_earlier(archive, table, p, written)


def _not_seated() -> ScovilleError:
    return ScovilleError(Code.NOT_SEATED, "You have no seat at this table; join it first.")


def _make_watcher(connection: ConnectedClient, actor: TableActor, p: m.WatchRequest | m.PollRequest) -> Watcher:
    user, key = connection.user, p.commentary_key or ""
    found = require_granted(make_watcher(actor.table, user.id, user.name, key, p.point_of_view, claimed=user.claimed))
    return found if p.sentence_language is None else replace(found, language=written_language(p.sentence_language))


def _must_be_listed(actor: TableActor, looking: Watcher) -> bool:
    """Whether a watcher is a commentator whom the table does not list yet, and so may be sent nothing hidden."""
    return looking.commentator and looking.user not in actor.table.commentators


async def _list_commentator(actor: TableActor, looking: Watcher) -> None:
    """List a commentator for good. Raises ScovilleError `too_many`: all of them are named, so there is a bound."""
    await actor.carry_out(ListCommentator(user=looking.user, name=looking.name, claimed=looking.claimed))


async def _read_archived(archive: Archive, games: Sequence[KeptGame], p: m.ExportRequest) -> m.ExportReply:
    try:
        return _choose_page(await archive.read_game(games), p)
    except FileNotFoundError:
        # It was removed a moment ago.
        raise unknown_table(p.table) from None


async def _read_filed_earlier(
    archive: Archive, table: Table, p: m.ExportRequest, written: m.ExportReply
) -> m.ExportReply:
    """Return a page of a game as another version may have filed it; otherwise the `written` one of this version."""
    try:
        lines = await archive.read_filed_earlier(table)
    except JournalError:
        lines = None
    return written if lines is None else _choose_page(lines, p)


def _choose_page(lines: Sequence[str], p: m.ExportRequest) -> m.ExportReply:
    return m.ExportReply(lines=[*lines[p.since : p.since + PAGE]], line_count=len(lines))
