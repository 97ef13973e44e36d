"""Every request gets a reply, nothing fails, and tables match their records."""

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.fuzz.machine import Crowd
from tests.fuzz.watchdog import Watchdog

MOST_CPU = 0.05
"""Seconds for which one request may keep everybody else from being heard."""


def test_users_in_any_order_break_nothing() -> None:
    with Watchdog() as dog:
        run_state_machine_as_test(Crowd, settings=settings(max_examples=25, stateful_step_count=40))
    assert dog.worst.cpu < MOST_CPU, dog.worst
