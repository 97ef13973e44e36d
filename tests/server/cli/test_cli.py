"""The command `scoville-server`."""

import asyncio
import errno
import io
import json
import re
import signal
import sys
from pathlib import Path

import pytest

from scoville_server.cli import commands as cli
from scoville_server.cli import serving
from scoville_server.cli.output import give_up, print_line
from scoville_server.journal.files import key_file
from scoville_server.journal.files.lock import FolderLock
from scoville_server.journal.store import Store
from scoville_server.net.interfaces import lan_addresses
from scoville_server.settings.model import Settings
from tests.support.process import Run, first_line, port_of
from tests.support.rpc import Refusal, RpcClient
from tests.support.warm_start import SERVER

QUIET = ("--log-level", "warning")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_prints_its_address_and_ends_by_signal(run: Run, number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "quick.toml").write_text("drain_seconds = 0.01")
    process = await run(
        *QUIET, "--host", "127.0.0.1", "--port", "0", "--no-data", "--config", str(tmp_path / "quick.toml")
    )
    line = await first_line(process)
    assert "127.0.0.1" in line
    async with RpcClient(port_of(line)) as anna:
        await anna.hello("Anna")
        process.send_signal(number)
        await anna.closed.wait()
        assert anna.notices[-1][0] == "bye"
        assert anna.notices[-1][1]["code"] == "shutting_down"
    out, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.decode() == (
        "Nothing is saved: tables, accounts and this server's key are lost when it stops; the pin will be new.\n"
        "Stopped.\n"
    )


async def test_a_second_signal_ends_the_draining_server(run: Run, tmp_path: Path) -> None:
    (tmp_path / "slow.toml").write_text("drain_seconds = 1000")
    process = await run(
        *QUIET, "--host", "127.0.0.1", "--port", "0", "--no-data", "--config", str(tmp_path / "slow.toml")
    )
    port = port_of(await first_line(process))
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        process.send_signal(signal.SIGTERM)
        while not any(name == "shutdown" for name, _ in anna.notices):
            await anna.call("ping")
        ends_in_ms = next(what["ends_in_ms"] for name, what in anna.notices if name == "shutdown")
        # The server's clock goes on between the plan and its notice.
        assert 500_000 < ends_in_ms <= 1_000_000
        async with RpcClient(port) as ben:
            with pytest.raises(Refusal) as refused:
                await ben.hello("Ben")
            assert refused.value.code == "shutting_down"
        async with RpcClient(port) as again:
            await again.hello(token=anna.token)
            assert again.name == anna.name, "users who are known come back while their games continue"
            await anna.closed.wait()
            process.send_signal(signal.SIGTERM)
            await again.closed.wait()
    assert (await process.communicate())[1] == b""
    assert process.returncode == 0


@pytest.mark.parametrize("closed", [(1,), (1, 2), (0, 1, 2)])
async def test_without_standard_streams_it_ends_as_usual(run: Run, closed: tuple[int, ...]) -> None:
    port = port_of(await first_line(await run("--host", "127.0.0.1", "--port", "0", "--no-data")))
    command = f"exec {sys.executable} -c '{SERVER}' \"$@\" " + " ".join(f"{number}>&-" for number in closed)
    arguments = ("--host", "127.0.0.1", "--port", str(port), "--no-data")
    process = await asyncio.create_subprocess_exec("/bin/sh", "-c", command, "sh", *arguments)
    assert await process.wait() == 1  # the port is in use; the event loop would end it by SIGABRT


