"""Bounds of chat."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Number
from scoville_server.limits.throttle import Rate


class ChatLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of chat. A rate is [times, seconds]."""

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
    whisper_users: int = 1_000
    """Users whose whispers are kept; the least recently used make space."""
    ignored: int = 200
    """Users that one user may ignore."""
    muted: int = 100
    """Users that may be muted at one table."""
    messages: tuple[Rate, ...] = (Rate(5, 5.0), Rate(60, 300.0))
    """Messages of one user: five at once, for a joke in parts, and twelve a minute in the long run."""
    messages_per_address: tuple[Rate, ...] = (Rate(20, 5.0), Rate(240, 300.0))
    """Messages from one address, which may belong to a school."""
    messages_per_channel: Rate = Rate(60, 30.0)
    """Messages from all users together in the lobby or at one table: nobody reads faster."""
    whispers_received: Rate = Rate(60, 60.0)
    """Whispers that one user receives, however many users send them."""
    whispers_received_per_address: Rate = Rate(30, 60.0)
    """Whispers that one user receives from one address, however many users it has."""
    repeats: Rate = Rate(2, 30.0)
    """The same message in one channel: "no" twice is emphasis, a third time at once is noise."""
    reactions: tuple[Rate, ...] = (Rate(3, 9.0), Rate(20, 300.0))
    """Reactions of one user: they cost one key, so they are easily overdone."""
    reactions_per_address: tuple[Rate, ...] = (
        Rate(12, 9.0),
        Rate(80, 300.0),
    )
    """Reactions from one address."""
    reactions_at_table: Rate = Rate(30, 9.0)
    """Reactions from all users together at one table."""
