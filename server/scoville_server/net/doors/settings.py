"""Settings of doors: where they connect, and what they may cost."""

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.throttle import Rate


class DoorSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of doors."""

    enabled: Annotated[
        bool,
        Meta(
            description="Whether the server takes doors: programs that host clients over ssh or in browsers. It then "
            "listens on a Unix socket, and has a credential by which it recognizes its doors."
        ),
    ] = False
    socket: Annotated[
        Path | None,
        Meta(
            description="Unix socket for doors on this machine, which only the server's user can open; `door.sock` in "
            "the data folder if not set. On Linux its path may have any length, elsewhere about a hundred bytes."
        ),
    ] = None
    credential_file: Annotated[
        Path | None,
        Meta(
            description="File with the credential, made at the first start and readable by its owner only; "
            "`door.credential` in the data folder if not set. A door on another machine needs a copy."
        ),
    ] = None
    group: Annotated[
        str,
        Meta(
            description="Group of users whose doors may open the socket and read the credential, besides the server's "
            "user; empty for nobody else. The server's user must be a member."
        ),
    ] = ""
    waiting: int = 1024
    """Connections on the Unix socket that have not said hello: a crowd that a door lets in."""
    share: float = 0.875
    """Share of `connections.total` that users of doors may hold together, so that all others can still connect."""
    hellos_per_address: Rate = Rate(600, 60.0)
    """How often users at one address may come through doors, as [times, seconds]: a school after a restart. Before
    `hello` the server does not know for whom a door connects, so those who come again and again would delay all its
    other users."""
