"""Commands that tests start warm behave as those that are started again."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoville_client.authoring.check_game import _WORKER
from scoville_thinking.pool import COMMAND
from tests.support import warm_start
from tests.support.line_mode import SCOVILLE
from tests.support.zygote import CLOSING, HOOKS

SERVER = SCOVILLE.with_name("scoville-server")
warm = pytest.mark.skipif(subprocess.Popen is not warm_start.WarmPopen, reason="commands start cold here")
LOOK = (
    "import json, os, signal, sys\n"
    "print(json.dumps([os.getppid(), os.getpgid(0), os.getsid(0), sorted(os.environ.items()), os.getcwd(), sys.argv,\n"
    "    os.getresuid(), os.getresgid(), os.getgroups(),\n"
    "    sorted(map(int, os.listdir('/proc/self/fd')))[:3], sys.stdout.encoding, sys.stdout.errors, sys.path,\n"
    "    sys.stdout.line_buffering, sys.stderr.line_buffering, sys.stdin.errors, __name__,\n"
    "    str(signal.getsignal(signal.SIGINT)), str(signal.getsignal(signal.SIGTERM))]))\n"
)
LOOK_AT_STREAMS = (
    "import os, sys\n"
    "streams = [sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__]\n"
    "found = [stream is None for stream in streams], 'and', os.open('/dev/null', 0), 'is free'\n"
    "print(*found, file=sys.stdout or sys.stderr)\n"
)


@warm
@pytest.mark.parametrize(
    "command",
    [
        [SCOVILLE, "--version"],
        [SCOVILLE, "demo", "no_thanks", "--seed", "00"],
        [SCOVILLE, "verify", "there/is/no/such.jsonl"],
        [SCOVILLE, "--no-such-option"],
        [SERVER, "--help"],
        [SERVER, "--port", "70000"],
    ],
    ids=lambda command: "-".join(map(str, command[1:3])).strip("-"),
)
def test_output_and_status_are_the_same(command: list[Path | str], monkeypatch: pytest.MonkeyPatch) -> None:
    warm_end = subprocess.run(command, capture_output=True, check=False)
    monkeypatch.setattr(warm_start, "_find_command", lambda _: None)
    cold_end = subprocess.run(command, capture_output=True, check=False)
    assert (warm_end.returncode, warm_end.stdout, warm_end.stderr) == (
        cold_end.returncode,
        cold_end.stdout,
        cold_end.stderr,
    )


def look_around(**given: Any) -> list[object]:
    """Ask a process for its surroundings; they must be those of a child of this one."""
    command = [sys.executable, "-c", LOOK, "a", "b"]
    done = subprocess.run(command, capture_output=True, check=True, **given)
    parent, group, session, *rest = json.loads(done.stdout)
    assert parent == os.getpid()
    return [(group == os.getpgid(0), session == os.getsid(0)), *rest]


def fork_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, fork the process that looks around."""
    monkeypatch.setattr(warm_start, "_find_command", lambda args: (LOOK, ["-c", *args[3:]]))


@warm
@pytest.mark.parametrize("new_session", [False, True])
def test_the_surroundings_are_the_same(new_session: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {
        "cwd": tmp_path,
        "start_new_session": new_session,
        "env": {**os.environ, "A": "ä", "PYTHONPATH": f"{tmp_path}:{tmp_path / 'more'}"},
    }
    cold = look_around(**given)
    fork_look(monkeypatch)
    assert look_around(**given) == cold


@warm
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_user_and_groups_are_those_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"user": 54_321, "group": 54_322, "extra_groups": [54_323], "cwd": "/"}
    fork_look(monkeypatch)
    found = look_around(**given)
    wanted: list[object] = [[54_321] * 3, [54_322] * 3, [54_323]]
    assert [each for each in wanted if each not in found] == []
    assert [0] * 3 in look_around()


@warm
def test_modules_of_this_project_start_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the processes that think and check games would import for a second each."""

    def refuse_start(*_: object) -> None:
        raise AssertionError("it was started cold")

    monkeypatch.setattr(warm_start._COLD, "_execute_child", refuse_start)
    for command in ([*COMMAND], [sys.executable, "-X", "utf8", "-m", _WORKER, "there_is_no_such_game", "1", "package"]):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        assert b"Traceback" not in done.stderr
        assert (b"there_is_no_such_game" in done.stdout) == (_WORKER in command)


@warm
@pytest.mark.parametrize("hook", CLOSING)
def test_a_closed_stream_is_as_closed(hook: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def look() -> list[bytes]:
        command = [sys.executable, "-c", LOOK_AT_STREAMS]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=True, preexec_fn=HOOKS[hook]
        )
        return [done.stdout, done.stderr]

    cold = look()
    assert f"and {CLOSING[hook]} is free".encode() in b"".join(cold)
    monkeypatch.setattr(warm_start, "_find_command", lambda _: (LOOK_AT_STREAMS, ["-c"]))
    assert look() == cold


@warm
def test_a_signal_becomes_the_exit_status(tmp_path: Path) -> None:
    command = [SERVER, "--port", "0", "--data", tmp_path / "data"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"listens on" in process.stdout.readline()
        process.kill()
    assert process.returncode == -9
