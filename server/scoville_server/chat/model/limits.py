"""Bounds of chat."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Number
from scoville_server.limits.throttle import Rate


class ChatLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of chat; the descriptions give the reasons. A rate is [times, seconds]."""

    lobby: Annotated[
        Number,
        Meta(
            description="Newest messages of the lobby that are kept, for users who join later. A message takes about a "
            "kilobyte at most."
        ),
    ] = 200
    table: Annotated[Number, Meta(description="Newest messages of each table that are kept.")] = 100
    whispers: Annotated[Number, Meta(description="Newest whispers that are kept for each user, received and sent.")] = (
        50
    )
    whisper_users: Annotated[
        Number,
        Meta(description="Users whose whispers are kept; the least recently used make space."),
    ] = 1_000
    ignored: Annotated[Number, Meta(description="Users that one user may ignore.")] = 200
    muted: Annotated[Number, Meta(description="Users that may be muted at one table.")] = 100
    messages: Annotated[
        tuple[Rate, ...],
        Meta(
            description="Messages of one user: five at once, for a joke in parts, and twelve a minute in the long run."
        ),
    ] = (Rate(5, 5.0), Rate(60, 300.0))
    messages_per_address: Annotated[
        tuple[Rate, ...], Meta(description="Messages from one address, which may belong to a school.")
    ] = (Rate(20, 5.0), Rate(240, 300.0))
    messages_per_channel: Annotated[
        Rate,
        Meta(description="Messages from all users together in the lobby or at one table: nobody reads faster."),
    ] = Rate(60, 30.0)
    whispers_received: Annotated[
        Rate, Meta(description="Whispers that one user receives, however many users send them.")
    ] = Rate(60, 60.0)
    whispers_received_per_address: Annotated[
        Rate, Meta(description="Whispers that one user receives from one address, however many users it has.")
    ] = Rate(30, 60.0)
    repeats: Annotated[
        Rate,
        Meta(description='The same message in one channel: "no" twice is emphasis, a third time at once is noise.'),
    ] = Rate(2, 30.0)
    reactions: Annotated[
        tuple[Rate, ...],
        Meta(description="Reactions of one user: they cost one key, so they are easily overdone."),
    ] = (Rate(3, 9.0), Rate(20, 300.0))
    reactions_per_address: Annotated[tuple[Rate, ...], Meta(description="Reactions from one address.")] = (
        Rate(12, 9.0),
        Rate(80, 300.0),
    )
    reactions_at_table: Annotated[Rate, Meta(description="Reactions from all users together at one table.")] = Rate(
        30, 9.0
    )
