"""A user without a home folder, as in a container, runs a server on a folder that is named."""

from pathlib import Path

import pytest

from scoville_server.settings.model import default_data


def test_without_a_home_there_is_still_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: find_no_home())
    monkeypatch.chdir(tmp_path)
    assert default_data() == tmp_path / "scoville-server"
