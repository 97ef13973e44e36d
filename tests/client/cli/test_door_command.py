"""A door says at its start what it may not use."""

from pathlib import Path

import pytest

from scoville_client.cli.main import main


@pytest.mark.parametrize("kind", ["ssh", "web"])
def test_a_credential_that_cannot_be_read_ends_the_door(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "credential").mkdir()
    status = main(["door", kind, str(tmp_path / "door.sock"), "--credential", str(tmp_path / "credential")])
    assert status == 1
    assert "cannot be read: Is a directory" in capsys.readouterr().err
