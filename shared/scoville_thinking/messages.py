"""Messages between the pool and its processes: pickled values, each after its length."""

import pickle
import struct
from typing import IO, Final, NamedTuple, Protocol

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.search import Question

MOST_BYTES: Final = 64 * 1024 * 1024
"""Bytes of a message: the work of a review has some thousand."""
_LENGTH: Final = struct.Struct(">I")


class Task(NamedTuple):
    """A question with its budget in playouts, its seed, and the seconds after which it is cut."""

    question: Question
    playouts: int
    seed: int
    seconds: float


class WarmUp(NamedTuple):
    """The order to compile the kernel of a level before its first question; it is answered with None."""

    game: str
    level: str


class Work(Protocol):
    """Any other work for a process, such as a coach's figures; what `run` returns is the answer.

    Beyond `seconds` the process may be taken for one that hangs.
    """

    @property
    def seconds(self) -> float:
        """Seconds that the work may take at most."""

    def run(self, machine: Machine) -> object:
        """Do the work on the fastest machine."""


def send_message(stream: IO[bytes], value: object) -> None:
    """Write a value. Raises OSError."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive_message(stream: IO[bytes]) -> object:
    """Read a value. Raises EOFError at the end of the stream, ValueError for more than `MOST_BYTES`."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (size,) = _LENGTH.unpack(head)
    if size > MOST_BYTES:
        raise ValueError(f"a message of {size:,} bytes; at most {MOST_BYTES:,} are read")
    return pickle.loads(stream.read(size))  # noqa: S301 - between our own processes
