"""Whatever files of a server are copied: the copy has every acknowledged fact, or it does not start."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from scoville_server.journal.backups.copying import back_up
from scoville_server.journal.base import Change, JournalError, StoredUser
from scoville_server.journal.contents import JournalContents
from scoville_server.journal.files.alive import ALIVE
from scoville_server.journal.files.generations import CURRENT, JOURNAL
from scoville_server.journal.files.key_file import KEY
from scoville_server.journal.files.version_file import VERSION
from scoville_server.journal.statements import Statements
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId, UserId

WAL, SHM = f"{JOURNAL}-wal", f"{JOURNAL}-shm"
FILES = (JOURNAL, WAL, SHM, CURRENT, ALIVE, VERSION, KEY)
State = tuple[dict[str, list[bytes]], list[str], dict[str, bytes]]

WRITER = """
import sys
from pathlib import Path
from random import Random
from scoville_server.journal.store import Store
from tests.server.journal.test_copies import Facts
store, facts, luck = Store(Path(sys.argv[1])), Facts(int(sys.argv[2])), Random(int(sys.argv[2]))
store.load_rows()
number = 0
while True:
    store.commit_writes(facts.next_commit())
    if luck.random() < 0.02:
        store.fold_log()
    number += 1
    print(number, flush=True)
