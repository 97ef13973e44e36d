"""Bounds of connections: what one of them, and all together, may cost the server."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Moment, Number, Positive, Seconds, Share, Wait
from scoville_server.limits.throttle import Rate
from scoville_shared.protocol.connection import FROM_CLIENT


class ConnectionLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of connections; the descriptions give the reasons."""

    total: Annotated[
        Positive,
        Meta(
            description="Connections that may be open at once, if the system allows the server so many files. An idle "
            "one costs some tens of kilobytes."
        ),
    ] = 2048
    per_address: Annotated[
        Number,
        Meta(
            description="Connections from one address, so that no address keeps all others out; fewer when the server "
            "fills up, since every address has the same share of what is free. 0 turns shares by address off, for a "
            "server behind a proxy through which all users come."
        ),
    ] = 1024
    message_bytes: Annotated[
        Positive,
        Meta(
            description="Size of the largest message that is read, in bytes. Only a table's options come anywhere near "
            "a thousand."
        ),
    ] = FROM_CLIENT
    pending_requests: Annotated[
        Positive,
        Meta(
            description="Requests of one connection that may wait for something (a commit, a long poll). A user needs "
            "two, and each costs a task. One more is refused with `too_many`."
        ),
    ] = 32
    turn: Annotated[
        Positive,
        Meta(
            description="Messages of one connection that are read at once before it queues: no user sends as many. A "
            "program that sends ten thousand delays nobody, and is answered as fast as ever when nobody else is active."
        ),
    ] = 256
    turn_seconds: Annotated[Seconds, Meta(description="How long one connection is read before it queues.")] = 0.001
    share_of_network: Annotated[
        Share,
        Meta(
            description="Share of the server's time that one network of addresses may use before it queues: a user "
            "needs a thousandth."
        ),
    ] = 0.25
    share_of_connection: Annotated[
        Share, Meta(description="Share of the server's time that one connection may use before it queues.")
    ] = 0.05
    slice_seconds: Annotated[
        Moment,
        Meta(description="How long all queued connections together are read in one turn of the event loop."),
    ] = 0.0005
    slice_seconds_busy: Annotated[
        Moment,
        Meta(description="The same while users on other networks play: a move takes ten turns or more."),
    ] = 0.00025
    share_busy: Annotated[
        Share,
        Meta(
            description="Share of the server's time that the queue may use meanwhile; the rest belongs to other users, "
            "and a processor with time to spare answers sooner."
        ),
    ] = 0.25
    queued_requests: Annotated[
        Positive,
        Meta(
            description="Unanswered requests that queued connections of one network may have before the next one is "
            "read: each takes further turns of the loop, a table's inbox and the journal."
        ),
    ] = 32
    queued_requests_busy: Annotated[Positive, Meta(description="The same while users on other networks play.")] = 4
    queued_request_seconds: Annotated[
        Seconds,
        Meta(description="How long such a request counts. One that takes longer waits for an event and costs nothing."),
    ] = 0.05
    deferred_seconds: Annotated[
        Seconds,
        Meta(
            description="Processor time that a request is assumed to cost after it was read, if it is answered later."
        ),
    ] = 0.00025
    notifications: Annotated[
        Number,
        Meta(
            description="MessagePack-RPC notifications that a connection may send in `notifications_seconds`. The "
            "server ignores them, and no client needs one; more end the connection with `too_many`."
        ),
    ] = 120
    notifications_seconds: Annotated[Seconds, Meta(description="The period over which notifications count.")] = 60.0
    unsent_pause: Annotated[
        Positive,
        Meta(
            description="Unsent bytes above which the server reads nothing more from a client until the client has "
            "read some. They hold several minutes of a lively table's events."
        ),
    ] = 64 * 1024
    unsent_drop: Annotated[
        Positive,
        Meta(
            description="Unsent bytes above which a paused client is disconnected; its seat stays. This is what a dead "
            "client costs at most."
        ),
    ] = 512 * 1024
    buffers: Annotated[
        Positive,
        Meta(
            description="Bytes that all connections together may hold in buffers: unsent ones, and incomplete "
            "messages. When there are more, the network that holds most loses its fullest connections: a thousand "
            "clients that do not read would take half a gigabyte."
        ),
    ] = 48 * 1024 * 1024
    hello_seconds: Annotated[
        Wait,
        Meta(description="How long a connection may take to send `hello`. Port scanners never do."),
    ] = 10.0
    handshake_seconds: Annotated[
        Wait,
        Meta(description="How long a TLS handshake may take: two round trips, and the server's queue."),
    ] = 5.0
    handshakes: Annotated[
        Positive,
        Meta(
            description="TLS handshakes that may be unfinished at a time. When there are more, the address with most "
            "of them loses its oldest."
        ),
    ] = 512
    handshakes_per_address: Annotated[
        Number,
        Meta(description="The same for one address: a school that reconnects after a restart. 0 is no limit."),
    ] = 256
    handshake_rate: Annotated[
        Rate,
        Meta(
            description="How often one address may begin a TLS handshake, as [times, seconds]; a /48 of IPv6 four "
            "times as often. Each costs the server a millisecond, and a client that repeats itself nothing; one that "
            "reconnects needs one. 0 times is no limit, for a server behind a proxy through which all users come."
        ),
    ] = Rate(600, 60.0)
    silent_records: Annotated[
        Number,
        Meta(
            description="TLS records without data that a connection may send in `silent_records_seconds`: updates of "
            "its keys, mostly, of which a client needs one in millions of messages. More end the connection with "
            "`too_many`."
        ),
    ] = 16
    silent_records_seconds: Annotated[Seconds, Meta(description="The period over which such records count.")] = 60.0
    closing_seconds: Annotated[
        Seconds, Meta(description="How long a connection that is being closed may take to read its last bytes.")
    ] = 3.0
