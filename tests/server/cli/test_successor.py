"""A server in the foreground that is to succeed another one."""

import sys
from typing import cast

import pytest

from scoville_runtime.service_manager import Inherited, ServiceManager
from scoville_runtime.succession import Predecessor
from scoville_server.cli import serving
from scoville_server.net import tls
from scoville_server.net.listening import ListeningSockets
from scoville_server.net.tls import context

TLS = context.__name__


class RecordingPredecessor:
    """A predecessor that notes what the process that is to succeed it has loaded when it is ready."""

    def __init__(self) -> None:
        self.loaded = frozenset[str]()

    def report_ready(self) -> None:
        self.loaded = frozenset(sys.modules)

    async def wait_for_turn(self) -> Inherited:
        return Inherited({}, {})


async def test_what_encrypts_is_loaded_before_users_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, TLS)
    monkeypatch.setattr(tls, "context", context)  # put back at the end, like the module
    predecessor, sockets = RecordingPredecessor(), ListeningSockets()
    await serving._wait_for_turn(cast("Predecessor", predecessor), sockets, ServiceManager.from_environment({}))
    assert TLS in predecessor.loaded
