"""A bug in the client is written to a file and shown as one sentence."""

from pathlib import Path

from scoville_client import crash


def test_the_record_is_written_into_the_users_folder(tmp_path: Path) -> None:
    file = crash.record_crash(ZeroDivisionError("seven chilies"), {"XDG_STATE_HOME": str(tmp_path)})
    assert file == tmp_path / "scoville" / "last-error.txt"
    assert "ZeroDivisionError: seven chilies" in file.read_text()
    assert str(file) in crash.crash_sentence(file)


def test_where_that_folder_cannot_be_written_another_place_is_found(tmp_path: Path) -> None:
    taken = tmp_path / "a file"
    taken.write_text("no folder")
    file = crash.record_crash(ValueError("x"), {"XDG_STATE_HOME": str(taken)})
    assert file is not None
    assert "ValueError: x" in file.read_text()
    file.unlink()


def test_a_relative_path_is_no_data_folder(tmp_path: Path) -> None:
    assert crash.find_state_folder({"XDG_STATE_HOME": str(tmp_path)}) == tmp_path / "scoville"
    assert crash.find_state_folder({"XDG_STATE_HOME": "here"}).is_absolute()


def test_the_sentence_is_one_even_when_nothing_could_be_written() -> None:
    assert crash.crash_sentence(None).count("\n") == 0
