"""The command `check-game`: all checks of an installed package, each in a process that can be ended."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, Final, NamedTuple

import msgspec

from scoville_client.authoring.checks import CHECKS, record_all
from scoville_client.i18n.language import tr
from scoville_client.output import at_terminal, complain, write_line
from scoville_runtime.clock import SYSTEM

TOTAL_SECONDS: Final = 115.0
"""How long all checks take at most."""
STEP_SECONDS: Final = 8.0
"""The longest step of a check, of the processor's time."""
_SILENT_SECONDS: Final = 45.0
"""A process that has said nothing for so long cannot even end itself: each of its steps takes less, or ends it."""
_LAST_SECONDS: Final = 1.0
"""How long the end of its output is waited for after a process has ended."""
_MOST_HANGING: Final = 3
"""Checks that did not end, after which the others are left out: each of them takes seconds."""
_OUT_OF_TIME: Final = -getattr(signal, "SIGPROF", sys.maxsize)
"""The status of a process whose step has worked for too long; none where the system has no such signal."""
_WORKER: Final = "scoville_client.authoring.check_worker"
_FRAME = re.compile(r'File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>\S+)')
_OURS = re.compile(r"[\\/](scoville_\w+|python3\.\d+(?![\\/]site-packages)|textual|msgspec)[\\/]")
_FAILED, _SUCCESS, MISUSED = 1, 0, 2


class Finding(NamedTuple):
    """How a check has ended: `ok`, `failed`, or `skipped`, with what there is to say, and its seconds."""

    check: str
    group: str
    status: str
    message: str
    seconds: float


def run_check_game(
    slug: str, *, record: bool, json: bool, only: Collection[str] = (), step_seconds: float = STEP_SECONDS
) -> int:
    """Check a package, and print a line for each check; returns the exit status, 0 if none has failed.

    Args:
        slug: The game.
        record: Write golden games and new texts first.
        json: Print a report for programs instead.
        only: Names of the checks to run, also as they are printed, with those that they rely on; all if there are none.
        step_seconds: How long a step of a check may work.
    """
    only = {name.strip().replace(" ", "_").replace("-", "_") for name in only}
    if unknown := {*only} - {check.name for check in CHECKS}:
        known = ", ".join(check.name for check in CHECKS)
        complain(tr("There is no check {name}; there are {known}.", name=", ".join(sorted(unknown)), known=known))
        return MISUSED

    if record and not _record_package(slug, quiet=json):
        return _FAILED
    begun = SYSTEM.seconds()
    findings = []
    for finding in _check_all(slug, begun, only, step_seconds):
        findings.append(finding)
        if not json:
            _print_finding(finding)

    failed = [finding for finding in findings if finding.status != "ok"]
    seconds = SYSTEM.seconds() - begun
    if json:
        report: dict[str, Any] = {"game": slug, "passed": not failed, "seconds": round(seconds, 1)}
        report["checks"] = [finding._asdict() for finding in findings]
        for line in msgspec.json.format(msgspec.json.encode(report)).decode().splitlines():
            write_line(line)
    elif failed:
        write_line(tr("Failed checks: {n} of {total}.", n=len(failed), total=len(findings)))
    else:
        write_line(tr("All {total} checks passed in {n} s.", total=len(findings), n=round(seconds)))
    return _FAILED if failed else _SUCCESS


def _record_package(slug: str, *, quiet: bool) -> bool:
    """Write golden games and missing texts of a package; returns whether that was possible."""
    try:
        changed = record_all(slug)
    except Exception as error:  # noqa: BLE001 - the code of the package may raise anything
        complain(tr("Nothing could be recorded: {why}.", why=f"{type(error).__name__}: {error}".rstrip(":. ")))
        return False
    for path in changed if not quiet else ():
        write_line(tr("recorded {file}", file=str(path)))
    return True


def _print_finding(finding: Finding) -> None:
    mark = {"ok": "ok     ", "failed": "FAILED ", "skipped": "skipped"}[finding.status]
    name = finding.check.replace("_", " ")
    write_line(f"{mark}  {name}{f': {finding.message}' if finding.message else ''}")


