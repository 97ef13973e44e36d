"""The key of running nodes changes: none shows the former one after another has shown the new one."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from scoville_server.cluster.key_switch import HOLD_SECONDS, MISSED_SECONDS, SUCCESSOR, KeySwitch, SwitchRequest
from scoville_server.cluster.node_folder import open_node_folder
from scoville_server.identity import ServerKey
from scoville_server.journal.files import key_file
from scoville_server.journal.jetstream.engine import NoAnswer
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.nodes.neighbours import Neighbours
from tests.support import virtual_time
from tests.support.virtual_time import in_virtual_time
from tests.support.waiting_nodes import Air, AirCourier

OLD = ServerKey.new_key()
NEW = OLD.next_key()


class Port:
    """What a node does with its port, in the common list of all nodes."""

    def __init__(self, done: list[str]) -> None:
        self._done = done

    def hold_connections(self) -> None:
        self._done.append("hold")

    def use_key(self, key: ServerKey) -> None:
        assert key.public == NEW.public
        self._done.append("new key")

    def begin_accepting(self) -> None:
        self._done.append("accept")


class Cluster:
    """Two nodes with the old key; `noted` is what the cluster has noted, or why that cannot be read."""

    def __init__(self, folder: Path) -> None:
        self.done: list[str] = []
        self.noted: bytes | Exception = OLD.public
        self.clock = virtual_time.make_clock()
        self.air = Air()
        self.folders = [folder / name for name in ("a", "b")]
        self.switches = [self._start_node(each) for each in self.folders]
        self.courier = self.air.courier()
        self.heard = Neighbours(self.courier, "", "", self.clock)

    def _start_node(self, data: Path) -> KeySwitch:
        data.mkdir()
        key_file.write_key(data, OLD)
        (data / SUCCESSOR).write_bytes(NEW.as_file())
        courier: AirCourier = self.air.courier()
        neighbours = Neighbours(courier, data.name, f"{data.name}:1", self.clock)
        switch = KeySwitch(data, OLD, courier, neighbours, self._read_noted, self.clock)
        switch.port = Port(self.done)
        switch.start_watching()
        neighbours.start_beating()
        return switch

    async def _read_noted(self) -> bytes:
        if isinstance(self.noted, Exception):
            raise self.noted
        return self.noted

    async def ask(self) -> None:
        await asyncio.sleep(1)
        assert {heard.beat.successor for heard in self.heard.heard.values()} == {NEW.public}
        self.courier.send_message(msgspec.msgpack.encode(SwitchRequest(NEW.public)))
        await asyncio.sleep(0.5)
        assert self.done == ["hold", "hold"]
        assert all(heard.beat.holds for heard in self.heard.heard.values())

    def keys(self) -> list[bytes]:
        return [key_file.load_key(folder).public for folder in self.folders]


@in_virtual_time
async def test_all_nodes_hold_before_one_shows_the_new_key(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    await cluster.ask()
    cluster.noted = NEW.public
    await asyncio.sleep(1)
    assert cluster.done == ["hold", "hold", "new key", "accept", "new key", "accept"]
    assert cluster.keys() == [NEW.public] * 2
    assert {heard.beat.key for heard in cluster.heard.heard.values()} == {NEW.public}
    assert not any((folder / SUCCESSOR).exists() for folder in cluster.folders)


@in_virtual_time
async def test_key_stays_when_the_switch_does_not_come(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    await cluster.ask()
    await asyncio.sleep(HOLD_SECONDS + 1)
    assert cluster.done == ["hold", "hold", "accept", "accept"]
    assert cluster.keys() == [OLD.public] * 2
    # Whoever asked was only late: better soon than at the next start.
    cluster.noted = NEW.public
    await asyncio.sleep(2)
    assert cluster.done[4:] == ["new key", "new key"]


@pytest.mark.parametrize("why", [NoAnswer(), OSError("the connection is closed")])
@in_virtual_time
async def test_nodes_hold_until_they_know_which_key_is_right(tmp_path: Path, why: Exception) -> None:
    cluster = Cluster(tmp_path)
    cluster.noted = why
    await cluster.ask()
    await asyncio.sleep(3 * HOLD_SECONDS)
    assert cluster.done == ["hold", "hold"]
    cluster.noted = NEW.public
    await asyncio.sleep(1)
    assert cluster.keys() == [NEW.public] * 2


@in_virtual_time
async def test_node_that_has_not_heard_the_request_takes_the_key_that_is_noted(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    late = cluster.air.couriers[1]
    # It hangs; beats that were sent before are all that the others know of it.
    await asyncio.sleep(1)
    late.is_deaf = late.is_mute = True
    cluster.courier.send_message(msgspec.msgpack.encode(SwitchRequest(NEW.public)))
    cluster.noted = NEW.public
    await asyncio.sleep(0.2)
    assert cluster.keys() == [NEW.public, OLD.public]
    late.is_deaf = late.is_mute = False
    await asyncio.sleep(MISSED_SECONDS + 1)
    assert cluster.keys() == [NEW.public] * 2
    assert cluster.done == ["hold", "new key", "accept", "new key"]
    assert {heard.beat.key for heard in cluster.heard.heard.values()} == {NEW.public}


@in_virtual_time
async def test_node_without_the_key_that_is_noted_accepts_nobody_until_it_has_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = Cluster(tmp_path)
    lacking = cluster.folders[1] / SUCCESSOR
    lacking.unlink()
    await asyncio.sleep(1)
    cluster.courier.send_message(msgspec.msgpack.encode(SwitchRequest(NEW.public)))
    cluster.noted = NEW.public
    await asyncio.sleep(2 * MISSED_SECONDS)
    assert cluster.done == ["hold", "new key", "accept", "hold"]
    assert [record.message for record in caplog.records if "accepts nobody" in record.message] != []
    lacking.write_bytes(NEW.as_file())
    await asyncio.sleep(MISSED_SECONDS + 1)
    assert cluster.done[4:] == ["new key", "accept"]
    assert cluster.keys() == [NEW.public] * 2


@in_virtual_time
async def test_copied_keys_are_taken_away_from_other_users(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    copy = cluster.folders[0] / SUCCESSOR
    copy.chmod(0o644)
    await asyncio.sleep(5)
    assert copy.stat().st_mode & 0o777 == 0o600
    key = cluster.folders[0] / key_file.KEY
    key.chmod(0o644)
    opened = open_node_folder(cluster.folders[0], DoorSettings())
    assert key.stat().st_mode & 0o777 == 0o600
    opened.lock.release_folder()


@pytest.mark.parametrize("noted", [OLD, NEW])
@in_virtual_time
async def test_node_that_was_away_takes_the_key_that_is_noted(tmp_path: Path, noted: ServerKey) -> None:
    cluster = Cluster(tmp_path)
    switch = cluster.switches[0]
    switch.finish_switch(noted.public)
    assert switch.key.public == noted.public
    assert cluster.keys() == [noted.public, OLD.public]


@in_virtual_time
async def test_request_for_another_key_is_ignored(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    await asyncio.sleep(1)
    cluster.courier.send_message(msgspec.msgpack.encode(SwitchRequest(OLD.next_key().public)))
    (cluster.folders[0] / SUCCESSOR).write_bytes(b"no key")
    await asyncio.sleep(1)
    cluster.courier.send_message(msgspec.msgpack.encode(SwitchRequest(NEW.public)))
    await asyncio.sleep(1)
    assert cluster.done == ["hold"]
