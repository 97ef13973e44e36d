"""Backups in series share what is unchanged, and a changed backup is found before it is needed."""

import io
import os
import shutil
import tarfile
from errno import EACCES
from pathlib import Path
from random import Random

import pytest

from scoville_server.journal.backup import (
    back_up,
    back_up_series,
    list_backups,
    restore_backup,
    stream_backup,
    verify_backup,
)
from scoville_server.journal.backup_note import note_backup, note_failed_backup, read_backup_note
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.generations import MANIFEST, UNFINISHED
from tests.server.journal.test_backup import data_folder, tables_in

DAY_MS = 86_400_000


def inode(path: Path) -> int:
    return path.stat().st_ino


def test_an_unchanged_game_takes_no_space_again(tmp_path: Path) -> None:
    data, series = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "series"
    (data / "games" / "edited.jsonl").write_text("before\n")
    first = back_up_series(data, series, 7, 0).folder
    (data / "games" / "edited.jsonl").write_text("after it\n")
    (data / "games" / "new.jsonl").write_text("new\n")
    second, copied = back_up_series(data, series, 7, DAY_MS)
    assert copied == (1, 3)
    assert inode(second / "games" / "old.jsonl") == inode(first / "games" / "old.jsonl")
    assert (first / "games" / "edited.jsonl").read_text() == "before\n"
    assert (second / "games" / "edited.jsonl").read_text() == "after it\n"
    assert [verify_backup(path) for path in list_backups(series)] == [(1, 2), (1, 3)]


def test_a_damaged_former_backup_does_not_prevent_the_next(tmp_path: Path) -> None:
    data, series = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "series"
    first = back_up_series(data, series, 7, 0).folder
    (first / MANIFEST).write_bytes(b"flipped")
    second, copied = back_up_series(data, series, 7, DAY_MS)
    assert copied == verify_backup(second) == (1, 1)
    assert inode(second / "games" / "old.jsonl") != inode(first / "games" / "old.jsonl")


def test_two_backups_of_one_second_have_names_of_their_own(tmp_path: Path) -> None:
    data, series = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "series"
    made = [back_up_series(data, series, 7, 999).folder for _ in range(3)]
    assert list_backups(series) == made
    assert [path.name[-3:-1] for path in made] == ["00", "01", "02"]


def test_a_folder_that_cannot_be_looked_into_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, series = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "series"
    look = Path.stat

    def refuse(path: Path, **options: bool) -> os.stat_result:
        if path.is_relative_to(series):
            raise PermissionError(EACCES, os.strerror(EACCES))
        return look(path, **options)

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(JournalError, match="series"):
        back_up_series(data, series, 7, 0)


def test_only_the_newest_backups_are_kept(tmp_path: Path) -> None:
    data, series = data_folder(tmp_path / "data"), tmp_path / "series"
    (series / "of-another").mkdir(parents=True)
    (series / "2020-01-01T00-00-00Z").mkdir()  # by somebody else: it has no manifest
    made = [back_up_series(data, series, 2, day * DAY_MS).folder for day in range(4)]
    assert list_backups(series) == made[2:]
    assert {path.name for path in series.iterdir()} == {
        "of-another",
        "2020-01-01T00-00-00Z",
        *(path.name for path in made[2:]),
    }


def test_an_interrupted_backup_of_a_series_is_passed_over(tmp_path: Path) -> None:
    data, series = data_folder(tmp_path / "data"), tmp_path / "series"
    first = back_up_series(data, series, 2, 0).folder
    broken = back_up_series(data, series, 2, DAY_MS).folder
    (broken / UNFINISHED).write_text("killed")
    third = back_up_series(data, series, 2, 2 * DAY_MS).folder
    assert list_backups(series) == [first, third]


def test_games_are_copied_where_links_are_impossible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, series = data_folder(tmp_path / "data"), tmp_path / "series"
    first = back_up_series(data, series, 2, 0).folder

    def refuse(*_: object, **__: object) -> None:
        raise OSError(31, "Too many links")

    monkeypatch.setattr(os, "link", refuse)
    second = back_up_series(data, series, 2, DAY_MS).folder
    assert inode(second / "games" / "old.jsonl") != inode(first / "games" / "old.jsonl")
    assert verify_backup(second) == (0, 1)


