"""Record of a start: all that this client has sent and received until the deal, and what follows from it.

The rule: a nonce that this client has sent to the server is *spent*, and every spent nonce must be accounted for.
Either the deal follows from the very hashes for which it was sent, or an event made that start void, for a reason that
this client cannot refute. Nothing else settles a spent nonce: no lost connection, no event that is missing, no restart.

A server that knows all nonces can deal in its head, and by a void start choose another deal. So void starts are counted
even where each of them has a reason; docs/fairness.md says what remains possible, and decision 053 why it is so.
"""

import hashlib
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.engine.phrases import Who
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Finished,
    Joined,
    Kicked,
    Left,
    NoncesRequested,
    Started,
    StartVoided,
    UnknownEvent,
)

Hashes = Sequence[str | None]
"""The hashes of the nonces by seat, hex; None for a seat without one."""


class Spent(Struct, frozen=True, kw_only=True):
    """A nonce of this client that the server may know: sent for one set of hashes, as the player at `seat`.

    Attributes:
        seat: The seat of this client at that time.
        hashes: The `digest_of` those hashes.
        accepted: Whether the server has confirmed that it has the nonce.
        left: Whether this client has left the table by itself before the deal.
    """

    seat: int
    hashes: str
    accepted: bool = False
    left: bool = False


class Committed(NamedTuple):
    """This client has sent the hash of a nonce."""

    nonce_hash: str


class HeldHash(NamedTuple):
    """The server has answered that it holds this hash for the seat of this client."""

    seat: int
    nonce_hash: str | None


class Revealed(NamedTuple):
    """This client has sent its nonce."""

    spent: Spent


class Accepted(NamedTuple):
    """The server has confirmed that it has the nonce for the hashes with this digest."""

    hashes: str


class ConnectionLost(NamedTuple):
    """The connection was lost: what happened until the next one is known from the server alone."""


class SeatNames(NamedTuple):
    """The names at the seats after the events of a snapshot."""

    names: tuple[str | None, ...]


Entry = Committed | HeldHash | Revealed | Accepted | ConnectionLost | SeatNames | AnyTableEvent


class VoidStart(NamedTuple):
    """A void start: the number of its event, and the players who are said to have caused it."""

    seq: int
    players: tuple[str | Who, ...]


class Doubt(Enum):
    """An open question of the record: an honest server could have done it, and so could one that chooses deals."""

    UNACCOUNTED = "unaccounted"
    """Nothing shows what became of a start for which this client had sent its nonce."""
    BLAMED = "blamed"
    """A start is void because of this client, which had sent its nonce."""
    UNEXPLAINED = "unexplained"
    """A start for which this client had sent its nonce is void because of a player who left, and nothing shows that."""


class Deal(NamedTuple):
    """The start by the exported game: the hashes of all seats, and whether a missing nonce voids it."""

    hashes: Hashes
    rated: bool


class StartFinding(NamedTuple):
    """Findings from the record of a start.

    Attributes:
        unfair: The number of the first event that cannot occur in a fair start; None if there is none.
        doubts: The questions that the record leaves open.
        voids: The void starts that it has, in order.
        gaps: Ranges of events before the deal that never reached this client, first and last number.
        dealt: The nonce that this client has sent for the hashes of the deal; None if it has sent none for them.
        left_out: Whether the server has left out a hash that it had confirmed.
    """

    unfair: int | None
    doubts: tuple[Doubt, ...]
    voids: tuple[VoidStart, ...]
    gaps: tuple[tuple[int, int], ...]
    dealt: Spent | None
    left_out: bool


# Decision 053: one rule about all events that must be accounted for; checks of single events forgot missing ones.
class StartRecord:
    """Messages that this client has sent and received at one table, in their order.

    `restored` are the nonces that it had spent there before this record began.
    """

    def __init__(self) -> None:
        self.restored: tuple[Spent, ...] = ()
        self.entries: list[Entry] = []

    def add_entry(self, entry: Entry) -> None:
        """Add the latest message."""
        self.entries.append(entry)

    def holds_hash(self, nonce_hash: str | None) -> bool:
        """Return whether the server has confirmed on this connection that it holds a hash for the next start."""
        for entry in reversed(self.entries):
            match entry:
                # Each of them ends the server's confirmation: the next start needs an answer of its own.
                case ConnectionLost() | StartVoided() | Started():
                    return False
                case HeldHash():
                    return entry.nonce_hash == nonce_hash
        return False

    def copy_record(self) -> "StartRecord":
        """Copy the record; later entries are not in the copy."""
        other = StartRecord()
        other.restored, other.entries = self.restored, [*self.entries]
        return other

    def continued_by(self, later: "StartRecord") -> "StartRecord":
        """Return this record with the entries of a later visit to the same table, each event once."""
        latest = max((entry.seq for entry in self.entries if isinstance(entry, AnyTableEvent)), default=0)
        other = self.copy_record()
        other.entries += [
            entry for entry in later.entries if not isinstance(entry, AnyTableEvent) or entry.seq > latest
        ]
        return other

    def judge_deal(self, deal: Deal) -> StartFinding:
        """Fold the record into findings about a deal."""
        fold = _Fold(self, deal)
        for number in range(len(self.entries)):
            fold.follow_entry(number)
        return fold.make_finding()


