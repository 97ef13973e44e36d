"""One trial with a damaged folder: the damage, and whether the restarted server reports it truthfully."""

import logging
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from scoville_server.journal.contents import JournalContents
from scoville_server.journal.store import Store
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from tests.e2e.corrupt.world import State, World
from tests.support.server import toy_server

_TORN = "The end of"
_LOST = "Everything after the damage is ignored"


class Outcome(NamedTuple):
    """Result of a trial: `same`, `less` with sentences about lost rows, or `refused` with one."""

    kind: str
    sentences: list[str]


class _Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


# --- damage ---------------------------------------------------------------------------------------------


def _flip_bits(data: bytearray, luck: Random) -> str:
    bit = luck.randrange(8 * len(data))
    data[bit // 8] ^= 1 << bit % 8
    return f"bit {bit} flipped"


def _flip_three(data: bytearray, luck: Random) -> str:
    return ", ".join(_flip_bits(data, luck) for _ in range(3))


def _wipe_bytes(data: bytearray, luck: Random) -> str:
    start, length = luck.randrange(len(data)), luck.choice([1, 16, 64, 512, 4096])
    data[start : start + length] = bytes(len(data[start : start + length]))
    return f"{length} bytes from {start} wiped"


def _scribble_bytes(data: bytearray, luck: Random) -> str:
    start, length = luck.randrange(len(data)), luck.choice([1, 4, 32, 512])
    data[start : start + length] = luck.randbytes(len(data[start : start + length]))
    return f"{length} bytes from {start} overwritten"


def _cut_off(data: bytearray, luck: Random) -> str:
    length = luck.randrange(len(data))
    del data[length:]
    return f"cut off at {length}"


DAMAGES: list[Callable[[bytearray, Random], str]] = [
    _flip_bits,
    _flip_bits,
    _flip_bits,
    _flip_three,
    _wipe_bytes,
    _scribble_bytes,
    _cut_off,
]


def damage_file(folder: Path, luck: Random) -> str:
    """Damage one file of the journal; returns which and how."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]
    wanted = [path for path in files if path.name.startswith("journal.sqlite3") or path.name == "CURRENT"]
    path = luck.choice([path for path in wanted for _ in range(1 if path.name == "CURRENT" else 6)])
    data = bytearray(path.read_bytes())
    damage = luck.choice(DAMAGES)(data, luck)
    path.write_bytes(data)
    return f"{path.name}: {damage}"


# --- the start after it ---------------------------------------------------------------------------------


async def run_trial(worlds: list[World], place: Path, seed: int) -> Outcome:
    """Damage a copy of a folder, and start a server on it. Raises AssertionError for a wrong report."""
    luck = Random(seed)
    world = luck.choice(worlds)
    what, twin = _damage_copy(world, place, luck), place.with_name(f"{place.name}-twin")
    shutil.rmtree(twin, ignore_errors=True)
    shutil.copytree(place, twin)
    outcome = _load_folder(place, world, f"seed {seed}, {what}")
    await _serve_folder(twin, outcome, f"seed {seed}, {what}")
    return outcome


def _damage_copy(world: World, place: Path, luck: Random) -> str:
    """Make a damaged copy of a folder; returns a description of the damage."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(world.folder, place)
    what = damage_file(place, luck)
    if luck.random() < 0.5 and "cut off" not in what:  # without its index nobody can know how long a log was
        for index in place.rglob("*-shm"):
            index.unlink()
    return f"{world.folder.name}, {what}"


def _load_folder(folder: Path, world: World, what: str) -> Outcome:
    log = _Log()
    logging.getLogger().addHandler(log)
    try:
        store = Store(folder)
        try:
            kept = store.load_rows()
        finally:
            store.close()
    except ScovilleError as error:
        _check_sentence(error.message, what)
        return Outcome("refused", [error.message])
    finally:
        logging.getLogger().removeHandler(log)
    sentences = [getattr(record, "fields", {}).get("reason") or record.getMessage() for record in log.records]
    _check_told(kept, sentences, world.states, what)
    again = Store(folder)
    assert State.of(again.load_rows()) == State.of(kept), f"{what}: the next start finds something else"
    again.close()
    return Outcome("less" if sentences else "same", sentences)


def _check_sentence(message: str, what: str) -> None:
    assert re.search(r"damaged|cannot be|missing|not a journal|newer Scoville|unreadable", message), (
        f"{what}: {message}"
    )
    assert message.endswith("."), f"{what}: {message}"
    assert "restore" in message or "--data" in message, f"{what}: {message} says not what to do"


def _check_told(kept: JournalContents, sentences: list[str], states: list[State], what: str) -> None:
    """Check that nothing new has appeared, and that the sentences name exactly the missing rows."""
    found = State.of(kept)
    cut = any(_TORN in sentence or _LOST in sentence for sentence in sentences)
    assert any(_is_told(found, state, sentences) for state in (reversed(states) if cut else states[-1:])), (
        f"{what}: what is missing is not what was said: {sentences}"
    )


def _is_told(found: State, state: State, sentences: list[str]) -> bool:
    lost = [table for table in state.tables if table not in found.tables]
    rows = [row for row in state.books if row not in found.books]
    users = [user for user in state.users if user not in found.users]
    said_of_tables = [sentence for sentence in sentences if sentence.startswith("Table ")]
    return (
        all(state.tables.get(table) == records for table, records in found.tables.items())
        and all(state.books.get(row) == value for row, value in found.books.items())
        and [user for user in state.users if user in found.users] == [*found.users]
        and all(any(f"Table {table} " in sentence for sentence in said_of_tables) for table in lost)
        and len(rows) == sum(sentence.startswith("The row ") for sentence in sentences)
        and len(users) == sum(sentence.startswith("The user ") for sentence in sentences)
    )


async def _serve_folder(folder: Path, outcome: Outcome, what: str) -> None:
    """Start a whole server: it refuses exactly what the journal refuses, without other failures."""
    log = _Log()
    logging.getLogger().addHandler(log)
    server = toy_server(Settings(data=folder))
    refusal = ""
    try:
        await server.start()
    except ScovilleError as error:
        refusal = error.message
    finally:
        await server.close()
        logging.getLogger().removeHandler(log)
    assert bool(refusal) == (outcome.kind == "refused"), f"{what}: {refusal}"
    assert not [record for record in log.records if record.exc_info], f"{what}: a traceback in the log"
