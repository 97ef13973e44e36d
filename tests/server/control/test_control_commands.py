"""The subcommands of a running server: made from the one table, over the socket of a real server."""

import json
from pathlib import Path

import pytest

from scoville_runtime.control_client import parse_duration
from scoville_server.cli import main as cli
from scoville_server.cli.control_text import align_columns, safe_text, span_text
from scoville_server.control.commands import COMMANDS, Command
from tests.support.process import ServerProcess, run_server


async def run(*arguments: str) -> tuple[int, str, str]:
    """Run a subcommand; returns its exit status and what it printed and complained of."""
    process = await run_server(*arguments)
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_comes_from_the_table(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    name, arguments, text = command.name, command.arguments, command.text
    cli.app([name, "--help"], exit_on_error=False, result_action="return_value")
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert text in shown
    for field in arguments.__struct_fields__:
        assert f"--{field.removesuffix('_ms')}" in shown or field.upper() in shown
    assert ("--reason" in shown) == (command.reason != "none")


async def test_commands_reach_the_running_server(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    await server.start()
    data = ("--data", str(tmp_path))
    assert await run("users", *data) == (0, "Nobody is connected.\n", "")
    status, out, _ = await run("ban", "192.0.2.0/24", "--for", "1h30m", "--reason", "Spam.", "--json", *data)
    ban = json.loads(out)["ban"]
    assert (status, ban["until_ms"] - ban["since_ms"], ban["reason"]) == (0, 5_400_000, "Spam.")
    status, out, _ = await run("bans", *data)
    assert (status, "192.0.2.0/24" in out, "control socket" in out) == (0, True, True)
    assert await run("unban", "7", "--reason", "x", *data) == (1, "", "There is no ban 7.\n")
    status, _, err = await run("kick", "Ben", *data)
    assert (status, err) == (2, "The command kick needs --reason, for the audit log.\n")
    await server.kill()
    assert await run("users", *data) == (3, "", f"No server is running on {tmp_path}.\n")
    await server.start()
    assert (await run("users", *data))[0] == 0
    await server.stop()
    assert await run("users", "--data", str(tmp_path / "none")) == (
        3, "", f"There is no data folder {tmp_path / 'none'}; name the server's own with --data or --config.\n",
    )  # fmt: skip


async def test_folder_is_that_of_the_settings_file(tmp_path: Path) -> None:
    (tmp_path / "server.toml").write_text(f'data = "{tmp_path / "data"}"\n')
    server = ServerProcess(tmp_path / "data")
    await server.start()
    assert (await run("bans", "--config", str(tmp_path / "server.toml")))[:2] == (0, "There are no bans.\n")
    await server.stop()


async def test_a_server_runs_without_its_socket(tmp_path: Path) -> None:
    (tmp_path / "control.sock").mkdir()
    server = ServerProcess(tmp_path)
    await server.start()
    status, _, err = await run("bans", "--data", str(tmp_path))
    assert (status, err) == (3, f"No server is running on {tmp_path}.\n")
    await server.stop()


def test_times_are_typed_with_units() -> None:
    assert [parse_duration(text) for text in ("90s", "10m", "1h30m", "7d")] == [90_000, 600_000, 5_400_000, 604_800_000]
    for wrong in ("", "10", "m", "-1m", "1.5h", "10 m"):
        with pytest.raises(ValueError, match="A time is written"):
            parse_duration(wrong)


def test_spans_have_two_units() -> None:
    assert [span_text(seconds) for seconds in (0, 59, 61, 3_600, 273_600)] == ["0s", "59s", "1m 1s", "1h 0m", "3d 4h"]


def test_hostile_names_cannot_act_on_the_terminal() -> None:
    text = align_columns(("NAME", "KIND"), [("\x1b[2J\u202eneB", "guest"), ("Anna", "claimed")])
    assert "\x1b" not in safe_text(text)
    assert "\u202e" not in safe_text(text)
    assert len(safe_text(text).split("\n")) == 3
