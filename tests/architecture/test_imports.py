"""Modules that a fresh interpreter loads for each command: import contracts cannot check that."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import json, pkgutil, importlib, sys
{body}
print(json.dumps(sorted(sys.modules)))
"""

EVERY_MODULE = """
import {package}
for found in pkgutil.walk_packages({package}.__path__, "{package}."):
    importlib.import_module(found.name)
"""

COMPILER = {"numba", "numpy", "llvmlite"}
"""What only searching bots load, in processes of their own."""

COMMAND = """
import contextlib, io
from {module} import main
sys.argv = ["{name}", "{argument}"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
"""


def loaded_by(body: str) -> set[str]:
    """Run some lines in a fresh interpreter and return the modules it ends with."""
    command = [sys.executable, "-c", PROBE.format(body=body)]
    probe = subprocess.run(command, capture_output=True, text=True, check=False)
    assert probe.returncode == 0, probe.stderr
    return set(json.loads(probe.stdout))


def packages_of(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_shared_packages_load_neither_end() -> None:
    loaded = packages_of(loaded_by(EVERY_MODULE.format(package="scoville_shared")))
    assert loaded.isdisjoint(
        {"scoville_server", "scoville_client", "asyncio", "ssl", "sqlite3", "textual", "cyclopts"} | COMPILER
    )


def test_a_process_that_thinks_loads_no_event_loop() -> None:
    loaded = packages_of(loaded_by("import scoville_thinking.worker"))
    assert loaded.isdisjoint({"scoville_server", "scoville_client", "asyncio", "concurrent"})


def test_the_server_draws_nothing() -> None:
    loaded = packages_of(loaded_by(EVERY_MODULE.format(package="scoville_server")))
    assert loaded.isdisjoint({"scoville_client", "textual", "asyncssh"} | COMPILER)


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_asking_the_client_loads_neither_screens_nor_server(argument: str) -> None:
    body = COMMAND.format(module="scoville_client.cli.main", name="scoville", argument=argument)
    assert packages_of(loaded_by(body)).isdisjoint({"textual", "scoville_server", "asyncssh", "sqlite3"} | COMPILER)


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_a_question_to_the_server_starts_none(argument: str) -> None:
    body = COMMAND.format(module="scoville_server.cli.main", name="scoville-server", argument=argument)
    assert packages_of(loaded_by(body)).isdisjoint({"scoville_client", "textual", "sqlite3"})


def test_a_server_that_starts_loads_what_it_needs_alone() -> None:
    body = COMMAND.format(module="scoville_server.cli.main", name="scoville-server", argument="--no-data=")
    assert "cyclopts" in packages_of(loaded_by(body)), "else this test shows nothing"
    loaded = loaded_by(
        "import scoville_server.cli.options, scoville_server.cli.serving, scoville_server.journal.sqlite"
    )
    assert packages_of(loaded).isdisjoint({"cyclopts", "rich", "docstring_parser", "attrs"})
    # A few milliseconds each, which everybody waits for at a restart.
    assert packages_of(loaded).isdisjoint(
        {"zoneinfo", "sysconfig", "statistics", "fractions", "zipfile", "difflib", "ctypes"}
    )


def test_first_screen_loads_no_server_game_or_session() -> None:
    loaded = loaded_by("import scoville_client.tui.app, scoville_client.tui.screens.start.start")
    assert packages_of(loaded).isdisjoint({"scoville_server", "asyncssh", "sqlite3"} | COMPILER)
    later = ("scoville_shared.games", "scoville_shared.protocol", "scoville_client.session.session")
    assert not {name for name in loaded if name.startswith(later)}


def test_the_line_mode_loads_nothing_that_draws() -> None:
    loaded = packages_of(loaded_by("import scoville_client.plain.main"))
    assert loaded.isdisjoint({"textual", "rich", "asyncssh", "sqlite3"} | COMPILER)


LISTED = Path(__file__).with_name("start_modules.txt")

UNTIL_THE_BOARD = """
import asyncio, json, sys
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp

def own_modules():
    own = [name for name in sys.modules if name.startswith("scoville_")]
    return {name if name.startswith("scoville_client") else ".".join(name.split(".")[:2]) for name in own}

async def play():
    app = ScovilleApp(Start(), pace=0)
    running = asyncio.create_task(app.run_async(headless=True, size=(80, 24)))
    while not (app.page_stack.pages and app.up_to_date):
        await asyncio.sleep(0.01)
    first = own_modules()
    app.open_connection(Start(kind="practice", name="Anna", seed=bytes(32)))
    while not (app.is_connected and app.client.in_game and app.up_to_date):
        await asyncio.sleep(0.01)
    everything, board = set(sys.modules), own_modules()
    app.exit()
    await running
    print(json.dumps([sorted(first), sorted(board - first), sorted(everything)]))

asyncio.run(play())
"""


def test_users_wait_at_the_start_for_listed_modules_alone(tmp_path: Path) -> None:
    folders = {name: str(tmp_path) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    command = [sys.executable, "-c", UNTIL_THE_BOARD]
    probe = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | folders)
    assert probe.returncode == 0, probe.stderr
    first, board, everything = json.loads(probe.stdout)
    parts = LISTED.read_text().split("\n\n")
    listed = [[line for line in part.splitlines() if not line.startswith("#")] for part in parts]
    said = "import it where it is needed first, or list it in start_modules.txt"
    for loaded, known in ((first, listed[0]), (board, listed[1])):
        assert sorted(set(loaded) - set(known)) == [], f"users wait for it at the start: {said}"
        assert sorted(set(known) - set(loaded)) == [], "is not loaded any more: remove it from start_modules.txt"
    for late in ("mmap", "faulthandler", "cryptography.hazmat.primitives.asymmetric.rsa", "sqlite3"):
        assert late not in everything
