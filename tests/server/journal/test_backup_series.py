"""Backups in series share what is unchanged, and a changed backup is found before it is needed."""

import io
import os
import shutil
import tarfile
import tempfile
from errno import EACCES
from pathlib import Path
from random import Random

import msgspec
import pytest

from scoville_server.events import Damage
from scoville_server.journal.backups.copying import back_up, lock_target, restore_backup, verify_backup
from scoville_server.journal.backups.note import note_backup, note_failed_backup, read_backup_note
from scoville_server.journal.backups.series import (
    back_up_series,
    list_backups,
    list_unfinished_backups,
    remove_unfinished_backup,
)
from scoville_server.journal.backups.stream import stream_backup
from scoville_server.journal.base import Change, FolderTaken, JournalError
from scoville_server.journal.files.generations import JOURNAL, MANIFEST, UNFINISHED
from scoville_server.journal.store import Store
from scoville_server.tables.archive.archive import Creator, checksum_of, find_game_faults
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
    flip_bit(path, chance)
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


def open_archive(pipe: io.BytesIO) -> tarfile.TarFile:
    """Open what a pipe has received, with Python's filter for untrusted archives where it has one: from 3.11.4 on."""
    archive = tarfile.open(fileobj=io.BytesIO(pipe.getvalue()))  # noqa: SIM115 - the caller closes it
    if (checked := getattr(tarfile, "data_filter", None)) is not None:
        archive.extraction_filter = checked
    return archive


def test_a_backup_goes_through_a_pipe(tmp_path: Path) -> None:
    data, pipe = data_folder(tmp_path / "data", t1=b"1"), io.BytesIO()
    stream_backup(data, pipe)
    with open_archive(pipe) as archive:
        archive.extractall(tmp_path / "far")
    assert verify_backup(tmp_path / "far" / "scoville-backup") == (1, 1)
    restore_backup(tmp_path / "far" / "scoville-backup", tmp_path / "new", force=False)
    assert tables_in(tmp_path / "new") == {"t1": [b"1"]}


def test_a_pipe_needs_no_room_for_the_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, scratch, pipe = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "scratch", io.BytesIO()
    for number in range(5):
        (data / "games" / f"{number}.jsonl").write_bytes(bytes(1_000_000))
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    largest: list[int] = []

    def measure(*_: int) -> None:
        largest.append(sum(path.stat().st_size for path in scratch.rglob("*") if path.is_file()))

    assert stream_backup(data, pipe, measure) == (1, 6)
    assert max(largest) < 500_000 < 5_000_000 < len(pipe.getvalue())


def test_an_archive_that_was_cut_off_is_no_backup(tmp_path: Path) -> None:
    data, pipe = data_folder(tmp_path / "data", t1=b"1"), io.BytesIO()
    stream_backup(data, pipe)
    with open_archive(pipe) as archive:
        members = archive.getmembers()
        assert members[-1].name.endswith(JOURNAL)
        archive.extractall(tmp_path / "far", members=members[:-1])
    cut = tmp_path / "far" / "scoville-backup"
    with pytest.raises(JournalError, match="missing"):
        verify_backup(cut)
    with pytest.raises(JournalError, match="missing"):
        restore_backup(cut, tmp_path / "new", force=False)


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
    half = series / "1970-01-02T00-30-00Z"
    shutil.copytree(first, half)
    (half / UNFINISHED).touch()
    of_somebody = series / "1970-01-01T02-00-00Z"
    of_somebody.mkdir()
    lock = lock_target(half)
    assert list_unfinished_backups(series) == [], "one that is being written is not unfinished"
    lock.release_folder()
    assert list_unfinished_backups(series) == [half]
    second = back_up_series(data, series, 7, DAY_MS + 7_200_000).folder
    assert sorted(series.iterdir()) == [first, of_somebody, second]


def test_a_backup_that_began_anew_is_not_removed(tmp_path: Path) -> None:
    data, half = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "half"
    half.mkdir()
    (half / UNFINISHED).touch()
    lock = lock_target(half)
    with pytest.raises(FolderTaken):
        remove_unfinished_backup(half)
    lock.release_folder()
    back_up(data, half)
    remove_unfinished_backup(half)
    assert verify_backup(half).tables == 1


def test_a_series_takes_one_backup_at_a_time(tmp_path: Path) -> None:
    data, series = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "series"
    (data / "games" / "second.jsonl").write_text("another game\n")
    refused: list[str] = []

    def start_another(done: int, _: int) -> None:
        if done == 1:
            with pytest.raises(FolderTaken, match="Another backup is being written") as error:
                back_up_series(data, series, 7, DAY_MS)
            refused.append(error.value.message)

    made = back_up_series(data, series, 7, 0, start_another)
    assert len(refused) == 1
    assert verify_backup(made.folder) == (1, 2)
    assert [*series.iterdir()] == [made.folder], "the lock leaves no file"


def test_a_backup_keeps_another_out_of_its_folder(tmp_path: Path) -> None:
    data, copy = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "copy"

    def start_another(*_: int) -> None:
        with pytest.raises(FolderTaken, match="Another backup is being written"):
            back_up(data, copy)

    assert back_up(data, copy, progress=start_another) == verify_backup(copy) == (1, 1)


@pytest.mark.parametrize("seed", range(20))
def test_a_flipped_bit_is_not_handed_on(tmp_path: Path, seed: int) -> None:
    data, series, chance = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "series", Random(seed)
    first = back_up_series(data, series, 7, 0).folder
    flip_bit(first / "games" / "old.jsonl", chance)
    reported: list[Damage] = []
    second = back_up_series(data, series, 7, DAY_MS, report_damage=reported.append).folder
    assert (second / "games" / "old.jsonl").read_text() == "a finished game\n"
    assert verify_backup(second) == (1, 1)
    assert [(damage.path, "games/old.jsonl" in damage.reason) for damage in reported] == [(str(first), True)]
    third = back_up_series(data, series, 7, 2 * DAY_MS, report_damage=reported.append).folder
    assert inode(third / "games" / "old.jsonl") == inode(second / "games" / "old.jsonl")
    assert len(reported) == 1


def test_game_that_rots_stays_sound_in_backups(tmp_path: Path) -> None:
    data, series = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "series"
    back_up_series(data, series, 7, 0)
    flip_bit(data / "games" / "old.jsonl", Random(1))
    second = back_up_series(data, series, 7, DAY_MS).folder
    assert (second / "games" / "old.jsonl").read_text() == "a finished game\n"


def test_a_game_damaged_before_its_backup_is_named(tmp_path: Path) -> None:
    data, copy = data_folder(tmp_path / "data"), tmp_path / "copy"
    store = Store(data)
    creator = msgspec.msgpack.encode(Creator(checksum=checksum_of(b"a finished game\n")))
    store.commit_writes([lambda s: s.write_changes([Change("games", "old.jsonl", creator)])])
    store.close()
    flip_bit(data / "games" / "old.jsonl", Random(2))
    back_up(data, copy)
    with pytest.raises(JournalError, match=r"damaged when it was made: old\.jsonl"):
        verify_backup(copy, find_changed_games=lambda *found: find_game_faults(*found).changed)


def flip_bit(path: Path, chance: Random) -> None:
    """Flip a bit as a disk does: without a trace in the file's times."""
    found, content = path.stat(), bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
