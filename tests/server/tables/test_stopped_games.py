"""A game of another package that hangs in code that is not Python ends the server; the next start leaves it out."""

import signal
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from scoville_client.transport.base import LinkError
from scoville_server.tables.stopped_games import FOLDER, GameWatch, HungGame, list_hung
from scoville_shared.errors import ScovilleError
from scoville_shared.games.registry import package_of
from scoville_shared.protocol.messages import CreateReply, CreateRequest, PlayRequest, PollRequest, TableSnapshot
from tests.e2e.strangers.evening import connect_user, open_table
from tests.outside.faulty_games import HEALTHY, on_path, with_fault, write_package
from tests.support.process import ServerProcess, run_server
from tests.support.warm_start import SERVER

HANGS = with_fault("apply", "        return sum(range(10**13))\n")
DUMP = b"""Current thread 0x1 (most recent call first):
  File "/somewhere/site-packages/heap/game.py", line 41 in apply
  File "/elsewhere/guard.py", line 9 in run_call
"""


def write_marks(data: Path, called: bytes, dump: bytes) -> None:
    (data / FOLDER).mkdir(exist_ok=True)
    (data / FOLDER / "CALL").write_bytes(called.ljust(256, b"\0"))
    (data / FOLDER / "HANG").write_bytes(dump)


def test_a_hang_is_noted_once_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path / "packages", "heap")
    with on_path(monkeypatch, tmp_path / "packages"):
        write_marks(tmp_path, b"heap", DUMP)
        hung = GameWatch(tmp_path).take_hang(7)
        assert hung == HungGame(game="heap", package="heap 1.0", at_ms=7, where="game.py, line 41 in apply")
        assert list_hung(tmp_path) == [hung]
        assert GameWatch(tmp_path).take_hang(8) is None
        write_marks(tmp_path, b"heap", DUMP)
        GameWatch(tmp_path).take_hang(9)
        assert [each.at_ms for each in list_hung(tmp_path)] == [9], "a game is in the list once"


@pytest.mark.parametrize(
    ("called", "dump"), [(b"heap", b""), (b"", DUMP)], ids=["killed during a call", "ended by something else"]
)
def test_no_game_is_blamed_for_another_end(
    called: bytes, dump: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path / "packages", "heap")
    with on_path(monkeypatch, tmp_path / "packages"):
        write_marks(tmp_path, called, dump)
        assert GameWatch(tmp_path).take_hang(7) is None
        assert list_hung(tmp_path) == []


def test_another_version_is_offered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_marks(tmp_path, b"heap", DUMP)
    for version, left_out in (("1.0", 1), ("1.1", 0)):
        write_package(tmp_path / version, "heap", version=version)
        with on_path(monkeypatch, tmp_path / version):
            GameWatch(tmp_path).take_hang(7)
            assert str(package_of("heap")) == f"heap {version}"
            assert len(list_hung(tmp_path)) == left_out


def test_a_watch_leaves_neither_name_nor_dump_after_a_call(tmp_path: Path) -> None:
    watch = GameWatch(tmp_path)
    handler = signal.getsignal(signal.SIGVTALRM)
    watch.begin_watching()
    try:
        assert watch._resort is not None
        watch._resort.begin_call("heap")
        assert (tmp_path / FOLDER / "CALL").read_bytes().startswith(b"heap\0")
        assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0
        watch._resort.end_call()
        assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0
        assert (tmp_path / FOLDER / "CALL").read_bytes().startswith(b"\0")
        assert (tmp_path / FOLDER / "HANG").read_bytes() == b""
    finally:
        watch.stop_watching()
        signal.signal(signal.SIGVTALRM, handler)


async def test_a_server_that_hangs_ends_and_starts_without_the_game(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    write_package(packages, "endless", HANGS)
    write_package(packages, "counting", HEALTHY)
    hasty = "from scoville_outside import last_resort; last_resort.HANG_SECONDS = 0.3"
    code = f"import sys; sys.path.insert(0, {str(packages)!r}); {hasty}\n{SERVER}"
    server = ServerProcess(tmp_path / "data", "--no-default-tables", code=code)
    await server.start()
    user = await connect_user(server.port, "Anna")
    healthy = await open_table(user, "counting", 2)
    hanging = await open_table(user, "endless", 2)
    with suppress(LinkError):
        await user.call(PlayRequest(table=hanging, move={"take": 1}))
    assert server.process is not None
    assert await server.process.wait() == -signal.SIGVTALRM
    await server.start()
    assert [each.game for each in list_files(tmp_path / "data")] == ["endless"]
    user = await connect_user(server.port, "Ben")
    with pytest.raises(ScovilleError, match=r"endless of the package endless 1\.0 is stopped"):
        await user.call(CreateRequest(game="endless", seat_count=2))
    kept = await user.call(PollRequest(table=healthy))
    assert isinstance(kept, TableSnapshot)
    said = await server.stop()
    assert "A call of the game endless did not end" in said
    assert "line " in said
    (packages / "endless-1.0.dist-info").rename(packages / "endless-1.1.dist-info")
    await server.start()
    user = await connect_user(server.port, "Carla")
    assert isinstance(await user.call(CreateRequest(game="endless", seat_count=2)), CreateReply)
    await server.stop()


async def test_an_import_that_hangs_ends_the_start_with_its_place(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    write_package(packages, "frozen", "sum(range(10**13))\n" + HEALTHY)
    hasty = "from scoville_outside import last_resort; last_resort.IMPORT_HANG_SECONDS = 0.3"
    code = f"import sys; sys.path.insert(0, {str(packages)!r}); {hasty}\n{SERVER}"
    process = await run_server("--port", "0", "--data", str(tmp_path / "data"), code=code)
    said = (await process.communicate())[1].decode()
    assert process.returncode == 1
    assert "Timeout" in said
    assert f'File "{packages}/frozen' in said


def list_files(data: Path) -> list[HungGame]:
    """List what is noted, whichever packages this process has."""
    lines = (data / FOLDER / "STOPPED").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=HungGame) for line in lines]
