"""The set-up of `.venv` recognizes a broken one, and gives a reason when a step fails."""

import fcntl
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.tree import copy_of_scripts


@pytest.fixture
def setup(tmp_path: Path) -> ModuleType:
    """Load the set-up script of a copy of the tree, so that the real `.venv` does not change."""
    path = copy_of_scripts(tmp_path / "card table") / "scripts/lib/setup.py"
    spec = importlib.util.spec_from_file_location("scoville_setup", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def venv(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `.venv` that looks finished; its Python is the one that runs the tests."""
    monkeypatch.delenv("SCOVILLE_PYTHON", raising=False)
    folder: Path = setup.VENV
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").touch()
    (folder / "bin/activate").write_text(f"VIRTUAL_ENV='{folder}'\n")
    python_saying(folder, setup.OWN)
    return folder


def python_saying(venv: Path, version: str) -> None:
    python = venv / "bin/python"
    python.write_text(f"#!/bin/sh\necho {version}\n")
    python.chmod(0o755)


def test_a_sound_venv_is_kept(setup: ModuleType, venv: Path) -> None:
    assert setup.find_fault() is None


def test_one_of_another_supported_python_is_kept(setup: ModuleType, venv: Path) -> None:
    python_saying(venv, next(version for version in setup.SUPPORTED if version != setup.OWN))
    assert setup.find_fault() is None


def test_one_of_another_python_than_asked_for_is_not(
    setup: ModuleType, venv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = next(version for version in setup.SUPPORTED if version != setup.OWN)
    python_saying(venv, other)
    monkeypatch.setenv("SCOVILLE_PYTHON", sys.executable)
    assert setup.find_fault() == f"it was made by Python {other}, and {setup.OWN} is wanted"


def test_one_of_a_python_too_old_is_not(setup: ModuleType, venv: Path) -> None:
    python_saying(venv, "3.9")
    assert "made by Python 3.9" in setup.find_fault()


def test_one_that_was_cut_off_is_not(setup: ModuleType, venv: Path) -> None:
    (venv / "unfinished").touch()
    assert setup.find_fault() == "an earlier set-up was cut off"


def test_one_whose_python_is_gone_is_not(setup: ModuleType, venv: Path) -> None:
    (venv / "bin/python").unlink()
    (venv / "bin/python").symlink_to("/nowhere/python3.11")
    assert setup.find_fault() == "its Python or its pip does not work"


def test_one_that_was_moved_is_not(setup: ModuleType, venv: Path) -> None:
    (venv / "bin/activate").write_text("VIRTUAL_ENV='/somewhere/else/.venv'\n")
    assert setup.find_fault() == "this folder was moved or copied"


def test_an_unusable_one_is_cleared_away(setup: ModuleType, venv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (venv / "unfinished").touch()
    setup.discard_if_unusable()
    assert not venv.exists()
    assert not setup.DISCARDED.exists()
    assert "Making .venv again: an earlier set-up was cut off." in capsys.readouterr().err


def test_a_folder_of_somebody_else_is_never_deleted(setup: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    setup.VENV.mkdir()
    (setup.VENV / "letter.txt").write_text("keep me")
    assert setup.main("play", "stamp") == 1
    assert "is no virtual environment; move it away" in capsys.readouterr().err
    assert (setup.VENV / "letter.txt").read_text() == "keep me"


def test_a_python_without_ensurepip_names_the_package_to_install(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup.importlib.util, "find_spec", lambda name: None if name == "ensurepip" else name)
    assert setup.main("play", "stamp") == 1
    output = capsys.readouterr().err
    assert f"this Python {setup.OWN} comes without its module ensurepip" in output
    assert f"apt install python{setup.OWN}-venv" in output
    assert not setup.VENV.exists()


def test_a_folder_that_cannot_be_written_to_is_named(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(setup.Path, "mkdir", refuse)
    assert setup.main("play", "stamp") == 1
    assert f"{setup.ROOT} cannot be written to (Permission denied)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        (
            "WARNING: Retrying (Retry(total=0))\nERROR: No matching distribution found",
            "package index cannot be reached",
        ),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "a package is not the one that requirements/ names"),
        ("ERROR: No matching distribution found for textual", "no fitting file for this machine"),
        ("something nobody foresaw", "installing failed"),
    ],
)
def test_a_failed_step_prints_its_reason_and_log(setup: ModuleType, venv: Path, log: str, reason: str) -> None:
    script = f"import sys; print({log!r}); sys.exit(1)"
    with setup.folder_lock() as lock, pytest.raises(setup.SetupError) as failure:
        setup.Step("installing", lock).run_command([sys.executable, "-c", script])
    assert reason in str(failure.value)
    assert log.splitlines()[-1] in str(failure.value)


def test_a_step_that_was_killed_says_by_what(setup: ModuleType, venv: Path) -> None:
    script = "import os; os.kill(os.getpid(), 9)"
    with setup.folder_lock() as lock, pytest.raises(setup.CutOffError, match="stopped by signal 9"):
        setup.Step("installing", lock).run_command([sys.executable, "-c", script])


def test_a_step_holds_the_lock_on_when_its_parent_dies(setup: ModuleType, venv: Path) -> None:
    with setup.folder_lock() as lock:
        child = subprocess.Popen(["sh", "-c", "read line"], stdin=subprocess.PIPE, pass_fds=(lock,))
    mine = os.open(setup.ROOT, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
    child.communicate(b"\n")
    fcntl.flock(mine, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(mine)


def test_setup_of_another_run_is_reused(setup: ModuleType, venv: Path) -> None:
    (venv / "made-of.play").write_text("stamp\n")
    (venv / "made-with").write_text("\n")
    assert setup.main("play", "stamp") == 0
    assert not (venv / "setup.log").exists()
