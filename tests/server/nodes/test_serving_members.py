"""Members as their beats tell, in virtual time."""

import asyncio

from scoville_server.nodes.election import BEAT_SECONDS, MISSING_SECONDS
from scoville_server.nodes.loads import NodeLoad
from scoville_server.nodes.members import Members, NodeId
from scoville_server.nodes.neighbours import Neighbours, ServingMembers
from tests.support import virtual_time
from tests.support.virtual_time import in_virtual_time
from tests.support.waiting_nodes import Air, AirCourier


class Node:
    """A node that beats, and what it has noted of the others."""

    def __init__(self, air: Air, name: str) -> None:
        self.courier: AirCourier = air.courier()
        self.neighbours = Neighbours(self.courier, name, f"{name}.example:1", virtual_time.make_clock())
        members = ServingMembers(self.neighbours, NodeId(name))
        self.note_gap = members.note_gap
        self.members: Members = members
        self.returned: list[str] = []
        self.members.follow_returns(self.returned.append)
        self.lost: list[str] = []
        self.gaps: list[float] = []
        self.members.follow_losses(self.lost.append)
        self.members.follow_gaps(lambda _: self.gaps.append(asyncio.get_running_loop().time()))
        self.neighbours.start_beating()

    def cut_off(self, *, ends: bool = False) -> None:
        self.courier.is_deaf = self.courier.is_mute = not ends


def make_nodes() -> list[Node]:
    air = Air()
    return [Node(air, name) for name in "abc"]


@in_virtual_time
async def test_members_are_those_that_serve_in_one_epoch() -> None:
    a, b, c = make_nodes()
    assert [*a.members.running_nodes()] == ["a"], "none of them serves yet"
    a.neighbours.begin_serving(3, 0.0)
    await asyncio.sleep(BEAT_SECONDS)
    assert [*a.members.running_nodes()] == ["a"]
    b.neighbours.begin_serving(3, 0.0)
    await asyncio.sleep(BEAT_SECONDS)
    for node in (a, b):
        assert [*node.members.running_nodes()] == ["a", "b"]
    assert (a.returned, b.returned) == (["b"], [])
    c.neighbours.begin_serving(4, 0.0)
    await asyncio.sleep(BEAT_SECONDS)
    assert [*c.members.running_nodes()] == ["c"], "the others were followed"
    b.neighbours.end_serving(leaving=True)
    assert [*a.members.running_nodes()] == ["a"]


@in_virtual_time
async def test_node_that_drains_inherits_nothing_and_draws_codes() -> None:
    nodes = make_nodes()
    for node in nodes:
        node.neighbours.begin_serving(3, 0.0)
        node.neighbours.read_load = lambda: NodeLoad(7, 2)
    await asyncio.sleep(3 * BEAT_SECONDS)
    a, b, c = nodes
    assert a.neighbours.list_loads() == {"b": NodeLoad(7, 2), "c": NodeLoad(7, 2)}
    tasks = [f"task {number}" for number in range(50)]
    assert {a.members.heir_of(task) for task in tasks} == {*"abc"}
    b.returned.clear()
    a.neighbours.begin_draining()
    await asyncio.sleep(BEAT_SECONDS / 2)
    assert b.returned == ["a"], "those who follow the nodes look again who does what"
    for node in nodes:
        assert {node.members.heir_of(task) for task in tasks} == {*"bc"}
        assert {node.members.heir_of(f"code {task}") for task in tasks} == {*"abc"}
        assert [*node.members.running_nodes()] == ["a", "b", "c"]
    for node in (b, c):
        node.neighbours.begin_draining()
    await asyncio.sleep(BEAT_SECONDS / 2)
    assert {c.members.heir_of(task) for task in tasks} == {*"abc"}, "somebody must"


@in_virtual_time
async def test_node_that_was_not_heard_is_missing_until_it_returns() -> None:
    nodes = make_nodes()
    b = nodes[1]
    for node in nodes:
        node.neighbours.begin_serving(1, 0.0)
    await asyncio.sleep(1)
    for node in nodes:
        node.returned.clear()
    b.cut_off()
    await asyncio.sleep(MISSING_SECONDS + BEAT_SECONDS)
    assert [[*node.members.running_nodes()] for node in nodes] == [["a", "c"], ["b"], ["a", "c"]]
    b.cut_off(ends=True)
    await asyncio.sleep(1)
    assert [node.returned for node in nodes] == [["b"], ["a", "c"], ["b"]]
    assert [[*node.members.running_nodes()] for node in nodes] == [["a", "b", "c"]] * 3


