"""Duties that one node has for all: begun where the directory names this node, ended where it names another."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from scoville_runtime.clock import CallLater
from scoville_server.nodes.nodes import Nodes, is_alone

SETTLED_SECONDS: Final = 2.0
"""How long a node that joins others waits until it has heard of all of them."""


class Doer(Protocol):
    """Does something by itself, repeatedly."""

    def start_serving(self) -> None:
        """Begin, or begin again: what was due meanwhile is done now."""

    def stop_serving(self) -> None:
        """End; what is under way is finished."""


# Decision 057: a node that is named does the work, and its writes on condition do it once.
class Duties:
    """Begins and ends the tasks of one node for all, as nodes come and go.

    Two nodes may believe for a moment that something is theirs, and for a moment none does: what is to happen once
    has to be written before, on condition that nobody else has.

    Args:
        nodes: The nodes.
        call_later: Calls a function later.
        doers: The chores that run where their task is done, and the tasks.
    """

    def __init__(self, nodes: Nodes[Any], call_later: CallLater, doers: Sequence[tuple[str, Doer]]) -> None:
        self._nodes = nodes
        self._find_doer = nodes.directory.find_doer
        self._call_later = call_later
        self._doers = doers
        self._serving: set[int] = set()
        self._is_settled = self._has_stopped = False

    def is_done_here(self, task: str) -> bool:
        """Whether this node does a task."""
        return self._is_settled and self._find_doer(task) is None

    def begin_serving(self) -> None:
        """Take up the duties of this node from now on."""
        if not is_alone(self._nodes):
            self._nodes.members.follow_returns(lambda _: self._follow_nodes())
            self._nodes.members.follow_losses(lambda _: self._follow_nodes())
        if self._nodes.joins:
            # It knows the others only in a moment.
            self._call_later(SETTLED_SECONDS, self._settle)
        else:
            self._settle()

    def _settle(self) -> None:
        self._is_settled = True
        self._follow_nodes()

    def _follow_nodes(self) -> None:
        if self._has_stopped:
            return
        for place, (task, doer) in enumerate(self._doers):
            is_mine = self.is_done_here(task)
            if is_mine and place not in self._serving:
                self._serving.add(place)
                doer.start_serving()
            elif not is_mine and place in self._serving:
                self._serving.discard(place)
                doer.stop_serving()

    def stop_serving(self) -> None:
        """End all tasks, and begin no others."""
        self._has_stopped = True
        for _, doer in self._doers:
            doer.stop_serving()
