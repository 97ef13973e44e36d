"""What hosts are shown of a cluster at any of its nodes."""

from collections.abc import Sequence

from scoville_runtime.host_status import ClusterStatus, NodeStatus
from scoville_server.nodes.neighbours import Neighbours


def describe_cluster(
    name: str, address: str, neighbours: Neighbours, now: float, doubts: Sequence[str], *, is_connected: bool
) -> ClusterStatus:
    """Return the cluster as a node sees it.

    Args:
        name: The name of the cluster.
        address: Where users reach this node.
        neighbours: What it knows of the others.
        now: The time, in monotonic seconds.
        doubts: Why the engine may lose what it has acknowledged.
        is_connected: Whether it is reached.
    """
    own = NodeStatus(
        address=address, serves=bool(neighbours.epoch), heard_seconds=None, tables=neighbours.read_load().tables
    )
    others = [
        NodeStatus(
            address=heard.beat.address,
            serves=neighbours.serves_now(heard),
            heard_seconds=now - heard.at,
            tables=heard.beat.tables,
        )
        for _, heard in sorted(neighbours.heard.items())
    ]
    return ClusterStatus(
        name=name,
        epoch=neighbours.epoch,
        serving=address if neighbours.epoch else neighbours.serving_address,
        connected=is_connected,
        nodes=[own, *others],
        doubts=[*doubts],
    )
