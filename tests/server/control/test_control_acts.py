"""Acts at the control socket: done by the server's own services, each in the audit log with who did it and why."""

import os
from pathlib import Path

import pytest

from scoville_server.control.desk import kind_of_target
from scoville_shared.protocol import messages as m
from tests.server.control.controlled_server import ControlLine, controlled_server
from tests.support.core import connect_user, seat_users
from tests.support.server import Caller

ME = f"(uid {os.geteuid()}, control socket)"


def announcements(caller: Caller) -> list[str]:
    return [notice.text for notice in caller.peer.heard if isinstance(notice, m.AnnouncedNotice)]


async def test_announcement_reaches_everybody(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        ben = await connect_user(server, "Ben")
        line = await ControlLine.open(tmp_path)
        assert await line.call("announce", text="Down at \x1b[31mnine.") == {"result": {}}
        assert announcements(ben) == ["Down at [31mnine."]
        line.close()


@pytest.mark.parametrize("target", ["192.0.2.0/33", "192.0.2.300", "192.0.2.0/x", "2001:db8::/129", "2001:db8:::1"])
async def test_a_mistyped_network_is_no_ban_of_a_name(tmp_path: Path, target: str) -> None:
    async with controlled_server(tmp_path):
        line = await ControlLine.open(tmp_path)
        refused = await line.call("ban", "A flood.", target=target)
        assert refused["error"]["message"].startswith(f"{target!r} is not an address; write 192.0.2.7")
        assert (await line.call("bans"))["result"]["bans"] == []
        line.close()


async def test_kick_disconnects_with_the_reason(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        ben = await connect_user(server, "Ben")
        line = await ControlLine.open(tmp_path)
        assert await line.call("kick", "Too loud.", name="Ben") == {"result": {}}
        assert ben.peer.bye == m.ByeNotice(code="kicked", message="Too loud.", reason="Too loud.")
        [entry] = (await line.call("audit"))["result"]["entries"]
        assert entry["by"].endswith(ME)
        assert (entry["action"], entry["target"], entry["reason"]) == ("kick", "Ben", "Too loud.")
        line.close()


async def test_ban_and_unban_of_each_kind(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        ben = await connect_user(server, "Ben")
        line = await ControlLine.open(tmp_path)
        for number, target in enumerate(("Ben", "192.0.2.0/24", "SHA256:abc"), 1):
            reply = await line.call("ban", "Spam.", target=target, for_ms=60_000)
            assert (reply["result"]["ban"]["id"], reply["result"]["ban"]["kind"]) == (number, kind_of_target(target))
        assert ben.peer.closed
        assert len((await line.call("bans"))["result"]["bans"]) == 3
        for number in (1, 2, 3):
            assert await line.call("unban", "Sorry.", id=number) == {"result": {}}
        assert (await line.call("bans"))["result"]["bans"] == []
        entries = (await line.call("audit"))["result"]["entries"]
        assert [entry["action"] for entry in entries] == [
            "ban name from server", "ban address from server", "ban key from server", "unban", "unban", "unban",
        ]  # fmt: skip
        assert [entry["reason"] for entry in entries] == ["Spam."] * 3 + ["Sorry."] * 3
        line.close()


async def test_closed_table_is_gone(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        table, _ = await seat_users(server, "Anna", "Ben")
        line = await ControlLine.open(tmp_path)
        assert await line.call("close-table", "Stuck.", table=table) == {"result": {}}
        assert (await line.call("tables"))["result"] == {"tables": [], "total": 0, "unreached": []}
        assert (await line.call("close-table", "Stuck.", table=table))["error"]["code"] == "unknown_table"
        line.close()


async def test_table_of_a_server_alone_moves_nowhere(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        table, _ = await seat_users(server, "Anna", "Ben")
        line = await ControlLine.open(tmp_path)
        refused = (await line.call("move-table", table=table))["error"]
        assert refused["message"] == f"Table {table} cannot be moved to another node: no other node serves."
        assert (await line.call("move-table", table="none"))["error"]["code"] == "unknown_table"
        line.close()


async def test_report_is_resolved_with_a_note(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        anna, _ = await connect_user(server, "Anna"), await connect_user(server, "Ben")
        await anna.call(m.ReportRequest(name="Ben", text="He swears."))
        line = await ControlLine.open(tmp_path)
        [report] = (await line.call("reports"))["result"]["reports"]
        assert (report["name"], report["text"]) == ("Ben", "He swears.")
        assert await line.call("resolve-report", "Talked to him.", id=report["id"]) == {"result": {}}
        assert (await line.call("reports"))["result"]["reports"] == []
        line.close()


async def test_tables_show_no_cards(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        table, (anna, _) = await seat_users(server, "Anna", "Ben")
        await anna.call(m.StartRequest(table=table))
        line = await ControlLine.open(tmp_path)
        [row] = (await line.call("tables"))["result"]["tables"]
        assert row | {"age_seconds": 0, "idle_seconds": 0} == {
            "id": table, "game": "high_card", "status": "playing", "paused": False, "humans": 2, "bots": 0, "seats": 2,
            "spectators": 0, "moves": 0, "age_seconds": 0, "idle_seconds": 0, "players": ["Anna", "Ben"],
            "waits_for": ["Anna", "Ben"], "left_seconds": None, "node": "",
        }  # fmt: skip
        line.close()


async def test_lists_are_filtered_sorted_and_cut(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        first, _ = await seat_users(server, "Anna", "Ben")
        second, _ = await seat_users(server, "Cleo", "Dora", "Emil")
        line = await ControlLine.open(tmp_path)

        async def ids(**wanted: object) -> tuple[list[str], int]:
            result = (await line.call("tables", **wanted))["result"]
            return [row["id"] for row in result["tables"]], result["total"]

        assert await ids(sort="seats") == ([second, first], 2)
        assert await ids(match="BEN") == ([first], 1)
        assert await ids(sort="seats", most=1) == ([second], 2)
        assert [user["name"] for user in (await line.call("users", match="emi"))["result"]["users"]] == ["Emil"]
        line.close()


async def test_networks_are_counted_and_banned(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        for number in range(3):
            await Caller(server, f"192.0.2.7:{4000 + number}").hello(f"User {number}")
        Caller(server, "198.51.100.9:4000")
        line = await ControlLine.open(tmp_path)
        rows = (await line.call("networks"))["result"]["networks"]
        assert [(row["network"], row["users"], row["connections"], row["share"]) for row in rows] == [
            ("192.0.2.7", 3, 3, 0.75), ("198.51.100.9", 0, 1, 0.25),
        ]  # fmt: skip
        await line.call("ban", "Spam.", target="198.51.100.0/24")
        rows = (await line.call("networks", match="198.51"))["result"]["networks"]
        assert [row["banned"] for row in rows] == [True]
        line.close()


@pytest.mark.parametrize(
    ("target", "kind"), [("Ben", "name"), ("10.0.0.1", "address"), ("2001:db8::/48", "address"), ("SHA256:x", "key")]
)
def test_kind_of_a_ban_is_seen(target: str, kind: str) -> None:
    assert kind_of_target(target) == kind


async def test_warning_reaches_the_user_and_is_listed(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        ben = await connect_user(server, "Ben")
        line = await ControlLine.open(tmp_path)
        assert await line.call("warn", "Too loud.", name="Ben") == {"result": {}}
        [notice] = [each for each in ben.peer.heard if isinstance(each, m.AccountWarnedNotice)]
        assert notice.warning.reason == "Too loud."
        [given] = (await line.call("warnings", name="Ben"))["result"]["history"]
        assert (given["by"].endswith(ME), given["reason"]) == (True, "Too loud.")
        refused = await line.call("moderator", "Helps.", name="Ben", mode="on")
        assert refused["error"]["code"] == "not_claimed"
        line.close()
