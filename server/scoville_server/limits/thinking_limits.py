"""Settings of the processes in which searching bots think."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Moment, Number, Positive, Seconds


class ThinkingLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of searching bots, and the shares of those who use them; the descriptions give the reasons."""

    workers: Annotated[
        Positive,
        Meta(
            description="Processes that think at a time. Each takes up to 300 MB and a processor that is otherwise "
            "idle; they start with the first searching bot."
        ),
    ] = 1
    move_seconds: Annotated[
        Moment, Meta(description="Time of a move in its process; a search that is not finished by then is cut.")
    ] = 0.2
    patience_seconds: Annotated[
        Moment,
        Meta(
            description="How long a bot waits for its move, while others are thought about or a process starts; "
            "then it plays by its rule of thumb, and nobody waits longer for it."
        ),
    ] = 2.0
    process_idle_seconds: Annotated[
        Seconds, Meta(description="How long a process without work is kept: its memory is worth more than its start.")
    ] = 300.0
    waiting: Annotated[
        Number,
        Meta(
            description="Moves that wait for all tables. When there are more, the network that has most waiting "
            "loses its latest one, and that bot plays by its rule of thumb. Networks take turns."
        ),
    ] = 64
    waiting_per_address: Annotated[
        Number,
        Meta(description="Moves that wait for the tables of one address; a wider network may have four times as many."),
    ] = 16
    waiting_per_user: Annotated[
        Number,
        Meta(description="Moves that wait for the tables that one user has opened: two tables of the fastest game."),
    ] = 8
    waiting_per_table: Annotated[
        Number, Meta(description="Moves that wait for one table, of bots that choose at the same time.")
    ] = 6
