"""Continuation of exported games, for `scoville practice --from FILE`."""

from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.replays.reel import Reel
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.replay import ExportedGame, Found, Opening


def opening_of(exported: ExportedGame, moves: int, seat: Seat) -> Opening:
    """Return the game after its first `moves` moves. Raises ScovilleError if it cannot be continued there."""
    if moves > len(exported.moves):
        raise _position_error(
            tr("There is no move {move}; the last one is {last}.", move=moves, last=len(exported.moves))
        )
    reel = Reel(replace(exported, moves=exported.moves[:moves], outcome=None))
    for finding in reel.verdict.findings:
        if not finding.held and finding.code is not Found.INCOMPLETE:
            raise _position_error(finding.sentence)
    if not reel.pending_at(moves):
        raise _position_error(tr("The game is over after move {move}; choose an earlier move.", move=moves))
    return Opening(exported, moves, seat)


def _position_error(sentence: str) -> ScovilleError:
    return ScovilleError("no_opening", sentence)
