"""The archive of finished games: a store that is bounded, and tried again when it refuses them."""

import asyncio
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import blake2b
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.events import Damage
from scoville_server.journal.base import Change, Journal, JournalError, Row
from scoville_server.journal.books import WrittenBook
from scoville_server.journal.contents import JournalContents
from scoville_server.journal.stores import GameStore
from scoville_server.limits.live import Live
from scoville_server.tables.archive.export import export_game, make_header
from scoville_server.tables.archive.game_folder import SUFFIX
from scoville_server.tables.archive.index import ArchiveIndex, GameLimits, KeptGame, table_of
from scoville_server.tables.archive.signing import TableSigner
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import SERVER_USER, Table
from scoville_server.tables.watching.audience import users_of
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.replay import BrokenFile, is_result_signed, is_signed_game, read_game, signature_line

_log = logging.getLogger(__name__)

BOOK = "games"
"""The book of each file's creator."""

_NAMED = 10
"""Missing games that a warning names."""

MOST_FAILING = 256
"""Games that wait in memory for the disk; the records of further ones wait in the journal for the next start."""


class Creator(Struct, frozen=True, array_like=True):
    """Creator of an archived game, a user and a network under a pseudonym, and its players, who may export it."""

    user: str = ""
    network: str = ""
    players: tuple[UserId, ...] = ()
    checksum: bytes = b""
    """That of the file; the row that has it is sealed. Empty in rows of older versions."""
    size: int = 0
    """Bytes of the file; 0 in rows of older versions."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys under which the file is counted."""
        return (f"user {self.user}", *([f"network {self.network}"] if self.network else []))


class _Job(NamedTuple):
    table: Table
    creator: Creator


