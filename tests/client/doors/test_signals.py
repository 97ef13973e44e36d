"""Signals of a door's process: three end it, one opens its log again, and no other one does anything."""

import asyncio
import signal
import sys

import pytest

WAITS = """
import asyncio
from scoville_client.processes import wait_for_end

async def wait():
    waiting = asyncio.ensure_future(wait_for_end(supervised=False))
    await asyncio.sleep(0)
    print("ready", flush=True)
    await waiting
    print("ended", flush=True)

asyncio.run(wait())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
async def test_only_three_signals_end_a_door(number: signal.Signals) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", WAITS, stdout=pipe)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    for harmless in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF):
        process.send_signal(harmless)
    process.send_signal(number)
    assert await process.stdout.readline() == b"ended\n"
    assert await process.wait() == 0