@in_virtual_time
async def test_one_lost_beat_is_a_gap_to_both_sides() -> None:
    nodes = a, b, _ = make_nodes()
    for node in (a, b):
        node.neighbours.begin_serving(1, 0.0)
    await asyncio.sleep(1)
    for node in nodes:
        node.returned.clear()
    b.cut_off()
    await asyncio.sleep(BEAT_SECONDS)
    assert [[*node.members.running_nodes()] for node in (a, b)] == [["a", "b"]] * 2
    b.cut_off(ends=True)
    await asyncio.sleep(1)
    assert [node.returned for node in nodes] == [["b"], ["a"], []]


@in_virtual_time
async def test_lost_connection_of_a_node_is_a_gap_to_all_others() -> None:
    nodes = a, b, _ = make_nodes()
    for node in (a, b):
        node.neighbours.begin_serving(1, 0.0)
    await asyncio.sleep(1)
    for node in nodes:
        node.returned.clear()
    a.note_gap()
    assert [node.returned for node in nodes] == [["b"], [], []]


@in_virtual_time
async def test_nodes_agree_on_each_heir_and_only_its_heritage_changes() -> None:
    nodes = make_nodes()
    for node in nodes:
        node.neighbours.begin_serving(1, 0.0)
    await asyncio.sleep(1)
    things = [f"table{number}" for number in range(300)]
    heirs = {thing: {node.members.heir_of(thing) for node in nodes} for thing in things}
    assert all(len(heir) == 1 for heir in heirs.values())
    former = {thing: min(heir) for thing, heir in heirs.items()}
    assert {name: [*former.values()].count(NodeId(name)) > 70 for name in "abc"} == dict.fromkeys("abc", True)
    nodes[2].neighbours.end_serving(leaving=True)
    now = {thing: nodes[0].members.heir_of(thing) for thing in things}
    assert all(now[thing] == heir for thing, heir in former.items() if heir != "c")
    assert "c" not in now.values()


@in_virtual_time
async def test_loss_of_a_node_is_told_once() -> None:
    a, b, c = nodes = make_nodes()
    for node in nodes:
        node.neighbours.begin_serving(1, 0.0)
    await asyncio.sleep(2)
    assert (a.lost, a.gaps) == ([], [])
    b.neighbours.stop_beating()
    await asyncio.sleep(MISSING_SECONDS + 2 * BEAT_SECONDS)
    assert (a.lost, b.lost, c.lost) == (["b"], [], ["b"])
    await asyncio.sleep(3)
    assert a.lost == ["b"]


@in_virtual_time
async def test_node_that_leaves_is_lost_at_once() -> None:
    a, b, _ = nodes = make_nodes()
    for node in nodes:
        node.neighbours.begin_serving(1, 0.0)
    await asyncio.sleep(2)
    b.neighbours.end_serving(leaving=True)
    assert a.lost == ["b"], "before its own next beat"
    await asyncio.sleep(2 * BEAT_SECONDS)
    assert (a.lost, b.lost) == (["b"], [])


@in_virtual_time
async def test_node_that_was_cut_off_has_lost_nobody() -> None:
    a, b, c = nodes = make_nodes()
    for node in nodes:
        node.neighbours.begin_serving(1, 0.0)
    await asyncio.sleep(2)
    a.cut_off()
    await asyncio.sleep(5)
    a.cut_off(ends=True)
    await asyncio.sleep(5)
    assert a.lost == []
    assert len(a.gaps) == 1
    assert (b.lost, b.gaps, c.lost) == (["a"], [], ["a"])


@in_virtual_time
async def test_node_that_hung_has_lost_nobody() -> None:
    a, b, c = nodes = make_nodes()
    for node in nodes:
        node.neighbours.begin_serving(1, 0.0)
    await asyncio.sleep(2)
    # Its loop does not run meanwhile: no beat is sent, and none is heard.
    a.neighbours.stop_beating()
    a.cut_off()
    await asyncio.sleep(5)
    a.cut_off(ends=True)
    a.neighbours.start_beating()
    await asyncio.sleep(5)
    assert (a.lost, b.lost, c.lost) == ([], ["a"], ["a"])
    assert len(a.gaps) >= 1


@in_virtual_time
async def test_node_that_hung_notices_it_before_its_next_beat() -> None:
    a, b, _ = make_nodes()
    for node in (a, b):
        node.neighbours.begin_serving(3, 0.0)
    await asyncio.sleep(1)
    # What waited in the sockets is read first, before any alarm rings.
    a.neighbours.stop_beating()
    await asyncio.sleep(0.9 * MISSING_SECONDS)
    a.neighbours.notice_hang()
    assert a.gaps == []
    await asyncio.sleep(0.2 * MISSING_SECONDS)
    a.neighbours.notice_hang()
    a.neighbours.notice_hang()
    assert len(a.gaps) == 1
