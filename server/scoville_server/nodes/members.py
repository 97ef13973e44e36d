"""The members of a cluster: which nodes run, and which of them inherits what. That this node is alone is known here."""

from collections.abc import Callable, Sequence
from typing import Final, NewType, Protocol

from msgspec import Struct

NodeId = NewType("NodeId", str)
"""Names a node, one server process of several."""

THIS: Final = NodeId("this")
"""The only node of a server that runs alone."""


CODE: Final = "code "
"""Beginning of heirs' keys that are codes of tables."""


class Incarnation(Struct, frozen=True):
    """One run of a node as the owner of tables: a later one, of any node, has a higher `epoch`."""

    node: NodeId
    epoch: int


# Decision 038: protocols hide that one process has every table and user; each has a contract test.
class Members(Protocol):
    """The nodes of a cluster, as this node sees them."""

    @property
    def me(self) -> NodeId:
        """This node."""

    def running_nodes(self) -> Sequence[NodeId]:
        """List the nodes that run, this one included."""

    def heir_of(self, thing: str) -> NodeId:
        """Return the node that takes over a table without an owner, or a task of one node for all.

        All nodes that see the same members return the same node.
        """

    def follow_returns(self, on_return: Callable[[NodeId], object]) -> None:
        """Call a function for each node that runs from now on, or may have missed what was published meanwhile."""

    def follow_losses(self, on_loss: Callable[[NodeId], object]) -> None:
        """Call a function for each node that runs no more, as far as this one can tell."""

    def follow_gaps(self, on_gap: Callable[[bool], object]) -> None:
        """Call a function when messages of this node may have been lost.

        Its argument is whether this node was silent for so long that the others may have missed it.
        """


class Alone:
    """`Members` of a server that is one process, or that sees no other."""

    def __init__(self, me: NodeId = THIS) -> None:
        self.me = me

    def running_nodes(self) -> Sequence[NodeId]:
        return (self.me,)

    def heir_of(self, _thing: str) -> NodeId:
        return self.me

    def follow_returns(self, _on_return: Callable[[NodeId], object]) -> None:
        """No other node ever joins."""

    def follow_losses(self, _on_loss: Callable[[NodeId], object]) -> None:
        """No other node is ever lost."""

    def follow_gaps(self, _on_gap: Callable[[bool], object]) -> None:
        """No other node could miss messages."""
