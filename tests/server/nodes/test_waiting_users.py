"""Users who come to nodes that wait, in virtual time."""

import asyncio

import pytest

from scoville_server.nodes.election import (
    BEAT_SECONDS,
    DOUBTFUL_SECONDS,
    MISSING_SECONDS,
    OVERDUE_SECONDS,
)
from scoville_server.nodes.neighbours import UNDER_WAY_SECONDS
from scoville_server.nodes.standby import ASKED_SECONDS, CROWD, CROWD_LOOK_SECONDS, LOOK_SECONDS
from tests.support.virtual_time import in_virtual_time
from tests.support.waiting_nodes import Nodes, ask_node


@in_virtual_time
async def test_waiting_node_names_the_one_that_serves() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    assert await ask_node(nodes, "b") == ("a.example:1", 0)
    nodes.neighbours["b"].served, nodes.neighbours["b"].since = None, nodes.clock.seconds()
    assert (await ask_node(nodes, "b"))[1] < 1


@in_virtual_time
async def test_users_wait_at_a_node_for_the_next_that_serves() -> None:
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    nodes.end("a")
    await asyncio.sleep(DOUBTFUL_SECONDS + 0.1)
    address, seconds = await ask_node(nodes, "c")
    assert address == "b.example:1"
    assert 0 < seconds < 1.5


@in_virtual_time
async def test_users_are_not_sent_back_to_a_node_that_has_just_ended() -> None:
    """They notice at once: until it was missed, hundreds went to and fro between it and the nodes that wait."""
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    assert await ask_node(nodes, "c") == ("a.example:1", 0)
    await asyncio.sleep(5)
    nodes.ports["a"], nodes.looks = "closed", 0
    nodes.end("a")
    ended = nodes.clock.seconds()
    answers = await asyncio.gather(*(ask_node(nodes, "c") for _ in range(100)))
    assert {address for address, _ in answers} == {"b.example:1"}
    assert nodes.clock.seconds() - ended < 2 * LOOK_SECONDS + OVERDUE_SECONDS
    assert nodes.looks <= 4, "one for all users, and those of the election"


@in_virtual_time
async def test_users_wait_in_front_of_the_node_that_is_about_to_take_over() -> None:
    """Let in, they would wait at it for nothing, and come again once its server accepts them."""
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    assert (await ask_node(nodes, "b"))[0] == "a.example:1"
    assert not nodes.holding
    await asyncio.sleep(1)
    nodes.ports["a"] = "closed"
    nodes.end("a")
    asking = [asyncio.ensure_future(ask_node(nodes, name)) for name in "bc"]
    await asyncio.sleep(0.01)
    assert nodes.holding == {"b"}
    await asyncio.sleep(1)
    assert [name for name, _ in nodes.turns] == ["a", "b"]
    assert nodes.holding == {"b"}, "its server has the port now"
    assert (await asking[1])[0] == "b.example:1"


@in_virtual_time
async def test_users_wait_in_front_of_a_node_that_looks_whether_another_one_serves() -> None:
    """The first user to come causes the look, and half of all came in before it had ended."""
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    nodes.look_seconds = 0.2
    asking = [asyncio.ensure_future(ask_node(nodes, name)) for name in "bc"]
    await asyncio.sleep(0.1)
    assert nodes.holding == {"b", "c"}
    assert [(await each)[0] for each in asking] == ["a.example:1"] * 2
    assert not nodes.holding
    await asyncio.sleep(1)
    nodes.ports["a"] = "closed"
    nodes.end("a")
    asking = [asyncio.ensure_future(ask_node(nodes, name)) for name in "bc"]
    await asyncio.sleep(0.1)
    assert nodes.holding == {"b", "c"}
    await asyncio.sleep(0.11)
    assert nodes.holding == {"b"}
    assert (await asking[1])[0] == "b.example:1"


@in_virtual_time
async def test_few_users_are_sent_back_to_a_node_whose_port_its_system_has_not_closed_yet() -> None:
    """It closes hundreds of connections one after the other: 216 of 900 were sent back in one takeover."""
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    nodes.end("a")
    asking = []
    for number in range(200):
        asking.append(asyncio.ensure_future(ask_node(nodes, "c")))
        await asyncio.sleep(0.002)
        if number == 2:
            nodes.ports["a"] = "closed"
    answers = [address for address, _ in await asyncio.gather(*asking)]
    assert answers.count("a.example:1") < CROWD + CROWD_LOOK_SECONDS / 0.002
    assert nodes.looks <= 6


@in_virtual_time
async def test_users_are_not_sent_back_by_a_beat_that_was_under_way_when_a_node_ended() -> None:
    """A node reads it late: hundreds of users come in that moment. 411 of 900 were sent back in one takeover."""
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    nodes.ports["a"] = "closed"
    nodes.end("a")
    asking = [asyncio.ensure_future(ask_node(nodes, name)) for name in "bc"]
    await asyncio.sleep(UNDER_WAY_SECONDS / 2)
    assert nodes.holding == {"b"}
    nodes.couriers["a"].is_mute = False
    nodes.neighbours["a"].send_beat()
    nodes.couriers["a"].is_mute = True
    assert nodes.neighbours["b"].serving_address == ""
    await asyncio.sleep(LOOK_SECONDS)
    assert nodes.holding == {"b"}
    assert (await asking[1])[0] == "b.example:1"


@in_virtual_time
async def test_node_that_does_not_take_over_lets_users_in_again() -> None:
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    # It hears the third one alone, which hears the serving one.
    heard = nodes.couriers["a"].send_message
    nodes.couriers["a"].send_message = lambda message: [  # type: ignore[method-assign, func-returns-value]
        handle(message) for name in ("a", "c") for handle in nodes.couriers[name].handlers
    ]
    nodes.ports["a"] = "closed"
    asking = asyncio.ensure_future(ask_node(nodes, "b"))
    await asyncio.sleep(0.01)
    assert nodes.holding == {"b"}
    await asyncio.sleep(MISSING_SECONDS + 2 * LOOK_SECONDS)
    assert not nodes.holding
    assert [name for name, _ in nodes.turns] == ["a"]
    nodes.couriers["a"].send_message = heard  # type: ignore[method-assign]
    assert (await asking)[0] == "a.example:1"


@in_virtual_time
async def test_users_wait_for_the_next_beat_of_a_node_that_only_seems_closed() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.ports["a"] = "closed"
    address, seconds = await ask_node(nodes, "b")
    assert address == "a.example:1"
    assert seconds <= BEAT_SECONDS
    assert [name for name, _ in nodes.turns] == ["a"]


@in_virtual_time
async def test_users_who_wait_at_the_next_node_itself_come_in_once_it_accepts_them() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.end("a")
    await asyncio.sleep(1)
    asking = asyncio.ensure_future(ask_node(nodes, "b"))
    await asyncio.sleep(1)
    assert [name for name, _ in nodes.turns] == ["a", "b"]
    assert not asking.done(), "it serves, and does not accept them yet"
    nodes.neighbours["b"].begin_accepting()
    assert (await asking)[0] == "b.example:1"
    nodes.neighbours["b"].end_serving(leaving=True)
    assert (await ask_node(nodes, "b"))[0] == ""


@in_virtual_time
async def test_users_wait_no_longer_than_some_seconds() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.log.is_away = True
    nodes.end("a")
    await asyncio.sleep(1)
    assert await ask_node(nodes, "b") == ("", pytest.approx(ASKED_SECONDS))
