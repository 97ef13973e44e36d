"""Stores beside the records: finished games and the audit log, in files of one machine or with a cluster's journal."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from scoville_shared.protocol.messages import AuditEntry


class GameFile(NamedTuple):
    """A stored game: its name and its size in bytes."""

    name: str
    size: int


class GameStore(Protocol):
    """Storage of finished games: contents by name, each written once."""

    @property
    def place(self) -> str:
        """Where the games are, for the host."""

    async def find_games(self, noted: Mapping[str, int]) -> list[GameFile]:
        """Return the games that are there, oldest first, and change nothing.

        `noted` are the names that the journal knows, with their sizes, 0 for unknown ones.
        """

    def is_missing(self) -> bool:
        """Whether the whole store is not there, as in a copy without it."""

    def clear_unfinished(self) -> None:
        """Remove unfinished files of a killed run, and let only the owner read the others."""

    async def write_game(self, name: str, content: bytes) -> bool:
        """Store a game; returns whether it is there now, and not another one of the same name.

        Raises OSError or JournalError.
        """

    async def read_game(self, name: str) -> bytes:
        """Return a game, nothing of one that is lost or altered where the store notices that.

        Raises OSError for one that is not there, JournalError when it cannot be read now.
        """

    async def remove_games(self, names: Iterable[str]) -> None:
        """Remove games; what cannot be removed is logged."""


class AuditStore(Protocol):
    """Storage of the entries of the audit log."""

    @property
    def latest_number(self) -> int:
        """The number of the newest entry, 0 for none."""

    async def load_entries(self) -> None:
        """Find the entries of earlier runs, and change nothing. Raises JournalError."""

    def continue_after(self, number: int) -> None:
        """Take no number up to this one, which the journal has noted; entries that are missing are logged."""

    def protect_entries(self) -> None:
        """Make the file readable for its owner only. Raises JournalError."""

    async def add_entry(self, line: AuditEntry) -> AuditEntry:
        """Store an entry under the next number and return it. Raises JournalError if it could not be stored."""

    async def entries_since(self, number: int, most: int) -> list[AuditEntry]:
        """Return the first entries after a number, oldest first. Raises JournalError."""

    async def delete_older(self, at_ms: int) -> None:
        """Delete the entries before a time, but never the newest one. Raises JournalError."""


@runtime_checkable
class KeepsStores(Protocol):
    """A journal that keeps finished games and the audit log as well, where files of one machine would not do."""

    @property
    def games(self) -> GameStore:
        """The finished games."""

    @property
    def audit(self) -> AuditStore:
        """The audit log."""
