"""Settings of all tests: language, folders, event loop, and the same chance and random examples in every run.

`HYPOTHESIS_PROFILE=wide` looks further, with fresh examples.
"""

import asyncio
import gc
import os
import secrets
import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from tests.support import warm_start
from tests.support.idle import IdlePolicy

_SHARED_MEMORY = Path("/dev/shm")
_LEAST_BYTES = 2 << 30
"""Bytes that have to be free: a run of all tests writes about a tenth of them."""


def find_memory_folder() -> Path | None:
    """Return a folder in memory that takes big files and programs; None where there is none, as in many containers."""
    if not _SHARED_MEMORY.is_dir() or not os.access(_SHARED_MEMORY, os.W_OK | os.X_OK):
        return None
    runs_programs = not os.statvfs(_SHARED_MEMORY).f_flag & os.ST_NOEXEC
    return _SHARED_MEMORY if runs_programs and shutil.disk_usage(_SHARED_MEMORY).free >= _LEAST_BYTES else None


os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
"""Compiled modules are kept: dozens of processes import the same ones, and pytest rewrites the asserts of all tests."""

os.environ["SCOVILLE_NO_LAN"] = "1"
"""Nothing is announced or searched on the local network, also in the processes that tests start."""

os.environ["LANGUAGE"] = "en"
"""Whatever is spoken where the tests run; also in the processes they start."""

MEMORY = find_memory_folder()
if MEMORY is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
"""Temporary files are in memory where there is room: journals sync thousands of times, and disks are slow at that."""

_STATE = TemporaryDirectory(dir=MEMORY, prefix="scoville-tests-", ignore_cleanup_errors=True)
os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_CACHE_HOME"] = _STATE.name
os.environ["XDG_DATA_HOME"] = _STATE.name
"""No test touches what clients keep of the user who runs it. Each has another folder of data: see below."""

gc.disable()
"""Until all tests are collected: next to nothing of what is imported and collected is garbage."""

for number, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)
"""Shells let what they start in the background ignore these, as nohup does; so would every command that a test ends."""

asyncio.set_event_loop_policy(IdlePolicy())
warm_start.install_warm_start()

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "steady", derandomize=True, database=None, deadline=None, max_examples=20, suppress_health_check=_SLOW
)
settings.register_profile("wide", deadline=None, max_examples=500, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


_TESTS = count()
_HANDLED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run one worker more than there are processors: tests wait for processes, disks and other clients."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Leave modules and collected tests out of garbage collections, which took an eighth of the time."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True)
def repeatable_chance(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw codes, identities and deals from the test's own name, so that a test fails always or never.

    In 1 of 300 runs a code was `nimble-secret-wombat`, in a test that looked for no "secret" in what it saw. The wide
    profile of hypothesis keeps the system's chance, which is how such a test is found.
    """
    if settings.get_current_profile_name() == "wide":
        return
    chance = Random(request.node.nodeid)
    monkeypatch.setattr(secrets, "token_bytes", lambda nbytes=None: chance.randbytes(nbytes or 32))
    monkeypatch.setattr(secrets, "choice", chance.choice)
    monkeypatch.setattr(secrets, "randbelow", chance.randrange)


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """Handle signals as before the test: a command that it calls as a function ignores some, and says so nowhere."""
    before = {number: signal.getsignal(number) for number in _HANDLED}
    held = signal.pthread_sigmask(signal.SIG_BLOCK, ()) if hasattr(signal, "pthread_sigmask") else None
    yield
    if held is not None:  # a server whose start was refused in this process holds some, and children would inherit that
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def tables_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a state folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", f"{_STATE.name}/data-{next(_TESTS)}")


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Leave English behind, also where a test of something else speaks other languages."""
    from scoville_client.i18n.language import ENGLISH, set_language, set_spelling  # it reads the environment above

    yield
    set_language(ENGLISH)
    set_spelling(plainly=False)
