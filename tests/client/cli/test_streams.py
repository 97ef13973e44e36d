"""Each command with stdin, stdout or stderr closed, full, or without a reader."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.exports import play_exported_game, write_export
from tests.support.line_mode import SCOVILLE
from tests.support.zygote import close_stderr, close_stdin, close_stdout

TIMEOUT = 60
NO_READER, CLOSED, FULL = "no reader", "closed", "full"

full_disk = pytest.param(
    FULL, marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has such a device")
)


@pytest.fixture
def game(tmp_path: Path) -> str:
    return str(write_export(play_exported_game("no_thanks"), tmp_path / "game.jsonl"))


def run(stdout: str, *arguments: str) -> tuple[int, str]:
    """Run a command whose stdout takes nothing, and whose stdin stays open; returns its exit status and stderr."""
    command = [str(SCOVILLE), *arguments]
    hook = close_stdout if stdout == CLOSED else None
    reading, writing = os.pipe()
    os.close(reading)
    if stdout == FULL:
        os.close(writing)
        writing = os.open("/dev/full", os.O_WRONLY)
    typed, typing = os.pipe()
    try:
        done = subprocess.run(
            command, stdin=typed, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False,
            preexec_fn=hook,
        )  # fmt: skip
    finally:
        for number in (writing, typed, typing):
            os.close(number)
    return done.returncode, done.stderr


@pytest.mark.parametrize("stdout", [NO_READER, CLOSED, full_disk])
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["demo", "--option", "cycles=1"],
        ["verify"],
        ["replay", "--text"],
        ["arena", "dicht_dran", "easy", "random", "--deals", "1"],
        ["practice", "--plain"],
        ["host", "--plain", "--port", "0"],
    ],
    ids=lambda arguments: arguments[0].strip("-"),
)
def test_a_command_whose_output_goes_nowhere_ends_without_a_traceback(
    stdout: str, arguments: list[str], game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    status, complaints = run(stdout, *arguments, *[game] * (arguments[0] in ("verify", "replay")))
    lost = "The output could not be written: No space left on device.\n"
    assert (status, complaints) == ((1, lost) if stdout == FULL else (0, ""))


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"), [([], 1, "The screens need a terminal"), (["practice", "--plain"], 0, "")]
)
def test_a_closed_stdin_is_at_its_end(arguments: list[str], status: int, complaint: str) -> None:
    command = [str(SCOVILLE), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, preexec_fn=close_stdin)
    assert done.returncode == status
    assert done.stderr.startswith(complaint)
    assert len(done.stderr.splitlines()) == len(complaint.splitlines())


def test_where_stderr_is_closed_a_refusal_is_a_status() -> None:
    command = [str(SCOVILLE), "demo", "--players", "99"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False, preexec_fn=close_stderr)
    assert done.returncode != 0
