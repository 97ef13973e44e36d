"""Messages reach users who change nodes once, also where the node to which they come knows less than the other."""

import asyncio
from collections.abc import Sequence

import pytest

from scoville_server.journal.base import Change
from scoville_server.nodes.members import NodeId
from scoville_shared.protocol import messages as m
from tests.cluster.pair import outcome_of
from tests.cluster.several import SeveralServers
from tests.support.server import Caller
from tests.support.virtual_time import in_virtual_time


async def come_apart() -> tuple[SeveralServers, Caller, Caller]:
    """Anna at node `a`, and Ben, who reads the lobby there, while node `b` is behind."""
    servers = SeveralServers("ab")
    await servers.start()
    anna, ben = await servers.come("Anna", "a"), await servers.come("Ben", "a")
    await ben.call(m.WatchLobbyRequest())
    await anna.call(m.SayRequest(text="before"))
    servers.journals["b"].fall_behind()
    return servers, anna, ben


async def change_node(servers: SeveralServers, user: Caller) -> Caller:
    """Let a user leave node `a`, come to `b`, and watch the lobby there."""
    user.hang_up()
    assert user.welcome is not None
    there = await Caller(servers.servers["b"]).hello("Ben", user.welcome.token)
    await there.call(m.WatchLobbyRequest())
    await asyncio.sleep(0.1)
    return there


async def catch_up(servers: SeveralServers) -> None:
    servers.journals["b"].catch_up()
    await asyncio.sleep(0.1)


def heard(*users: Caller) -> list[str]:
    """The texts that have been sent to a user by all of their connections."""
    notices = (notice for user in users for notice in user.peer.heard)
    return [notice.message.text for notice in notices if isinstance(notice, m.SaidNotice)]


async def read(user: Caller, since: int, channel: m.Channel = "lobby") -> list[str]:
    reply = await user.call(m.ReadChatRequest(channel=channel, since=since))
    return [message.text for message in reply.messages]


@in_virtual_time
async def test_message_that_the_former_node_has_sent_is_not_sent_again() -> None:
    servers, anna, ben = await come_apart()
    await anna.call(m.SayRequest(text="one"))
    there = await change_node(servers, ben)
    await catch_up(servers)
    assert heard(ben, there) == ["before", "one"]
    await anna.call(m.SayRequest(text="two"))
    assert heard(ben, there) == ["before", "one", "two"]


@in_virtual_time
async def test_message_that_was_written_after_the_hello_is_sent_once_the_node_knows_it() -> None:
    servers, anna, ben = await come_apart()
    await anna.call(m.SayRequest(text="one"))
    there = await change_node(servers, ben)
    await anna.call(m.SayRequest(text="two"))
    await say_at_b(servers, "three")
    assert heard(there) == []
    await catch_up(servers)
    assert heard(ben, there) == ["before", "one", "two", "three"]


async def say_at_b(servers: SeveralServers, text: str) -> None:
    """Let a user of node `b` say something, which that node has to number behind messages it does not know."""
    await (await servers.come("Cleo", "b")).call(m.SayRequest(text=text))


@in_virtual_time
async def test_message_that_neither_node_has_sent_is_read() -> None:
    servers, anna, ben = await come_apart()
    await anna.call(m.SayRequest(text="one"))
    ben.hang_up()
    await anna.call(m.SayRequest(text="two"))
    there = await change_node(servers, ben)
    # The number that the user knows is new to this node.
    reading = asyncio.ensure_future(read(there, since=2))
    await asyncio.sleep(0.1)
    assert not reading.done()
    await catch_up(servers)
    assert await reading == ["two"]
    assert heard(ben, there) == ["before", "one"]


@in_virtual_time
async def test_message_that_was_not_there_to_be_read_is_sent() -> None:
    servers, anna, ben = await come_apart()
    ben.hang_up()
    await anna.call(m.SayRequest(text="one"))
    there = await change_node(servers, ben)
    assert await read(there, since=1) == []
    await catch_up(servers)
    assert heard(ben, there) == ["before", "one"]


@in_virtual_time
async def test_whispers_are_heard_once_as_well() -> None:
    servers, anna, ben = await come_apart()
    await anna.call(m.SayRequest(text="psst", to="Ben"))
    there = await change_node(servers, ben)
    await anna.call(m.SayRequest(text="well?", to="Ben"))
    await catch_up(servers)
    assert heard(ben, there) == ["before", "psst", "well?"]


@in_virtual_time
async def test_number_that_no_node_knows_counts_as_none() -> None:
    servers, _, ben = await come_apart()
    there = await change_node(servers, ben)
    await catch_up(servers)
    assert await read(there, since=99) == ["before"]


@in_virtual_time
async def test_number_cannot_be_looked_up_while_the_engine_is_away() -> None:
    servers, _, ben = await come_apart()
    servers.journals["b"].is_away = True
    there = await change_node(servers, ben)
    assert await outcome_of(there.call(m.ReadChatRequest(since=99))) == "busy"
    servers.journals["b"].is_away = False
    await asyncio.sleep(2)
    await say_at_b(servers, "one")
    await catch_up(servers)
    assert heard(there) == ["one"]


@in_virtual_time
async def test_message_of_a_table_that_moves_meanwhile_is_heard_once(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = SeveralServers("ab")
    await servers.start()
    anna, ben = await servers.come("Anna", "a"), await servers.come("Ben", "b")
    table = await anna.create("high_card", 2)
    await asyncio.sleep(0.1)
    await ben.call(m.WatchRequest(table=table))
    kept, write = asyncio.Event(), servers.journals["a"].write

    async def write_late(changes: Sequence[Change]) -> None:
        if changes[0].book == "chat":
            await kept.wait()
        await write(changes)

    monkeypatch.setattr(servers.journals["a"], "write", write_late)
    saying = asyncio.ensure_future(anna.call(m.SayRequest(text="Hello", table=table)))
    await asyncio.sleep(0.1)
    await servers.core("a").balance.move_table(table, "b")
    assert heard(ben) == []
    kept.set()
    await saying
    await asyncio.sleep(0.1)
    assert heard(ben) == ["Hello"]
    await anna.call(m.SayRequest(text="Well?", table=table))
    assert heard(ben) == ["Hello", "Well?"]
    assert heard(anna) == []


@in_virtual_time
async def test_message_of_a_table_that_two_nodes_have_for_a_moment_is_heard_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While the engine elects a leader, one node may be about to adopt a table whose owner is heard again."""
    servers = SeveralServers("ab")
    await servers.start()
    anna, ben, cleo = [await servers.come(name, node) for name, node in (("Anna", "a"), ("Ben", "b"), ("Cleo", "a"))]
    table = await anna.create("high_card", 3)
    await asyncio.sleep(0.1)
    for user in (ben, cleo):
        await user.call(m.WatchRequest(table=table))
    readers = [*servers.core("a").tables.find_table(table).watched.list_recipients()]
    monkeypatch.setattr(servers.core("a").nodes.directory, "find_owner", lambda _: NodeId("b"))
    monkeypatch.setattr(servers.core("b").chat._readers, "list_readers", lambda _: readers)
    await anna.call(m.SayRequest(text="Hello", table=table))
    await asyncio.sleep(0.1)
    assert (heard(ben), heard(cleo), heard(anna)) == (["Hello"], ["Hello"], [])
