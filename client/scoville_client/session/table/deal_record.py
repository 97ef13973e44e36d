"""Record of a deal: the client's commitment, and everything received of the game, for the check at its end."""

import hashlib
from copy import copy
from typing import NamedTuple

import msgspec

from scoville_client.session.table.pledge import Pledge
from scoville_shared.engine.dice import DealTerms
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import AnyTableEvent, NoncesRequested, Started, StartVoided
from scoville_shared.values import Plain

_PLAIN = msgspec.json.Encoder(order="sorted")


class DealVerdict(NamedTuple):
    """Whether nothing contradicts the server, and the verdict in words."""

    fits: bool
    phrase: Phrase


class Observed(NamedTuple):
    """An event as the player or spectator at `seat` received it.

    `view` is the digest of the View that came with it; None for an event that came later, in a snapshot.
    """

    event: AnyTableEvent
    seat: Seat | None
    view: bytes | None


class ObservedView(NamedTuple):
    """The digest of a View that came in a snapshot, after event `seq`."""

    seq: int
    seat: Seat | None
    view: bytes


class DealRecord:
    """The deal at one table, from joining to the verdict.

    Attributes:
        pledge: What this client pinned and committed to when it joined; None for a spectator.
        requested: The server's request for the nonces, until the game starts or the start is void.
        answered: The number of the request that was answered; 0 for none.
        voided: The number of the latest void start; 0 for none.
        redrawn: The number of the void start after which this client committed to a new nonce.
        nonce_hashes: The hashes of all seats in the request that led to the deal, hex.
        events: All events of the game, in order.
        views: Views that came in snapshots.
        pinned: Terms and commitment as the table was described when this client came to it.
        reveals: The numbers of the requests for which the server has accepted this client's nonce.
        sent: The moves that this client has sent, as plain data.
        accepted: Those that the server has accepted, by the number of their event.
        verdict: The result of the check of the finished game, None until then.
    """

    def __init__(self) -> None:
        self.pledge: Pledge | None = None
        self.requested: NoncesRequested | None = None
        self.answered = 0
        self.voided = 0
        self.redrawn = 0
        self.nonce_hashes: list[str | None] = []
        self.events: list[Observed] = []
        self.views: list[ObservedView] = []
        self.pinned: tuple[DealTerms, str] | None = None
        self.reveals: set[int] = set()
        self.sent: list[Plain] = []
        self.accepted: dict[int, Plain] = {}
        self.verdict: DealVerdict | None = None

    def add(self, event: AnyTableEvent, seat: Seat | None, view: Plain | None, *, live: bool) -> None:
        """Note an event; `view` counts only if it came `live`, with the event."""
        match event:
            case NoncesRequested():
                self.requested, self.nonce_hashes = event, event.nonce_hashes
            case StartVoided():
                self.requested, self.nonce_hashes, self.voided = None, [], event.seq
            case Started():
                self.requested = None
        self.events.append(Observed(event, seat, digest(view) if live and view is not None else None))

    def add_view(self, seq: int, seat: Seat | None, view: Plain) -> None:
        """Note the View of a snapshot."""
        self.views.append(ObservedView(seq, seat, digest(view)))

    def copy(self) -> "DealRecord":
        """Copy the record; later changes are not in the copy."""
        other = copy(self)
        other.events, other.views = [*self.events], [*self.views]
        other.sent, other.accepted = [*self.sent], {**self.accepted}
        return other

    def continue_from(self, before: "DealRecord") -> None:
        """Take over what an earlier visit to the same table has received; the events since then are in this one too."""
        live = {seen.event.seq: seen for seen in before.events if seen.view is not None}
        self.events = [live.get(seen.event.seq, seen) for seen in self.events]
        self.views = [*before.views, *self.views]
        self.pledge, self.verdict = before.pledge, before.verdict
        self.answered, self.redrawn = before.answered, before.redrawn
        self.pinned, self.reveals = before.pinned, before.reveals
        self.sent, self.accepted = before.sent, before.accepted


def digest(plain: Plain | list[Plain]) -> bytes:
    """Hash a View or facts as plain data: 32 bytes, however long they are; lists and tuples are the same."""
    return hashlib.sha256(_PLAIN.encode(plain)).digest()
