"""Election of the node that takes over, and when: each node judges for itself, by the beats that it hears."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from msgspec import Struct

BEAT_SECONDS: Final = 0.25
"""Seconds between two beats of a node."""
MISSING_SECONDS: Final = 4 * BEAT_SECONDS
"""A node that was not heard for so long does not serve any more, or hangs."""
DOUBTFUL_SECONDS: Final = 2 * BEAT_SECONDS
"""A node that was not heard for so long may be lost: users are sent to it no more."""
OVERDUE_SECONDS: Final = 1.2 * BEAT_SECONDS
"""A serving node that was not heard for so long is looked at: one whose port is closed has ended."""
LATE_SECONDS: Final = 2 * BEAT_SECONDS
"""A node whose own work is so late has not heard the others."""
TURN_SECONDS: Final = 0.5
"""How much later than the first each further node takes over, so that they do not race."""
BEGIN_SECONDS: Final = 5.0
"""How long a node is waited for that has said that it takes the first epoch: its server is made meanwhile."""
FOLLOW_SECONDS: Final = 2.0
"""The same for one that takes over: users wait, and it may have been lost as well."""


class Beat(Struct, frozen=True, array_like=True):
    """The message of a node to all others, four times a second.

    Attributes:
        node: Its name.
        address: Where users reach it.
        epoch: The epoch in which it serves, 0 for a node that waits.
        hears: How many seconds ago it has heard the serving node; negative for never.
        leaving: Whether it serves no longer from now on, so that another one may at once.
        patience: How many seconds longer than usual it may be silent, since it takes tables over.
        key: The public key that it shows.
        successor: That of the key in its folder to which it can change.
        holds: Whether it accepts no connections at the moment, since the key changes.
        lacks: How many tables it has read with a hole, and could not serve.
        link: Where other nodes reach its port for links; empty for a node that serves alone or not at all.
        tables: How many tables it serves.
        watched: How many of them are watched.
        drains: Whether it gives all of them away before it ends.
        knows_lanes: Whether it knows that an epoch has several fences, and begins all of them when it takes one.
        begins: Whether it is about to take an epoch.
    """

    node: str
    address: str
    epoch: int = 0
    hears: float = -1.0
    leaving: bool = False
    patience: float = 0.0
    key: bytes = b""
    successor: bytes = b""
    holds: bool = False
    lacks: int = 0
    link: str = ""
    tables: int = 0
    watched: int = 0
    drains: bool = False
    knows_lanes: bool = False
    begins: bool = False


class Heard(NamedTuple):
    """The latest beat of a node, and when it was heard, in monotonic seconds.

    `begun` is when it was first heard that the node is about to take an epoch, if it is.
    """

    beat: Beat
    at: float
    begun: float = 0.0


Port = Literal["unknown", "closed", "unclear"]
"""A closed port proves that its process has ended; one that is open, or does not answer, proves nothing."""


class Outlook(NamedTuple):
    """The knowledge of a waiting node, by which it judges whether to take over.

    Attributes:
        now: The time, in monotonic seconds.
        me: The name of this node.
        since: Since when it listens without an interruption of its own.
        has_epoch: Whether any node has served yet.
        served: The latest beat of a node that serves in the newest epoch; None if none was heard.
        heard: The latest beat of each other node.
        port: The result of a look at the serving node's port.
        is_connected: Whether this node reaches the engine.
        lacks: How many tables it has read with a hole.
        joins: Whether it is to serve beside others, if they are as well.
        epoch: The newest epoch that it has read in the engine.
        begins: Whether it has told the others that it takes the next one.
    """

    now: float
    me: str
    since: float
    has_epoch: bool
    served: Heard | None
    heard: Mapping[str, Heard]
    port: Port = "unknown"
    is_connected: bool = True
    lacks: int = 0
    joins: bool = False
    epoch: int = 0
    begins: bool = False


Verdict = Literal["wait", "look", "serve", "join"]


def judge_outlook(outlook: Outlook) -> Verdict:
    """Return whether this node waits, looks at the port of the serving node, or serves from now on.

    It joins one that serves and takes links, and waits for its turn beside one that serves alone.

    A mistake costs a takeover that was not needed, and never a move: the epoch decides who writes.
    """
    if not outlook.is_connected:
        return "wait"
    listened = outlook.now - outlook.since
    turn = _turn_of(outlook) * TURN_SECONDS

    if not outlook.has_epoch:
        return "serve" if listened >= MISSING_SECONDS + turn and not _is_preceded(outlook) else "wait"

    last = outlook.served
    if last is not None and _takes_in(last, outlook):
        return "join"
    # That node is making its server. A second one would read everything for nothing, on a machine that is busy already.
    if _is_taken_over(outlook):
        return "wait"
    if last is not None and last.beat.leaving:
        return "serve" if outlook.now - last.at >= turn else "wait"

    # Silence counts from the first moment at which this node could have heard a beat.
    silent = min(listened, outlook.now - last.at) if last is not None else listened
    if silent < OVERDUE_SECONDS:
        return "wait"
    others = _fresh_others(outlook)
    if any(_hears_serving(heard, outlook, OVERDUE_SECONDS) for heard in others):
        return "wait"
    if outlook.port == "closed":
        return "serve" if silent >= OVERDUE_SECONDS + turn else "wait"
    # Nothing proves that it has ended: it is lost once nobody has heard it for longer.
    patience = 0.0 if last is None else last.beat.patience
    is_missing = silent >= MISSING_SECONDS + patience + turn
    if is_missing and outlook.port == "unclear":
        return "wait" if any(_hears_serving(heard, outlook, DOUBTFUL_SECONDS) for heard in others) else "serve"
    return "look"


def comes_first(outlook: Outlook) -> bool:
    """Whether this node takes over as soon as a beat of the serving node is late, whose port is closed, or leaves."""
    last = outlook.served
    # If this node has not taken over by then, others still hear the serving node.
    is_recent = last is not None and outlook.now - last.at < MISSING_SECONDS
    is_next = outlook.is_connected and not _turn_of(outlook) and not _is_taken_over(outlook)
    has_ended = outlook.port == "closed" or (last is not None and last.beat.leaving)
    return has_ended and is_recent and is_next


def _is_taken_over(outlook: Outlook) -> bool:
    """Whether another node has begun a moment ago to take the next epoch."""
    return any(each.beat.begins and outlook.now - each.begun < FOLLOW_SECONDS for each in _fresh_others(outlook))


def _is_preceded(outlook: Outlook) -> bool:
    """Whether another node takes the first epoch: it has said so earlier, or at the same time and comes first."""
    return any(
        heard.beat.begins and outlook.now - heard.at < BEGIN_SECONDS and (not outlook.begins or node < outlook.me)
        for node, heard in outlook.heard.items()
        if node != outlook.me and not heard.beat.leaving
    )


def _takes_in(served: Heard, outlook: Outlook) -> bool:
    """Whether this node can serve beside the one that serves."""
    is_fresh = outlook.now - served.at < DOUBTFUL_SECONDS and not served.beat.leaving
    return outlook.joins and is_fresh and bool(served.beat.link) and served.beat.epoch == outlook.epoch


def _hears_serving(heard: Heard, outlook: Outlook, seconds: float) -> bool:
    """Whether another node has heard the serving node within so many seconds, so that it is this one that is deaf."""
    ago = heard.beat.hears
    return ago >= 0 and ago + outlook.now - heard.at < seconds


def _fresh_others(outlook: Outlook) -> Sequence[Heard]:
    """Return the latest beats of the other nodes that wait."""
    return [
        heard
        for node, heard in outlook.heard.items()
        if node != outlook.me and not heard.beat.epoch and outlook.now - heard.at < MISSING_SECONDS
    ]


def _turn_of(outlook: Outlook) -> int:
    """Return how many other nodes that wait come before this one: those first that lack fewer tables."""
    me = outlook.lacks, outlook.me
    others = [heard.beat for heard in _fresh_others(outlook) if not heard.beat.leaving]
    return sum((beat.lacks, beat.node) < me for beat in others)
