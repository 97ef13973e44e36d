"""Extensions are found as Python's own reader of distributions finds them."""

from pathlib import Path

import pytest

from scoville_shared import installed


def test_the_files_hold_what_the_metadata_says() -> None:
    from_files = installed._sorted_out(installed._from_files())
    assert from_files == installed._sorted_out(installed._from_metadata())
    assert from_files is not None
    assert {"scoville.games", "scoville.bots", "scoville.coaches"} <= from_files.found.keys()


def test_the_first_distribution_on_the_path_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, value in (("first", "os.path:join"), ("second", "os:sep")):
        info = tmp_path / folder / "one-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "entry_points.txt").write_text(
            f"# made by hand\n[console_scripts]\nx = y:z\n\n[ scoville.games ]\nchess={value} [extra]\n"
        )
    broken = tmp_path / "first" / "two-1.0.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "first" / "three-1.0.dist-info").mkdir()
    path = [str(tmp_path / name) for name in ("missing", "first", "second")]
    monkeypatch.setattr("sys.path", path)
    sorted_out = installed._sorted_out(installed._from_files())
    assert sorted_out is not None
    found = sorted_out.found
    assert [*found] == ["scoville.games"]
    assert found["scoville.games"]["chess"].load_object()("a", "b") == "a/b"


def test_without_files_the_metadata_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    one = installed.Package("one", "1")
    monkeypatch.setattr(installed, "_from_files", lambda: iter(()))
    monkeypatch.setattr(installed, "_from_metadata", lambda: iter([(one, "scoville.games", "chess", "os:sep")]))
    installed.forget_installed()
    try:
        assert installed.list_installed("scoville.games")["chess"].load_object() == "/"
    finally:
        installed.forget_installed()
