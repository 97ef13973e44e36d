"""A cluster in place of a server that is killed and started: another node goes on, and the killed one waits again."""

import asyncio
import importlib.util
import signal
import sys
from pathlib import Path
from typing import Any, Final

from scoville_runtime.clock import SYSTEM
from tests.support.tree import ROOT

_ADOPTION_SECONDS: Final = 1.0
"""How long the next node may take to adopt its tables, which answer `busy` until then."""


def load_cluster() -> Any:
    """Return the module of scripts/lib/cluster.py."""
    spec = importlib.util.spec_from_file_location("scoville_cluster", ROOT / "scripts/lib/cluster.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class ServedCluster:
    """Three nodes and three servers of NATS, with the interface of a `ServerProcess`.

    Each third kill takes a whole machine: the serving node and the server of NATS beside it.

    Args:
        folder: Where they keep what they keep.
        others_sleep: Whether the nodes that wait hang until a kill. On a busy machine one of them might take over
            without need, and plain players do not follow.

    Attributes:
        cluster: All of them.
        port: That of the node that serves.
    """

    def __init__(self, folder: Path, *, others_sleep: bool = False) -> None:
        self.cluster: Any = load_cluster().Cluster(folder, settings=["--no-default-tables", "--log-level", "info"])
        self._others_sleep = others_sleep
        self._kills = 0
        self._killed = -1
        self.port = 0

    async def start(self) -> None:
        """Start everything, or wait for the node that follows the killed one, and start that again."""
        cluster = self.cluster
        if self._killed < 0:
            await asyncio.to_thread(cluster.start)
        else:
            number, self._killed = self._killed, -1
            before = cluster.nodes[number]
            others = [node for node in cluster.nodes if node is not before]
            await self._wait_for_next(others)
            if cluster.engines[number].process.poll() is not None:
                cluster.engines[number] = cluster.start_engine(number)
            cluster.nodes[number] = cluster.start_node(number)
            joined = cluster.nodes[number]
            await asyncio.to_thread(cluster.wait_until, lambda: joined.has_said("has joined the cluster"), "its return")
            await SYSTEM.sleep(_ADOPTION_SECONDS)
        self.port = cluster.ports[cluster.serving_node()]
        if self._others_sleep:
            self._signal_others(signal.SIGSTOP)

    def wake_others(self) -> None:
        """Let the nodes that wait go on."""
        self._signal_others(signal.SIGCONT)

    def _signal_others(self, number: signal.Signals) -> None:
        serving = self.cluster.serving_node()
        for n, node in enumerate(self.cluster.nodes):
            if n != serving:
                node.send(number)

    async def _wait_for_next(self, others: list[Any]) -> None:
        until = SYSTEM.seconds() + 40
        while not any(node.served_at for node in others):
            assert SYSTEM.seconds() < until, [line for node in others for line in node.lines[-10:]]
            await SYSTEM.sleep(0.02)

    async def kill(self) -> None:
        """End the serving node with SIGKILL, each third time together with the server of NATS of its machine."""
        self.wake_others()
        cluster, self._kills = self.cluster, self._kills + 1
        self._killed = cluster.serving_node()
        ended = [cluster.nodes[self._killed], *([cluster.engines[self._killed]] if self._kills % 3 == 0 else [])]
        for process in ended:
            process.send(signal.SIGKILL)
        for process in ended:
            await asyncio.to_thread(process.wait, 30)
        cluster.nodes[self._killed].served_at = 0.0

    async def stop(self) -> str:
        """End all; returns what the nodes have complained of."""
        await asyncio.to_thread(self.cluster.stop)
        lines = [line for node in self.cluster.nodes for line in node.lines]
        return "\n".join(line for line in lines if "Traceback" in line or " error " in line)
