"""The file with the credential of a server's doors."""

import logging
import stat
from pathlib import Path

import pytest

from scoville_server.journal.base import JournalError
from scoville_server.journal.files import credential_file


def load(path: Path) -> str:
    """Do what a start does."""
    credential = credential_file.find_credential(path) or credential_file.make_credential()
    credential_file.write_credential(path, credential)
    return credential


def test_it_is_made_once_and_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "door.credential"
    made = load(path)
    assert len(made) == 44
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load(path) == made == path.read_text().strip()
    assert load(tmp_path / "other") != made


@pytest.mark.parametrize("text", ["", "short", "!" * 44, "é" * 44, "A" * 40])
def test_a_damaged_one_is_a_sentence_and_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "door.credential"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(JournalError, match=r"door\.credential"):
        load(path)
    assert path.read_text(encoding="utf-8") == text


def test_a_readable_credential_is_closed_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "door.credential"
    made = load(path)
    path.chmod(0o644)
    with caplog.at_level(logging.WARNING):
        assert load(path) == made
    assert "Other users of this machine could read" in caplog.text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_place_where_none_can_be_made_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be written"):
        load(tmp_path / "missing" / "door.credential")
