"""Runs of random keys for a given time."""

import asyncio
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.keys.course import Course, Failure
from tests.fuzz.keys.lines import try_lines
from tests.support import frames as frames  # Textual without waits
from tests.support.idle import IdleLoop

STEPS = 400
"""Actions in a course of the long form."""
LONGEST = 240.0
"""Seconds after which a course counts as stuck: one takes a few."""


def run_course(seed: int, steps: int) -> Failure | None:
    """Run a course in an event loop of its own; returns a fault, or an empty text."""
    with TemporaryDirectory(prefix="scoville-keys-", ignore_cleanup_errors=True) as folder:
        course = Course(seed, steps, Path(folder))
        try:
            with asyncio.Runner(loop_factory=IdleLoop) as runner:
                return runner.run(asyncio.wait_for(course.run(), LONGEST))
        except TimeoutError:
            return Failure(seed, f"it hangs after {course.typed} actions", course.last)


def try_keys(minutes: float, first: int) -> None:
    """Run for some minutes; the first fault ends it with an error and the command that repeats it."""
    end, number = time.monotonic() + 60 * minutes, first
    while time.monotonic() < end:
        print(f"--keys --seed {number}", flush=True)
        failure = run_course(number, STEPS)
        if failure is not None:
            sys.exit(str(failure))
        number += 1
    print(f"{number - first} courses of {STEPS} actions, and nothing was wrong.")


def try_line_mode(minutes: float, first: int) -> None:
    """Do the same with lines for the line mode."""
    end, number = time.monotonic() + 60 * minutes, first
    while time.monotonic() < end:
        if fault := try_lines(number, STEPS):
            sys.exit(fault)
        number += 1
    print(f"{number - first} courses of {STEPS} lines, and nothing was wrong.")
