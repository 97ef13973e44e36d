"""States of a connection: every legal and illegal transition."""

from itertools import product

import pytest

from scoville_shared.protocol.connection import ClientConnection, ServerConnection
from scoville_shared.protocol.state import ConnectionState, IllegalTransition, check_transition

CONNECTING, GREETING, OPEN, CLOSING, CLOSED = ConnectionState

LEGAL = [
    (CONNECTING, GREETING),
    (CONNECTING, CLOSED),
    (GREETING, OPEN),
    (GREETING, CLOSING),
    (GREETING, CLOSED),
    (OPEN, CLOSING),
    (OPEN, CLOSED),
    (CLOSING, CLOSED),
]
ILLEGAL = [pair for pair in product(ConnectionState, repeat=2) if pair not in LEGAL]


@pytest.mark.parametrize(("present", "following"), LEGAL)
def test_a_legal_transition_is_the_following_state(present: ConnectionState, following: ConnectionState) -> None:
    assert check_transition(present, following) is following


@pytest.mark.parametrize(("present", "following"), ILLEGAL)
def test_an_illegal_transition_raises_and_names_both_states(
    present: ConnectionState, following: ConnectionState
) -> None:
    with pytest.raises(IllegalTransition, match=f"{present.value} cannot become {following.value}"):
        check_transition(present, following)


@pytest.mark.parametrize("kind", [ClientConnection, ServerConnection])
def test_illegal_transitions_keep_the_state(
    kind: type[ClientConnection] | type[ServerConnection],
) -> None:
    connection = kind()
    assert connection.state is CONNECTING

    connection.move_to(GREETING)
    with pytest.raises(IllegalTransition):
        connection.move_to(CONNECTING)

    assert connection.state is GREETING
