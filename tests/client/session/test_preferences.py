"""Preferences are stored between runs; a damaged file does not prevent a start."""

from pathlib import Path

import pytest

from scoville_client.session.preferences import Preferences, load_preferences, save_preferences


def test_what_is_remembered_is_recalled(tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path)}
    save_preferences(Preferences(light=True, calm=True), home)
    assert load_preferences(home) == Preferences(light=True, calm=True)
    assert [file.name for file in (tmp_path / "scoville").iterdir()] == ["client.json"]


@pytest.mark.parametrize("garbage", [b"", b"{", b"\xff\x00", b"[1, 2]", b'{"light": 7}', b"1" * 100_000])
def test_garbage_is_as_nothing(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "scoville").mkdir()
    (tmp_path / "scoville" / "client.json").write_bytes(garbage)
    assert load_preferences({"XDG_CONFIG_HOME": str(tmp_path)}) == Preferences()


def test_a_place_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    home = {"XDG_CONFIG_HOME": str(tmp_path / "file")}
    save_preferences(Preferences(light=True), home)
    assert load_preferences(home) == Preferences()
