"""Hosted tables continue where an earlier run in the same folder ended."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from scoville_client.session.hosting import begin_session, invitation_to
from scoville_client.session.identity.tokens import own_slot
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError


class Host(Session):
    """A host; `went_on` says whether a table of an earlier run continues."""

    went_on = False

    @property
    def at(self) -> AtTable:
        assert self.table is not None, "who hosts sits at a table"
        return self.table


@asynccontextmanager
async def hosting(folder: Path, **arguments: Any) -> AsyncIterator[Host]:
    """Host from a folder for some time."""
    host = Host()
    start = Start(**{"kind": "host", "host": "127.0.0.1", "port": 0, "data": folder, "name": "Anna", **arguments})
    running = await begin_session(host, start)
    host.went_on = running.again
    try:
        yield host
    finally:
        await running.close()


async def end_the_game(host: Host) -> None:
    """Play first legal moves to the end."""
    while host.at.result is None:
        if host.at.my_turn and host.at.legal_moves():
            await host.play_move(host.at.legal_moves()[0])
        await host.lobby.refresh_tables()


async def test_hosting_again_keeps_the_pin_that_guests_know(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        async with hosting(tmp_path) as anna:
            keys.append(anna.connection.server_keys[0])
    async with hosting(tmp_path / "other") as anna:
        assert anna.connection.server_keys[0] != keys[0]
    assert keys[0] == keys[1]


async def test_a_running_game_is_resumed_whatever_is_asked_for(tmp_path: Path) -> None:
    async with hosting(tmp_path) as anna:
        assert not anna.went_on
        await anna.table_actions.start_game()
        await anna.play_move(anna.at.legal_moves()[0])
        table, log = anna.at.id, [line.phrase for line in anna.at.log]
    async with hosting(tmp_path, game="no_thanks", name="Paprika") as anna:
        assert anna.went_on
        assert (anna.at.id, anna.at.seat, anna.name) == (table, 0, "Anna")
        assert [line.phrase for line in anna.at.log][: len(log)] == log


@pytest.mark.parametrize(
    ("arguments", "again"),
    [
        ({}, True),
        ({"players": 3}, True),
        ({"options": {"cycles": 1}}, True),
        ({"clock": {"move_ms": 30_000}}, True),
        ({"players": 4}, False),
        ({"options": {"cycles": 2}}, False),
        ({"clock": {"move_ms": 60_000}}, False),
        ({"clock": {"absence_ms": None}}, False),
        ({"game": "no_thanks"}, False),
    ],
)
async def test_a_waiting_table_is_resumed_by_default(tmp_path: Path, arguments: dict[str, Any], again: bool) -> None:
    async with hosting(tmp_path, players=3, options={"cycles": 1}, clock={"move_ms": 30_000}) as anna:
        table = anna.at.id
    async with hosting(tmp_path, **arguments) as anna:
        assert (anna.went_on, anna.at.id == table) == (again, again)
        await anna.lobby.refresh_tables()
        assert len(anna.lobby.tables) == 1, "who got up from it has cleared it away"


async def test_a_game_that_is_over_makes_room_for_another_one(tmp_path: Path) -> None:
    async with hosting(tmp_path, game="no_thanks", players=3) as anna:
        await anna.table_actions.start_game()
        await end_the_game(anna)
        over = anna.at.id
    async with hosting(tmp_path, game="no_thanks", players=3) as anna:
        assert not anna.went_on
        assert anna.at.info.status == "waiting"
        await anna.lobby.refresh_tables()
        assert [table.table for table in anna.lobby.tables] == [anna.at.id]
    assert [path.name for path in (tmp_path / "games").iterdir()] == [f"{over}.jsonl"]


async def test_host_without_a_seat_opens_another_table(tmp_path: Path) -> None:
    async with hosting(tmp_path) as anna:
        await anna.table_actions.start_game()
        await anna.leave_table()
    async with hosting(tmp_path) as anna:
        assert (anna.went_on, anna.at.info.status) == (False, "waiting")
        await anna.lobby.refresh_tables()
        left = next(table for table in anna.lobby.tables if table.table != anna.at.id)
        assert (left.status, left.paused, left.your_seat) == ("playing", True, 0), (
            "it waits for her as long as a seat does"
        )


async def test_a_seed_repeats_its_deals_and_keeps_every_game(tmp_path: Path) -> None:
    tables = set()
    for _ in range(2):
        async with hosting(tmp_path, game="no_thanks", players=3, seed=bytes(32)) as anna:
            tables.add(anna.at.id)
            await anna.table_actions.start_game()
            await end_the_game(anna)
    (table,) = tables
    games = [(tmp_path / "games" / name).read_text() for name in (f"{table}.jsonl", f"{table}-2.jsonl")]
    assert len({game.partition('"server_seed"')[2][:80] for game in games}) == 1
    assert games[0] != games[1], "another day, other nonces"


async def test_a_kept_tables_seed_makes_another_table(tmp_path: Path) -> None:
    async with hosting(tmp_path, seed=bytes(32)) as anna:
        await anna.table_actions.start_game()
        kept = anna.at.id
        await anna.leave_table()
    async with hosting(tmp_path, seed=bytes(32)) as anna:
        assert anna.at.id != kept


async def test_user_without_their_token_is_another_one(tmp_path: Path) -> None:
    async with hosting(tmp_path) as anna:
        await anna.table_actions.start_game()
        table = anna.at.id
    (tmp_path / "host.json").unlink()
    async with hosting(tmp_path) as stranger:
        assert (stranger.went_on, stranger.at.id != table, stranger.name) == (False, True, "Anna 2")


async def test_one_folder_has_one_host(tmp_path: Path) -> None:
    async with hosting(tmp_path):
        with pytest.raises(LinkError, match="To start another one: scoville host --data FOLDER --port 0"):
            async with hosting(tmp_path):
                pass
        async with hosting(tmp_path / "another") as other:
            assert other.at.hosting


async def test_the_proof_is_for_its_owner_alone(tmp_path: Path) -> None:
    async with hosting(tmp_path):
        assert (tmp_path / "host.json").stat().st_mode & 0o777 == 0o600


def test_a_proof_that_cannot_be_kept_is_none(tmp_path: Path) -> None:
    assert own_slot(tmp_path / "nowhere") is None


async def test_a_host_without_zeroconf_plays_and_learns_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("scoville_server.net.lan.publisher", "scoville_client.transport.lan.browser"):
        monkeypatch.setattr(f"{module}.find_spec", lambda _: None)
    anna = Host()
    start = Start(kind="host", host="127.0.0.1", port=0, data=tmp_path, name="Anna", announce=True)
    running = await begin_session(anna, start)
    try:
        assert anna.at.hosting
        assert "pip install zeroconf" in invitation_to(start, anna, running).lines[-1]
    finally:
        await running.close()
