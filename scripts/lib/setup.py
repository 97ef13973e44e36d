"""Makes or mends `.venv` as the lock files say; run by setup.sh with a fitting Python, standard library only.

Arguments: the part that is wanted (`play`, or `dev` with the developers' tools) and the stamp of what it is made from.
All output goes to standard error. The folder is locked meanwhile, so two runs cannot break each other.
"""

import contextlib
import fcntl
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
DISCARDED = ROOT / ".venv.old"
LOG = VENV / "setup.log"
UNFINISHED = VENV / "unfinished"
"""Exists in `.venv` while that is being changed: a start that finds it knows that a run was cut off."""

SUPPORTED = ("3.11", "3.12", "3.13")
OWN = f"{sys.version_info[0]}.{sys.version_info[1]}"
PARTS = {"play": ("play",), "dev": ("dev", "play")}
"""What is ready after a part is installed: the developers' lock holds all of the players' one."""

HINTS = (
    ("No space left on device|Disk quota exceeded", "the disk is full; about 200 MB are needed"),
    ("THESE PACKAGES DO NOT MATCH THE HASHES", "a package is not the one that requirements/ names; it was left out"),
    (
        "Retrying|NewConnectionError|name resolution|Network is unreachable|timed out|ProxyError|SSLError",
        "the package index cannot be reached; look at the network, and at HTTPS_PROXY if there is a proxy",
    ),
    ("No matching distribution", "the package index has no fitting file for this machine and Python"),
    ("Read-only file system|Permission denied", "this folder cannot be written to"),
)
"""What pip's log shows, and the reason to give for it; the first that fits."""


PACKAGE = re.compile(
    r"^(?:Collecting|Processing|Requirement already satisfied:) (?:\S*/)?([A-Za-z][\w.]*)", re.MULTILINE
)
"""A package that pip turns to, in its log."""


class SetupError(Exception):
    """The set-up cannot go on; the text says why, and what to do."""


class CutOffError(SetupError):
    """A step was killed; what it leaves behind cannot be trusted."""


def main(part: str, stamp: str) -> int:
    """Bring `.venv` up to date for a part; return the exit status."""
    try:
        with folder_lock() as lock:
            if not is_made(part, stamp):
                set_up(part, stamp, lock)
    except SetupError as error:
        print_line(f"Scoville could not be set up: {error}")
        return 1
    except OSError as error:
        print_line(f"Scoville could not be set up: {error.strerror or error}: {error.filename or ROOT}")
        return 1
    except KeyboardInterrupt:
        print_line("\nStopped. The next run begins again.")
        return 130
    return 0


def print_line(line: str) -> None:
    """Tell one line."""
    print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def folder_lock() -> Iterator[int]:
    """Hold the folder's lock, and give its descriptor: pip inherits it, and holds it on if this process is killed."""
    descriptor = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print_line("Another set-up of this folder is running; waiting for it.")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_made(part: str, stamp: str) -> bool:
    """Tell whether another run has just finished the same."""
    with contextlib.suppress(OSError):
        made_of = (VENV / f"made-of.{part}").read_text().strip()
        return (
            made_of == stamp
            and requested_python() in {"", made_with()}
            and not UNFINISHED.exists()
            and read_version() is not None
        )
    return False


def requested_python() -> str:
    """Return the Python that the user asks for, or nothing."""
    return os.environ.get("SCOVILLE_PYTHON", "")


def made_with() -> str:
    """Return the Python that was asked for when `.venv` was finished."""
    return (VENV / "made-with").read_text().strip()


def set_up(part: str, stamp: str, lock: int) -> None:
    """Make `.venv` if there is no usable one, install the lock file and the project, and stamp the result."""
    began = time.monotonic()
    if DISCARDED.exists():
        shutil.rmtree(DISCARDED)
    if VENV.exists() or VENV.is_symlink():
        discard_if_unusable()
    if not VENV.exists():
        make_venv(lock)
    UNFINISHED.touch()
    for ready in PARTS:
        (VENV / f"made-of.{ready}").unlink(missing_ok=True)
    try:
        install_packages(part, lock)
    except CutOffError:
        raise
    except SetupError:
        UNFINISHED.unlink()
        raise
    for ready in PARTS[part]:
        (VENV / f"made-of.{ready}").write_text(stamp + "\n")
    (VENV / "made-with").write_text(requested_python() + "\n")
    UNFINISHED.unlink()
    print_line(f"Ready in {time.monotonic() - began:.0f} s.")


def discard_if_unusable() -> None:
    """Take a `.venv` out of the way that was cut off, moved, broken or made by another Python."""
    fault = find_fault()
    if fault is None:
        return
    if not ((VENV / "pyvenv.cfg").exists() or UNFINISHED.exists() or not any(VENV.iterdir())):
        raise SetupError(f"{VENV} is no virtual environment; move it away.")
    print_line(f"Making .venv again: {fault}.")
    VENV.rename(DISCARDED)
    if DISCARDED.is_symlink():
        DISCARDED.unlink()
    else:
        shutil.rmtree(DISCARDED)


