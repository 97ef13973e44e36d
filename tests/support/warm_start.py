"""Commands of this project start warm in tests: forked from a process that has imported everything.

`install` replaces `subprocess.Popen`. What is started with other options of the interpreter, another locale, more
descriptors or a hook that the zygote does not know starts as ever, and so does everything where
`SCOVILLE_COLD_START` is set, or on systems other than Linux.

Code that ends in `CLIENT` or `SERVER` may change modules before it runs the command. They are all imported by then, so
it sets a name in each module that has taken it.
"""

import atexit
import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from inspect import signature
from locale import getpreferredencoding
from pathlib import Path
from typing import Any

from tests.support.tree import ROOT
from tests.support.zygote import HOOKS, RUN

CLIENT = "import sys; from scoville_client.cli.main import main; sys.exit(main())"
SERVER = "from scoville_server.cli.main import main; main()"
_SCRIPTS = {
    str(Path(sys.executable).parent / name): code for name, code in (("scoville", CLIENT), ("scoville-server", SERVER))
}
_MODULES = ("scoville_client.authoring.check_worker", "scoville_thinking.worker")
"""Modules that commands of this project run in processes of their own."""
_STARTS_THE_INTERPRETER = ("PYTHON", "LC_", "LD_", "TEXTUAL")
"""Environment variables that count when an interpreter starts, or a library is imported."""
_ON_FORKING = ("PYTHONPATH",)
"""Those of them that the zygote can follow."""
_PR_SET_CHILD_SUBREAPER = 36
_PARAMETERS = list(signature(subprocess.Popen._execute_child).parameters)[1:]  # type: ignore[attr-defined]
_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def install_warm_start() -> None:
    """Let every part of a test, and the code it tests, start commands warm."""
    if sys.platform == "linux" and not os.environ.get("SCOVILLE_COLD_START"):
        subprocess.Popen = WarmPopen  # type: ignore[misc]


class WarmPopen(subprocess.Popen[Any]):
    """`subprocess.Popen` that forks commands of this project."""

    def _execute_child(self, *given: Any) -> None:
        asked = dict(zip(_PARAMETERS, given, strict=True))
        hook = asked["preexec_fn"]
        alike = (
            (hook is None or hook in HOOKS.values())
            and not asked["pass_fds"]
            and not asked["shell"]
            and asked["umask"] == asked["process_group"] == -1
            and _starts_alike(asked["env"])
        )
        command = _find_command(asked["args"]) if alike else None
        if command is None:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        code, arguments = command
        request = {
            "code": code,
            "arguments": arguments,
            "environment": dict(os.environ if asked["env"] is None else asked["env"]),
            "folder": os.fspath(asked["cwd"] or Path.cwd()),
            "mask": _mask_signals(),
            "new_session": bool(asked["start_new_session"]),
            "hook": "" if hook is None else hook.__name__,
            "user": -1 if asked["uid"] is None else asked["uid"],
            "group": -1 if asked["gid"] is None else asked["gid"],
            "groups": asked["gids"],
        }
        streams = (asked["p2cread"], asked["c2pwrite"], asked["errwrite"])
        self.pid = _zygote().fork(request, [own if stream == -1 else stream for own, stream in enumerate(streams)])
        self._child_created = True
        self._close_pipe_fds(*(asked[name] for name in _PIPES))  # type: ignore[attr-defined]


def _find_command(args: Any) -> tuple[str, list[str]] | None:
    """Return the code and the `sys.argv` of a command of this project; None for anything else."""
    if isinstance(args, str | bytes | os.PathLike):
        return None
    words = [os.fsdecode(word) for word in args]
    if words[0] in _SCRIPTS:
        return _SCRIPTS[words[0]], words
    if words[:2] == [sys.executable, "-c"] and words[2].endswith((CLIENT, SERVER)):
        return words[2], ["-c", *words[3:]]
    if words[1:3] == ["-X", "utf8"] and sys.getfilesystemencoding() == getpreferredencoding().lower() == "utf-8":
        del words[1:3]
    if words[:2] == [sys.executable, "-m"] and words[2] in _MODULES:
        return f"from {words[2]} import main; main()", [words[2], *words[3:]]
    return None


def _starts_alike(env: Mapping[str, str] | None) -> bool:
    """Whether an interpreter with these variables starts as the one of these tests."""
    return find_start_variables(os.environ if env is None else env) == _zygote_variables()


def find_start_variables(env: Mapping[str, str]) -> dict[str, str]:
    """Find the variables that have to be those of these tests where a command is to start warm."""
    named = (name for name in env if name.startswith(_STARTS_THE_INTERPRETER) or name == "LANG")
    return {name: env[name] for name in named if name not in _ON_FORKING}


@cache
def _zygote_variables() -> dict[str, str]:
    return find_start_variables(os.environ)


def _mask_signals() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


class _Zygote:
    """The process that forks commands, as the tests ask it."""

    def __init__(self) -> None:
        _zygote_variables()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        self._become_parents = ctypes.CDLL(None).prctl
        with theirs:
            self._process = _COLD(
                [sys.executable, "-c", RUN, str(theirs.fileno())],
                cwd=ROOT,
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
            )
        atexit.register(self._end)

    def fork(self, request: dict[str, Any], streams: Sequence[int]) -> int:
        """Fork a command with these standard streams; returns its process id, a child of this process."""
        with self._lock:
            self._become_parents(_PR_SET_CHILD_SUBREAPER, 1)
            try:
                socket.send_fds(self._control, [json.dumps(request).encode()], streams)
                answer = self._control.recv(64)
            finally:
                self._become_parents(_PR_SET_CHILD_SUBREAPER, 0)
        if not answer:
            raise OSError("The process that forks commands has ended.")
        return int(answer)

    def _end(self) -> None:
        self._control.close()
        self._process.wait()


_COLD = subprocess.Popen
_zygote = cache(_Zygote)
