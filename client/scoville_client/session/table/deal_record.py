"""Record of a deal: the client's commitment, and everything received of the game.

It is for the check at its end, and for looking back: the Views that this client has received are kept, and no others.
"""

import hashlib
from collections import deque
from collections.abc import Iterable
from copy import copy
from enum import Enum
from typing import Any, NamedTuple

import msgspec

from scoville_client.session.table.pledge import Pledge
from scoville_client.session.table.start_record import StartRecord
from scoville_shared.engine.dice import DealTerms
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import AnyTableEvent, NoncesRequested, Played, Started, StartVoided
from scoville_shared.values import Plain

# Sorted: equal Views have equal digests, in whatever order a server sends the keys of their maps.
_PLAIN = msgspec.json.Encoder(order="sorted")
MOST_VIEWS = 400
"""Views that are kept for looking back; the usual games have a third of that, and a View takes about 700 bytes."""


class DealStanding(Enum):
    """The standing of a deal after its check."""

    VERIFIED = "verified"
    """Everything that this client saw follows from what the server had committed to."""
    OPEN = "open"
    """Nothing contradicts the server, and nothing proves that it did not choose."""
    BROKEN = "broken"
    """Something contradicts the server."""


class DealVerdict(NamedTuple):
    """The result of the check, the verdict in words, and notes on gaps of the check."""

    standing: DealStanding
    phrase: Phrase
    notes: tuple[Phrase, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether nothing contradicts the server."""
        return self.standing is not DealStanding.BROKEN

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """The verdict and its notes."""
        return self.phrase, *self.notes


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


class PastView(NamedTuple):
    """The View of a `seat` (None: a spectator's) as it came with event `seq`, as JSON."""

    seq: int
    seat: Seat | None
    view: bytes

    def as_plain(self) -> Plain:
        """Return the View as plain data."""
        return msgspec.json.decode(self.view)  # type: ignore[no-any-return]


class DealRecord:
    """The deal at one table, from joining to the verdict.

    Attributes:
        pledge: This client's pin and commitment when it joined; None for a spectator.
        requested: The server's request for the nonces, until the game starts or the start is void.
        answered: The number of the request that was answered; 0 for none.
        voided: The number of the latest void start; 0 for none.
        redrawn: The number of the void start after which this client committed to a new nonce.
        start: All that was sent and received for the start of the game.
        events: All events of the game, in order.
        views: Views that came in snapshots, or were requested.
        past: The latest Views of the game, at most MOST_VIEWS, by which this client looks back.
        pinned: Terms and commitment as the table was described when this client came to it.
        sent: The moves that this client has sent, as plain data.
        accepted: Those that the server has accepted, by the number of their event.
        rewound: The number of the event to which the server has returned, and from which it went on otherwise.
        verdict: The result of the check of the finished game, None until then.
        signed_digest: The digest of the exported game that the server has signed as the result, hex.
    """

    def __init__(self) -> None:
        self.pledge: Pledge | None = None
        self.requested: NoncesRequested | None = None
        self.answered = 0
        self.voided = 0
        self.redrawn = 0
        self.start = StartRecord()
        self.events: list[Observed] = []
        self.views: list[ObservedView] = []
        self.past: deque[PastView] = deque(maxlen=MOST_VIEWS)
        self.pinned: tuple[DealTerms, str] | None = None
        self.sent: list[Plain] = []
        self.accepted: dict[int, Plain] = {}
        self.rewound: int | None = None
        self.verdict: DealVerdict | None = None
        self.signed_digest = ""

    @property
    def has_past(self) -> bool:
        """Whether there is a View before the present one."""
        return len(self.past) > 1

    def add_event(self, event: AnyTableEvent, seat: Seat | None, view: Any, *, live: bool) -> None:
        """Note an event; `view` counts only if it came `live`, with the event.

        Views are the game's own type: what only a later version of a server knows of them is not compared.
        """
        match event:
            case NoncesRequested():
                self.requested = event
            case StartVoided():
                self.requested, self.voided = None, event.seq
            case Started():
                self.requested = None
        self.start.add_entry(event)
        written = _PLAIN.encode(view) if live and view is not None else None
        self.events.append(Observed(event, seat, written and hashlib.sha256(written).digest()))
        if written is not None and isinstance(event, Started | Played):
            self.past.append(PastView(event.seq, seat, written))

    def add_view(self, seq: int, seat: Seat | None, view: Any) -> None:
        """Note the View of a snapshot."""
        written = _PLAIN.encode(view)
        self.views.append(ObservedView(seq, seat, hashlib.sha256(written).digest()))
        if not self.past or self.past[-1].seq < seq:
            self.past.append(PastView(seq, seat, written))

    def add_past(self, seat: Seat | None, views: Iterable[tuple[int, Any]]) -> None:
        """Note requested Views, each after an earlier event; those that came with their events stay."""
        known = {seen.seq: seen for seen in self.past}
        for seq, view in views:
            written = _PLAIN.encode(view)
            self.views.append(ObservedView(seq, seat, hashlib.sha256(written).digest()))
            known.setdefault(seq, PastView(seq, seat, written))
        self.past = deque((known[number] for number in sorted(known)), maxlen=MOST_VIEWS)

    def start_over(self, seq: int) -> None:
        """Forget the received messages: the server has returned to event `seq`."""
        self.rewound = seq if self.rewound is None else min(seq, self.rewound)
        self.requested, self.answered, self.voided, self.redrawn = None, 0, 0, 0
        self.events, self.views, self.accepted = [], [], {}
        self.past.clear()
        self.start, self.verdict = StartRecord(), None

    def copy_record(self) -> "DealRecord":
        """Copy the record; later changes are not in the copy."""
        other = copy(self)
        other.events, other.views = [*self.events], [*self.views]
        other.sent, other.accepted, other.start = [*self.sent], {**self.accepted}, self.start.copy_record()
        return other

    def continue_from(self, before: "DealRecord") -> None:
        """Take over the messages of an earlier visit to the same table; the events since then are in this one too."""
        # What came live has the digest of its View, which the deal's check compares; from a snapshot it has none.
        live = {seen.event.seq: seen for seen in before.events if seen.view is not None}
        self.events = [live.get(seen.event.seq, seen) for seen in self.events]
        self.views = [*before.views, *self.views]
        # Only the earlier visit has the Views before the first one received here; later ones are in both lists.
        first = self.past[0].seq if self.past else self.events[-1].event.seq + 1 if self.events else 0
        self.past = deque([*(seen for seen in before.past if seen.seq < first), *self.past], maxlen=MOST_VIEWS)
        self.pledge, self.verdict, self.signed_digest = before.pledge, before.verdict, before.signed_digest
        self.answered, self.redrawn = before.answered, before.redrawn
        self.pinned, self.start = before.pinned, before.start.continued_by(self.start)
        self.sent, self.accepted = before.sent, before.accepted
        self.rewound = before.rewound


def digest_view(view: Any) -> bytes:
    """Hash a View of a game's own type: 32 bytes, however long it is."""
    return hashlib.sha256(_PLAIN.encode(view)).digest()
