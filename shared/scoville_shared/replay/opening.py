"""A position in an exported game from which a table continues."""

from msgspec import Struct

from scoville_shared.ids import Seat
from scoville_shared.replay.file import ExportedGame


class Opening(Struct, frozen=True):
    """Continue a game after its first `moves` moves, which are legal and do not end it; a player takes `seat`."""

    exported: ExportedGame
    moves: int
    seat: Seat
