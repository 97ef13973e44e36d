"""Copies of a whole server between a data folder and a cluster, each compared with its source."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.events import Damage, ReportDamage
from scoville_server.identity import ServerKey
from scoville_server.journal.backups.copying import show_nothing, usable_generation
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import key_file
from scoville_server.journal.files.generations import AUDIT, GAMES
from scoville_server.journal.jetstream.copying import ClusterCopy
from scoville_server.journal.jetstream.engine import Place
from scoville_server.journal.jetstream.stores import AuditStream
from scoville_server.journal.snapshots import Snapshot, new_copy_of, read_folder, snapshot_of, write_folder
from scoville_server.journal.store import Store
from scoville_server.journal.stores import AuditStore, GameStore
from scoville_server.moderation.audit_file import AuditFile
from scoville_server.tables.actions.restart import Adopted
from scoville_server.tables.archive.archive import BOOK, Creator, checksum_of, is_whole
from scoville_server.tables.archive.game_folder import GameFolder
from scoville_server.tables.state_machine import unpack_record
from scoville_shared.protocol.messages import AuditEntry

T = TypeVar("T")

_AT_ONCE: Final = 16
"""Tables or games that are written at the same time."""
_PAGE: Final = 200

Progress = Callable[[int, int], None]


class Copied(NamedTuple):
    """The result of a copy, after its comparison with the source."""

    tables: int
    records: int
    users: int
    rows: int
    games: int
    entries: int


class _Work:
    """Counts the parts that are done."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._done, self._total = 0, max(1, total)

    def note_done(self, parts: int = 1) -> None:
        """Show that some more parts are done."""
        for _ in range(parts):
            self._done += 1
            self._progress(self._done, self._total)


# --- into a cluster -------------------------------------------------------------------------------------


async def copy_to_cluster(
    source: Path, place: Place, report_damage: ReportDamage, progress: Progress = show_nothing, clock: Clock = SYSTEM
) -> Copied:
    """Copy a data folder, or a backup, into a cluster that is empty; no node and no server may use either.

    Until everything was compared the cluster is marked, and no node joins it; the next copy into it begins again. The
    folder stays as it is. Raises JournalError, FolderTaken.
    """
    usable_generation(source)
    store = Store(source, look_only=True, clock=clock, report_damage=report_damage)
    target = ClusterCopy(place, report_damage, clock)
    try:
        found = snapshot_of(store.load_rows())
        folder = GameFolder(source / GAMES)
        games = await _note_sizes(folder, found.books.get(BOOK, ()), report_damage)
        snapshot = found._replace(books={**found.books, BOOK: games})
        audit = AuditFile(source / AUDIT, report_damage)
        await audit.load_entries()
        entries = [entry async for page in _pages_of(audit) for entry in page]
        work = _Work(progress, 2 * (len(snapshot.tables) + len(games)) + 2)
        await target.connect()
        await target.begin_writing()
        await target.write_key(store.key.public)
        await target.write_epoch_before(_find_newest_epoch(snapshot.tables.values()))
        await _run_for_each(snapshot.tables.items(), lambda stored: target.write_table(*stored), work)
        await target.write_rows(snapshot)
        work.note_done()
        names = [name for name, _ in games]
        await _copy_games(folder, target.games, names, work, _AT_ONCE)
        await _copy_entries(entries, target.audit)
        work.note_done()
        await _compare_snapshots(snapshot, await target.read_snapshot(unfinished=True))
        await _compare_games(folder, target.games, names, work)
        await _compare_entries(entries, target.audit)
        work.note_done(len(snapshot.tables))
        await target.end_writing()
        return _count_copied(snapshot, len(names), len(entries))
    finally:
        store.close()
        await target.close()


def _find_newest_epoch(tables: Iterable[Sequence[bytes]]) -> int:
    """Return the newest epoch in which a node has adopted one of the tables, 0 for none.

    A node of an older epoch would find that it is followed, and serve none of them.
    """
    newest = 0
    for packed in chain.from_iterable(tables):
        with suppress(msgspec.MsgspecError, ValueError):  # such a table is not served in the cluster either
            record = unpack_record(packed)
            newest = max(newest, record.owner.epoch if isinstance(record, Adopted) else 0)
    return newest


async def _note_sizes(
    folder: GameFolder, rows: Iterable[tuple[str, bytes]], report_damage: ReportDamage
) -> list[tuple[str, bytes]]:
    """Return the rows of the games that are there, with sizes and checksums, oldest first.

    In a cluster the rows are all that says which games there are; a folder may also have some that no row knows.
    """
    creators = {name: msgspec.msgpack.decode(value, type=Creator) for name, value in rows}
    there = [file.name for file in await folder.find_games({})]
    ordered = [*(name for name in there if name not in creators), *(name for name in creators if name in {*there})]
    missing = len(creators) - len({*creators} & {*there})
    if missing:
        report_damage(Damage(path=folder.place, reason=f"{missing} finished games are missing; they are left out."))
    noted = []
    for name in ordered:
        content = await folder.read_game(name)
        creator = creators.get(name, Creator())
        if name in creators and not is_whole(name, content, creator.checksum):
            # Left out as in the other direction: with a checksum of what it is now, nobody would notice any more.
            report_damage(Damage(path=folder.place, reason=f"The game {name} is altered; it is left out."))
            continue
        sized = replace(creator, size=len(content), checksum=creator.checksum or checksum_of(content))
        noted.append((name, msgspec.msgpack.encode(sized)))
    return noted


