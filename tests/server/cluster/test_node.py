"""A node of a cluster on a real engine: when it serves, and when it lets another one serve."""

from pathlib import Path

import pytest

from scoville_server.cluster import node as node_module
from scoville_server.cluster.node import ClusterNode, is_passing
from scoville_server.journal.base import Conflict
from scoville_server.journal.files.credential_file import CREDENTIAL
from scoville_server.journal.jetstream.engine import Place
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.net.listening import ListeningSockets
from scoville_server.nodes import standby
from scoville_server.nodes.settings import ClusterSettings
from scoville_server.settings.model import Settings
from tests.support.core import TlsDoor
from tests.support.nats_server import Opened
from tests.support.rpc import Refusal


async def test_node_lets_one_serve_that_was_faster(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    settings = Settings(host="127.0.0.1", port=0, data=tmp_path, cluster=ClusterSettings(servers=nats_place.servers))
    node, sockets = ClusterNode(settings), ListeningSockets()
    await node.join(sockets)
    try:
        await node.wait_for_turn(sockets)
        await node.close_port()
        other = await Opened(nats_place).serve("other", key=node._key)
        sockets = sockets.next_in_process()
        server = node.make_server(lambda: settings, sockets)
        with pytest.raises(Conflict) as late:
            await server.start()
        assert is_passing(late.value)
        await server.close()
        assert other.figures.state == "ready"
        await other.confirm_epoch()
        await other.close()
    finally:
        await node.leave()
        sockets.close_unused()
        sockets.close_kept()


async def test_waiting_node_sends_users_of_doors_on(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A door takes `door_refused` for the end: users of a node that had just been started were sent away."""
    monkeypatch.setattr(node_module, "place_of", lambda _: nats_place)
    monkeypatch.setattr(standby, "ASKED_SECONDS", 0.0)
    cluster, doors = ClusterSettings(servers=nats_place.servers), DoorSettings(enabled=True)
    node = ClusterNode(Settings(host="127.0.0.1", port=0, data=tmp_path, cluster=cluster, doors=doors))
    sockets = ListeningSockets()
    await node.join(sockets)
    try:
        assert node._waiting is not None
        TlsDoor.port = node._waiting.port
        for credential, code in ((None, "moved"), ("wrong", "door_refused")):
            more = {} if credential is None else {"credential": credential}
            async with TlsDoor(tmp_path, tmp_path / CREDENTIAL, **more) as anna:
                with pytest.raises(Refusal) as refused:
                    await anna.come("Anna")
                assert refused.value.code == code
    finally:
        await node.leave()
        sockets.close_unused()
        sockets.close_kept()
