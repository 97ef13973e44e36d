"""Signals of a running server: one reloads, one opens the log again, three end it, and no other one does anything."""

import asyncio
import signal
from pathlib import Path

from tests.support.process import Run, first_line, port_of
from tests.support.rpc import RpcClient

HARMLESS = sorted(
    signal.valid_signals()
    - {signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP}
    - {signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGSYS, signal.SIGTRAP}
)


def write_settings(file: Path, text: str) -> None:
    file.write_text(f'host = "127.0.0.1"\nport = 0\ndata = ""\ndrain_seconds = 0.01\n{text}')


async def start_server(run: Run, file: Path, text: str) -> tuple[asyncio.subprocess.Process, int]:
    write_settings(file, text)
    process = await run("--config", str(file))
    return process, port_of(await first_line(process))


async def next_line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().rstrip()


async def next_error(process: asyncio.subprocess.Process) -> str:
    """Read the log up to its next error."""
    assert process.stderr is not None
    while " error " not in (line := (await process.stderr.readline()).decode()):
        assert line
    return line


async def test_no_harmless_signal_ends_the_server(run: Run, tmp_path: Path) -> None:
    process, port = await start_server(run, tmp_path / "server.toml", "")
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        for number in HARMLESS:
            process.send_signal(number)
            await anna.call("ping")
    assert process.returncode is None


async def test_hangup_changes_settings_and_keeps_connections(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    process, port = await start_server(run, file, "tables = 0\n")
    assert (await next_line(process)).startswith("Nothing is saved")
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        file.write_text(file.read_text().replace("tables = 0", "tables = 4\nguests = 77"))
        process.send_signal(signal.SIGHUP)
        assert [await next_line(process), await next_line(process)] == [
            f"Changed: guests: 10000 → 77 ({file}:6)",
            f"Changed: tables: 0 → 4 ({file}:5)",
        ]
        await anna.call("table.create", game="no_thanks", seat_count=3)
        file.write_text("tabels = 3")
        process.send_signal(signal.SIGHUP)
        error = await next_error(process)
        assert f"{file}:1: tabels: there is no such setting; did you mean tables?" in error
        await anna.call("ping")


async def test_the_log_is_opened_again_after_it_was_moved(run: Run, tmp_path: Path) -> None:
    log, moved = tmp_path / "server.log", tmp_path / "server.log.1"
    process, port = await start_server(run, tmp_path / "server.toml", f'log = {{level = "info", file = "{log}"}}\n')
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        while "Anna" not in log.read_text():
            await anna.call("ping")
        log.rename(moved)
        process.send_signal(signal.SIGUSR1)
        while not log.exists():
            await anna.call("ping")
        async with RpcClient(port) as ben:
            await ben.hello("Ben")
        while "Ben" not in log.read_text():
            await anna.call("ping")
    assert "Anna" in moved.read_text()
    assert "Ben" not in moved.read_text()


async def test_quit_ends_without_waiting_for_games(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text('host = "127.0.0.1"\nport = 0\ndata = ""\ndrain_seconds = 1000')
    process = await run("--config", str(file))
    async with RpcClient(port_of(await first_line(process))) as anna:
        await anna.hello("Anna")
        process.send_signal(signal.SIGQUIT)
        await anna.closed.wait()
    assert await process.wait() == 0
