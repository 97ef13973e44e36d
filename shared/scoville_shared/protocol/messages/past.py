"""Messages for looking back at a game that is being played."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Index, OfTable, Reply
from scoville_shared.values import Plain


class LookBackRequest(OfTable, frozen=True, kw_only=True):
    """Requests the Views that the events after `since` left behind, as this connection watches the table.

    Who watches in rounds gets those of the rounds that they may see. A table that the connection does not watch is
    unknown here.
    """

    since: Index = 0


class PastView(Struct, frozen=True, kw_only=True):
    """A View as it was after the event `seq`, which began the game or was a move."""

    seq: int
    view: Plain | None


class LookBackReply(Reply, frozen=True, kw_only=True):
    """The Views in the order of their events, the first ones if not all fit; then `latest` is the last event of all.

    A game of very many moves has none.
    """

    views: list[PastView]
    latest: int | None = None
