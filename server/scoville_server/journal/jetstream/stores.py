"""Finished games and the audit log in a stream of the cluster, beside that of the journal."""

import asyncio
import logging
import secrets
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.clock import Clock
from scoville_server.background.eventual import finish_anyway
from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import Conflict, JournalError
from scoville_server.journal.jetstream.engine import Engine, Incoming, NoAnswer, Outgoing, Place
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.messages import escape_token
from scoville_server.journal.seals import checksum_of
from scoville_server.journal.stores import GameFile
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import AuditEntry

_log = logging.getLogger(__name__)

SUFFIX: Final = "-files"
"""The ending of this stream's name, behind that of the journal's: nodes that wait read the journal and not the
games."""
AUDIT: Final = "audit"
_PART_BYTES: Final = 524_288
"""Bytes of one message; the engine takes a mebibyte."""
_LEVEL: Final = 6
_ATTEMPTS: Final = 3
_PURGE_SECONDS: Final = 0.2


def place_of_files(place: Place) -> Place:
    """Return the place of finished games and the audit log, beside that of a journal."""
    return replace(place, name=place.name + SUFFIX)


def _report_unreadable() -> JournalError:
    return JournalError("The engine of the cluster does not answer; try again in a moment.", Code.BUSY)


ConfirmEpoch = Callable[[], Awaitable[None]]
"""Raises JournalError unless this node serves."""


class _Header(Struct, frozen=True, array_like=True):
    """A stored game: how many messages have its compressed content, and the seal of all of it."""

    parts: int
    seal: bytes


def _subject_of_header(name: str) -> str:
    return f"g.{escape_token(name)}"


def _subjects_of_parts(name: str, header: _Header) -> list[str]:
    # With the seal, so that another node's content under the same name is no part of this game.
    return [f"p.{escape_token(name)}.{header.seal.hex()}.{number}" for number in range(header.parts)]


def _seal_game(name: str, packed: bytes) -> bytes:
    return checksum_of("game", name, packed)


class GameStream:
    """A `GameStore` in the engine. Which games there are is what the journal's rows say, since these are fenced.

    Content that no row knows, such as that of a node which is not the serving one any more, harms nobody: the next node
    that archives the same game finds it there.

    Args:
        engine: The engine, connected to the stream of the files.
        insistence: Repeats unanswered requests to the engine.
        confirm_epoch: Is called before something is removed.
        clock: The clock.
    """

    def __init__(self, engine: Engine, insistence: Insistence, confirm_epoch: ConfirmEpoch, clock: Clock) -> None:
        self._engine = engine
        self._insistence = insistence
        self._confirm_epoch = confirm_epoch
        self._sleep = clock.sleep

    @property
    def place(self) -> str:
        return f"the stream {self._engine.place.name}"

    async def find_games(self, noted: Mapping[str, int]) -> list[GameFile]:
        return [GameFile(name, size) for name, size in noted.items()]

    def is_missing(self) -> bool:
        """Return False: the engine makes its stream when it is not there."""
        return False

    def clear_unfinished(self) -> None:
        """Do nothing: a game whose header is missing counts as absent."""

    async def write_game(self, name: str, content: bytes) -> bool:
        """Write a game, unless one of that name is there; returns whether that is the same. Raises JournalError."""
        packed = zlib.compress(content, _LEVEL)
        starts = range(0, len(packed), _PART_BYTES)
        header = _Header(len(starts), _seal_game(name, packed))
        present = await self._find_header(name)
        if present is not None:
            return present == header
        for subject, start in zip(_subjects_of_parts(name, header), starts, strict=True):
            part = Outgoing(subject, packed[start : start + _PART_BYTES], replaces=True)
            await self._insistence.publish_message(part, Conflict("games", name))
        # Last: without it the rest is no game.
        last = Outgoing(_subject_of_header(name), msgspec.msgpack.encode(header), expected=0)
        try:
            await self._insistence.publish_message(last, Conflict("games", name))
        except Conflict:
            return await self._find_header(name) == header
        return True

    async def _find_header(self, name: str) -> _Header | None:
        subject = _subject_of_header(name)
        found = await self._insistence.read_last([subject], self._insistence.deadline())
        if subject not in found:
            return None
        try:
            return msgspec.msgpack.decode(found[subject].payload, type=_Header)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return _Header(0, b"")  # damaged: another game, whose content is nowhere

    async def read_game(self, name: str) -> bytes:
        """Return a game, or nothing of one that the engine has lost or altered. Raises JournalError."""
        try:
            header = await self._find_header(name)
            if header is None:
                return b""
            subjects = _subjects_of_parts(name, header)
            found = await self._insistence.read_last(subjects, self._insistence.deadline())
        except JournalError:
            raise _report_unreadable() from None
        packed = b"".join(found[subject].payload for subject in subjects if subject in found)
        if _seal_game(name, packed) != header.seal:
            return b""
        return zlib.decompress(packed)

    async def remove_games(self, names: Iterable[str]) -> None:
        try:
            await self._confirm_epoch()
            for name in names:
                await self._purge(_subject_of_header(name))
                await self._purge(f"p.{escape_token(name)}.>")
        except JournalError as error:
            _log.error("Games cannot be removed from %s: %s", self.place, error.message)

    async def _purge(self, subject: str) -> None:
        await insist_on_purge(self._engine, subject, self._sleep)


