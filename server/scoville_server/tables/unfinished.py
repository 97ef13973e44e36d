"""Running games of practice as files that grow with every move: whatever ends the process, the game can go on."""

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Final

import msgspec

from scoville_runtime.atomic_files import OWNER_ONLY, PART, write_all
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.archive.export import list_move_lines, make_header
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.ids import Seat, TableId
from scoville_shared.replay import write_lines
from scoville_shared.replay.file import Terms, file_name_of, write_first_line

MOST: Final = 20
"""Games that are kept; the oldest go first. One has up to 25 KB."""
_GROWING: Final = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)
_NEW: Final = _GROWING | os.O_CREAT | os.O_EXCL
_log = logging.getLogger(__name__)


class UnfinishedGames(TableObserver):
    """Writes each running game in which its only player has decided something, until it is over.

    The bytes are the system's once a move is written: a process that is killed loses nothing. A machine that fails may
    lose the last moves, as practice waits for no disk.
    """

    observed: ClassVar[frozenset[Change]] = frozenset({Change.STATUS, Change.MOVES})

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[TableId, _GrowingFile] = {}
        self._failed: set[TableId] = set()
        """Games that could not be written: they are not tried again with every move."""

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - as all observers
        table = done.after
        if table.status == "playing":
            self._write_moves(table)
        elif table.status == "finished":
            self._drop_file(table.id)
            # The finished game has a file of its own by now; the oldest of these make room for others.
            with suppress(OSError):
                (self._folder / file_name_of(table.id)).unlink(missing_ok=True)

    def table_removed(self, actor: TableActor) -> None:
        self._drop_file(actor.table.id)

    def _write_moves(self, table: Table) -> None:
        seat = next(iter(table.human_seats), None)  # nobody's once the player has left: bots play on
        if seat is None or table.id in self._failed:
            return
        try:
            if table.id in self._files:
                self._files[table.id].add_moves(table)
            elif any(made.mover == "player" for made in table.moves):
                self._files[table.id] = self._begin_file(table, seat)
        except OSError as error:
            _log.warning("A game cannot be kept in %s: %s", self._folder, error)
            self._drop_file(table.id)
            self._failed.add(table.id)

    def _begin_file(self, table: Table, seat: Seat) -> "_GrowingFile":
        """Make a table's file, also in place of that from which its game went on."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for _, old in sorted(self._list_others(table.id), reverse=True)[MOST - 1 :]:
            old.unlink(missing_ok=True)
        return _GrowingFile(self._folder / file_name_of(table.id), table, seat)

    def _list_others(self, table: TableId) -> Iterator[tuple[float, Path]]:
        mine = file_name_of(table)
        return ((path.stat().st_mtime, path) for path in self._folder.glob("*.jsonl") if path.name != mine)

    def _drop_file(self, table: TableId) -> None:
        if (file := self._files.pop(table, None)) is not None:
            file.close()


class _GrowingFile:
    """The file of a game: its first line, and a line for each move. It is never there without those made so far."""

    def __init__(self, path: Path, table: Table, seat: Seat) -> None:
        settings, clock = (msgspec.to_builtins(each) for each in (table.opened.settings, table.opened.clock))
        first = write_first_line(make_header(table), Terms(seat=seat, clock=clock, settings=settings))
        self._moves = 0
        part = path.with_name(f"{path.name}.{os.getpid()}{PART}")
        part.unlink(missing_ok=True)
        handle = os.open(part, _NEW, OWNER_ONLY)
        try:
            write_all(handle, "".join(f"{line}\n" for line in (first, *self._list_added(table))).encode())
        finally:
            os.close(handle)  # before the new name: Windows renames no open file
        part.replace(path)
        self._handle = os.open(path, _GROWING)

    def add_moves(self, table: Table) -> None:
        """Write the moves that are new. Raises OSError."""
        write_all(self._handle, "".join(f"{line}\n" for line in self._list_added(table)).encode())

    def close(self) -> None:
        os.close(self._handle)

    def _list_added(self, table: Table) -> list[str]:
        first, self._moves = self._moves, len(table.moves)
        return write_lines(list_move_lines(table, first, self._moves))