# --- from a cluster -------------------------------------------------------------------------------------


async def copy_from_cluster(
    place: Place,
    key: ServerKey,
    target: Path,
    report_damage: ReportDamage,
    progress: Progress = show_nothing,
    clock: Clock = SYSTEM,
) -> Copied:
    """Copy a cluster into a new data folder, which a server alone can use, or `copy_to_cluster`; nodes may run.

    The folder gets its name when everything was compared. Raises JournalError.
    """
    source = ClusterCopy(place, report_damage, clock)
    try:
        with new_copy_of(target) as part:
            await source.connect()
            public = await source.find_public_key()
            if public != key.public:
                raise JournalError(
                    "The cluster has no server yet."
                    if public is None
                    else "The key is not that of the cluster: choose the data folder of one of its nodes with --data."
                )
            snapshot = await source.read_snapshot()
            await source.audit.load_entries()
            entries = [entry async for page in _pages_of(source.audit) for entry in page]
            games = snapshot.books.get(BOOK, ())
            work = _Work(progress, len(snapshot.tables) + 3 * len(games) + 2)
            names = await _find_whole_games(source.games, games, report_damage, work)
            whole = [row for row in games if row[0] in {*names}]
            snapshot = snapshot._replace(books={**snapshot.books, BOOK: whole})
            key_file.write_key(part, key)
            await write_folder(part, snapshot, clock, work.note_done)
            folder, audit = GameFolder(part / GAMES), AuditFile(part / AUDIT, report_damage)
            # In order: they are listed by the times of their files.
            await _copy_games(source.games, folder, names, work, 1)
            await _copy_entries(entries, audit)
            work.note_done()
            await _compare_snapshots(snapshot, read_folder(part, report_damage, clock))
            await _compare_games(source.games, folder, names, work)
            await _compare_entries(entries, audit)
        work.note_done()
        return _count_copied(snapshot, len(names), len(entries))
    except OSError as error:
        raise JournalError(f"The folder {target} cannot be written: {error.strerror}.") from error
    finally:
        await source.close()


async def _find_whole_games(
    games: GameStore, rows: Sequence[tuple[str, bytes]], report_damage: ReportDamage, work: _Work
) -> list[str]:
    """Return the names of the games that the cluster still has as they were; the others are reported."""
    sums = {name: msgspec.msgpack.decode(value, type=Creator).checksum for name, value in rows}
    broken: set[str] = set()

    async def check_game(name: str) -> None:
        if checksum_of(await games.read_game(name)) != sums[name]:
            broken.add(name)
            report_damage(Damage(path=games.place, reason=f"The game {name} is lost or altered; it is left out."))

    await _run_for_each(sums, check_game, work)
    return [name for name in sums if name not in broken]


# --- both ways ------------------------------------------------------------------------------------------


async def _run_for_each(
    names: Iterable[T], do: Callable[[T], Coroutine[Any, Any, None]], work: _Work, at_once: int = _AT_ONCE
) -> None:
    """Do something with each of several things, with a few at the same time."""
    left = iter(names)
    while portion := [*islice(left, at_once)]:
        await asyncio.gather(*map(do, portion))
        work.note_done(len(portion))


async def _copy_games(source: GameStore, target: GameStore, names: Sequence[str], work: _Work, at_once: int) -> None:
    async def copy_game(name: str) -> None:
        await target.write_game(name, await source.read_game(name))

    await _run_for_each(names, copy_game, work, at_once)


async def _compare_games(source: GameStore, target: GameStore, names: Sequence[str], work: _Work) -> None:
    async def compare_game(name: str) -> None:
        if await source.read_game(name) != await target.read_game(name):
            raise _refuse_copy(f"the game {name}")

    await _run_for_each(names, compare_game, work)


async def _pages_of(audit: AuditStore) -> AsyncIterator[list[AuditEntry]]:
    number = 0
    while page := await audit.entries_since(number, _PAGE):
        yield page
        number = page[-1].number


async def _copy_entries(entries: Iterable[AuditEntry], target: AuditFile | AuditStream) -> None:
    for entry in entries:
        # With its own number, also where one is missing before it.
        target.latest_number = entry.number - 1
        await target.add_entry(entry)


async def _compare_entries(entries: Sequence[AuditEntry], target: AuditStore) -> None:
    if [*entries] != [entry async for page in _pages_of(target) for entry in page]:
        raise _refuse_copy("the audit log")


async def _compare_snapshots(source: Snapshot, target: Snapshot) -> None:
    differences = source.find_differences(target)
    if differences:
        raise _refuse_copy(", ".join(differences[:10]))


def _refuse_copy(what: str) -> JournalError:
    return JournalError(f"The copy is not like its source in {what}; it is not used. Begin it again.")


def _count_copied(snapshot: Snapshot, games: int, entries: int) -> Copied:
    return Copied(
        len(snapshot.tables),
        sum(map(len, snapshot.tables.values())),
        len(snapshot.users),
        sum(map(len, snapshot.books.values())),
        games,
        entries,
    )
