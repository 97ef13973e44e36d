"""An exported game to go on with."""

from msgspec import Struct

from scoville_shared.ids import Seat
from scoville_shared.replay.file import ExportedGame


class Opening(Struct, frozen=True):
    """Go on with a game after its first `moves` moves, which are legal and do not end it; a person takes `seat`."""

    exported: ExportedGame
    moves: int
    seat: Seat
