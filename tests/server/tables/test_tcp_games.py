"""Whole games of Dicht dran over TCP, between clients that know only the protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared import replay
from tests.support.rpc import Refusal, RpcClient

GAME = "dicht_dran"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server(Settings(host="127.0.0.1", port=0))
    await server.start()
    yield server
    await server.close()


@pytest.fixture
async def lines() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def user(server: Server, lines: AsyncExitStack, name: str, token: str = "") -> RpcClient:
    client = await lines.enter_async_context(RpcClient(server.port))
    return await client.hello(name, token)


async def users(server: Server, lines: AsyncExitStack, *names: str) -> list[RpcClient]:
    return [await user(server, lines, name) for name in names]


async def open_table(host: RpcClient, seats: int, **options: Any) -> str:
    table: str = (await host.call("table.create", game=GAME, seat_count=seats, options=options))["info"]["table"]
    return table


async def sit(table: str, *players: RpcClient) -> None:
    for player in players:
        await player.call("table.join", table=table)


async def play_by_polling(player: RpcClient, table: str) -> dict[str, Any]:
    """Play the first legal move whenever one is due; returns the end. Ignores every notification."""
    since = 0
    while True:
        shot = await player.call("table.poll", table=table, since=since, wait_ms=20_000)
        since = shot["seq"]
        ends = [event for event in shot["events"] if event["kind"] == "finished"]
        if ends:
            end: dict[str, Any] = ends[0]
            return end
        if shot["seat"] in shot["pending"]:
            moves = (await player.call("table.moves", table=table))["moves"]
            nth = shot["move_counts"][shot["seat"]]
            await player.call("table.play", table=table, move=moves[0], nth=nth)


async def test_four_users_poll_through_a_game_with_a_spectator(server: Server, lines: AsyncExitStack) -> None:
    players = await users(server, lines, "Anna", "Ben", "Cleo", "Dora")
    watcher = await user(server, lines, "Zoe")
    table = await open_table(players[0], 4, cycles=1)
    await watcher.call("table.watch", table=table)
    await sit(table, *players)
    await players[0].call("table.start", table=table)
    ends = await asyncio.gather(*(play_by_polling(player, table) for player in players))
    assert all(end == ends[0] for end in ends)
    event = watcher.events()
    assert [event["seq"] for event in event] == list(range(1, ends[0]["seq"] + 1))
    assert event[-1] == ends[0]
    assert "drew_cards" not in {fact["fact"] for event in event for fact in event.get("facts", ())}
    exported = (await watcher.call("table.export", table=table))["lines"]
    verdict = replay.verify_game(replay.read_game(exported))
    assert verdict.verified, verdict


async def test_one_user_plays_against_bots(server: Server, lines: AsyncExitStack) -> None:
    (anna,) = await users(server, lines, "Anna")
    table = await open_table(anna, 4, cycles=1)
    await sit(table, anna)
    await anna.call("table.start", table=table, bots="greedy")
    end = await play_by_polling(anna, table)
    assert len(end["scores"]) == 4
    seats = (await anna.call("table.list"))["tables"][0]["seats"]
    assert [seat["kind"] for seat in seats] == ["human", "bot", "bot", "bot"]


async def test_a_pick_is_kept_secret_until_all_have_chosen(server: Server, lines: AsyncExitStack) -> None:
    anna, ben = await users(server, lines, "Anna", "Ben")
    table = await open_table(anna, 2)
    await sit(table, anna, ben)
    await anna.call("table.start", table=table)
    await ben.call("table.watch", table=table)
    card = (await anna.call("table.moves", table=table))["moves"][0]
    await anna.call("table.play", table=table, move=card)
    await ben.heard.wait()
    (_, event) = ben.notices[-1]
    assert event["event"]["facts"] == [{"fact": "chosen", "seat": 0}]
    assert event["view"]["chosen"] == [True, False]
    assert card["card"] not in event["view"]["hand"]


async def test_hostile_and_mistaken_commands_are_answered_and_harm_nobody(
    server: Server, lines: AsyncExitStack
) -> None:
    anna, ben, cleo = await users(server, lines, "Anna", "Ben", "Cleo")
    table = await open_table(anna, 2, cycles=1)
    await sit(table, anna, ben)

    async def code(client: RpcClient, method: str, **params: Any) -> str:
        with pytest.raises(Refusal) as refused:
            await client.call(method, **params)
        assert refused.value.message
        return refused.value.code

    assert await code(anna, "table.play", table=table, move={"card": 5}) == "not_started"
    assert await code(cleo, "table.join", table=table) == "table_full"
    assert await code(cleo, "table.start", table=table) == "not_seated"
    assert await code(ben, "table.start", table=table) == "not_host"
    await anna.call("table.start", table=table)
    assert await code(cleo, "table.join", table=table) == "already_started"
    assert await code(cleo, "table.play", table=table, move={"card": 5}) == "not_seated"
    assert await code(cleo, "table.create", game="poker", seat_count=4) == "unknown_game"
    assert await code(cleo, "table.create", game=GAME, seat_count=9) == "bad_seats"
    assert await code(cleo, "table.create", game=GAME, seat_count=4, options={"cycles": 0}) == "bad_options"
    assert await code(cleo, "table.export", table=table) == "not_finished"
    assert await code(cleo, "table.cheat", table=table) == "unknown_method"
    assert await code(cleo, "table.join", table=table, seat=-1) == "bad_params"
    assert await code(cleo, "hello", protocol=1) == "bad_params"
    assert await code(anna, "table.play", table=table, move={"card": 1}) == "not_in_hand"
    assert await code(anna, "table.play", table=table, move={"card": "63"}) == "bad_move"
    move = (await anna.call("table.moves", table=table))["moves"][0]
    await anna.call("table.play", table=table, move=move, nth=0)
    assert await code(anna, "table.play", table=table, move=move, nth=0) == "stale_move"
    assert await code(anna, "table.play", table=table, move=move) == "already_chosen"
    await asyncio.gather(play_by_polling(anna, table), play_by_polling(ben, table))


async def test_another_protocol_version_learns_what_to_install(server: Server, lines: AsyncExitStack) -> None:
    client = await lines.enter_async_context(RpcClient(server.port))
    with pytest.raises(Refusal, match="install scoville") as refused:
        await client.hello(protocol=0)
    assert refused.value.code == "upgrade_client"


async def test_a_new_connection_continues_the_seat_without_gap(server: Server, lines: AsyncExitStack) -> None:
    anna, ben = await users(server, lines, "Anna", "Ben")
    table = await open_table(anna, 2, cycles=1)
    await sit(table, anna, ben)
    await anna.call("table.start", table=table)
    before = await anna.call("table.watch", table=table)
    again = await user(server, lines, "", token=anna.token)
    await anna.closed.wait()
    assert anna.notices[-1][0] == "bye"
    assert anna.notices[-1][1]["code"] == "taken_over"
    move = (await ben.call("table.moves", table=table))["moves"][0]
    await ben.call("table.play", table=table, move=move)
    after = await again.call("table.watch", table=table, since=before["seq"])
    assert (again.name, after["seat"]) == ("Anna", 0)
    assert after["view"]["hand"] == before["view"]["hand"]
    assert [event["seq"] for event in after["events"]] == [before["seq"] + 1]


async def test_picks_of_the_same_instant_are_all_accepted(server: Server, lines: AsyncExitStack) -> None:
    players = await users(server, lines, "Anna", "Ben", "Cleo")
    table = await open_table(players[0], 3)
    await sit(table, *players)
    await players[0].call("table.start", table=table)
    picks = [(await player.call("table.moves", table=table))["moves"][0] for player in players]
    sent = [
        player.send("table.play", table=table, move=pick, nth=0) for player, pick in zip(players, picks, strict=True)
    ]
    numbers = [answer["seq"] for answer in await asyncio.gather(*sent)]
    assert len(set(numbers)) == 3


async def test_a_port_in_use_is_an_error_of_the_system(server: Server) -> None:
    other = Server(Settings(host="127.0.0.1", port=server.port))
    with pytest.raises(OSError, match="in use"):
        await other.start()
    await other.close()
