"""The subcommands of a running server: made from the one table, over the socket of a real server."""

import json
import signal
import sys
from pathlib import Path

import pytest

from scoville_runtime.control_client import parse_duration
from scoville_server.cli import commands as cli
from scoville_server.cli import control_commands
from scoville_server.cli.control_commands import align_columns, safe_text, span_text
from scoville_server.control.commands import COMMANDS, Command
from tests.support.process import ServerProcess, run_server
from tests.support.rpc import RpcClient


async def run(*arguments: str) -> tuple[int, str, str]:
    """Run a subcommand; returns its exit status and what it printed and complained of."""
    process = await run_server(*arguments)
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("command", [each for each in COMMANDS if not each.internal], ids=lambda command: command.name)
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
    assert (await run("ban", "Ben/x", "--reason", "A name with a slash.", *data))[0] == 0
    for mode in (("on",), ("off",), ()):  # as docs/host/control.md writes it
        status, _, err = await run("moderator", "Ben", *mode, "--reason", "x", *data)
        assert (status, "Unused" in err) == (1, False)
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


async def test_status_tells_ready_and_not_ready_apart(tmp_path: Path) -> None:
    (tmp_path / "slow.toml").write_text("drain_seconds = 1000\ndefault_tables = []\n")
    data = tmp_path / "data"
    server = ServerProcess(data, "--config", str(tmp_path / "slow.toml"))
    await server.start()
    status, out, err = await run("status", "--data", str(data))
    assert (status, ": ready, up " in out, err) == (0, True, "")
    async with RpcClient(server.port) as anna:
        await anna.hello("Anna")
        assert server.process is not None
        server.process.send_signal(signal.SIGTERM)
        while not any(name == "shutdown" for name, _ in anna.notices):
            await anna.call("ping")
        status, out, _ = await run("status", "--json", "--data", str(data))
        found = json.loads(out)
        assert (status, found["ready"], found["reasons"], found["people"]["total"]) == (1, False, ["draining"], 1)
        status, out, _ = await run("status", "--data", str(data))
        assert (status, "NOT READY: draining" in out) == (1, True)
    await server.process.wait()


async def test_watching_waits_for_a_server(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    await server.start()
    watching = await run_server("top", "--json", "--watch", "0.2", "--data", str(tmp_path))
    assert watching.stdout is not None
    assert json.loads(await watching.stdout.readline())["ready"]
    await server.kill()
    while "error" not in (line := json.loads(await watching.stdout.readline())):
        pass
    assert line["error"]["code"] == "not_running"
    await server.start()
    while "error" in json.loads(await watching.stdout.readline()):
        pass
    watching.send_signal(signal.SIGINT)
    _, said = await watching.communicate()
    assert watching.returncode == 0, said
    await server.stop()


async def test_top_without_its_screen_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Missing:
        def load(self) -> None:
            raise ImportError("No module named 'textual'")

    monkeypatch.setattr(control_commands, "entry_points", lambda **_: [Missing()])
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with pytest.raises(SystemExit):
        control_commands.show_top(tmp_path, 1.0, plain=False, as_json=False)
    assert "needs the package textual" in capsys.readouterr().err
