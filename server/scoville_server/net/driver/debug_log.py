"""Debug log of the server's connections: one line per message, state, error and end.

Each line is `#N SIGN TEXT`, where N numbers the connections of this process from 1:

    #1 = greeting 192.0.2.7:50412
    #1 < 86 bytes
    #1 < 0 hello
    #1 > 412 bytes
    #1 = open
    #1 < 5 table.play
    #1 ! 5 not_your_turn
    #1 > notice table.event
    #1 = closing
    #1 x closed

`<` was received: the bytes that arrived together, then the number and the method of each request. `>` was sent: each
notice's name, then the bytes of one write. `=` is a state of `ConnectionState`, `!` the code of an error (with the
number of the request that it answers), `x` the end. Parameters, results and sentences are never written: they hold
tokens, passwords, nonces, seeds and cards.
"""

import logging
from itertools import count

from scoville_shared.protocol.messages import METHOD_OF, NOTICE_OF, Notice, Params
from scoville_shared.protocol.state import ConnectionState

LOGGER = logging.getLogger("scoville_server.connection")
_numbers = count(1)


class ConnectionLog:
    """Debug log of one connection. `on` tells once, when the connection begins, whether anything is written."""

    __slots__ = ("number", "on")

    def __init__(self) -> None:
        self.number = next(_numbers)
        self.on = LOGGER.isEnabledFor(logging.DEBUG)

    def log_received(self, size: int) -> None:
        """Write how many bytes arrived together."""
        if self.on:
            LOGGER.debug("#%d < %d bytes", self.number, size)

    def log_request(self, msgid: int, params: Params) -> None:
        """Write a request by its number and method."""
        if self.on:
            LOGGER.debug("#%d < %d %s", self.number, msgid, METHOD_OF[type(params)])

    def log_notice(self, notice: Notice) -> None:
        """Write a notice by its name."""
        if self.on:
            LOGGER.debug("#%d > notice %s", self.number, NOTICE_OF[type(notice)])

    def log_sent(self, size: int) -> None:
        """Write how many bytes left in one write."""
        if self.on:
            LOGGER.debug("#%d > %d bytes", self.number, size)

    def log_refusal(self, msgid: int, code: str) -> None:
        """Write the code of an error that answers a request."""
        if self.on:
            LOGGER.debug("#%d ! %d %s", self.number, msgid, code)

    def log_error(self, code: str) -> None:
        """Write the code of an error that ends the connection, or a short reason."""
        if self.on:
            LOGGER.debug("#%d ! %s", self.number, code)

    def log_state(self, state: ConnectionState, address: str = "") -> None:
        """Write a new state; CLOSED is the end."""
        if self.on:
            sign = "x" if state is ConnectionState.CLOSED else "="
            LOGGER.debug("#%d %s %s%s", self.number, sign, state.value, address and f" {address}")
