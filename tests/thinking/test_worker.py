"""A worker process gives way to the server that asks."""

import os
import subprocess
import sys

import pytest

from scoville_thinking.worker import NICENESS

LEAST_URGENT = 19
"""The system's last priority, which the tests may have themselves."""
_PROGRAM = """
import os, sys
try:
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
except OSError:
    print("not permitted")
    sys.exit()
from scoville_thinking.worker import give_way
before = os.nice(0)
give_way()
print(os.sched_getscheduler(0) == os.SCHED_OTHER, before, os.nice(0))
"""


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="this system has no real-time priorities")
def test_a_real_time_servers_worker_thinks_at_low_priority() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    if done.stdout == "not permitted\n":
        pytest.skip("this user may not use real-time priorities")
    usual, before, after = done.stdout.split()
    assert (usual, int(after)) == ("True", min(int(before) + NICENESS, LEAST_URGENT))
