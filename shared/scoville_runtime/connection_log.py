"""Debug log of connections at both ends: one line per message, state, error and end.

Each line is `#N SIGN TEXT`, where N numbers the connections of a process from 1. At the client:

    #1 = greeting
    #1 > 0 hello
    #1 > 86 bytes
    #1 < 412 bytes
    #1 < 0 HelloReply
    #1 = open
    #1 < notice table.event
    #1 ! 5 not_your_turn
    #1 ! The server at example:5757 is gone.
    #1 x closed

`>` was sent: a call's number and method, a notice's name, the bytes of one write. `<` was received: the bytes that
arrived together, then each message. `=` is a state of the connection, `!` an error (with the number of the call that it
answers), `x` the end. Parameters, results and the other end's sentences are never written: they hold tokens, passwords,
nonces, seeds and cards.
"""

import logging
from itertools import count
from typing import Final

SENT: Final = ">"
RECEIVED: Final = "<"


class ConnectionLogs:
    """The debug logs of one end. Nothing is written before its logger is at level DEBUG."""

    def __init__(self, name: str) -> None:
        self.logger = logging.getLogger(name)
        self._numbers = count(1)

    def open_log(self) -> "ConnectionLog":
        """Return the log of a new connection."""
        return ConnectionLog(self.logger, next(self._numbers))


class ConnectionLog:
    """Debug log of one connection. `on` tells once, when the connection begins, whether anything is written."""

    __slots__ = ("_logger", "number", "on")

    def __init__(self, logger: logging.Logger, number: int) -> None:
        self._logger = logger
        self.number = number
        self.on = logger.isEnabledFor(logging.DEBUG)

    def log_bytes(self, sign: str, size: int) -> None:
        """Write how many bytes arrived together, or left in one write."""
        if self.on:
            self._logger.debug("#%d %s %d bytes", self.number, sign, size)

    def log_message(self, sign: str, msgid: int, name: str) -> None:
        """Write a call by its method, or an answer by its kind, with its number."""
        if self.on:
            self._logger.debug("#%d %s %d %s", self.number, sign, msgid, name)

    def log_notice(self, sign: str, name: str) -> None:
        """Write a notice by its name."""
        if self.on:
            self._logger.debug("#%d %s notice %s", self.number, sign, name)

    def log_refusal(self, msgid: int, code: str) -> None:
        """Write the code of an error that answers a call."""
        if self.on:
            self._logger.debug("#%d ! %d %s", self.number, msgid, code)

    def log_error(self, reason: str) -> None:
        """Write why the connection ends: a code, or a sentence of this end's own."""
        if self.on:
            self._logger.debug("#%d ! %s", self.number, reason)

    def log_state(self, state: str, *, ends: bool, address: str = "") -> None:
        """Write a new state."""
        if self.on:
            self._logger.debug("#%d %s %s%s", self.number, "x" if ends else "=", state, address and f" {address}")
