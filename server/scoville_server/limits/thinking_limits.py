"""Settings of the processes in which searching bots think."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Positive


class ThinkingLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of searching bots, and the shares of those who use them."""

    workers: Annotated[
        Positive,
        Meta(
            description="Processes that think at a time. Each takes up to 300 MB and a processor that is otherwise "
            "idle; they start with the first searching bot."
        ),
    ] = 1
    move_seconds: float = 0.2
    """Time of a move in its process; a search that is not finished by then is cut."""
    patience_seconds: float = 2.0
    """How long a bot waits for its move, while others are thought about or a process starts; then it plays by its rule
    of thumb, and nobody waits longer for it."""
    process_idle_seconds: float = 300.0
    """How long a process without work is kept: its memory is worth more than its start."""
    waiting: int = 64
    """Moves that wait for all tables. When there are more, the network that has most waiting loses its latest one, and
    that bot plays by its rule of thumb. Networks take turns."""
    waiting_per_address: int = 16
    """Moves that wait for the tables of one address; a wider network may have four times as many."""
    waiting_per_user: int = 8
    """Moves that wait for the tables that one user has opened: two tables of the fastest game."""
    waiting_per_table: int = 6
    """Moves that wait for one table, of bots that choose at the same time."""
