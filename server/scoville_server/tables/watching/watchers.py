"""The watchers of a table: their connections, and the notices that each of them gets."""

from collections import defaultdict
from collections.abc import Iterable
from operator import is_
from typing import NamedTuple

from msgspec.structs import replace

from scoville_server.net.service import Peer
from scoville_server.tables.model.rounds import listed, shown
from scoville_server.tables.model.table import Table
from scoville_server.tables.watching.audience import (
    Sight,
    Watcher,
    audience_of,
    is_spectating,
    openers_key,
    sight,
    watch_refusal,
)
from scoville_server.tables.watching.project import IsHere, code_of, final_notices, info, ms_until, news, snapshot
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import Notice, SpectatorsNotice, TableInfo, TableSnapshot


class _Kept(NamedTuple):
    """A table's description for the lobby, with what it was made of: the visible state, and who was connected."""

    seen: Table
    here: list[bool]
    info: TableInfo


class Watchers:
    """The connections that watch one table."""

    def __init__(self) -> None:
        self._lines: dict[Peer, Watcher] = {}
        self._known: tuple[object, ...] = ()
        """The parts of the table that last decided who may watch it and as whom."""
        self._groups: dict[Sight, list[Peer]] = {}
        self._audience: SpectatorsNotice | None = None
        self._watching: int | None = None
        """Groups that see the same, and the spectators; valid while `_known` holds and no watcher comes or goes."""
        self._infos: dict[tuple[bool, bool], _Kept] = {}
        """Descriptions for the lobby, by whether the reader has a seat and may know a private table's code."""

    def add(self, peer: Peer, watcher: Watcher) -> None:
        """Send all later events to a connection."""
        self._lines[peer] = watcher
        self._forget()

    def remove(self, peer: Peer) -> None:
        """Stop sending events to a connection."""
        self._lines.pop(peer, None)
        self._forget()

    def at(self, peer: Peer) -> Watcher | None:
        """Return the watcher of a connection, or None."""
        return self._lines.get(peer)

    @property
    def users(self) -> list[UserId]:
        """The user of each watching connection."""
        return [watcher.user for watcher in self._lines.values()]

    def clear(self) -> None:
        """Remove all watchers."""
        self._lines.clear()
        self._forget()

    def publish(self, before: Table, after: Table) -> None:
        """Notify the watchers of a change, each with what they may see; one who may no longer watch gets this last.

        Notices are built once per group of watchers that see the same.
        """
        if self._is_known(after):
            for seen, peers in self._groups.items():
                _send(news(before, after, seen), peers)
            return
        self._look_at_all(before, after)
        for seen, peers in self._groups.items():
            by_former: dict[Sight, list[Peer]] = defaultdict(list)
            for peer in peers:
                by_former[sight(before, self._lines[peer])].append(peer)
            for former, alike in by_former.items():
                _send(news(before, after, seen, former), alike)

    def _look_at_all(self, before: Table, after: Table) -> None:
        """Decide anew who may watch the table and what they see; send a last notice to those who may not."""
        for peer, watcher in tuple(self._lines.items()):
            if watch_refusal(after, watcher) is not None:
                self.remove(peer)
                # With what they could see before: what comes after is what they may no longer know.
                _send(final_notices(before, after, sight(before, watcher)), (peer,))
        groups: dict[Sight, list[Peer]] = defaultdict(list)
        for peer, watcher in self._lines.items():
            groups[sight(after, watcher)].append(peer)
        self._known, self._groups, self._audience, self._watching = _deciding(after), groups, None, None

    def _is_known(self, table: Table) -> bool:
        """Whether the decisions for an earlier state of the table still hold.

        A move changes none of them. Deciding anew for each watcher took a fifth of a move's time.
        """
        # By identity: tables are values that share their unchanged parts, and comparing them would cost a walk.
        return bool(self._known) and all(map(is_, self._known, _deciding(table)))

    def _forget(self) -> None:
        self._known, self._groups, self._audience, self._watching = (), {}, None, None

    def snapshot(
        self, table: Table, watcher: Watcher, since: int, is_here: IsHere, now_ms: int | None
    ) -> TableSnapshot:
        """Return a watcher's snapshot; one who sees the game in rounds does not learn who is connected."""
        seen, mine = sight(table, watcher), table.seat_of(watcher.user)
        shown_table = table_for_watcher(table, watcher)
        if shown_table is not table:
            is_here, now_ms = _everybody, None
        audience = self.audience(table)
        return replace(
            snapshot(shown_table, since, seen.seat, is_here, now_ms),
            info=replace(
                info(shown_table, is_here, now_ms, watcher.user),
                code=code_of(table, watcher.user),
                spectator_count=self.watching(table),
            ),
            seat=mine,
            point_of_view=None if seen.seat == mine else seen.seat,
            spectators=audience.spectators,
            commentators=audience.commentators,
            claimed_spectators=audience.claimed_spectators,
            claimed_commentators=audience.claimed_commentators,
            commentary_key=openers_key(table.opened, watcher.user) or None,
        )

    def info(self, table: Table, is_here: IsHere, now_ms: int | None, reader: UserId | None = None) -> TableInfo:
        """Describe the table as the lobby shows it to `reader`, or to any user for None.

        Readers without a seat see a game that is shown in rounds as its spectators do, and not who is connected. The
        objects are shared between calls until something in them changes.
        """
        seated = reader is not None and table.owned_seat(reader) is not None
        seen = table if seated else listed(table)
        if seen is not table:
            is_here, now_ms = _everybody, None
        known = reader is not None and table.opened.settings.private and table.admits(reader)
        here = [
            is_here(seat_state.user) for seat_state in seen.seats if seat_state.human and seat_state.user is not None
        ]
        kept = self._infos.get((seated, known))
        if (
            kept is None
            or kept.seen is not seen
            or kept.here != here
            or kept.info.spectator_count != self.watching(table)
        ):
            found = replace(info(seen, is_here), spectator_count=self.watching(table))
            if known:
                found = replace(found, code=table.opened.code)
            kept = self._infos[seated, known] = _Kept(seen, here, found)
        starts_in_ms = ms_until(seen.next_start_ms, now_ms)
        return kept.info if starts_in_ms is None else replace(kept.info, starts_in_ms=starts_in_ms)

    def say(self, table: Table, notice: Notice) -> None:
        """Send a notice that is no event to all watchers who see the table live."""
        _send((notice,), [peer for peer, watcher in self._lines.items() if table_for_watcher(table, watcher) is table])

    def say_audience(self, audience: SpectatorsNotice) -> None:
        """Send all watchers the list of spectators."""
        _send((audience,), tuple(self._lines))

    def audience(self, table: Table) -> SpectatorsNotice:
        """Name the spectators, and everybody who has seen hidden cards."""
        if self._audience is None or not self._is_known(table):
            self._audience = audience_of(table, self._spectators(table))
        return self._audience

    def watching(self, table: Table) -> int:
        """Count the spectators."""
        if not self._lines:
            return 0
        if self._watching is None or not self._is_known(table):
            self._watching = len(self._spectators(table))
        return self._watching

    def _spectators(self, table: Table) -> list[Watcher]:
        """List the spectators in the order in which they came; a user with two connections counts once."""
        # A dict keeps the first place of a user and the newest connection.
        once = {watcher.user: watcher for watcher in self._lines.values() if is_spectating(table, watcher)}
        return [*once.values()]


def table_for_watcher(table: Table, watcher: Watcher) -> Table:
    """Return the table that a watcher sees: live, or as it was at the end of a round."""
    return table if sight(table, watcher).live else shown(table)


def _deciding(table: Table) -> tuple[object, ...]:
    """Return the parts of a table that decide who may watch it and what they see; the rest never matters."""
    return table.seats, table.kicked, table.admitted, table.commentators


def _everybody(_: UserId) -> bool:
    return True


def _send(notices: Iterable[Notice], peers: Iterable[Peer]) -> None:
    for notice in notices:
        for peer in peers:
            peer.notify(notice)