class Archive:
    """Archives the games that users have played to their end.

    Networks are stored under a pseudonym that only this run of the server can derive.
    """

    def __init__(
        self,
        store: GameStore,
        limits: Live[GameLimits],
        journal: Journal,
        background: BackgroundTasks,
        signer: TableSigner,
        clock: Clock = SYSTEM,
    ) -> None:
        self._signer = signer
        self._call_later = clock.call_later
        self._needed: Callable[[TableId], bool] = lambda _: False
        self._saved: Callable[[Table], None] = lambda _: None
        self._store = store
        self._index = ArchiveIndex(limits)
        limits.follow(lambda _: self.trim_to_bounds())
        self._journal = journal
        self._book = WrittenBook(BOOK, Creator, journal)
        self._is_open = False
        journal.follow(BOOK, self._follow_game)
        self._background = background
        self._delay = background.new_back_off()
        self._secret = secrets.token_bytes(16)
        self._failing: dict[TableId, _Job] = {}
        self._filed_earlier: set[TableId] = set()
        """Tables that are still there, whose games another run or node has filed."""
        self._retry: Alarm | None = None
        self._saving = KeyedLocks()
        self._closed = False

    @property
    def kept_games(self) -> int:
        """How many games are stored."""
        return len(self._index)

    @property
    def kept_bytes(self) -> int:
        """The size of their files."""
        return self._index.bytes

    async def open_store(
        self, saved: Callable[[Table], None], needed: Callable[[TableId], bool], *, leave_out_damaged: bool = False
    ) -> None:
        """Reconcile the journal with the stored games; one in no book has an unknown creator.

        Args:
            saved: Called for each game that was archived only by a retry.
            needed: Whether a table still exists: its game is not removed.
            leave_out_damaged: Whether to go on without a store that is missing.

        Raises JournalError when the whole store is missing, as in a copy without it.
        """
        self._saved, self._needed = saved, needed
        creators = dict(self._book.release_rows())
        found = await self._store.find_games({name: creator.size for name, creator in creators.items()})
        there = {file.name: file for file in found}
        known = [there[name] for name in creators if name in there]
        for file in [*(file for file in found if file.name not in creators), *known]:
            creator = creators.get(file.name, Creator())
            self._index.add_game(KeptGame(file.name, file.size, creator.keys, creator.players, creator.checksum))
        gone = [name for name in creators if name not in there]
        if gone and self._store.is_missing() and not leave_out_damaged:
            raise JournalError(
                f"{self._store.place} is missing, but the journal has {len(gone)} finished games. Put the folder back, "
                "restore a backup with 'scoville-server restore --force FOLDER', or start once with "
                "--leave-out-damaged to continue without them."
            )
        if gone:
            reason = f"{len(gone)} finished games are missing: {_list_names(gone)}."
            self._journal.report_damage(Damage(path=self._store.place, reason=reason))
            self._background.plan_tidying(lambda: self._journal.write([Change(BOOK, name, None) for name in gone]))
        self._is_open = True

    def _follow_game(self, name: str, row: Row | None) -> None:
        """Follow a game that was kept or removed, by this node or another one."""
        if not self._is_open:
            return
        if row is None:
            self._index.drop_game(name)
        else:
            creator = _read_creator(row.value)
            self._index.add_game(KeptGame(name, creator.size, creator.keys, creator.players, creator.checksum))

    def tidy_store(self) -> None:
        """Remove unfinished files of a killed run, before this one writes any game."""
        self._store.clear_unfinished()

    def trim_to_bounds(self) -> None:
        """Remove games beyond the bounds: once the restored tables are known, and when the bounds change."""
        self._background.start_task(self.make_room())

    def save_game(self, table: Table, networks: Sequence[str] = ()) -> Awaitable[bool]:
        """Write a finished game; the result says whether its records may be deleted. `networks` opened the table."""
        if any(self._index.of_table(table.id)):
            self._filed_earlier = {each for each in self._filed_earlier if self._needed(each)} | {table.id}
        creator = Creator(_creator_of(table), self._hide_network(networks), tuple(users_of(table)))
        return self._background.start_task(self._save_or_queue(_Job(table, creator)))

    def find_games_of(self, table: str, user: UserId) -> list[KeptGame]:
        """Return the archived games of a table's id in which a user had a seat: one, unless its file was damaged."""
        return [game for game in self._index.of_table(table) if user in game.players]

    async def read_game(self, games: Sequence[KeptGame]) -> list[str]:
        """Return the lines of the first of a table's archived games that is whole.

        Raises FileNotFoundError if none is there, JournalError, and ScovilleError `damaged_game`.
        """
        damaged = None
        for game in games:
            with suppress(FileNotFoundError):
                lines = await self._read_lines(game)
                if lines is not None:
                    return lines
                damaged = game
        if damaged is None:
            raise FileNotFoundError
        sentence = "The server's file of this game is damaged; its host may have a backup."
        raise ScovilleError(Code.DAMAGED_GAME, sentence, {"table": damaged.table})

    async def read_filed_earlier(self, table: Table) -> list[str] | None:
        """Return the lines of a table's game that another run or node has filed; None if there is none that is whole.

        This version might write others, and there is one signed result of a game. Raises JournalError.
        """
        for game in self._index.of_table(table.id):
            with suppress(FileNotFoundError):
                lines = await self._read_lines(game)
                if lines is not None and is_game_of(table, lines):
                    return lines
        return None

    def was_filed_earlier(self, table: TableId) -> bool:
        """Whether another run or node has filed the game of a table that is still there."""
        return table in self._filed_earlier

    async def _read_lines(self, game: KeptGame) -> list[str] | None:
        """Return the lines of an archived game, None if it is damaged. Raises FileNotFoundError, JournalError."""
        try:
            content = await self._store.read_game(game.name)
            lines = await asyncio.to_thread(read_whole_lines, game.name, content, game.checksum)
        except FileNotFoundError:
            raise
        except OSError:  # of a damaged disk, or a file that was given away
            lines = None
        if lines is None:
            path = f"{self._store.place}/{game.name}"
            self._journal.report_damage(Damage(path=path, reason="The file is not exported. A backup may have it."))
        return lines

    def stop_retrying(self) -> None:
        """Stop retrying: games that could not be written are still in the journal."""
        self._closed = True
        if self._retry is not None:
            self._retry.cancel()

    def _hide_network(self, networks: Sequence[str]) -> str:
        """Return the pseudonym of an address's widest network, for this run only."""
        if not networks:
            return ""
        # With a secret of this run: a stolen journal must not tell who played from where.
        return hmac.digest(self._secret, networks[-1].encode(), "sha256")[:8].hex()

    # --- one game ---------------------------------------------------------------------------------------

    async def _save_or_queue(self, job: _Job) -> bool:
        if not worth_keeping(job.table) or await self._keep_game(job):
            self._failing.pop(job.table.id, None)
            return True
        # Beyond it nothing is lost: the records stay in the journal, and the next start archives them.
        if len(self._failing) < MOST_FAILING:
            self._failing[job.table.id] = job
            self._try_later()
        return False

    async def _keep_game(self, job: _Job) -> bool:
        table = job.table.id
        # One at a time for each game: a retry may meet the first attempt, and both write the same file.
        async with self._saving.hold_keys([table]):
            try:
                # The file first: a row without it would look like a game that somebody deleted.
                filed = await self.read_filed_earlier(job.table)
                content = _join_lines(filed) if filed else await asyncio.to_thread(self._export_game, job.table)
                name = await self._write_content(table, content)
                creator = replace(job.creator, checksum=checksum_of(content), size=len(content))
                await self._journal.write([Change(BOOK, name, msgspec.msgpack.encode(creator))])
            except OSError as error:
                _log.error(
                    "The game of table %s could not be saved to %s: %s.", table, self._store.place, error.strerror
                )
                return False
            except JournalError as error:
                _log.info("table %s: %s", table, error.message)
                return False
            await self.make_room()
        return True

    def _export_game(self, table: Table) -> bytes:
        """Export a game, in a thread: a long one has thousands of lines."""
        lines = export_game(table)
        assert not isinstance(lines, Refused), "only finished games are saved"
        return _join_lines([*lines, self._signer.sign_result(lines)])

    async def _write_content(self, table: str, content: bytes) -> str:
        """Store a game; returns its name. Raises OSError, JournalError."""
        # A table's id comes again only where a seed was given twice; then both games stay.
        names = chain([table], (f"{table}-{number}" for number in count(2)))
        while not await self._store.write_game(name := f"{next(names)}{SUFFIX}", content):
            pass
        return name

    async def make_room(self) -> None:
        names = [game.name for game in self._index.drop_surplus(self._is_needed)]
        if names:
            await self._store.remove_games(names)
            self._background.write_soon(self._journal.write([Change(BOOK, name, None) for name in names]))

    def _is_needed(self, table: TableId) -> bool:
        return table in self._failing or self._needed(table)

    # --- retries ----------------------------------------------------------------------------------------

    def _try_later(self) -> None:
        if self._retry is None and not self._closed:
            self._retry = self._call_later(
                self._delay.next_wait(), lambda: self._background.start_task(self._try_again())
            )

    async def _try_again(self) -> None:
        """Retry the failed writes until the disk refuses again."""
        for job in tuple(self._failing.values()):
            # The disk refuses still; to try all others would only write as many errors into the log.
            if not await self._keep_game(job):
                break
            del self._failing[job.table.id]
            self._saved(job.table)
        self._retry = None
        if self._failing:
            self._try_later()
        else:
            self._delay.start_over()


