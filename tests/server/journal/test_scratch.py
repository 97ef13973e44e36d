"""Scratch folders: nothing of them stays, nor of those of killed processes, and nothing else is removed."""

from pathlib import Path

import pytest

from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.journal.files.scratch import own_scratch_folder, scratch_folder


def _list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _fill_scratch(folder: Path, *, spoils: bool) -> None:
    with scratch_folder(folder / "a.part", folder / "a") as scratch:
        (scratch / "half").write_text("half")
        if spoils:
            (folder / "a.part" / "UNFINISHED").unlink()
            (folder / "a.part" / "mine").write_text("x")
        else:
            raise ZeroDivisionError


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        _fill_scratch(tmp_path, spoils=False)
    assert _list_names(tmp_path) == []


def test_a_file_in_the_way_stays(tmp_path: Path) -> None:
    (tmp_path / "a.part").write_text("mine")
    with pytest.raises((JournalError, OSError)), scratch_folder(tmp_path / "a.part", tmp_path / "a"):
        pass
    assert (tmp_path / "a.part").read_text() == "mine"


def test_what_appears_meanwhile_stays(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="is not from a copy"):
        _fill_scratch(tmp_path, spoils=True)
    assert (tmp_path / "a.part" / "mine").read_text() == "x"


def test_a_process_removes_what_killed_ones_have_left(tmp_path: Path) -> None:
    left = tmp_path / "copy-1.part"
    (left / "copy").mkdir(parents=True)
    (left / "copy" / "journal.sqlite3").write_text("half")
    (left / "UNFINISHED").touch()
    (tmp_path / "copy-2.part").mkdir()
    (tmp_path / "copy-2.part" / "mine").write_text("x")
    with scratch_folder(tmp_path / "copy-3.part", tmp_path) as used:
        with own_scratch_folder(tmp_path, "copy") as scratch:
            assert scratch.is_dir()
            assert used.is_dir()
            assert not left.exists()
        with pytest.raises(FolderTaken), scratch_folder(tmp_path / "copy-3.part", tmp_path):
            pass
    assert _list_names(tmp_path) == ["copy-2.part"]
