"""Keys that nodes hold, such as tables: each node knows which other one holds one."""

import asyncio
from typing import NamedTuple

import pytest

from scoville_server.nodes.bus import Address
from scoville_server.nodes.held_keys import HeldKeys
from scoville_server.nodes.members import NodeId
from tests.cluster.pair import Both, EndOfWire, Wire
from tests.support import virtual_time

A, B = NodeId("a"), NodeId("b")


class Pair(NamedTuple):
    wire: Wire
    members: dict[NodeId, Both]
    a: HeldKeys
    b: HeldKeys

    def end_gap(self) -> None:
        self.wire.is_cut = False
        self.members[A].note_return(B)
        self.members[B].note_return(A)


async def pair_of_nodes() -> Pair:
    wire = Wire()
    members = {node: Both(node) for node in (A, B)}
    a, b = (HeldKeys(members[node], EndOfWire(wire), "tables") for node in (A, B))
    await a.begin_sharing()
    a.hold_key("before", b"1")
    await b.begin_sharing()
    return Pair(wire, members, a, b)


async def test_other_node_is_found_by_each_key_that_it_holds() -> None:
    pair = await pair_of_nodes()
    pair.a.hold_key("after", b"2")
    assert [pair.b.find_holder(key) for key in ("before", "after", "neither")] == [A, A, None]
    assert [pair.b.find_value(key) for key in ("before", "after", "neither")] == [b"1", b"2", None]
    assert [*pair.b.list_elsewhere()] == [(A, "before", b"1"), (A, "after", b"2")]
    assert (pair.a.is_held_here("after"), pair.a.find_holder("after"), pair.b.is_held_here("after")) == (
        True,
        None,
        False,
    )


async def test_released_key_is_held_by_nobody() -> None:
    pair = await pair_of_nodes()
    pair.a.release_key("before")
    assert (pair.b.find_holder("before"), [*pair.b.list_elsewhere()]) == (None, [])


async def test_node_that_runs_no_more_holds_nothing() -> None:
    pair = await pair_of_nodes()
    pair.members[B].running = [B]
    assert (pair.b.find_holder("before"), pair.b.find_value("before"), [*pair.b.list_elsewhere()]) == (None, None, [])


async def test_node_that_said_last_that_it_holds_a_key_counts() -> None:
    wire = Wire()
    members = {node: Both(NodeId(node)) for node in "abc"}
    for each in members.values():
        each.running = [A, B, NodeId("c")]
    a, b, c = (HeldKeys(members[node], EndOfWire(wire), "tables") for node in "abc")
    for keys in (a, b, c):
        await keys.begin_sharing()
    a.hold_key("table")
    b.hold_key("table")
    assert c.find_holder("table") == B
    a.release_key("table")
    assert c.find_holder("table") == B
    a.hold_key("table")
    a.release_key("table")
    assert c.find_holder("table") == B


async def test_everything_is_told_again_after_a_gap() -> None:
    pair = await pair_of_nodes()
    pair.wire.is_cut = True
    pair.a.release_key("before")
    pair.a.hold_key("after", b"2")
    pair.b.hold_key("other", b"3")
    assert (pair.b.find_holder("before"), pair.b.find_holder("after"), pair.a.find_holder("other")) == (A, None, None)
    pair.end_gap()
    assert (pair.b.find_holder("before"), pair.b.find_value("after"), pair.a.find_value("other")) == (None, b"2", b"3")


@pytest.mark.parametrize("keys", [0, 1, 1_000, 1_001, 2_500])
async def test_everything_is_told_in_portions(keys: int) -> None:
    pair = await pair_of_nodes()
    pair.wire.is_cut = True
    pair.a.release_key("before")
    for key in range(keys):
        pair.a.hold_key(str(key), bytes(1_000))
    sizes: list[int] = []
    handle = pair.wire.ends[1].take_message

    def take_message(to: Address, message: bytes) -> None:
        sizes.append(len(message))
        handle(to, message)

    pair.wire.ends[1].take_message = take_message  # type: ignore[method-assign]
    pair.end_gap()
    assert [key for _, key, _ in pair.b.list_elsewhere()] == [str(key) for key in range(keys)]
    assert max(sizes) < 500_000


@virtual_time.in_virtual_time
async def test_what_is_released_while_everything_is_told_stays_released() -> None:
    pair = await pair_of_nodes()
    pair.wire.is_cut = True
    pair.a.hold_key("after")
    pair.wire.seconds = 0.01
    pair.end_gap()
    pair.a.release_key("after")
    await asyncio.sleep(1)
    assert [key for _, key, _ in pair.b.list_elsewhere()] == ["before"]


async def test_node_alone_publishes_nothing() -> None:
    wire = Wire()
    members = Both(A)
    members.running = [A]
    keys = HeldKeys(members, EndOfWire(wire), "tables")
    other = EndOfWire(wire)
    heard: list[bytes] = []
    await keys.begin_sharing()
    for subject in wire.ends[0].handlers:
        await other.subscribe(subject, heard.append)
    keys.hold_key("table")
    keys.release_key("table")
    assert heard == []


async def test_change_of_another_node_is_reported_with_what_it_holds_no_more() -> None:
    pair = await pair_of_nodes()
    noted: list[tuple[NodeId, dict[str, bytes], list[str]]] = []
    pair.b.on_change = lambda node, held, released: noted.append((node, dict(held), released))
    pair.a.hold_key("after", b"2")
    pair.a.release_key("before")
    assert noted == [(A, {"after": b"2"}, []), (A, {}, ["before"])]


async def test_what_was_put_off_is_held_before_all_keys_are_told() -> None:
    pair = await pair_of_nodes()
    pair.wire.is_cut = True
    pair.members[A].running = [A]
    assert not pair.a.are_heard
    pair.a.before_listing = lambda: pair.a.hold_key("late", b"4")
    pair.members[A].running = [A, B]
    pair.end_gap()
    assert pair.a.are_heard
    assert pair.b.find_value("late") == b"4"


@virtual_time.in_virtual_time
async def test_silent_nodes_are_asked_at_once() -> None:
    wire = Wire()
    names = [NodeId(name) for name in "abcd"]
    members = {node: Both(node) for node in names}
    for each in members.values():
        each.running = names
    every = [HeldKeys(members[node], EndOfWire(wire), "tables") for node in names]
    for keys in every[:3]:
        await keys.begin_sharing()
    wire.quick = 1.0
    began = asyncio.get_running_loop().time()
    # Two answer after a second there and one back; the last one has no answer to give.
    assert not await every[0].hear_others()
    assert asyncio.get_running_loop().time() - began == 2.0