def test_log_lines_are_dropped_when_the_output_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    print_line("Stopped.")
    print_line("Stopped again.")
    monkeypatch.setattr(sys, "stderr", Full())
    with pytest.raises(SystemExit):
        give_up("The disk is full.", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
async def test_an_unwritable_result_is_a_reported_failure() -> None:
    command = f"exec {sys.executable} -c '{SERVER}' settings >/dev/full"
    process = await asyncio.create_subprocess_exec("/bin/sh", "-c", command, stderr=asyncio.subprocess.PIPE)
    _, err = await process.communicate()
    assert (process.returncode, err) == (1, b"The output could not be written: No space left on device.\n")


async def test_it_listens_on_every_address_unless_set_otherwise(run: Run) -> None:
    process = await run("--port", "0", "--no-data")
    line = await first_line(process)
    assert "every address of this computer" in line
    reached = lan_addresses()[:3] or ["ADDRESS"]
    for address in reached:
        assert f"scoville join {f'[{address}]' if ':' in address else address}:{port_of(line)}" in line
    assert ("ADDRESS" in line) == (reached == ["ADDRESS"])
    async with RpcClient(port_of(line)) as anna:
        assert (await anna.hello()).name


async def test_a_port_in_use_is_one_sentence_and_a_failure(run: Run) -> None:
    line = await first_line(await run("--host", "127.0.0.1", "--port", "0", "--no-data"))
    port = str(port_of(line))
    second = await run(*QUIET, "--host", "127.0.0.1", "--port", port, "--no-data")
    out, err = await second.communicate()
    assert second.returncode == 1
    assert out == b""
    said = err.decode()
    assert said.startswith(f"port_busy: Port {port} is in use by another program; choose another one with --port. ")
    assert said.count("\n") == 1


async def test_help_and_version(run: Run) -> None:
    output, _ = await (await run("--help")).communicate()
    assert all(
        option in output.decode()
        for option in ("--host", "--port", "--data", "--no-data", "--peppers", "--version", "backup", "restore")
    )
    version, _ = await (await run("--version")).communicate()
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", version.decode())


async def test_a_bad_pepper_file_is_a_usage_error(run: Run) -> None:
    process = await run("--peppers", "/nowhere/peppers.txt")
    _, err = await process.communicate()
    assert process.returncode == 2
    assert err.decode() == (
        "--peppers: peppers: The peppers file /nowhere/peppers.txt cannot be read: No such file or directory\n"
    )


async def test_a_port_that_cannot_be_is_one_plain_line(run: Run) -> None:
    process = await run("--port", "99999")
    _, err = await process.communicate()
    assert process.returncode == 2
    assert err.decode() == "--port must be a number from 0 to 65535, not 99999.\n"


async def test_tables_are_kept_in_the_users_data_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    process = await run("--host", "127.0.0.1", "--port", "0")
    await first_line(process)
    kept = await first_line(process)
    folder = Path(kept.removeprefix("Tables, accounts and finished games are saved in ").rstrip(".\n"))
    assert folder.is_relative_to(tmp_path)
    assert (folder / "journal.sqlite3").exists()


async def test_one_folder_serves_one_server(run: Run, tmp_path: Path) -> None:
    await first_line(await run("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path)))
    second = await run(*QUIET, "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path))
    out, err = await second.communicate()
    assert (second.returncode, out) == (1, b"")
    assert err.decode() == (
        f"Another scoville-server uses {tmp_path}; stop it, or choose another folder with --data.\n"
    )


async def test_folder_and_port_in_use_give_one_error(run: Run, tmp_path: Path) -> None:
    line = await first_line(await run("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path)))
    port = str(port_of(line))
    second = await run(*QUIET, "--host", "127.0.0.1", "--port", port, "--data", str(tmp_path))
    out, err = await second.communicate()
    assert (second.returncode, out) == (1, b"")
    assert err.decode() == (
        f"Another scoville-server uses {tmp_path}; stop it, or choose another folder with --data.\n"
    )
    third = await run(*QUIET, "--host", "127.0.0.1", "--port", port, "--data", str(tmp_path / "other"))
    assert (await third.communicate())[1].decode().startswith(f"port_busy: Port {port} is in use by another program;")


async def test_a_folder_and_no_folder_cannot_both_be_meant(run: Run, tmp_path: Path) -> None:
    process = await run("--data", str(tmp_path), "--no-data")
    _, err = await process.communicate()
    assert process.returncode == 2
    assert err.decode().startswith("--data and --no-data cannot be combined")


async def test_a_key_is_rotated_while_the_server_is_not_running(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "data"
    process = await run("rotate-key", "--data", str(data))
    assert (await process.communicate())[1].startswith(b"There is no data folder ")
    started(data)
    before = key_file.load_key(data).pin
    process = await run("rotate-key", "--data", str(data))
    out, err = await process.communicate()
    now = key_file.load_key(data).pin
    assert (process.returncode, err) == (0, b"")
    assert out.decode().startswith(f"The server's new pin is {now}. Clients that know {before} accept it")
    process = await run("rotate-key", "--unsigned", "--data", str(data))
    out, _ = await process.communicate()
    assert out.decode().startswith(
        f"The server's new pin is {key_file.load_key(data).pin}. Clients that know the server warn"
    )


async def test_a_recovery_code_needs_a_stopped_server(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "data"
    process = await run("recover", "Anna", "--data", str(data))
    assert (await process.communicate())[1].startswith(b"There is no data folder ")
    started(data)
    process = await run("recover", "Anna", "--data", str(data))
    assert await process.communicate() == (b"", b"Nobody has claimed the name Anna on this server.\n")
    assert process.returncode == 1
    lock = FolderLock(data)
    process = await run("recover", "Anna", "--data", str(data))
    assert (await process.communicate())[1].startswith(b"Another scoville-server uses ")
    lock.release_folder()


def started(data: Path) -> None:
    """Start and stop a server's journal."""
    Store(data).close()


@pytest.mark.parametrize(
    ("typed", "announced"), [([], True), (["--announce"], True), (["--no-announce"], False)], ids=str
)
def test_a_flag_of_the_announcement_overrides_the_file(
    typed: list[str], announced: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[Settings] = []
    monkeypatch.setattr(serving, "run_until_stopped", lambda settings, *_: chosen.append(settings))
    file = tmp_path / "announcing.toml"
    file.write_text("announce = true")
    cli.app(["--no-data", "--config", str(file), *typed], result_action="return_value")
    cli.app(["--no-data", *typed], result_action="return_value")
    assert [each.announce for each in chosen] == [announced, "--announce" in typed]


async def test_the_usual_log_has_the_start_and_the_end(run: Run) -> None:
    process = await run("--host", "127.0.0.1", "--port", "0", "--no-data", "--no-default-tables")
    await first_line(process)
    process.send_signal(signal.SIGTERM)
    _, err = await process.communicate()
    assert re.findall(rb"notice server\[\d+\]: (\w+)", err) == [b"start", b"ready", b"drain", b"stop"]


@pytest.mark.parametrize("fails", [False, True])
async def test_every_line_is_json_where_it_is_chosen(run: Run, tmp_path: Path, fails: bool) -> None:
    data = tmp_path / "data"
    if fails:
        data.write_text("no folder")
    process = await run(
        "--host", "127.0.0.1", "--port", "0", "--data", str(data), "--admin", "Anna", "--log-format", "json"
    )  # fmt: skip

    first = await first_line(process)
    if not fails:
        process.send_signal(signal.SIGTERM)
    rest, err = await process.communicate()
    out = first.encode() + rest
    lines = [json.loads(line) for line in (out + err).splitlines()]
    assert lines
    assert all(line.keys() >= {"time", "level", "program", "process", "event"} for line in lines)
    codes = (data / "admin-codes.txt").read_text() if not fails else ""
    assert not any(code in (out + err).decode() for code in re.findall(r"(?:\w{5}-)+\w{5}", codes)), "codes are no log"


async def test_a_reader_who_stops_holds_nobody(run: Run) -> None:
    """The pipe of standard error is full after 64 KiB; the log of 3,000 requests is larger."""
    process = await run("--host", "127.0.0.1", "--port", "0", "--no-data", "--log-level", "debug")
    async with RpcClient(port_of(await first_line(process))) as anna:
        await anna.hello("Anna")
        for _ in range(3_000):
            await anna.call("ping")
    process.kill()
    await process.communicate()
