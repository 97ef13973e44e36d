"""A worker process gives way to the server that asks."""

import os
import subprocess
import sys

import pytest

from scoville_thinking.worker import NICENESS

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
print(os.sched_getscheduler(0) == os.SCHED_OTHER, os.nice(0) - before)
"""


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="this system has no real-time priorities")
def test_a_real_time_servers_worker_thinks_at_low_priority() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    if done.stdout == "not permitted\n":
        pytest.skip("this user may not use real-time priorities")
    assert done.stdout.split() == ["True", str(NICENESS)]
