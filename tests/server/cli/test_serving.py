"""A node of a cluster in the foreground: what is done between its turns, and at its end."""

from typing import Any

import pytest

from scoville_runtime.service_manager import ServiceManager
from scoville_server.cli import serving
from scoville_server.cli.restarting import ServerEnding
from scoville_server.cluster import node as node_module
from scoville_server.net.listening import ListeningSockets
from scoville_server.settings.model import Settings


class Waiting:
    """A node whose turn has always come."""

    doubts: tuple[str, ...] = ()
    address = "a.example:1"

    def __init__(self, settings: Settings) -> None:
        """Nothing is kept."""

    async def _do_nothing(self, *_: object) -> None:
        """It has joined, waited, given up its port, or left."""

    join = wait_for_turn = close_port = leave = _do_nothing

    def make_server(self, *_: object) -> None:
        """The test serves nobody."""


async def test_memory_is_freed_for_the_next_server_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It took a third of a second of a machine on which users came to the next node."""
    turns = []

    async def serve(_server: None, _settings: Settings, ending: Any, *_: object) -> None:
        turns.append("served")
        if turns.count("served") == 2:
            ending.stop.set()

    monkeypatch.setattr(node_module, "ClusterNode", Waiting)
    monkeypatch.setattr(serving, "_serve_until_end", serve)
    monkeypatch.setattr(serving, "free_former_server", lambda: turns.append("freed"))
    monkeypatch.setattr(serving, "_watch_signals", ServerEnding)
    manager = ServiceManager.from_environment()
    await serving._run_node(Settings(), Settings, ListeningSockets(), manager)  # type: ignore[arg-type]
    assert turns == ["served", "freed", "served"]
