"""Check of how a game came to start: requested nonces, void starts, and the deal; part of the check of a finished game.

A server knows all nonces once they are revealed. What it may do with them afterwards is little, and everything else
shows in the order of the events: see docs/fairness.md.
"""

from collections.abc import Sequence

from scoville_client.session.table.table import AtTable
from scoville_shared.protocol.messages import Finished, Kicked, Left, NoncesRequested, Started, StartVoided
from scoville_shared.replay import Header


def unfair_event(at: AtTable, header: Header) -> int | None:
    """Return the number of the first event that cannot occur in a fair start, or None."""
    start = _Start(at, header)
    return next((seen.event.seq for number, seen in enumerate(at.deal.events) if not start.allows(number)), None)


class _Start:
    """The start of a game, followed event by event."""

    def __init__(self, at: AtTable, header: Header) -> None:
        self._at = at
        self._header = header
        self._requested: NoncesRequested | None = None
        self._latest: int | None = None
        self._started = self._finished = False

    def allows(self, number: int) -> bool:
        """Follow the event with this index in the record; return whether it may come now."""
        event = self._at.deal.events[number].event
        if self._latest is not None and event.seq != self._latest + 1:
            self._requested = None  # the server does not keep all events of a table that waits
        self._latest = event.seq
        match event:
            case NoncesRequested():
                fair = not self._started and self._requested is None
                self._requested = event
            case StartVoided():
                fair = not self._started and self._has_reason(event, number)
                self._requested = None
            case Started():
                fair = not self._started and self._is_agreed(event)
                self._started = True
            case Finished():
                fair = self._started and not self._finished
                self._finished = True
            case _:
                fair = True
        return fair

    def _has_reason(self, void: StartVoided, number: int) -> bool:
        """Whether nonces are missing as far as this client knows, or somebody left in the next event."""
        if self._requested is None:
            return True
        if void.reason == "left":
            following = [seen.event for seen in self._at.deal.events[number + 1 : number + 2]]
            return all(isinstance(event, Left | Kicked) and [event.seat] == void.missing for event in following)
        hashes, accepted = self._requested.nonce_hashes, self._requested.seq in self._at.deal.reveals
        framed = accepted and self._at.seat in void.missing
        return bool(void.missing) and not framed and all(hashes[seat] is not None for seat in void.missing)

    def _is_agreed(self, started: Started) -> bool:
        """Whether the deal follows from the hashes that were published before any nonce was."""
        none: list[str | None] = [None] * len(self._header.nonces)
        hashes = none if self._requested is None else self._requested.nonce_hashes
        pledge = self._at.deal.pledge
        answered = () if pledge is None or pledge.nonce is None else pledge.revealed_for
        missing = _missing(hashes, started.nonces)
        return (
            hashes == self._header.nonce_hashes
            and answered in ((), tuple(hashes))
            and sorted(started.missing) == missing
            and not (missing and self._is_rated(started))
        )

    def _is_rated(self, started: Started) -> bool:
        """Whether a missing nonce must make the start void."""
        settings = self._at.info.settings
        users = all(seat.kind == "human" for seat in started.seats)
        unrated = settings.private or settings.commentary or settings.coach
        return users and settings.rated and not unrated


def _missing(hashes: Sequence[str | None], nonces: Sequence[str | None]) -> list[int]:
    pairs = zip(hashes, nonces, strict=False)
    return [seat for seat, (hashed, nonce) in enumerate(pairs) if hashed is not None and nonce is None]
