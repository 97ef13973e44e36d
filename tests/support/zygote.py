"""A process in which every module of the commands is imported, and that forks a process for each command of a test.

A test starts dozens of commands, and each would import for half a second what the one before has imported. A fork has
its own process id, descriptors, environment, session, arguments and end, like a process that was started again; what it
shares is the interpreter's start: options, encodings and the seed of hashes (`tests.support.warm_start` asks for
nothing else). At its end it leaves out that the interpreter takes apart every module, which is most of what a short
command costs: threads are waited for, `atexit` is done, garbage is collected and streams are flushed as ever.

A command is the child of the process that asks for it, which waits for it and reads its status as of any child: it is
forked twice, and the process in between ends, so that it is given to the asking process (a "child subreaper").
"""

import atexit
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import signal
import socket
import sys
import termios
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

BYTES = 1 << 20
PACKAGES = ("scoville_shared", "scoville_server", "scoville_client", "cyclopts.help")
"""Packages whose modules are all imported; the last one, which `--help` needs, comes with no module of the others."""
LATE = ("encodings.ascii", "encodings.idna", "resource")
"""Modules that commands import late, perhaps as a user who may not read the interpreter's folder."""
RUN = """
from tests.support import zygote as z
e = z.QuickEnd()
c = z.serve()
del z
try:
    exec(c.code, e.take_namespace(c.prepare()))
except BaseException as error:
    e.note(error)
    raise
"""
"""What a zygote runs; its argument is the descriptor of the socket that requests come by.

A command runs at its top, so that the interpreter ends as it does after any other command.
"""


class QuickEnd:
    """Ends a command once the interpreter has done what others see of an end, before it takes modules apart."""

    def __init__(self) -> None:
        self._status: int | None = 0
        self._namespace: dict[str, Any] = {}
        atexit.register(self._end)  # before all imports: the first one that is registered comes last

    def take_namespace(self, namespace: dict[str, Any]) -> dict[str, Any]:
        """Keep the namespace of the main module, which goes first at an end."""
        self._namespace = namespace
        return namespace

    def note(self, error: BaseException) -> None:
        """Note what the command ends with. Other ends than by a status or a traceback stay with the interpreter."""
        if isinstance(error, SystemExit):
            code = error.code
            self._status = 0 if code is None else code & 0xFF if isinstance(code, int) else 1
        else:
            self._status = 1 if isinstance(error, Exception) else None

    def _end(self) -> None:
        if self._status is None:
            return
        self._namespace.clear()
        gc.collect()
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None and not stream.closed:
                    stream.flush()
        except (OSError, ValueError):
            return  # the interpreter says so, and has a status for it
        os._exit(self._status)


class Command(NamedTuple):
    """A command to run: Python code, its `sys.argv`, and its surroundings."""

    code: str
    arguments: list[str]
    environment: dict[str, str]
    folder: str
    mask: int
    new_session: bool
    hook: str
    user: int
    group: int
    groups: list[int] | None

    def prepare(self) -> dict[str, Any]:
        """Make this process look as if it were started for the command; returns the namespace of its main module."""
        _replace_on_path(os.environ.get("PYTHONPATH", ""), self.environment.get("PYTHONPATH", ""))
        os.environ.clear()
        os.environ.update(self.environment)
        os.chdir(self.folder)
        os.umask(self.mask)
        sys.argv[:] = self.arguments
        if self.new_session:
            os.setsid()
        if self.groups is not None:
            os.setgroups(self.groups)
        os.setregid(self.group, self.group)  # -1 is the one that it has
        os.setreuid(self.user, self.user)
        if self.hook:
            HOOKS[self.hook]()
        sys.stdin = sys.__stdin__ = self._opened(0, "<stdin>", sys.stdin)  # type: ignore[misc]
        sys.stdout = sys.__stdout__ = self._opened(1, "<stdout>", sys.stdout)  # type: ignore[misc]
        sys.stderr = sys.__stderr__ = self._opened(2, "<stderr>", sys.stderr)  # type: ignore[misc]
        main = sys.modules["__main__"] = ModuleType("__main__")
        return vars(main)

    def _opened(self, number: int, name: str, like: Any) -> Any:
        """Open a standard stream as the interpreter does; one that is closed is None."""
        return None if CLOSING.get(self.hook) == number else _open_stream(number, name, like)


