"""Users who come to a node that has not followed yet what another one has kept of them."""

import asyncio

import pytest
from msgspec.structs import replace

from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import outcome_of
from tests.cluster.several import MortalJournal, SeveralServers
from tests.support.accounts import PASSWORD, ed25519_keys
from tests.support.core import SSH, connect_hosted
from tests.support.server import Caller
from tests.support.virtual_time import in_virtual_time

EVERYTHING = frozenset({"names", "sessions", "users", "keys", "chat"})


async def come_behind(monkeypatch: pytest.MonkeyPatch) -> tuple[SeveralServers, Caller]:
    """Anna, who has claimed her name at node `a`; node `b` follows nothing of it yet."""
    monkeypatch.setattr(MortalJournal, "late_books", EVERYTHING)
    servers = SeveralServers("ab")
    await servers.start()
    servers.journals["b"].fall_behind()
    anna = await Caller(servers.servers["a"]).hello("Anna")
    await anna.call(m.ClaimNameRequest(password=PASSWORD))
    return servers, anna


@in_virtual_time
async def test_user_whose_token_a_node_does_not_know_yet_is_greeted_once_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    servers, anna = await come_behind(monkeypatch)
    assert anna.welcome is not None
    coming = asyncio.ensure_future(Caller(servers.servers["b"]).hello("Anna", anna.welcome.token))
    await asyncio.sleep(1)
    assert not coming.done()
    servers.journals["b"].catch_up()
    there = await coming
    assert there.welcome is not None
    assert (there.welcome.name, there.welcome.resumed, there.welcome.claimed) == ("Anna", True, True)


@in_virtual_time
async def test_user_of_an_unknown_token_is_no_newcomer_while_the_engine_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    servers, anna = await come_behind(monkeypatch)
    assert anna.welcome is not None
    servers.journals["b"].is_away = True
    hello = m.HelloRequest(protocol=m.PROTOCOL, name="Anna", token=anna.welcome.token)
    assert await outcome_of(Caller(servers.servers["b"]).call(hello)) == Code.BUSY
    # Who shows no token is known to nobody.
    assert (await Caller(servers.servers["b"]).hello("Dora")).welcome is not None


@in_virtual_time
async def test_user_whose_ssh_key_a_node_does_not_know_yet_is_the_same_one(monkeypatch: pytest.MonkeyPatch) -> None:
    servers, _ = await come_behind(monkeypatch)
    door = replace(SSH, key=ed25519_keys().line)
    here = await connect_hosted(servers.servers["a"], door, "Dora")
    # A guest without a seat is known to one node alone.
    await here.call(m.JoinRequest(table=await here.create()))
    coming = asyncio.ensure_future(connect_hosted(servers.servers["b"], door))
    await asyncio.sleep(1)
    assert not coming.done()
    servers.journals["b"].catch_up()
    there = await coming
    assert there.welcome is not None
    assert there.welcome.name == "Dora"
