"""Debug log of connections: one line per message, state, error and end.

Each line is `TIME #N SIGN TEXT`, where N numbers the connections of this process from 1:

    12:00:01.250 #1 = greeting
    12:00:01.251 #1 > 0 hello
    12:00:01.251 #1 > 86 bytes
    12:00:01.260 #1 < 412 bytes
    12:00:01.260 #1 < 0 HelloReply
    12:00:01.260 #1 = open
    12:00:04.100 #1 < notice table.event
    12:00:07.020 #1 ! 5 not_your_turn
    12:00:09.000 #1 ! The server at example:5757 is gone.
    12:00:09.000 #1 x closed

`>` was sent: the number and method of a call, then its bytes. `<` was received: the bytes that arrived together, then
each message. `=` is a state of `ConnectionState`, `!` an error (with the number of the call that it answers), `x` the
end. The server's debug log has the same signs. Parameters, results and the server's sentences are never written: they
hold tokens, passwords, nonces and seeds.
"""

import logging
from itertools import count
from pathlib import Path

from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import Answer
from scoville_shared.protocol.messages import METHOD_OF, NOTICE_OF, Notice, Params
from scoville_shared.protocol.state import ConnectionState

_logger = logging.getLogger("scoville.connection")
_numbers = count(1)
_LONGEST_CODE = 40
"""Characters of an error's code that are written: it comes from the server."""


def write_debug_log(file: Path) -> None:
    """Append the debug log of all connections of this process to a file, which only its owner may read.

    Raises OSError when the file cannot be written.
    """
    file.touch(mode=0o600)
    handler = logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%H:%M:%S"))
    _logger.addHandler(handler)
    _logger.setLevel(logging.DEBUG)
    _logger.propagate = False


class ConnectionLog:
    """Debug log of one connection; it costs next to nothing while nobody has asked for it."""

    def __init__(self) -> None:
        self._number = next(_numbers)

    def log_call(self, msgid: int, params: Params, size: int) -> None:
        """Write a call with its size in bytes."""
        self._write_line(">", "%d %s", msgid, METHOD_OF[type(params)])
        self._write_line(">", "%d bytes", size)

    def log_arrived(self, size: int) -> None:
        """Write how many bytes have arrived together."""
        self._write_line("<", "%d bytes", size)

    def log_message(self, message: Answer | Notice) -> None:
        """Write an answer by its call's number and kind or error code, a notice by its name."""
        if not isinstance(message, Answer):
            self._write_line("<", "notice %s", NOTICE_OF[type(message)])
        elif isinstance(message.result, ScovilleError):
            self._write_line("!", "%d %s", message.msgid, _printable_code(message.result.code))
        else:
            self._write_line("<", "%d %s", message.msgid, type(message.result).__name__)

    def log_state(self, state: ConnectionState) -> None:
        """Write a new state; CLOSED is the end."""
        self._write_line("x" if state is ConnectionState.CLOSED else "=", state.value)

    def log_error(self, reason: str) -> None:
        """Write why the connection ends: a sentence of the client's own."""
        self._write_line("!", "%s", reason)

    def _write_line(self, sign: str, text: str, *values: object) -> None:
        if _logger.isEnabledFor(logging.DEBUG):
            _logger.debug(f"#%d %s {text}", self._number, sign, *values)


def _printable_code(code: str) -> str:
    known = (sign.isascii() and (sign.isalnum() or sign == "_") for sign in code)
    return "".join(sign if kept else "?" for sign, kept in zip(code[:_LONGEST_CODE], known, strict=False))
