"""Saving a finished game never replaces another file and never leaves the folder."""

from pathlib import Path

import pytest

from scoville_client.replays.after_game import save_as, save_game
from scoville_shared.errors import ScovilleError


def test_a_game_is_saved_under_its_name(tmp_path: Path) -> None:
    path = save_game(["one", "two"], "no_thanks", "0123", [tmp_path])
    assert path == tmp_path / "scoville-no_thanks-0123.jsonl"
    assert path.read_bytes() == b"one\ntwo\n"


def test_no_file_is_written_over(tmp_path: Path) -> None:
    paths = [save_game([str(n)], "g", "t", [tmp_path]) for n in range(3)]
    assert [path.name for path in paths] == [f"scoville-g-t{more}.jsonl" for more in ("", "-2", "-3")]
    assert paths[0].read_text(encoding="utf-8") == "0\n"


def test_a_folder_that_takes_nothing_is_passed_over(tmp_path: Path) -> None:
    assert save_game(["x"], "g", "t", [tmp_path / "none", tmp_path]).parent == tmp_path
    with pytest.raises(ScovilleError, match="could not be saved"):
        save_game(["x"], "g", "t", [tmp_path / "none"])


def test_a_table_cannot_name_another_place(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    assert save_game(["x"], "../g", "../../t/\x1b", [inner]).parent == inner


def test_a_name_is_honoured_and_nothing_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    assert save_as(["one"], str(path)) == path
    with pytest.raises(ScovilleError, match=r"mine\.jsonl already exists; choose another name"):
        save_as(["two"], str(path))
    assert path.read_text(encoding="utf-8") == "one\n"
    with pytest.raises(ScovilleError, match="could not be saved: No such file"):
        save_as(["three"], str(tmp_path / "none" / "mine.jsonl"))