def find_fault() -> str | None:
    """Say why the `.venv` that is there cannot be used, or None."""
    if UNFINISHED.exists():
        return "an earlier set-up was cut off"
    version = read_version()
    if version is None:
        return "its Python or its pip does not work"
    if version != OWN and (requested_python() or version not in SUPPORTED):
        return f"it was made by Python {version}, and {OWN} is wanted"
    activate = VENV / "bin" / "activate"
    if not activate.exists() or str(VENV) not in activate.read_text():
        return "this folder was moved or copied"
    return None


def read_version() -> str | None:
    """Ask the Python of `.venv` for its version ("3.12"); None when it or its pip does not work."""
    script = "import sys, pip; print('%d.%d' % sys.version_info[:2])"
    try:
        python = VENV / "bin" / "python"
        asking = subprocess.run([python, "-I", "-c", script], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return asking.stdout.strip() or None


def make_venv(lock: int) -> None:
    """Make a fresh `.venv` by the interpreter itself, not by a link to it that may point elsewhere later."""
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        raise SetupError(
            f"this Python {OWN} comes without its module {missing[0]}.\n"
            f"Install it (Debian, Ubuntu: apt install python{OWN}-venv) and run the same again."
        )
    print_line(f"Setting Scoville up in .venv with Python {OWN}; the first time takes about a minute.")
    try:
        VENV.mkdir()
    except OSError as error:
        raise SetupError(f"{ROOT} cannot be written to ({error.strerror}). Copy it to a folder of yours.") from None
    UNFINISHED.touch()
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    Step("making .venv", lock).run_command([python, "-I", "-m", "venv", VENV])


def install_packages(part: str, lock: int) -> None:
    """Install exactly what the lock file names, then the project itself as it lies here."""
    requirements = ROOT / "requirements" / f"{part}.txt"
    pins = sum("==" in line for line in requirements.read_text().splitlines())
    python = VENV / "bin" / "python"
    pip: list[str | Path] = [python, "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    pip += ["--only-binary", ":all:"]
    Step("installing packages", lock, pins).run_command([*pip, "--require-hashes", "-r", requirements])
    Step("installing scoville", lock).run_command([*pip, "--no-deps", "--no-build-isolation", "-e", ROOT])


class Step:
    """One step of the set-up: a line, a live count on a terminal, its output in the log, its fault explained."""

    def __init__(self, title: str, lock: int, pins: int = 0) -> None:
        self.title = title
        self.lock = lock
        self.pins = pins
        self.began = time.monotonic()

    def run_command(self, command: list[str | Path]) -> None:
        """Run a command to its end. Raises SetupError with the reason and the log's last lines."""
        live = sys.stderr.isatty()
        if not live:
            print_line(f"  {self.title} ...")
        environment = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "LC_ALL": "C.UTF-8"}
        with LOG.open("w+", encoding="utf-8", errors="replace") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=ROOT, pass_fds=(self.lock,)
            )
            status = self.wait_for_end(process, live)
        if status < 0:
            raise CutOffError(f"{self.title} was stopped by signal {-status}. Run the same again.")
        if status > 0:
            raise SetupError(self.explain_failure())

    def wait_for_end(self, process: subprocess.Popen[bytes], live: bool) -> int:
        """Wait for the process, and show that it lives."""
        while True:
            try:
                status = process.wait(timeout=0.2 if live else None)
            except subprocess.TimeoutExpired:
                self.show_progress("")
                continue
            if live:
                self.show_progress("\n")
            return status

    def show_progress(self, end: str) -> None:
        """Write the step's line over itself: title, how far it is, how long it has taken."""
        far = "" if end else self.describe_progress()
        line = f"  {self.title}{far} ... {time.monotonic() - self.began:.0f} s"
        print(f"\r\x1b[K{line[:79]}", end=end, file=sys.stderr, flush=True)

    def describe_progress(self) -> str:
        """Report pip's progress from its log."""
        log = read_log()
        found = PACKAGE.findall(log)
        if not self.pins or not found:
            return ""
        doing = "unpacking" if "Installing collected packages" in log else f"fetching {found[-1]}"
        return f", {min(len(found), self.pins)} of {self.pins}, {doing}"

    def explain_failure(self) -> str:
        """Report why the step failed, with the end of its output."""
        text = read_log()
        reason = next((hint for pattern, hint in HINTS if re.search(pattern, text)), f"{self.title} failed")
        tail = "\n".join(f"    {line:.150}" for line in text.splitlines()[-8:])
        return f"{reason}.\nThe end of {LOG.relative_to(ROOT)}:\n{tail}"


def read_log() -> str:
    """Read what the running step has written so far."""
    return LOG.read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
