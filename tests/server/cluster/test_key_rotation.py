"""Rotation of the key of a cluster, while no node runs and while all do."""

from pathlib import Path

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server.cluster import key_switch
from scoville_server.cluster.key_switch import SUCCESSOR, KeySwitch, Prepared, Replaced, rotate_cluster_key
from scoville_server.identity import ServerKey
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import key_file
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.member import KEY_ADVICE
from scoville_server.journal.jetstream.mirror import CLUSTER, Mirror
from scoville_server.journal.key_rotation import Rotated
from scoville_server.nodes.election import MISSING_SECONDS
from scoville_server.nodes.neighbours import Neighbours
from tests.support.nats_server import jetstream_journal
from tests.support.server import until

OLD = ServerKey.new_key()


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_switch, "MISSING_SECONDS", 0.05)


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
    assert rotated == Replaced(Rotated(OLD.pin, new.pin, signed=True), tmp_path, copies=True)
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


class RunningNode:
    """A node with the old key, as far as its key is concerned."""

    def __init__(self, place: Place, data: Path) -> None:
        self.place, self.data = place, data
        self.courier, self.engine = EngineCourier(place), Engine(place)

    async def __aenter__(self) -> "RunningNode":
        self.data.mkdir()
        key_file.write_key(self.data, OLD)
        await self.courier.connect()
        await self.engine.connect()
        self.neighbours = Neighbours(self.courier, self.data.name, f"{self.data.name}.example:1", SYSTEM)
        self.switch = KeySwitch(self.data, OLD, self.courier, self.neighbours, self.read_noted, SYSTEM)
        self.switch.start_watching()
        self.neighbours.start_beating()
        return self

    async def read_noted(self) -> bytes:
        mirror = Mirror(self.engine, lambda _: None)
        await mirror.catch_up()
        row = mirror.find_row(CLUSTER, KEY_ADVICE)
        return b"" if row is None else row.value

    async def __aexit__(self, *_: object) -> None:
        self.switch.stop_watching()
        self.neighbours.stop_beating()
        await self.courier.close()
        await self.engine.close()


async def test_key_of_running_nodes_is_replaced_in_two_steps(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_switch, "MISSING_SECONDS", MISSING_SECONDS)
    await join(nats_place, OLD)
    async with RunningNode(nats_place, tmp_path / "a") as one, RunningNode(nats_place, tmp_path / "b") as other:
        prepared = await rotate_cluster_key(nats_place, one.data, signed=True)
        assert isinstance(prepared, Prepared)
        assert prepared.nodes == ["a.example:1", "b.example:1"]
        await until(lambda: one.neighbours.keys.successor != b"")  # it looks twice a second
        with pytest.raises(JournalError, match=r"do not have the next key yet: b\.example:1\. Copy"):
            await rotate_cluster_key(nats_place, one.data, signed=True)
        assert key_file.load_key(one.data).pin == OLD.pin
        (other.data / SUCCESSOR).write_bytes((one.data / SUCCESSOR).read_bytes())
        await until(lambda: other.neighbours.keys.successor == one.neighbours.keys.successor)
        replaced = await rotate_cluster_key(nats_place, one.data, signed=True)
        assert isinstance(replaced, Replaced)
        assert replaced.rotated == Rotated(OLD.pin, prepared.pin, signed=True)
        assert [key_file.load_key(each.data).pin for each in (one, other)] == [prepared.pin] * 2
        await join(nats_place, one.switch.key)
        with pytest.raises(JournalError, match=r"Copy server\.key"):
            await join(nats_place, OLD)


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
    assert isinstance(rotated, Replaced)
    assert rotated.rotated.before == OLD.pin
    new = key_file.load_key(tmp_path)
    assert new.has_replaced(OLD)
    await join(nats_place, new)
