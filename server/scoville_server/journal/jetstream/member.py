"""A node as a member of its cluster: what all nodes must have in common."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import msgspec

from scoville_server.identity import ServerKey
from scoville_server.journal.base import Conflict, JournalError, Row
from scoville_server.journal.jetstream.engine import Engine, NoAnswer, Outgoing
from scoville_server.journal.jetstream.fenced_writer import EpochFences
from scoville_server.journal.jetstream.insistence import INSIST_SECONDS, Insistence
from scoville_server.journal.jetstream.messages import make_row_message, subject_of_row
from scoville_server.journal.jetstream.mirror import CLUSTER, COPYING, Mirror
from scoville_server.limits.live import Adjustable

KEY_ADVICE: Final = "Copy server.key from the data folder of another node"
"""Advice when the keys of nodes differ, and the key of the row that notes the right one."""


class OtherKey(JournalError):
    """A node has another key than the cluster has noted: a running one takes that up, if it has the file."""


class Member(NamedTuple):
    """A node of a cluster: the secrets that all nodes have in common, and its address for users.

    Attributes:
        node: The name of this node.
        address: The "host:port" at which users reach it.
        key: The key of the server, the same on all nodes.
        secrets: Digests of further files that must be the same on all nodes, by the sentence that says what to copy.
    """

    node: str
    address: str
    key: ServerKey
    secrets: Mapping[str, bytes] = {}


class ClusterTerms(NamedTuple):
    """On which terms a node writes to the journal of its cluster.

    Attributes:
        member: The node.
        most_writes: How many writes may wait.
        leave_out_damaged: Whether it goes on without damaged rows that protect players.
        insist_seconds: How long a write waits for the engine.
        on_epoch: Is called with the epoch as soon as the node has it.
        knows_lanes: Whether all nodes know that an epoch has several fences.
        known_epoch: The newest epoch when the node's turn came; None if it serves whichever came meanwhile.
    """

    member: Member
    most_writes: Adjustable[int]
    leave_out_damaged: bool = False
    insist_seconds: float = INSIST_SECONDS
    on_epoch: Callable[[int], object] = lambda _: None
    known_epoch: int | None = None
    knows_lanes: Callable[[], bool] = lambda: True

    def make_fences(self) -> EpochFences:
        """Make the fences of the node's epochs; nodes of other names begin with other ones."""
        return EpochFences(sum(self.member.node.encode()), self.knows_lanes)


async def compare_node(engine: Engine, mirror: Mirror, member: Member) -> None:
    """Compare the files that all nodes share with those that the first node has noted. Raises JournalError."""
    if mirror.find_row(CLUSTER, COPYING) is not None:
        raise JournalError(
            "A copy into this cluster is not finished: wait for its end, or run 'scoville-server copy-to-cluster' "
            "again, which begins anew."
        )
    same = {KEY_ADVICE: member.key.public, **member.secrets}
    for advice, digest in same.items():
        row = mirror.find_row(CLUSTER, advice)
        if row is None:
            row = await _note_first(engine, mirror, advice, digest)
        if row.value != digest:
            kind = OtherKey if advice == KEY_ADVICE else JournalError
            raise kind(f"This node is not like the others of the cluster. {advice}, and start it again.")


async def _note_first(engine: Engine, mirror: Mirror, key: str, value: bytes) -> Row:
    """Note a value of a cluster's first node; returns the noted one, perhaps that of another node that starts now.

    Raises JournalError.
    """
    insistence, subject = Insistence(engine, engine.clock), subject_of_row(CLUSTER, key)
    message = make_row_message(CLUSTER, key, mirror.birth_of(CLUSTER, key), value)
    first = Outgoing(subject, msgspec.msgpack.encode(message), expected=0)
    try:
        sequence = await insistence.publish_message(first, Conflict(CLUSTER, key))
    except Conflict:
        sequence = (await insistence.read_last([subject], insistence.deadline()))[subject].sequence
    await mirror.catch_up(sequence)
    row = mirror.find_row(CLUSTER, key)
    if row is None:
        raise NoAnswer
    return row
