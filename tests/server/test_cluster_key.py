"""Rotation of the key of a cluster: no node runs, an interruption is finished, and other nodes wait for the new key."""

from pathlib import Path

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server import cluster_key
from scoville_server.cluster_key import rotate_cluster_key
from scoville_server.identity import ServerKey
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import key_file
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.journal.jetstream.engine import Place
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.nodes.neighbours import Neighbours
from tests.support.nats_server import jetstream_journal

OLD = ServerKey.new_key()


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_key, "MISSING_SECONDS", 0.05)


async def join(place: Place, key: ServerKey) -> None:
    journal = jetstream_journal(place, key=key)
    try:
        await journal.open()
    finally:
        await journal.close()


async def test_nodes_join_with_the_new_key_alone(nats_place: Place, tmp_path: Path) -> None:
    await join(nats_place, OLD)
    key_file.write_key(tmp_path, OLD)
    rotated = await rotate_cluster_key(nats_place, tmp_path, signed=True)
    new = key_file.load_key(tmp_path)
    assert (rotated.before, rotated.now, rotated.signed) == (OLD.pin, new.pin, True)
    assert new.has_replaced(OLD)
    await join(nats_place, new)
    with pytest.raises(JournalError, match=r"Copy server\.key"):
        await join(nats_place, OLD)
    assert not (tmp_path / "server.key.next").exists()


async def test_stolen_key_is_replaced_without_its_signature(nats_place: Place, tmp_path: Path) -> None:
    await join(nats_place, OLD)
    await rotate_cluster_key(nats_place, tmp_path, signed=False)
    new = key_file.load_key(tmp_path)
    assert not new.has_replaced(OLD)
    await join(nats_place, new)


async def test_key_of_another_server_is_not_replaced(nats_place: Place, tmp_path: Path) -> None:
    key_file.write_key(tmp_path, OLD)
    with pytest.raises(JournalError, match="has no server yet"):
        await rotate_cluster_key(nats_place, tmp_path, signed=True)
    await join(nats_place, ServerKey.new_key())
    with pytest.raises(JournalError, match="is not that of the cluster"):
        await rotate_cluster_key(nats_place, tmp_path, signed=True)
    assert key_file.load_key(tmp_path).pin == OLD.pin


async def test_key_stays_while_a_node_runs(nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_key, "MISSING_SECONDS", 0.5)
    await join(nats_place, OLD)
    key_file.write_key(tmp_path, OLD)
    courier = EngineCourier(nats_place)
    await courier.connect()
    node = Neighbours(courier, "a", "a.example:1", SYSTEM)
    node.start_beating()
    with pytest.raises(JournalError, match=r"Nodes of the cluster run \(a\.example:1\)"):
        await rotate_cluster_key(nats_place, tmp_path, signed=True)
    node.stop_beating()
    await courier.close()
    assert key_file.load_key(tmp_path).pin == OLD.pin


@pytest.mark.parametrize("noted", [False, True])
async def test_interrupted_rotation_is_finished(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noted: bool
) -> None:
    await join(nats_place, OLD)
    key_file.write_key(tmp_path, OLD)

    class Killed(BaseException):
        pass

    publish = Insistence.publish_message

    async def die(self: Insistence, *arguments: object) -> int:
        if noted:
            await publish(self, *arguments)  # type: ignore[arg-type]
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Insistence, "publish_message", die)
        with pytest.raises(Killed):
            await rotate_cluster_key(nats_place, tmp_path, signed=True)
    rotated = await rotate_cluster_key(nats_place, tmp_path, signed=True)
    assert rotated.before == OLD.pin
    new = key_file.load_key(tmp_path)
    assert new.has_replaced(OLD)
    await join(nats_place, new)
