"""The newest sequences that a node has seen: a file beside its key, which its next start compares with the engine.

The engine's own checks find a hole in what is left. A row that is gone from all of its servers, the newest messages of
a table, or everything, as after a purge or where servers came back with an old copy of their store, leave no hole. So a
node notes the sequence of each table and each row that it knows; sequences never go back. It is written now and then,
and not at each change, so the last seconds before a crash of all nodes are not compared.
"""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from scoville_runtime.atomic_files import replace_file
from scoville_runtime.clock import SYSTEM, Clock

SEEN: Final = "engine.seen"

SAVE_SECONDS: Final = 15.0
_SUBJECTS_A_SECOND: Final = 1_000
"""The more there is to note, the more rarely it is written: a server must not be busy with that."""

_log = logging.getLogger(__name__)


class Seen(Struct, frozen=True, array_like=True):
    """The newest sequences that a node has seen.

    Attributes:
        stream: When the stream was made, as the engine says it: another one has other sequences.
        at_ms: When this was noted, in milliseconds since 1970.
        sequences: The sequence of the newest message of each subject.
    """

    stream: str
    at_ms: int
    sequences: dict[str, int]

    @property
    def newest(self) -> int:
        """The newest sequence of all."""
        return max(self.sequences.values(), default=0)


class SeenFile:
    """The file of a node, which writes it while it follows the engine.

    Args:
        clock: The clock.

    Attributes:
        folder: The data folder; None until the node has one, and nothing is noted.
    """

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self.folder: Path | None = None
        self._clock = clock
        self._next = clock.seconds()
        self._has_failed = False

    @property
    def is_due(self) -> bool:
        """Whether the next write is due."""
        return self.folder is not None and self._clock.seconds() >= self._next

    def read_seen(self) -> Seen | None:
        """Read the node's note; None for nothing, or what cannot be read after a crash of the machine."""
        if self.folder is None:
            return None
        try:
            return msgspec.msgpack.decode((self.folder / SEEN).read_bytes(), type=Seen)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            _log.warning("What this node has last seen in the engine cannot be read: %s", error)
            return None

    async def write_seen(self, stream: str, sequences: Mapping[str, int]) -> None:
        """Write the sequences that the node has seen; a disk that refuses does not end the node."""
        self._next = self._clock.seconds() + max(SAVE_SECONDS, len(sequences) / _SUBJECTS_A_SECOND)
        if self.folder is not None:
            seen = Seen(stream, self._clock.date_ms(), dict(sequences))
            await asyncio.to_thread(self._replace, self.folder / SEEN, seen)

    def _replace(self, path: Path, seen: Seen) -> None:
        try:
            replace_file(path, msgspec.msgpack.encode(seen))
        except OSError as error:
            # Once, and not four times a minute: a full disk stays full for long.
            if not self._has_failed:
                _log.warning("What this node has seen in the engine cannot be noted: %s", error)
            self._has_failed = True
        else:
            if self._has_failed:
                _log.warning("What this node has seen in the engine is noted again.")
            self._has_failed = False
