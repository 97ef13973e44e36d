"""Bounds of connections: what one of them, and all together, may cost the server."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Positive
from scoville_server.limits.throttle import Rate
from scoville_shared.protocol.connection import FROM_CLIENT


class ConnectionLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of connections."""

    total: Annotated[
        Positive,
        Meta(
            description="Connections that may be open at once, if the system allows the server so many files. An idle "
            "one costs some tens of kilobytes."
        ),
    ] = 2048
    per_address: int = 1024
    """Connections from one address, so that no address keeps all others out; fewer when the server fills up, since
    every address has the same share of what is free. 0 turns shares by address off, for a server behind a proxy through
    which all users come."""
    message_bytes: int = FROM_CLIENT
    """Size of the largest message that is read, in bytes. Only a table's options come anywhere near a thousand."""
    pending_requests: int = 32
    """Requests of one connection that may wait for something (a commit, a long poll). A user needs two, and each costs
    a task. One more is refused with `too_many`."""
    turn: int = 256
    """Messages of one connection that are read at once before it queues: no user sends as many. A program that sends
    ten thousand delays nobody, and is answered as fast as ever when nobody else is active."""
    turn_seconds: float = 0.001
    """How long one connection is read before it queues."""
    share_of_network: float = 0.25
    """Share of the server's time that one network of addresses may use before it queues: a user needs a thousandth."""
    share_of_connection: float = 0.05
    """Share of the server's time that one connection may use before it queues."""
    slice_seconds: float = 0.0005
    """How long all queued connections together are read in one turn of the event loop."""
    slice_seconds_busy: float = 0.00025
    """The same while users on other networks play: a move takes ten turns or more."""
    share_busy: float = 0.25
    """Share of the server's time that the queue may use meanwhile; the rest belongs to other users, and a processor
    with time to spare answers sooner."""
    queued_requests: int = 32
    """Unanswered requests that queued connections of one network may have before the next one is read: each takes
    further turns of the loop, a table's inbox and the journal."""
    queued_requests_busy: int = 4
    """The same while users on other networks play."""
    queued_request_seconds: float = 0.05
    """How long such a request counts. One that takes longer waits for an event and costs nothing."""
    deferred_seconds: float = 0.00025
    """Processor time that a request is assumed to cost after it was read, if it is answered later."""
    notifications: int = 120
    """MessagePack-RPC notifications that a connection may send in `notifications_seconds`. The server ignores them, and
    no client needs one; more end the connection with `too_many`."""
    notifications_seconds: float = 60.0
    """The period over which notifications count."""
    unsent_pause: int = 64 * 1024
    """Unsent bytes above which the server reads nothing more from a client until the client has read some. They hold
    several minutes of a lively table's events."""
    unsent_drop: int = 512 * 1024
    """Unsent bytes above which a paused client is disconnected; its seat stays. This is what a dead client costs at
    most."""
    buffers: int = 48 * 1024 * 1024
    """Bytes that all connections together may hold in buffers: unsent ones, and incomplete messages. When there are
    more, the network that holds most loses its fullest connections: a thousand clients that do not read would take half
    a gigabyte."""
    hello_seconds: float = 10.0
    """How long a connection may take to send `hello`. Port scanners never do."""
    handshake_seconds: float = 5.0
    """How long a TLS handshake may take: two round trips, and the server's queue."""
    handshakes: int = 512
    """TLS handshakes that may be unfinished at a time. When there are more, the address with most of them loses its
    oldest."""
    handshakes_per_address: int = 256
    """The same for one address: a school that reconnects after a restart. 0 is no limit."""
    handshake_rate: Rate = Rate(600, 60.0)
    """How often one address may begin a TLS handshake, as [times, seconds]; a /48 of IPv6 four times as often. Each
    costs the server a millisecond, and a client that repeats itself nothing; one that reconnects needs one. 0 times is
    no limit, for a server behind a proxy through which all users come."""
    silent_records: int = 16
    """TLS records without data that a connection may send in `silent_records_seconds`: updates of its keys, mostly, of
    which a client needs one in millions of messages. More end the connection with `too_many`."""
    silent_records_seconds: float = 60.0
    """The period over which such records count."""
    closing_seconds: float = 3.0
    """How long a connection that is being closed may take to read its last bytes."""
