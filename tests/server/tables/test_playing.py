"""Games on a server: played, exported, stored, watched, and cut short."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.archive import export
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.protocol.messages import (
    METHODS,
    CreateRequest,
    ExportRequest,
    JoinRequest,
    LeaveRequest,
    MovesRequest,
    PingRequest,
    PlayRequest,
    PollRequest,
    RevealRequest,
    StartRequest,
    WatchRequest,
)
from tests.support.core import code_of, connect_user, seat_users
from tests.support.server import Caller, core_of, toy_server


async def play_out(table: str, users: list[Caller]) -> None:
    """Everybody plays their first legal move until the game is over."""
    while (shot := await users[0].call(PollRequest(table=table))).info.status == "playing":
        if shot.pending[0] >= len(users):  # a bot's turn
            await asyncio.sleep(0)
            continue
        mover = users[shot.pending[0]]
        moves = (await mover.call(MovesRequest(table=table))).moves
        await mover.call(PlayRequest(table=table, move=moves[0], nth=shot.move_counts[shot.pending[0]]))


async def test_a_whole_game_is_played_and_exported(server: Server) -> None:
    table, users = await seat_users(server, "Anna", "Ben", game="heap")
    assert await code_of(users[1], StartRequest(table=table)) == "not_host"
    await users[0].call(StartRequest(table=table))
    assert await code_of(users[0], ExportRequest(table=table)) == "not_finished"
    await play_out(table, users)
    lines = (await users[1].call(ExportRequest(table=table))).lines
    assert [seat["name"] for seat in msgspec.json.decode(lines[0])["seats"]] == ["Anna", "Ben"]


async def test_an_exported_game_names_the_level_of_each_bot(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    table = await anna.create("heap", 2)
    await anna.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table, bots="random"))
    await play_out(table, [anna])
    seats = msgspec.json.decode((await anna.call(ExportRequest(table=table))).lines[0])["seats"]
    assert [(seat["kind"], seat.get("level")) for seat in seats] == [("human", None), ("bot", "random")]


@pytest.mark.parametrize("page", [1, 2, 3, 7, 400])
async def test_a_game_is_exported_page_by_page(server: Server, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    table, users = await seat_users(server, "Anna", "Ben", game="heap")
    await users[0].call(StartRequest(table=table))
    await play_out(table, users)
    whole = (await users[1].call(ExportRequest(table=table))).lines
    monkeypatch.setattr(export, "PAGE", page)
    lines: list[str] = []
    while True:
        reply = await users[1].call(ExportRequest(table=table, since=len(lines)))
        assert reply.line_count == len(whole)
        assert len(reply.lines) <= page
        if not reply.lines:
            break
        lines += reply.lines
    assert lines == whole
    assert (await users[1].call(ExportRequest(table=table, since=2**53))).lines == []


async def test_seed_nonces_and_moves_repeat_a_bot_game() -> None:
    async def played() -> list[tuple[int, str]]:
        server = Server(Settings(seed=b"\x07" * 32))
        anna = await connect_user(server, "Anna")
        reply = await anna.call(CreateRequest(game="dicht_dran", seat_count=4, options={"cycles": 1}))
        table = reply.info.table
        await anna.call(JoinRequest(table=table, nonce_hash=nonce_hash(table, b"\xff" * 32).hex()))
        await anna.call(StartRequest(table=table, bots="greedy"))
        await anna.call(RevealRequest(table=table, nonce="ff" * 32))
        await play_out(table, [anna])
        _, *moves, end, _ = (await anna.call(ExportRequest(table=table))).lines  # the last one is signed by another key
        await server.close()
        made = [msgspec.json.decode(line) for line in moves]
        return [*sorted((move["seat"], str(move["move"])) for move in made), (0, end)]

    assert await played() == await played()


async def test_a_finished_game_is_written_to_the_data_folder(tmp_path: Path) -> None:
    server = toy_server(Settings(data=tmp_path))
    await server.start()
    table, users = await seat_users(server, "Anna", "Ben")
    await users[0].call(StartRequest(table=table))
    await play_out(table, users)
    lines = (await users[0].call(ExportRequest(table=table))).lines
    await server.close()
    assert (tmp_path / "games" / f"{table}.jsonl").read_text().splitlines() == lines
    assert len(list((tmp_path / "games").iterdir())) == 1


async def test_a_data_folder_that_cannot_be_written_harms_no_table(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "games").write_text("in the way")
    server = toy_server(Settings(data=tmp_path))
    await server.start()
    table, users = await seat_users(server, "Anna", "Ben")
    await users[0].call(StartRequest(table=table))
    await play_out(table, users)
    assert (await users[0].call(ExportRequest(table=table))).lines
    await server.close()
    assert "could not be saved" in caplog.text


async def test_a_spectator_sees_the_game_and_can_do_nothing_else(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    zoe = await connect_user(server, "Zoe")
    await anna.call(StartRequest(table=table))
    shot = await zoe.call(WatchRequest(table=table))
    assert shot.seat is None
    assert shot.view["hand"] == ()
    assert await code_of(zoe, PlayRequest(table=table, move={"card": 1})) == "not_seated"
    assert await code_of(zoe, MovesRequest(table=table)) == "not_seated"
    assert await code_of(zoe, LeaveRequest(table=table)) == "not_seated"
    assert await code_of(zoe, StartRequest(table=table)) == "not_seated"
    assert await code_of(zoe, JoinRequest(table=table)) == "already_started"


async def test_a_connection_that_has_gone_receives_nothing(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await ben.call(WatchRequest(table=table))
    ben.hang_up()
    heard = len(ben.peer.heard)
    await anna.call(StartRequest(table=table))
    assert len(ben.peer.heard) == heard


async def test_everybody_learns_that_the_server_shuts_down() -> None:
    server = toy_server()
    anna = await connect_user(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    await server.close()
    assert anna.peer.bye is not None
    assert anna.peer.bye.code == "shutting_down"
    assert await code_of(anna, LeaveRequest(table=table)) == "shutting_down"
    assert await code_of(anna, CreateRequest(game="heap", seat_count=2)) == "shutting_down"


async def test_every_method_of_the_protocol_has_a_handler(server: Server) -> None:
    assert set(core_of(server).handlers) == {method.params for method in METHODS.values()}


async def test_a_ping_brings_its_payload_back(server: Server) -> None:
    assert (await (await connect_user(server)).call(PingRequest(payload="hot"))).payload == "hot"
