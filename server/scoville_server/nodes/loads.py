"""The load of nodes that all serve: which one gets the next table, and when one gives tables to another one."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from scoville_server.nodes.members import NodeId

WATCHED_WEIGHT: Final = 4
"""Weight of a watched table, beside 1 for any other one.

Watched ones have moves and notices. The others only take memory, and time when their node is lost; without any weight
a node could have all of them.
"""
MOST_UNEVEN: Final = 16
"""By how much a node may be heavier than another one without giving it anything: four watched tables, which say little
of what comes next."""
_SHARE: Final = 5
"""Tables begin to move once the heaviest node has so much more than that of the lightest one, as a part of its own."""


class NodeLoad(Struct, frozen=True, array_like=True):
    """The load of a node.

    Attributes:
        tables: How many tables.
        watched: How many of them are watched.
        drains: Whether it gives all of them away, and takes none.
    """

    tables: int = 0
    watched: int = 0
    drains: bool = False

    @property
    def weight(self) -> int:
        """How much it weighs."""
        return self.tables + (WATCHED_WEIGHT - 1) * self.watched


def choose_for_new_table(me: NodeId, own: NodeLoad, others: Mapping[NodeId, NodeLoad]) -> NodeId:
    """Return the node that opens a table which a user of this one wants.

    That is this node, unless another one is clearly lighter: what crosses no link costs least.
    """
    lightest = _find_lightest(others)
    if lightest is None:
        return me
    theirs = others[lightest].weight
    return lightest if own.drains or own.weight > theirs + max(MOST_UNEVEN, theirs // _SHARE) else me


def choose_receiver(me: NodeId, own: NodeLoad, others: Mapping[NodeId, NodeLoad], *, is_giving: bool) -> NodeId | None:
    """Return the node to which this one gives tables now; None for none.

    The heaviest node alone gives, to the lightest one. It begins when they are far apart, and goes on while it
    `is_giving` until they are close: so what changes by itself moves nothing back and forth.
    """
    lightest = _find_lightest(others)
    if lightest is None or own.drains:
        return None
    if any((load.weight, node) > (own.weight, me) for node, load in others.items() if not load.drains):
        return None
    gap = own.weight - others[lightest].weight
    return lightest if gap > MOST_UNEVEN + (0 if is_giving else own.weight // _SHARE) else None


def evens_out(weight: int, giver: int, receiver: int) -> bool:
    """Whether a node that gets a table of some weight is not heavier then than its giver."""
    return receiver + weight <= giver - weight


def list_by_load(others: Mapping[NodeId, NodeLoad]) -> list[NodeId]:
    """List the nodes that take tables, the lightest first."""
    return sorted(
        (node for node, load in others.items() if not load.drains), key=lambda node: (others[node].weight, node)
    )


def _find_lightest(others: Mapping[NodeId, NodeLoad]) -> NodeId | None:
    return next(iter(list_by_load(others)), None)