"""


class Facts:
    """Commits of every kind, which follow from a seed, and the state after them."""

    def __init__(self, seed: int) -> None:
        self._luck = Random(seed)
        self._tables: dict[str, list[bytes]] = {}
        self._users: dict[str, None] = {}
        self._rows: dict[str, bytes] = {}

    @property
    def state(self) -> State:
        return {table: [*rows] for table, rows in self._tables.items()}, [*self._users], dict(self._rows)

    def next_commit(self) -> list[object]:
        return [self._write() for _ in range(self._luck.choice([1, 1, 1, 2, 5]))]

    def _write(self) -> object:
        kind = self._luck.choice(["append"] * 6 + ["retire", "remember", "forget", "put", "put", "drop"])
        name, data = str(self._luck.randrange(6)), self._luck.randbytes(self._luck.choice([20, 200, 3000]))
        if kind == "append":
            self._tables.setdefault(name, []).append(data)
            return lambda s: s.appends.add_records(TableId(name), [data])
        if kind == "retire":
            self._tables.pop(name, None)
            return lambda s: s.delete_records(TableId(name))
        if kind == "remember":
            self._users.pop(name, None)
            self._users[name] = None
            return lambda s: s.put_user(StoredUser(user=UserId(name), name=name))
        if kind == "forget":
            self._users.pop(name, None)
            return lambda s: s.delete_user(UserId(name))
        if kind == "put":
            self._rows[name] = data
            return lambda s: s.write_changes([Change("bans", name, data)])
        self._rows.pop(name, None)
        return lambda s: s.write_changes([Change("bans", name, None)])


def states(seed: int, commits: int) -> list[State]:
    """Return the states after 0, 1, 2 … commits."""
    facts, found = Facts(seed), []
    for _ in range(commits + 1):
        found.append(facts.state)
        facts.next_commit()
    return found


def state_of(kept: JournalContents) -> State:
    tables = {str(table): [*records] for table, records in kept.tables.items()}
    return tables, [str(user.user) for user in kept.users], {key: row.value for key, row in kept.books.get("bans", ())}


class RunningWriter:
    """A process that writes to a folder as fast as it can, and says which commits are acknowledged."""

    def __init__(self, folder: Path, seed: int) -> None:
        call = [sys.executable, "-c", WRITER, str(folder), str(seed)]
        self._process = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
        self.acknowledged = 0

    def wait_for(self, commits: int) -> None:
        """Wait until so many commits are acknowledged."""
        assert self._process.stdout is not None
        while self.acknowledged < commits:
            line = self._process.stdout.readline()
            assert line, "the writer has ended by itself"
            self.acknowledged = int(line)

    def kill(self) -> None:
        """Kill it, and take note of all that it has acknowledged."""
        self._process.send_signal(signal.SIGKILL)
        rest, _ = self._process.communicate()
        self.acknowledged = max([self.acknowledged, *(int(line) for line in rest.splitlines(True) if line[-1] == "\n")])


@contextmanager
def writing(folder: Path, seed: int) -> Iterator[RunningWriter]:
    """Let a process write until the end of the block."""
    writer = RunningWriter(folder, seed)
    try:
        yield writer
    finally:
        writer.kill()


def started(folder: Path) -> State | None:
    """Start on a folder; None when it is refused, with a sentence that names a remedy and no change."""
    before = contents(folder)
    sentence, store = opened(folder)
    if store is None:
        assert "restore" in sentence, sentence
        assert contents(folder) == before
        return None
    found = state_of(store.load_rows())
    store.close()
    return found


def opened(folder: Path) -> tuple[str, Store | None]:
    """Open a folder; returns the sentence of a refusal otherwise."""
    try:
        return "", Store(folder)
    except JournalError as error:
        return error.message, None


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def copied(folder: Path, names: tuple[str, ...], target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for name in names:
        if (folder / name).exists():
            shutil.copy(folder / name, target / name)
    return target


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_subsets_of_a_killed_folder_are_whole_or_refused(tmp_path: Path, seed: int) -> None:
    data, least = tmp_path / "data", Random(seed).choice([1, 40, 400])
    with writing(data, seed) as writer:
        writer.wait_for(least)
    last = writer.acknowledged
    whole = states(seed, last + 1)[-2:]  # the last one may be durable and not acknowledged
    outcomes = {}
    for size in range(1, len(FILES) + 1):
        for names in combinations(FILES, size):
            found = started(copied(data, names, tmp_path / "copy"))
            assert found is None or found in whole, names
            outcomes[frozenset(names)] = found is not None
    everything = frozenset(FILES)
    for spare in ((), (SHM,), (CURRENT,), (VERSION,), (SHM, CURRENT, VERSION)):
        assert outcomes[everything - {*spare}], spare
    assert not outcomes[everything - {ALIVE}], "nobody could know whether its end is missing"
    assert not outcomes[frozenset({JOURNAL, KEY})]
    assert not outcomes[frozenset({JOURNAL, KEY, CURRENT, SHM})]
    assert sum(outcomes.values()) < len(outcomes) / 2


@pytest.mark.parametrize("seed", range(4, 12))
def test_files_copied_while_running_are_whole_or_refused(tmp_path: Path, seed: int) -> None:
    data, luck = tmp_path / "data", Random(seed)
    refused, copies = 0, []
    with writing(data, seed) as writer:
        number = 0
        for copy in range(6):
            number += luck.randrange(1, 60)
            writer.wait_for(number)
            names = [name for name in FILES if luck.random() < 0.9]
            luck.shuffle(names)
            copies.append((number, names, copied(data, tuple(names), tmp_path / f"copy {copy}")))
    possible = states(seed, writer.acknowledged + 1)
    for number, names, copy in copies:
        found = started(copy)
        assert found is None or found in possible[number:], names
        refused += found is None


def test_a_closed_journal_is_whole_by_itself(tmp_path: Path) -> None:
    store, facts = Store(tmp_path / "data"), Facts(0)
    for _ in range(50):
        store.commit_writes(facts.next_commit())
    store.close()
    assert started(copied(tmp_path / "data", (JOURNAL, KEY), tmp_path / "copy")) == facts.state


def test_an_older_journal_copy_is_noticed_and_used_on_demand(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = tmp_path / "data"
    Store(data).close()
    older = (data / JOURNAL).read_bytes()
    store = Store(data)
    for n in range(5):
        store.commit_writes([lambda s, n=n: s.appends.add_records(TableId("t"), [b"%d" % n])])
    store.close()
    (data / JOURNAL).write_bytes(older)
    with pytest.raises(JournalError, match=r"of the \d+ commits that its server has acknowledged are missing"):
        Store(data)
    again = Store(data, leave_out_damaged=True)
    assert again.load_rows().tables == {}
    again.close()
    assert "is used as it is" in caplog.text
    Store(data).close()


def test_a_journal_beside_the_note_of_another_is_noticed(tmp_path: Path) -> None:
    for name in ("one", "other"):
        Store(tmp_path / name).close()
    shutil.copy(tmp_path / "one" / ALIVE, tmp_path / "other" / ALIVE)
    with pytest.raises(JournalError, match="is the note of another journal"):
        Store(tmp_path / "other")


def test_a_backup_of_half_a_folder_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with writing(data, 1) as writer:
        writer.wait_for(30)
    (data / WAL).unlink()
    (data / SHM).unlink()
    with pytest.raises(JournalError, match="is not all there"):
        back_up(data, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


@pytest.mark.parametrize("name", [WAL, SHM])
def test_empty_file_beside_a_missing_journal_starts_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    sentence, store = opened(tmp_path)
    assert store is None
    assert name in sentence


@pytest.mark.parametrize("seed", range(3))
def test_a_log_cut_anywhere_says_how_much_is_missing(tmp_path: Path, seed: int) -> None:
    data, luck = tmp_path / "data", Random(seed)
    with writing(data, seed) as writer:
        writer.wait_for(40)
    last = writer.acknowledged
    whole = states(seed, last + 1)[-2:]
    size = (data / WAL).stat().st_size
    for _ in range(25):
        copy = copied(data, (JOURNAL, WAL, CURRENT, ALIVE, KEY), tmp_path / "copy")
        # It is empty where the writer was killed right behind a checkpoint.
        os.truncate(copy / WAL, luck.randrange(max(1, size)))
        sentence, store = opened(copy)
        if store is None:  # the file may have been ahead of what is left of the log, where a checkpoint was killed
            counted = "commits that its server has acknowledged are missing" in sentence
            assert counted or "is incomplete" in sentence or "is damaged" in sentence, sentence
        else:
            assert state_of(store.load_rows()) in whole
            store.close()


def test_the_note_costs_no_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("a sync in the path of a move"))
    store.commit_writes([lambda s: s.appends.add_records(TableId("t"), [b"1"])])
    monkeypatch.undo()
    store.close()


def test_a_kill_between_commit_and_note_is_no_loss(tmp_path: Path) -> None:
    store = Store(tmp_path / "data")
    store.commit_writes([lambda s: s.appends.add_records(TableId("t"), [b"1"])])
    note = (tmp_path / "data" / ALIVE).read_bytes()
    store.commit_writes([lambda s: s.appends.add_records(TableId("t"), [b"2"])])
    copy = copied(tmp_path / "data", FILES, tmp_path / "copy")
    (copy / ALIVE).write_bytes(note)
    store.close()
    assert started(copy) == ({"t": [b"1", b"2"]}, [], {})


def test_a_commit_that_changes_nothing_has_no_number(tmp_path: Path) -> None:
    store = Store(tmp_path)
    before = store._appends.tally
    store.commit_writes([lambda s: Statements.read_records(s, TableId("t"))])
    assert store._appends.tally == before
    store.commit_writes([lambda s: s.appends.add_records(TableId("t"), [b"1"])])
    assert store._appends.tally.commits == before.commits + 1
    store.close()


def test_a_cut_log_names_the_number_of_missing_commits(tmp_path: Path) -> None:
    store = Store(tmp_path / "data")
    sizes = []
    for n in range(10):
        store.commit_writes([lambda s, n=n: s.appends.add_records(TableId("t"), [b"%d" % n])])
        sizes.append((tmp_path / "data" / WAL).stat().st_size)
    copy = copied(tmp_path / "data", (JOURNAL, WAL, CURRENT, ALIVE, KEY), tmp_path / "copy")
    store.close()
    os.truncate(copy / WAL, sizes[3])
    sentence, _ = opened(copy)
    assert " 6 of the 11 commits that its server has acknowledged are missing" in sentence
