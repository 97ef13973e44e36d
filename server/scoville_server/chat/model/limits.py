"""How much may be said and kept."""

from msgspec import Struct

from scoville_server.limits.throttle import Rate as Pace

__all__ = ["ChatLimits", "Pace"]


class ChatLimits(Struct, frozen=True, kw_only=True):
    """Every bound on talk, and its reason.

    - `lobby`, `table`: the newest lines that are kept of the lobby and of each table: what somebody reads who comes in.
      A line costs about a kilobyte at most.
    - `whispers`: the newest whispers kept for each person, those to them and those from them.
    - `boxes`: for how many people whispers are kept; whose latest is the oldest makes room.
    - `ignored`: how many people one person ignores.
    - `muted`: how many a table's hosts have silenced.
    - `lines`: what one person says: five in a breath, which is a joke in parts, and twelve a minute in the long run.
    - `lines_of_address`: the same for one address, behind which a school may sit.
    - `lines_of_place`: the same for everybody together in the lobby or at one table: nobody reads faster.
    - `whispers_received`, `whispers_received_of_address`: whispers to one person, from everybody together and from one
      address, however many users it has.
    - `same`: how often one person says the same in the same place: "no" and "no" again, but no third time at once.
    - `reactions`, `reactions_of_address`: reactions cost a key, and so are the first thing to be overdone.
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
