"""Bounds of chat."""

from msgspec import Struct

from scoville_server.limits.throttle import Rate as Pace

__all__ = ["ChatLimits", "Pace"]


class ChatLimits(Struct, frozen=True, kw_only=True):
    """Every bound of chat, with its reason.

    - `lobby`, `table`: the newest messages kept for the lobby and for each table: what a newcomer reads. A message
      takes about a kilobyte at most.
    - `whispers`: the newest whispers kept for each user, received and sent.
    - `boxes`: users whose whispers are kept; the least recently used make space.
    - `ignored`: users that one user ignores.
    - `muted`: users muted at one table.
    - `lines`: messages of one user: five at once, which is a joke in parts, and twelve a minute in the long run.
    - `lines_of_address`: the same for one address, behind which a school may be.
    - `lines_of_place`: the same for everybody together in the lobby or at one table: nobody reads faster.
    - `whispers_received`, `whispers_received_of_address`: whispers to one user, from everybody together and from one
      address, however many users it has.
    - `same`: repetitions of one message in one channel: "no" and "no" again, but no third time at once.
    - `reactions`, `reactions_of_address`: reactions cost one key, so they are easily overdone.
    - `reactions_of_table`: the same for everybody together at one table.
    """

    lobby: int = 200
    table: int = 100
    whispers: int = 50
    boxes: int = 1_000
    ignored: int = 200
    muted: int = 100
    lines: tuple[Pace, ...] = (Pace(5, 5.0), Pace(60, 300.0))
    lines_of_address: tuple[Pace, ...] = (Pace(20, 5.0), Pace(240, 300.0))
    lines_of_place: Pace = Pace(60, 30.0)
    whispers_received: Pace = Pace(60, 60.0)
    whispers_received_of_address: Pace = Pace(30, 60.0)
    same: Pace = Pace(2, 30.0)
    reactions: tuple[Pace, ...] = (Pace(3, 9.0), Pace(20, 300.0))
    reactions_of_address: tuple[Pace, ...] = (Pace(12, 9.0), Pace(80, 300.0))
    reactions_of_table: Pace = Pace(30, 9.0)