def _check_all(slug: str, begun: float, only: Collection[str], step_seconds: float) -> Iterator[Finding]:
    """Run checks in processes that follow one another; yields how each has ended."""
    needed = {need for check in CHECKS if check.name in only for need in check.needs}
    waiting = [check for check in CHECKS if not only or check.name in only or check.name in needed]
    failed, hanging = set[str](), 0
    while waiting:
        blocked = [check for check in waiting if failed & {*check.needs}]
        for check in blocked:
            waiting.remove(check)
            yield Finding(check.name, check.subject, "skipped", "another check has to pass first", 0)
        if not waiting:
            return
        left = begun + TOTAL_SECONDS - SYSTEM.seconds()
        if left <= 0 or hanging >= _MOST_HANGING:
            why = "the time is up" if left <= 0 else f"{hanging} checks did not end"
            yield from (Finding(check.name, check.subject, "skipped", why, 0) for check in waiting)
            return
        arguments = [slug, str(step_seconds), *(check.name for check in waiting)]
        # One process for all that are left, since each further one imports everything again.
        for name, status, message, seconds in _run_process(arguments, waiting[0].name, left):
            check = next(check for check in waiting if check.name == name)
            waiting.remove(check)
            hanging += status == "hangs"
            if status != "ok":
                failed.add(name)
            yield Finding(name, check.subject, "ok" if status == "ok" else "failed", message, round(seconds, 2))
            if status == "failed" and any(name in each.needs for each in waiting):
                break  # checks that rely on it are left out


def _run_process(arguments: list[str], first: str, seconds: float) -> Iterator[tuple[str, str, str, float]]:
    """Run checks in one process, until one of them ends it; yields name, status, message and seconds of each."""
    until, current, began = SYSTEM.seconds() + seconds, first, SYSTEM.seconds()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        command = [sys.executable, "-X", "utf8", "-m", _WORKER, *arguments]
        process = subprocess.Popen(  # noqa: S603 - this Python, and a slug
            command, stdout=subprocess.PIPE, stderr=said, stdin=subprocess.DEVNULL, text=True
        )
        for line in _read_lines(process, until):
            current = line["check"]
            if line["status"] == "begin":
                began = SYSTEM.seconds()
                _show_progress(current)
            elif line["status"] != "alive":
                yield current, line["status"], line["message"], SYSTEM.seconds() - began
                current = ""
        _show_progress("")
        if current:
            said.seek(0)
            yield current, "hangs", _describe_end(said.read(), process.returncode), SYSTEM.seconds() - began


def _read_lines(process: subprocess.Popen[str], until: float) -> Iterator[dict[str, str]]:
    """Yield the lines of a process until it ends, is silent for too long, or the time is up; then end it."""
    stream, lines = process.stdout, Queue[str]()
    assert stream is not None, "it has been made with a pipe"

    def read_all() -> None:
        for line in stream:
            lines.put(line)
        lines.put("")

    reader = Thread(target=read_all, daemon=True)
    reader.start()
    try:
        while line := _next_line(lines, until):
            yield msgspec.json.decode(line, type=dict[str, str])
    finally:
        process.kill()
        process.wait()
        reader.join(_LAST_SECONDS)
        if not reader.is_alive():  # else a process that the package has started still has the pipe
            stream.close()


def _next_line(lines: "Queue[str]", until: float) -> str:
    """Return the next line; an empty one at the end, or when none comes in time."""
    try:
        return lines.get(timeout=max(0.1, min(_SILENT_SECONDS, until - SYSTEM.seconds())))
    except Empty:
        return ""


def _describe_end(said: str, status: int) -> str:
    """Say where a check was when its process ended."""
    frames = [found for found in _FRAME.finditer(said) if _OURS.search(found["file"]) is None]
    # Ended by its timer of processor time, by the timer of real time, or by the process that started it.
    if status == _OUT_OF_TIME or "Timeout" in said or not said:
        place = next(iter(frames), None)
        where = f" in {place['name']} ({Path(place['file']).name}, line {place['line']})" if place else ""
        return f"does not end{where}"
    last = [line for line in said.strip().splitlines() if line.strip()]
    return f"the process ended with {status}: {last[-1] if last else ''}"


def _show_progress(check: str) -> None:
    """Show which check runs, where that can be written over."""
    if at_terminal() and os.environ.get("TERM", "dumb") != "dumb":
        text = tr("checking: {check} …", check=check.replace("_", " ")) if check else ""
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