def take_terminal() -> None:
    """Make standard input the controlling terminal of this session, as a terminal's emulator does for its shell."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored where the tests run under nohup


def ignore_hangup() -> None:
    """Ignore SIGHUP, as nohup does."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def close_stdin() -> None:
    """Close standard input, as `<&-` does in a shell."""
    os.close(0)


def close_stdout() -> None:
    """Close standard output, as `>&-` does in a shell."""
    os.close(1)


def close_stderr() -> None:
    """Close standard error, as `2>&-` does in a shell."""
    os.close(2)


HOOKS = {hook.__name__: hook for hook in (take_terminal, ignore_hangup, close_stdin, close_stdout, close_stderr)}
"""What a process may do before it runs a command, by name."""
CLOSING = {"close_stdin": 0, "close_stdout": 1, "close_stderr": 2}
"""Hooks that close a stream."""


def _replace_on_path(own: str, wanted: str) -> None:
    """Search modules where an interpreter does that has this `PYTHONPATH`, in place of the zygote's own."""
    if wanted != own:
        former = list_folders(own)
        here, *rest = sys.path
        sys.path[:] = [here, *dict.fromkeys([*list_folders(wanted), *(each for each in rest if each not in former)])]
        importlib.invalidate_caches()


def list_folders(path: str) -> list[str]:
    """List the folders of a search path."""
    return [str(Path(each).absolute()) for each in path.split(":") if each]


def _open_stream(number: int, name: str, like: Any) -> io.TextIOWrapper:
    raw = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
    raw.name = name  # type: ignore[misc]
    buffer = io.BufferedReader(raw) if number == 0 else io.BufferedWriter(raw)
    unbuffered = like.write_through  # PYTHONUNBUFFERED
    by_lines = not unbuffered and (number == 2 or raw.isatty())
    return io.TextIOWrapper(buffer, like.encoding, like.errors, line_buffering=by_lines, write_through=unbuffered)


def serve() -> Command:
    """Fork a process for each request, until the process that asks ends; returns in those processes only."""
    # Late in a run the process of the tests may ignore them: commands that a test calls as functions do so.
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)
    _import_everything()
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as control:
        while True:
            request, descriptors, _, _ = socket.recv_fds(control, BYTES, 3)
            if not request:
                os._exit(0)
            if (child := _fork_child()) == 0:
                break
            _close_descriptors(*descriptors)
            control.send(str(child).encode())
    for number, given in enumerate(descriptors):
        os.dup2(given, number)
        os.close(given)
    return Command(**json.loads(request))


def _fork_child() -> int:
    """Fork a grandchild that goes on when its parent has ended; returns its process id, and 0 in it."""
    reading, writing = os.pipe()
    ended, go_on = os.pipe()
    between = os.fork()
    if between == 0:
        os.close(go_on)
        child = os.fork()
        if child == 0:
            os.read(ended, 1)
            _close_descriptors(reading, writing, ended)
            return 0
        os.write(writing, str(child).encode())
        os._exit(0)
    child = int(os.read(reading, 32))
    os.waitpid(between, 0)
    _close_descriptors(reading, writing, ended, go_on)
    return child


def _close_descriptors(*descriptors: int) -> None:
    for number in descriptors:
        os.close(number)


def _import_everything() -> None:
    for name in LATE:
        importlib.import_module(name)
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith("__main__"):
                with suppress(ImportError):  # an extra that is not installed
                    importlib.import_module(module.name)
