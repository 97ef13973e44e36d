"""The links of one node to all others: opened when they are needed, and again after a loss."""

from collections.abc import Callable
from typing import Final, Protocol

from scoville_server.nodes.link.answering import AnsweringEnd, FarPeer, Visit
from scoville_server.nodes.link.asking import AskingEnd
from scoville_server.nodes.link.ends import Carrier
from scoville_server.nodes.link.figures import LinkFigures
from scoville_server.nodes.link.frames import Introduction
from scoville_server.nodes.members import NodeId

PAUSE_SECONDS: Final = 0.25
"""Seconds after a link was lost until the next attempt: requests meanwhile are refused at once."""

OpenVisit = Callable[[FarPeer, Introduction], Visit]


class Dialer(Protocol):
    """Opens connections to other nodes."""

    def dial_node(self, node: NodeId, make_end: Callable[[Carrier], AskingEnd]) -> AskingEnd:
        """Return an end for a node at once; the connection follows, or `lose_link` of that end."""


class Links:
    """Has at most one link to each other node; `me` is this one, `now` returns monotonic seconds."""

    def __init__(self, me: NodeId, dialer: Dialer, now: Callable[[], float]) -> None:
        self.me = me
        self._dialer = dialer
        self._now = now
        self.figures = LinkFigures(now)
        self._ends: dict[NodeId, AskingEnd] = {}
        self._lost: dict[NodeId, float] = {}
        self.open_visit: OpenVisit | None = None
        """Begins visits of other nodes' users; None until this node serves."""

    def find_end(self, node: NodeId) -> AskingEnd | None:
        """Return the end that leads to a node, which may be one that is being opened; None right after a loss."""
        end = self._ends.get(node)
        if end is not None and not end.is_lost:
            return end
        if self._now() < self._lost.get(node, -PAUSE_SECONDS) + PAUSE_SECONDS:
            return None
        end = self._ends[node] = self._dialer.dial_node(node, lambda carrier: self._make_end(node, carrier))
        return end

    def _make_end(self, node: NodeId, carrier: Carrier) -> AskingEnd:
        end = AskingEnd(self.me, node, carrier, lambda: self._lose(node))
        end.figures = self.figures
        return end

    def _lose(self, node: NodeId) -> None:
        self._ends.pop(node, None)
        self._lost[node] = self._now()

    def accept_link(self, carrier: Carrier) -> AnsweringEnd | None:
        """Return an end for a node that has connected; None while this one does not serve."""
        if self.open_visit is None:
            return None
        end = AnsweringEnd(self.me, carrier, self.open_visit)
        end.figures = self.figures
        return end

    def lose_node(self, node: NodeId) -> None:
        """End the link to a node that runs no more, or hangs: its connection may be open for long."""
        end = self._ends.get(node)
        if end is not None:
            end.end("this node is lost")