def digest_of(hashes: Hashes) -> str:
    """Return a digest of the hashes of all seats, hex."""
    return hashlib.sha256(msgspec.json.encode([*hashes])).hexdigest()


class _Fold:
    """The state of a start after each entry of its record.

    `certain` says that no event is missing since the present stage began: since the request, the void start or the
    deal before. Then `request` is the request that is open, or None; else it is not known.
    """

    def __init__(self, record: StartRecord, deal: Deal) -> None:
        self._entries = record.entries
        self._deal = deal
        self._latest = 0
        self._certain = True
        self._request: Hashes | None = None
        self._cut = True
        self._spent: dict[str, Spent] = {spent.hashes: spent for spent in record.restored}
        self._settled: set[str] = set()
        self._blamed: dict[str, int] = {}
        self._offered: str | None = None
        self._held: HeldHash | None = None
        self._left_out = self._dealt = self._finished = False
        self._names: dict[int, str | None] = {}
        self._unfair: int | None = None
        self._doubts: list[Doubt] = []
        self._voids: list[VoidStart] = []
        self._gaps: list[tuple[int, int]] = []

    def make_finding(self) -> StartFinding:
        if self._unsettled:
            self._doubts.append(Doubt.UNACCOUNTED)
        return StartFinding(
            self._unfair,
            tuple(dict.fromkeys(self._doubts)),
            tuple(self._voids),
            tuple(self._gaps),
            self._spent.get(digest_of(self._deal.hashes)),
            self._left_out,
        )

    def follow_entry(self, number: int) -> None:
        """Follow the entry with this index."""
        entry = self._entries[number]
        match entry:
            case Committed():
                self._offered = entry.nonce_hash
            case HeldHash():
                # only the answer to the latest hash counts: one that a void start has overtaken says nothing
                self._held = entry if entry.nonce_hash is not None and entry.nonce_hash == self._offered else None
            case Revealed():
                self._note_spent(entry.spent)
            case Accepted():
                self._note_accepted(entry.hashes)
            case ConnectionLost():
                self._cut, self._held = True, None
            case SeatNames():
                self._names = dict(enumerate(entry.names))
            case _:
                self._follow_event(entry, number)

    # --- what this client did ---------------------------------------------------------------------------

    def _note_spent(self, spent: Spent) -> None:
        # The first one counts: the same hashes give the same deal, and later confirmations must stay.
        self._spent.setdefault(spent.hashes, spent)
        self._cut = False

    def _note_accepted(self, hashes: str) -> None:
        if hashes in self._spent:
            self._spent[hashes] = replace(self._spent[hashes], accepted=True)
        if hashes in self._blamed:  # the answer came after the event that says that the nonce was missing
            self._note_unfair(self._blamed[hashes])

    @property
    def _unsettled(self) -> list[Spent]:
        """The spent nonces for which there is neither a void start nor the deal: the same hashes give the same deal."""
        settled = self._settled | ({digest_of(self._deal.hashes)} if self._dealt else set())
        return [spent for hashes, spent in self._spent.items() if hashes not in settled]

    # --- what the server said ---------------------------------------------------------------------------

    def _note_unfair(self, seq: int) -> None:
        self._unfair = seq if self._unfair is None else min(self._unfair, seq)

    def _follow_event(self, event: AnyTableEvent, number: int) -> None:
        # Before the event is judged: a missing one may hold the request that it follows.
        if event.seq != self._latest + 1:
            self._skip_missing(event.seq)
        self._latest = event.seq
        match event:
            case NoncesRequested():
                fair = self._is_requested_once(event)
            case StartVoided():
                fair = self._is_void_for_a_reason(event, number)
            case Started():
                fair = self._is_agreed(event)
            case Finished():
                fair, self._finished = self._dealt and not self._finished, True
            case Joined():
                fair, self._names[event.seat] = True, event.name
            case _:
                fair = True
        if not fair:
            self._note_unfair(event.seq)

    def _skip_missing(self, seq: int) -> None:
        """Pass over events that never came: nothing that this client has sent is settled by them."""
        if self._latest and not self._dealt:
            self._gaps.append((self._latest + 1, seq - 1))
        self._certain, self._request = False, None

    def _is_requested_once(self, event: NoncesRequested) -> bool:
        fair = not self._dealt and not (self._certain and self._request is not None)
        self._certain, self._request = True, event.nonce_hashes
        if self._held is not None:  # the server may have named any seat in its answer
            self._left_out = event.nonce_hashes[self._held.seat : self._held.seat + 1] != [self._held.nonce_hash]
        return fair

    def _is_void_for_a_reason(self, void: StartVoided, number: int) -> bool:
        known, hashes = self._certain, self._request
        spent = None if hashes is None else self._spent.get(digest_of(hashes))
        if spent is not None:
            self._settled.add(spent.hashes)
        self._voids.append(VoidStart(void.seq, tuple(self._name_at(seat, number) for seat in void.missing)))
        self._certain, self._request = True, None
        self._held, self._offered, self._left_out = None, None, False
        # After the deal, without a request, or through nobody's fault: no honest server voids such a start.
        if self._dealt or (known and hashes is None) or not void.missing:
            return False
        if void.reason == "left":
            return self._has_left(void, number, spent)
        # A seat without a hash was asked for nothing, so nothing of it can be missing.
        if known and hashes is not None and any(hashes[seat] is None for seat in void.missing):
            return False
        return self._is_missing(void, spent)

    def _is_missing(self, void: StartVoided, spent: Spent | None) -> bool:
        """Judge a start that is void because nonces were missing: whether the one of this client can have been."""
        if spent is not None and spent.seat in void.missing:
            self._blamed[spent.hashes] = void.seq
            if spent.accepted:
                return False
            self._doubts.append(Doubt.BLAMED)
        if spent is None and any(each.seat in void.missing for each in self._unsettled):
            self._doubts.append(Doubt.BLAMED)  # it may be about another start, among the events that are missing
        return True

    def _has_left(self, void: StartVoided, number: int, spent: Spent | None) -> bool:
        """Judge a start that is void because a player left: the next event says so."""
        following = self._next_event(number)
        if following is None or following.seq != void.seq + 1 or isinstance(following, UnknownEvent):
            if spent is not None:
                self._doubts.append(Doubt.UNEXPLAINED)
            return len(void.missing) == 1
        if not isinstance(following, Left | Kicked) or [following.seat] != void.missing:
            return False
        if spent is None or spent.seat != following.seat or spent.left:
            return True
        self._doubts.append(Doubt.BLAMED)
        return self._cut  # a connected player has not left, and a kicked one sees no deal

    def _is_agreed(self, started: Started) -> bool:
        """Whether the deal follows from the hashes that were published before any nonce was."""
        dealt, hashes, known = self._deal.hashes, self._request, self._certain
        # Without a request either nobody had a nonce, or it is among the missing events and the deal says what it was.
        if hashes is None:
            hashes = [None] * len(dealt) if known else dealt
        missing = [
            seat
            for seat, (hashed, nonce) in enumerate(zip(hashes, started.nonces, strict=False))
            if hashed is not None and nonce is None
        ]
        fair = (
            not self._dealt
            and [*hashes] == [*dealt]
            and sorted(started.missing) == missing
            and not (missing and self._deal.rated)
        )
        self._dealt, self._certain, self._request = True, True, None
        return fair

    # --- names ------------------------------------------------------------------------------------------

    def _next_event(self, number: int) -> AnyTableEvent | None:
        later = (entry for entry in self._entries[number + 1 :] if isinstance(entry, AnyTableEvent))
        return next(later, None)

    def _name_at(self, seat: int, number: int) -> str | Who:
        """Return who sat at a seat at the event with this index in the record."""
        if name := self._names.get(seat):
            return name
        for entry in self._entries[number + 1 :]:
            match entry:
                case Left() | Kicked() if entry.seat == seat:
                    return entry.name
                case Joined() if entry.seat == seat:
                    break
                case SeatNames() if name := entry.names[seat]:
                    return name
        return Who(Seat(seat))
