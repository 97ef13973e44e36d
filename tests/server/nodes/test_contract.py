"""The contract of every implementation of the protocols in `nodes`."""

import pytest

from scoville_server.nodes.connections import LocalConnections, UserConnections
from scoville_server.nodes.directory import Directory, LocalDirectory
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import AnnouncedNotice, ByeNotice
from tests.support.server import RecordingPeer

T1, T2 = TableId("t1"), TableId("t2")
ANNA, BEN = UserId("anna"), UserId("ben")


@pytest.fixture
def directory() -> Directory[str]:
    return LocalDirectory()


def test_a_served_table_is_found_until_it_is_removed(directory: Directory[str]) -> None:
    directory.add(T2, "second")
    directory.add(T1, "first")
    assert (directory.find(T1), directory.find(T2), directory.all()) == ("first", "second", ["second", "first"])
    assert (T1 in directory, len(directory)) == (True, 2)
    directory.remove(T1)
    assert (T1 in directory, directory.all(), len(directory)) == (False, ["second"], 1)


def test_the_list_of_tables_may_be_walked_through_while_tables_are_removed(directory: Directory[str]) -> None:
    directory.add(T1, "first")
    for _ in directory.all():
        directory.remove(T1)
    assert directory.all() == []


def test_an_unknown_table_is_not_served_and_may_be_removed(directory: Directory[str]) -> None:
    directory.remove(T1)
    assert T1 not in directory
    with pytest.raises(ScovilleError) as refused:
        directory.find(T1)
    assert refused.value.code == Code.UNKNOWN_TABLE


@pytest.fixture
def peer() -> RecordingPeer:
    return RecordingPeer()


@pytest.fixture
def connections(peer: RecordingPeer) -> UserConnections:
    """Anna is connected, Ben is not."""
    return LocalConnections({ANNA: peer}.get)


def test_a_connected_user_is_notified_and_the_connection_closed(
    connections: UserConnections, peer: RecordingPeer
) -> None:
    notice, bye = AnnouncedNotice(text="Hello"), ByeNotice(code="banned", message="Go.")
    connections.notify(ANNA, notice)
    assert (connections.is_here(ANNA), connections.address(ANNA)) == (True, peer.address)
    assert peer.heard == [notice]
    connections.close(ANNA, bye)
    assert (peer.bye, peer.closed) == (bye, True)


def test_a_disconnected_user_is_reached_by_nothing(connections: UserConnections, peer: RecordingPeer) -> None:
    connections.notify(BEN, AnnouncedNotice(text="Hello"))
    connections.close(BEN, ByeNotice(code="banned", message="Go."))
    assert (connections.is_here(BEN), connections.address(BEN), peer.heard) == (False, "", [])
