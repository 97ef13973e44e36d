"""A host's computer crashes: the same command reopens the table with all seats."""

import re
from pathlib import Path

import pytest

from scoville_client.transport.tcp import TcpLink
from tests.support.line_mode import LineMode
from tests.support.process import quiet_port
from tests.support.recording_session import RecordingSession

LOCAL = "127.0.0.1"


def hosting(folder: Path, port: int, *more: str) -> LineMode:
    """Anna hosts a table for two; a seat waits for ever, so that nothing hangs on how long anything takes."""
    options = ("--players", "2", "--absence", "0", "--clock", "600+5", "--name", "Anna")
    return LineMode("host", "--plain", "--port", str(port), "--data", str(folder), *options, *more)


async def test_host_and_guest_continue_after_a_kill(
    tmp_path: Path,
) -> None:
    port, ben = quiet_port(), RecordingSession()
    with hosting(tmp_path, port) as anna:
        anna.hear(r"^This table is saved in (.*)\. To resume it later, host a table from this folder again\.$")
        await ben.connect(TcpLink(LOCAL, port), "Ben")
        await ben.lobby.refresh_tables()
        await ben.join_table(ben.lobby.tables[0].table)
        anna.hear("^Ben takes seat 2")
        anna.type("start")
        await ben.until(lambda: ben.at.started is not None)  # Ben's client reveals its nonce
        card = anna.hear(r"^Your turn\. (?:You can play: |For \d peppers?, )(\d+)").group(1)
        anna.type(card)
        await ben.until(lambda: ben.at.view is not None and ben.at.played == (1, 0))
        hand, left = ben.at.view.hand, ben.at.clocks.left_ms[0]
        anna.kill()
    await ben.until(lambda: ben.connection.reconnecting)
    with hosting(tmp_path, port) as anna:
        anna.hear(r"^This table is saved in (.*)\. It has been reopened\.$")
        await ben.until(lambda: ben.returns == 1)
        assert (ben.at.seat, ben.at.view.hand, ben.at.played) == (1, hand, (1, 0))
        assert [seat.name for seat in ben.at.info.seats] == ["Anna", "Ben"]
        assert ben.at.clocks.left_ms[0] == left != 600_000, "Anna has moved: her clock stands still"
        anna.type("who")
        anna.hear("^Seat 1: Anna, you, host")
        await ben.play_move(next(iter(ben.at.legal_moves())))
        anna.hear("Anna's " + card + r"\b")
        await ben.until(lambda: ben.at.played == (1, 1) and ben.at.my_turn)
        anna.type(anna.hear(r"^Your turn\. (?:You can play: |For \d peppers?, )(\d+)").group(1))
        await ben.until(lambda: ben.at.played == (2, 1))
        anna.type("quit")
        anna.hear("^1 other user is connected to your server")
        anna.hear("^Type quit again to stop your server")
        anna.type("quit")
        anna.hear("^Type quit again to stop it now")
        anna.type("quit")
        assert anna.end() == 0
    await ben.close()


def test_a_second_host_learns_how_to_host_beside_the_first(tmp_path: Path) -> None:
    with hosting(tmp_path, 0) as anna:
        anna.hear("scoville join")
        with hosting(tmp_path, 0) as second:
            second.hear(
                rf"^A server already uses {re.escape(str(tmp_path))}\. To start another one: scoville host --data F"
            )
            assert second.end() == 1
        with hosting(tmp_path / "beside", 0) as second:
            second.hear("scoville join")


def test_a_folder_in_use_is_the_one_reported_error(tmp_path: Path) -> None:
    port = quiet_port()
    with hosting(tmp_path, port) as anna:
        anna.hear("scoville join")
        with hosting(tmp_path, port) as second:
            assert second.wait() == 1
            [error] = [line for line in second.said if line.strip()]
            assert error.startswith(f"A server already uses {tmp_path}.")
        with hosting(tmp_path / "other", port) as third:
            assert third.wait() == 1
            [error] = [line for line in third.said if line.strip()]
            assert error.startswith(f"Port {port} on this computer is in use")


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with hosting(tmp_path / "file", 0) as anna:
        anna.hear(r"^.*/file is a file; the data of a server needs a folder\.$")
        assert anna.end() == 1


@pytest.mark.parametrize("command", ["host", "practice"])
def test_only_what_is_hosted_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    port = ("--port", "0") * (command == "host")
    with LineMode(command, "--plain", *port) as anna:
        anna.hear("^Anna|^You are")
        anna.type("quit")
        assert anna.end() == 0
    assert [path.name for path in tmp_path.glob("scoville/hosted/*.sqlite3")] == ["journal.sqlite3"] * (
        command == "host"
    )
