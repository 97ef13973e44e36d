"""Fixtures of every test of the client: servers that wait for nothing."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_server.accounts.model.account_limits import Hashing
from scoville_server.accounts.password_hasher import PasswordHasher
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.observation.figures import LoopLag
from scoville_server.tables.lifecycle.heartbeat import Pulse
from tests.support.idle import FRAME

LONGEST_BATCH = 0.5
"""Seconds for which a server gathers changes of a lobby, of presence or of spectators at most."""


def send_batches_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits of every server that runs by the system's time; heartbeats are no batches, and repeat."""
    later = SYSTEM.call_later

    def call_later(seconds: float, callback: Callable[[], object]) -> Alarm:
        batch = seconds <= LONGEST_BATCH and is_of_server(callback)
        return later(min(seconds, FRAME / 2) if batch else seconds, callback)

    monkeypatch.setattr(SYSTEM, "call_later", call_later)


def is_of_server(callback: Callable[[], object]) -> bool:
    """Return whether a server set this timer, which shares its clock with the clients of this process."""
    callback = getattr(callback, "func", callback)  # of a partial
    if isinstance(getattr(callback, "__self__", None), LoopLag | Pulse):
        return False
    waits = getattr(callback, "__qualname__", "").startswith(f"{Clock.deadline.__qualname__}.")  # only servers do
    return waits or getattr(callback, "__module__", "").startswith("scoville_server.")


def hash_cheaply(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers spend no time on hashes of passwords; `tests/server/accounts` checks the usual costs."""
    make = PasswordHasher.__init__

    def make_cheap(self: PasswordHasher, costs: Adjustable[Hashing]) -> None:
        make(self, as_live(costs).select(lambda usual: replace(usual, memory_kib=8, passes=1)))

    monkeypatch.setattr(PasswordHasher, "__init__", make_cheap)


@pytest.fixture(autouse=True)
def quick_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    send_batches_at_once(monkeypatch)
    hash_cheaply(monkeypatch)
