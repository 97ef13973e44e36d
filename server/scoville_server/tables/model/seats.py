"""Seats of a table, as values: who sits there, and what follows from it."""

from collections.abc import Iterator
from typing import Self

import msgspec
from msgspec import Struct

from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import SeatInfo


class SeatState(Struct, frozen=True, kw_only=True):
    """One seat: open (no name), a bot's (no user), or a user's; while `away`, a bot plays it for them."""

    name: str = ""
    user: UserId | None = None
    claimed: bool = False
    away: bool = False
    nonce_hash: bytes = b""
    nonce: bytes = b""

    @property
    def open(self) -> bool:
        """Whether the seat is free."""
        return not self.name

    @property
    def human(self) -> bool:
        """Whether a user plays here."""
        return self.user is not None and not self.away

    @property
    def info(self) -> SeatInfo:
        """The seat as the table shows it. The table does not know whether the user is connected."""
        if self.open:
            return SeatInfo()
        return SeatInfo(
            name=self.name, kind="human" if self.human else "bot", connected=True, claimed=self.human and self.claimed
        )


class Seats(Struct, frozen=True, kw_only=True):
    """The seats in their order round the table."""

    seats: tuple[SeatState, ...]

    @property
    def names(self) -> list[str]:
        """The name at each seat; empty for an open one."""
        return [seat_state.name for seat_state in self.seats]

    @property
    def nonces(self) -> list[bytes]:
        """Each seat's share of the randomness, revealed; empty for none."""
        return [seat_state.nonce for seat_state in self.seats]

    @property
    def unrevealed(self) -> list[Seat]:
        """The seats that committed to a nonce and have not revealed it."""
        return [
            Seat(n)
            for n, seat_state in enumerate(self.seats)
            if seat_state.human and seat_state.nonce_hash and not seat_state.nonce
        ]

    @property
    def free(self) -> list[Seat]:
        """The open seats."""
        return [Seat(n) for n, seat_state in enumerate(self.seats) if seat_state.open]

    @property
    def human_seats(self) -> frozenset[Seat]:
        """The seats of human players."""
        return frozenset(Seat(n) for n, seat_state in enumerate(self.seats) if seat_state.human)

    def clockwise_from(self, seat: Seat) -> Iterator[Seat]:
        """Yield the other seats in order, starting on the left of `seat`."""
        count = len(self.seats)
        return (Seat((seat + step) % count) for step in range(1, count))

    def with_seat(self, seat: Seat, seat_state: SeatState) -> Self:
        """Return the same with one seat replaced."""
        return msgspec.structs.replace(self, seats=(*self.seats[:seat], seat_state, *self.seats[seat + 1 :]))