@pytest.mark.parametrize("seed", range(100))
def test_every_flipped_bit_is_found(tmp_path: Path, seed: int) -> None:
    data, copy = data_folder(tmp_path / "data", t1=b"1", t2=b"2"), tmp_path / "copy"
    (data / "audit.jsonl").write_text("")
    back_up(data, copy)
    chance = Random(seed)
    files = [path for path in sorted(copy.rglob("*")) if path.is_file() and path.stat().st_size]
    # Every file in turn, small ones as often as the journal.
    path = files[seed % len(files)]
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    with pytest.raises(JournalError, match="damaged"):
        verify_backup(copy)
    with pytest.raises(JournalError, match="damaged"):
        restore_backup(copy, tmp_path / "new", force=False)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["games/old.jsonl", "journal.sqlite3", "server.key"])
def test_a_missing_file_of_a_backup_is_named(tmp_path: Path, name: str) -> None:
    copy = tmp_path / "copy"
    back_up(data_folder(tmp_path / "data"), copy)
    (copy / name).unlink()
    with pytest.raises(JournalError, match="missing"):
        verify_backup(copy)


def test_a_file_that_was_added_to_a_backup_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    back_up(data_folder(tmp_path / "data"), copy)
    (copy / "games" / "added.jsonl").write_text("of somebody else")
    with pytest.raises(JournalError, match=r"games/added\.jsonl does not belong to this backup"):
        verify_backup(copy)


def test_a_backup_without_a_manifest_is_still_read(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    back_up(data_folder(tmp_path / "data", t1=b"1"), copy)
    (copy / MANIFEST).unlink()
    assert verify_backup(copy) == (1, 1)
    assert restore_backup(copy, tmp_path / "new", force=False) == (1, 1)


def test_progress_names_every_file(tmp_path: Path) -> None:
    data, seen = data_folder(tmp_path / "data"), list[tuple[int, int]]()
    for number in range(4):
        (data / "games" / f"{number}.jsonl").write_text("a game\n")
    back_up(data, tmp_path / "copy", progress=lambda *done: seen.append(done))
    assert seen == [(done, 5) for done in range(1, 6)]


def test_a_backup_goes_through_a_pipe(tmp_path: Path) -> None:
    data, pipe = data_folder(tmp_path / "data", t1=b"1"), io.BytesIO()
    stream_backup(data, pipe)
    with tarfile.open(fileobj=io.BytesIO(pipe.getvalue())) as archive:
        archive.extractall(tmp_path / "far", filter="data")
    assert verify_backup(tmp_path / "far" / "scoville-backup") == (1, 1)
    restore_backup(tmp_path / "far" / "scoville-backup", tmp_path / "new", force=False)
    assert tables_in(tmp_path / "new") == {"t1": [b"1"]}


def test_a_data_folder_knows_its_last_backup(tmp_path: Path) -> None:
    data = data_folder(tmp_path / "data", t1=b"1")
    assert read_backup_note(data) is None
    note_backup(data, tmp_path / "copy", back_up(data, tmp_path / "copy"), 12_345)
    note = read_backup_note(data)
    assert note is not None
    assert (note.at_ms, note.folder, note.tables, note.games) == (12_345, str(tmp_path / "copy"), 1, 1)
    (data / "LAST_BACKUP").write_text("{")
    assert read_backup_note(data) is None
    shutil.rmtree(tmp_path / "copy")
    back_up(data, tmp_path / "copy")
    assert not (tmp_path / "copy" / "LAST_BACKUP").exists()


def test_a_failed_backup_is_noted_until_one_succeeds(tmp_path: Path) -> None:
    data = data_folder(tmp_path / "data", t1=b"1")
    note_backup(data, tmp_path / "copy", back_up(data, tmp_path / "copy"), 1)
    note_failed_backup(data, "The disk is full.", 2)
    note = read_backup_note(data)
    assert note is not None
    assert (note.at_ms, note.failed_ms, note.failure) == (1, 2, "The disk is full.")
    note_backup(data, tmp_path / "second", back_up(data, tmp_path / "second"), 3)
    note = read_backup_note(data)
    assert note is not None
    assert (note.at_ms, note.failed_ms, note.failure) == (3, 0, "")


def test_a_series_removes_what_a_killed_backup_left(tmp_path: Path) -> None:
    data, series = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "series"
    first = back_up_series(data, series, 7, 0).folder
    half, running = series / "1970-01-01T01-00-00Z", series / "1970-01-02T00-30-00Z"
    for path in (half, running):
        shutil.copytree(first, path)
        (path / UNFINISHED).touch()
    of_somebody = series / "1970-01-01T02-00-00Z"
    of_somebody.mkdir()
    second = back_up_series(data, series, 7, DAY_MS + 7_200_000).folder
    assert sorted(series.iterdir()) == [first, of_somebody, running, second]