def checksum_of(content: bytes) -> bytes:
    """Compute the checksum of a game, as long as those of the journal's rows."""
    return blake2b(content, digest_size=8).digest()


def _join_lines(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def read_whole_lines(name: str, content: bytes, checksum: bytes) -> list[str] | None:
    """Return the lines of a stored game, None if it is damaged; a long one takes some time without a checksum.

    In rows of older versions there is none. Then the signature of the game says whether it has changed, and its header
    whether it is that of the table by which it is named; one from before there were signatures is only read.
    """
    if checksum and checksum_of(content) != checksum:
        return None
    try:
        # Not at other breaks, such as U+2028, which a text of another package's game may have.
        lines = content.decode().removesuffix("\n").split("\n")
        if checksum:
            return lines
        lines = [line.strip() for line in lines if line.strip()]
        game = read_game(lines)
    except (BrokenFile, UnicodeDecodeError):
        return None
    # A deal that several tables share has a name of its own, with a dash.
    if game.header.table != table_of(name) and "-" not in game.header.table:
        return None
    if game.signature is None:
        return None if game.outcome is None or is_signed_game(game) else lines
    return lines if is_result_signed(game) and lines[-1] == signature_line(game.signature) else None


def is_whole(name: str, content: bytes, checksum: bytes) -> bool:
    """Whether a stored game is as it was written, as far as its checksum or its signature says."""
    return checksum_of(content) == checksum if checksum else read_whole_lines(name, content, b"") is not None


class _Deal(Struct, frozen=True):
    """Fields that differ in the headers of any two games."""

    commitment: str
    nonces: list[str | None]
    started: datetime


def is_game_of(table: Table, lines: Sequence[str]) -> bool:
    """Whether the lines of a whole game are those of a finished table, whatever else their header says."""
    header = make_header(table)
    filed = msgspec.json.decode(lines[0], type=_Deal)
    return (filed.commitment, filed.nonces, filed.started) == (header.commitment, header.nonces, header.started)


class GameFaults(NamedTuple):
    """Names of stored games: those whose files are missing, and those whose files have changed."""

    missing: list[str]
    changed: list[str]


def find_game_faults(folder: Path, kept: JournalContents) -> GameFaults:
    """Compare the files of finished games with their checksums in the journal. Raises OSError."""
    missing, changed = [], []
    for name, row in kept.books.get(BOOK, ()):
        try:
            content = (folder / name).read_bytes()
        except FileNotFoundError:
            missing.append(name)
            continue
        except PermissionError:  # a matter of the folder and not of this file
            raise
        except OSError:
            changed.append(name)
            continue
        if not is_whole(name, content, _read_creator(row.value).checksum):
            changed.append(name)
    return GameFaults(missing, changed)


def worth_keeping(table: Table) -> bool:
    """Whether a finished game is archived: users played each other, or one played to the end.

    Games that bots finish alone would fill any disk.
    """
    users = [seat_state for seat_state in table.seats if seat_state.user is not None]
    return len(users) > 1 or any(seat_state.human for seat_state in users)


def _creator_of(table: Table) -> str:
    """Name the user who opened a table; for a default table, a seated one."""
    if table.opened.user != SERVER_USER:
        return table.opened.user
    return next((seat_state.user for seat_state in table.seats if seat_state.user is not None), SERVER_USER)


def _list_names(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def _read_creator(packed: bytes) -> Creator:
    try:
        return msgspec.msgpack.decode(packed, type=Creator)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Creator()
