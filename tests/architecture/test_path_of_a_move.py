"""The path of a move: ARCHITECTURE.md lists exactly the files that run, in the client from a key to its request, on the
server from bytes to bytes.
"""

import asyncio
import re
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from scoville_client.session.session import Session
from scoville_client.transport.in_process import LocalLink, serve_in_process
from scoville_runtime.clock import SYSTEM
from tests.support.idle import eventually
from tests.support.screens import Player, at_the_screen, start_practice
from tests.support.tree import ROOT

SERVER, SHARED, RUNTIME, CLIENT = (
    f"{ROOT}/{name}/"
    for name in ("server/scoville_server", "shared/scoville_shared", "shared/scoville_runtime", "client")
)
GAME, BOARD = "games/no_thanks/", "tui/boards/no_thanks/"
MOVES = 3
"""A timer may be due during one move; files that run for every one of several moves belong to the move."""
MOST_FILES = 35
MOST_FILES_OF_A_KEY = 25
LATER_MS = 3_600_000
"""How much later than its start the server plays: the journal looks at a new folder more closely for some seconds."""


def listed_files(heading: str) -> list[str]:
    """List the files of the table with a heading, each below its package."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.search(rf"\| {heading} \| files \| called on the way \|\n\|---\|---\|---\|\n((?:\|.*\n)+)", page)
    assert rows is not None
    return [
        f"{folder}{name}.py"
        for folder, names in re.findall(r"`([\w/]*?)(\w+(?:, \w+)*)\.py`", rows[1])
        for name in names.split(", ")
    ]


def end_of(frame: FrameType | None) -> str:
    """Return the package of the server's or the client's innermost function below which a frame runs."""
    while frame is not None:
        for package in (SERVER, CLIENT):
            if frame.f_code.co_filename.startswith(package):
                return package
        frame = frame.f_back
    return ""


class Trace:
    """Files of the server that run, and files that both ends share where the server has called them."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self._records = False

    @contextmanager
    def recording(self) -> Iterator[set[str]]:
        """Record from now on."""
        self.files, self._records = set(), True
        profiler = sys.getprofile()
        sys.setprofile(self.note)
        try:
            yield self.files
        finally:
            sys.setprofile(profiler)
            self._records = False

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call: a profile function, of this thread and of the journal's."""
        path = frame.f_code.co_filename
        if event != "call" or not self._records or not path.startswith((SERVER, SHARED, RUNTIME)):
            return
        if end_of(frame) == SERVER:
            name = path.removeprefix(SERVER).removeprefix(SHARED).removeprefix(RUNTIME)
            self.files.add("game.py" if name.startswith(GAME) else name)


@asynccontextmanager
async def two_players(data: Path, trace: Trace) -> AsyncIterator[list[Session]]:
    """Begin a game of two at a server with a journal on the disk, whose thread is traced too."""
    threading.setprofile(trace.note)
    try:
        server = await serve_in_process(host="127.0.0.1", port=0, data=data)
    finally:
        threading.setprofile(None)
    players = [Session(), Session()]
    for player, name in zip(players, ("Marie", "Paul"), strict=True):
        await player.connect(LocalLink(server), name)
    table = (await players[0].lobby.create_table("no_thanks", 3)).table
    for player in players:
        await player.join_table(table)
    await players[0].table_actions.start_game()
    yield players
    for player in players:
        await player.close()
    await server.close()


def find_mover(players: list[Session]) -> Session | None:
    """Return the player whose turn it is, or None."""
    return next((player for player in players if player.table is not None and player.table.my_turn), None)


async def traced_move(players: list[Session], trace: Trace) -> set[str]:
    """Let a player move; returns the files that run until another one has the new View."""
    await eventually(lambda: find_mover(players) is not None)
    mover = find_mover(players)
    assert mover is not None
    watched = next(player for player in players if player is not mover).table
    assert mover.table is not None
    assert watched is not None
    before = watched.view
    with trace.recording() as files:
        move = asyncio.ensure_future(mover.play_move(mover.table.legal_moves()[0]))
        await eventually(lambda: watched.view is not before)
    await move
    return files


async def test_the_listed_files_run_on_the_server_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    date_ms = SYSTEM.date_ms
    monkeypatch.setattr(SYSTEM, "date_ms", lambda: date_ms() + LATER_MS)
    trace = Trace()
    async with two_players(tmp_path / "data", trace) as players:
        moves = [await traced_move(players, trace) for _ in range(MOVES)]
    listed = listed_files("on the server")
    assert sorted(set.intersection(*moves) - {*listed}) == [], "files run that ARCHITECTURE.md does not list"
    assert sorted({*listed} - {name for files in moves for name in files}) == [], (
        "ARCHITECTURE.md lists files that do not run"
    )
    assert len(listed) == len({*listed}), "a file is listed twice"
    assert len(listed) <= MOST_FILES, "a move runs through too many files"


async def traced_key(player: Player, key: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Press a key that makes a move; returns the files that run until its request is handed to the link."""
    await player.until(lambda: player.app.session.table.my_turn and player.app.up_to_date)
    link, played = player.app.session.connection.link, player.app.session.table.played[0]
    files: set[str] = set()
    is_sent = False

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and not is_sent and path.startswith((CLIENT, SHARED)):
            name = path.removeprefix(f"{CLIENT}scoville_client/").removeprefix(SHARED)
            files.add("board.py" if name.startswith(BOARD) else name)

    send_request = link.send_request

    async def note_request(params: Any) -> Any:
        nonlocal is_sent
        is_sent = True
        return await send_request(params)

    with monkeypatch.context() as patched:
        patched.setattr(link, "send_request", note_request)
        profiler = sys.getprofile()
        sys.setprofile(note)
        try:
            await player.pilot.press(key)
        finally:
            sys.setprofile(profiler)
        await player.until(lambda: player.app.session.table.played[0] > played)
    return files


async def test_the_listed_files_run_in_the_client_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_screen(start_practice(game="no_thanks")) as anna:
        keys = [await traced_key(anna, key, monkeypatch) for key in ("p", "t", "t")]
    listed = listed_files("in the client")
    assert sorted(set.intersection(*keys) - {*listed}) == [], "files run that ARCHITECTURE.md does not list"
    assert sorted({*listed} - {name for files in keys for name in files}) == [], (
        "ARCHITECTURE.md lists files that do not run"
    )
    assert len(listed) == len({*listed}), "a file is listed twice"
    assert len(listed) <= MOST_FILES_OF_A_KEY, "a key runs through too many files"