async def insist_on_purge(
    engine: Engine, subject: str, sleep: Callable[[float], Awaitable[None]], before: int = 0
) -> None:
    """Remove the messages of a subject, perhaps only those before a sequence. Raises JournalError."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return await engine.purge(subject, before)
        except NoAnswer:
            await sleep(_PURGE_SECONDS)
    return await engine.purge(subject, before)


class _AuditMessage(Struct, frozen=True, array_like=True):
    """An entry, the seal of the one before, and the seal of all of it."""

    entry: bytes
    previous: bytes
    nonce: bytes
    seal: bytes

    def is_whole(self) -> bool:
        """Whether nothing of the message was altered."""
        return self.seal == _seal_entry(self.entry, self.previous, self.nonce)


def _seal_entry(entry: bytes, previous: bytes, nonce: bytes) -> bytes:
    return checksum_of("audit", "", entry, previous, nonce)


class AuditStream:
    """An `AuditStore` in the engine: each entry follows the one before by its sequence, and carries its seal.

    Args:
        engine: The engine, connected to the stream of the files.
        insistence: Repeats unanswered requests to the engine.
        confirm_epoch: Is called before something is removed, and when another node has added an entry.
        report_damage: Is called for entries that are altered or missing.
        clock: The clock.
    """

    def __init__(
        self,
        engine: Engine,
        insistence: Insistence,
        confirm_epoch: ConfirmEpoch,
        report_damage: ReportDamage,
        clock: Clock,
    ) -> None:
        self.latest_number = 0
        self._engine = engine
        self._insistence = insistence
        self._confirm_epoch = confirm_epoch
        self._report_damage = report_damage
        self._sleep = clock.sleep
        self._sequence = 0
        """That of the newest entry."""
        self._seal = b""
        self._adding = asyncio.Lock()
        self._reported: set[int] = set()

    async def load_entries(self) -> None:
        """Find the newest entry. Raises JournalError."""
        last = (await self._insistence.read_last([AUDIT], self._insistence.deadline())).get(AUDIT)
        if last is None:
            return
        message, entry = self._read_message(last)
        self._sequence = last.sequence
        self._seal = b"" if message is None else message.seal
        # A damaged one has used up its number all the same.
        self.latest_number = max(self.latest_number + (entry is None), 0 if entry is None else entry.number)

    def continue_after(self, number: int) -> None:
        """Take no number up to this one, which the journal has noted; entries that are missing are logged."""
        missing = number - self.latest_number
        if missing > 0:
            self._report_once(
                0, f"The newest {missing} of {number} entries of the audit log are missing in the engine."
            )
        self.latest_number = max(self.latest_number, number)

    def protect_entries(self) -> None:
        """Do nothing: who may read the engine's store is up to its servers."""

    async def add_entry(self, line: AuditEntry) -> AuditEntry:
        """Add an entry under the next number. Raises JournalError."""
        return await finish_anyway(self._add_locked(line))

    async def _add_locked(self, line: AuditEntry) -> AuditEntry:
        async with self._adding:
            for _ in range(_ATTEMPTS):
                numbered = replace(line, number=self.latest_number + 1)
                entry, nonce = msgspec.msgpack.encode(numbered), secrets.token_bytes(8)
                seal = _seal_entry(entry, self._seal, nonce)
                payload = msgspec.msgpack.encode(_AuditMessage(entry, self._seal, nonce, seal))
                message = Outgoing(AUDIT, payload, expected=self._sequence)
                try:
                    self._sequence = await self._insistence.publish_message(message, Conflict(AUDIT, ""))
                except Conflict:
                    # By a node that has not learned yet that this one serves, or by the one that does.
                    await self._confirm_epoch()
                    await self.load_entries()
                    continue
                self._seal, self.latest_number = seal, numbered.number
                return numbered
        raise JournalError("The server cannot write to its audit log, so nothing was changed; try again later.")

    async def entries_since(self, number: int, most: int) -> list[AuditEntry]:
        """Return the first entries after a number, oldest first. Raises JournalError."""
        until = self._insistence.deadline()
        while True:
            found: list[AuditEntry] = []
            read_to, previous = 0, None
            try:
                start = await self._find_sequence(number + 1)
                async for incoming in self._engine.read_from(start, AUDIT, most):
                    message, entry = self._read_message(incoming)
                    read_to = incoming.sequence
                    if entry is not None and message is not None:
                        if previous is not None and message.previous != previous:
                            self._report_once(
                                read_to, f"Entries before number {entry.number} of the audit log are missing."
                            )
                        found += [entry] if entry.number > number else []
                    previous = None if message is None else message.seal
                    if len(found) == most:
                        return found
            except NoAnswer:
                pass
            # A replica that is behind is asked again.
            if read_to >= self._sequence:
                return found
            try:
                await self._insistence.wait_to_retry(until)
            except JournalError:
                raise _report_unreadable() from None

    async def _find_sequence(self, number: int) -> int:
        """Return a sequence at or before which all entries have smaller numbers. Raises NoAnswer."""
        # By halves: entries were deleted, so a number does not say which sequence it has.
        low, high = 1, self._sequence
        while low < high:
            middle = (low + high) // 2
            entry = await self._read_first(middle)
            if entry is not None and entry.number < number:
                low = middle + 1
            else:
                high = middle
        return low

    async def _read_first(self, sequence: int) -> AuditEntry | None:
        """Return the first readable entry from a sequence on."""
        async for incoming in self._engine.read_from(sequence, AUDIT, 1):
            entry = self._read_message(incoming)[1]
            if entry is not None:
                return entry
        return None

    async def delete_older(self, at_ms: int) -> None:
        """Delete the entries before a time, but never the newest one. Raises JournalError."""
        await self._confirm_epoch()
        async for incoming in self._engine.read_from(1, AUDIT):
            entry = self._read_message(incoming)[1]
            if incoming.sequence >= self._sequence or (entry is not None and entry.at_ms >= at_ms):
                await insist_on_purge(self._engine, AUDIT, self._sleep, incoming.sequence)
                return

    def _read_message(self, incoming: Incoming) -> tuple[_AuditMessage | None, AuditEntry | None]:
        try:
            message = msgspec.msgpack.decode(incoming.payload, type=_AuditMessage)
            if message.is_whole():
                return message, msgspec.msgpack.decode(message.entry, type=AuditEntry)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            message = None
        self._report_once(
            incoming.sequence, f"The message {incoming.sequence} of the audit log is damaged; it is ignored."
        )
        return message, None

    def _report_once(self, sequence: int, reason: str) -> None:
        """Report something that is wrong, once."""
        if sequence not in self._reported:
            self._reported.add(sequence)
            self._report_damage(Damage(path=self._engine.place.name, reason=reason))
