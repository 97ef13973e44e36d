"""Crowds of fuzzing clients, one after another, for a given time."""

import time

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.fuzz.machine import Crowd
from tests.fuzz.watchdog import Watchdog

ROUND = settings(
    max_examples=50,
    stateful_step_count=80,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[*HealthCheck],
)


def try_crowds(minutes: float, first: int) -> None:
    """Run for some minutes; raises the first fault, with the steps that lead there."""
    end, number = time.monotonic() + 60 * minutes, first
    with Watchdog() as dog:
        while time.monotonic() < end:
            print(f"--seed {number}", flush=True)
            run_state_machine_as_test(seed(number)(Crowd), settings=ROUND)
            number += 1
    courses = (number - first) * ROUND.max_examples
    print(f"{courses} courses of up to {ROUND.stateful_step_count} steps, and nothing was wrong.")
    print(f"The loop's longest stop: {dog.worst.cpu * 1000:.1f} ms of CPU ({dog.worst.what})")
    print(f"and on the wall: {dog.longest.wall * 1000:.1f} ms ({dog.longest.what})")
