"""State machine of a connection: both ends pass through the same states, by one transition function.

    CONNECTING → GREETING → OPEN → CLOSING → CLOSED
                 GREETING ───────→ CLOSING

Every state may be followed by CLOSED, since a network fails at any time. CLOSED is final: an end that reconnects
starts with a new connection.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class ConnectionState(Enum):
    """Where a connection is in its life.

    - CONNECTING: there is no transport yet.
    - GREETING: bytes can travel, but `hello` has not been answered.
    - OPEN: `hello` has been answered without an error; every request is allowed.
    - CLOSING: the goodbye is on its way; nothing is read any more.
    - CLOSED: the transport is gone.
    """

    CONNECTING = "connecting"
    GREETING = "greeting"
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"


_S = ConnectionState

TRANSITIONS: Final[Mapping[ConnectionState, frozenset[ConnectionState]]] = {
    _S.CONNECTING: frozenset({_S.GREETING, _S.CLOSED}),
    _S.GREETING: frozenset({_S.OPEN, _S.CLOSING, _S.CLOSED}),
    _S.OPEN: frozenset({_S.CLOSING, _S.CLOSED}),
    _S.CLOSING: frozenset({_S.CLOSED}),
    _S.CLOSED: frozenset(),
}
"""The states that may follow each state."""


class IllegalTransition(Exception):
    """A connection was moved to a state that cannot follow its present one: a fault of our own code."""


def check_transition(
    present: ConnectionState,
    following: ConnectionState,
    allowed: Mapping[ConnectionState, frozenset[ConnectionState]] = TRANSITIONS,
) -> ConnectionState:
    """Return `following` if it may follow `present`, by default in a single connection. Raises IllegalTransition."""
    if following not in allowed[present]:
        raise IllegalTransition(f"A connection that is {present.value} cannot become {following.value}.")
    return following
