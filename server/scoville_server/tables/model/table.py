"""A table as a value: who sits where, the game's state, and everything that has happened so far."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from scoville_server.tables.model.clock import Clocks
from scoville_server.tables.model.history import History
from scoville_server.tables.model.records import CountdownWhy, MoveMade, Opened
from scoville_shared.engine.contract import AnyGame
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import AnyTableEvent, SeatInfo, TableStatus

Plain = Any

SERVER_USER: Final = UserId("house")
"""Who opens the tables of the house."""


class Chair(Struct, frozen=True, kw_only=True):
    """One seat: open (no name), a bot's (no person), or a person's, whom a bot stands in for while `away`."""

    name: str = ""
    person: UserId | None = None
    away: bool = False
    nonce: bytes = b""

    @property
    def open(self) -> bool:
        """Nobody sits here."""
        return not self.name

    @property
    def human(self) -> bool:
        """A person sits here and plays."""
        return self.person is not None and not self.away

    @property
    def info(self) -> SeatInfo:
        """The seat as the table shows it; whether a person's line is up is not the table's to know."""
        if self.open:
            return SeatInfo()
        return SeatInfo(name=self.name, kind="human" if self.human else "bot", connected=True)


class Happening(Struct, frozen=True):
    """An event as it is kept: its public part, and the facts of a move with the one seat each is for (None: all)."""

    event: AnyTableEvent
    told: tuple[tuple[Seat | None, Plain], ...] = ()


class Countdown(Struct, frozen=True):
    """The game starts by itself at `until_ms` (milliseconds since 1970), and why."""

    until_ms: int
    why: CountdownWhy


class Table(Struct, frozen=True, kw_only=True):
    """A table. `state` is None until the game starts; `played` counts the moves of each seat.

    `admitted` may come in although not everybody may; `kicked` may not any more, each with the reason. While the table
    waits, `since_ms` is when the first of those who sit there sat down, `ready` are the seats that said so. `acted_ms`
    is when anybody last did something about the table (to sit down or to get up is nothing), `host_acted_ms` when the
    host did, or became it. `next` is the table at which its people play again; a table that was `closed` says why.

    `clocks` are None where nobody's time is counted, before the deal and after the end. `pausing` are the seats that
    want a pause; when all people do, the table is `paused` until one of them goes on. A game is also paused when the
    last person leaves it. `unseen` are the seats whose people were not there when the game ended: they may come back to
    see the result.

    `happenings` are the latest events; `dropped` older ones were forgotten while the table waited, and `age` counts its
    records since then. `extras` counts, by seat, what was done at a running game beside moves.

    Where spectators see the game in rounds, `rounds` are this table at the ends of the latest, oldest first, while the
    game runs; those have none themselves.
    """

    game: AnyGame
    opened: Opened
    chairs: tuple[Chair, ...]
    host: Seat | None = None
    admitted: frozenset[UserId] = frozenset()
    kicked: Mapping[UserId, str] = {}
    since_ms: int | None = None
    acted_ms: int
    host_acted_ms: int
    ready: frozenset[Seat] = frozenset()
    countdown: Countdown | None = None
    next: TableId | None = None
    closed: str | None = None
    status: TableStatus = "waiting"
    strength: str = ""
    started_ms: int = 0
    state: Any = None
    clocks: Clocks | None = None
    pausing: frozenset[Seat] = frozenset()
    paused: bool = False
    unseen: frozenset[Seat] = frozenset()
    played: tuple[int, ...]
    moves: History[MoveMade] = msgspec.field(default_factory=History)
    happenings: History[Happening] = msgspec.field(default_factory=History)
    dropped: int = 0
    age: int = 0
    extras: tuple[int, ...] = ()
    rounds: tuple["Table", ...] = ()

    @property
    def id(self) -> TableId:
        """The table's public id."""
        return self.opened.table

    @property
    def seq(self) -> int:
        """The number of the latest event; 0 before the first."""
        return self.dropped + len(self.happenings)

    def since(self, seq: int) -> tuple[Happening, ...]:
        """List the events after number `seq`, without those that were forgotten."""
        return self.happenings[max(0, seq - self.dropped) :]

    def extras_of(self, seat: Seat) -> int:
        """Count what was done from a seat beside moves since the game began."""
        return self.extras[seat] if self.extras else 0

    @property
    def names(self) -> list[str]:
        """Who sits at each seat."""
        return [chair.name for chair in self.chairs]

    @property
    def nonces(self) -> list[bytes]:
        """Each seat's share of the chance."""
        return [chair.nonce for chair in self.chairs]

    @property
    def locked(self) -> bool:
        """There is a password."""
        return bool(self.opened.password)

    @property
    def running(self) -> bool:
        """A game is being played."""
        return self.status == "playing" and self.closed is None

    @property
    def ticking(self) -> bool:
        """Something happens here by time alone: a thinking time ends, or a countdown."""
        return self.clocks is not None or self.countdown is not None

    @property
    def latest_ms(self) -> int:
        """When anything last happened here, as far as the table knows (milliseconds since 1970)."""
        times = [self.opened.at_ms, self.acted_ms, self.host_acted_ms, self.started_ms, self.since_ms or 0]
        return max(*times, 0 if self.clocks is None else self.clocks.at_ms, *(made.at_ms for made in self.moves[-1:]))

    @property
    def next_start_ms(self) -> int | None:
        """When the game starts by itself (milliseconds since 1970), if nothing else happens before."""
        return None if self.countdown is None else self.countdown.until_ms

    @property
    def pending(self) -> list[Seat]:
        """The seats that owe a move, none before the start and after the end."""
        return sorted(self.game.pending(self.state)) if self.running else []

    @property
    def bots_due(self) -> list[Seat]:
        """The pending seats that bots play, none while the table is paused."""
        bots = [Seat(n) for n, chair in enumerate(self.chairs) if not chair.human]
        if not bots or self.paused:
            return []  # mostly: to ask the game who is pending costs ten times as much
        pending = self.pending
        return [seat for seat in bots if seat in pending]

    @property
    def deserted(self) -> bool:
        """A game is paused because all people have left it: it waits for one of them to come back."""
        return self.running and self.paused and not self.people

    @property
    def over(self) -> bool:
        """Nobody comes back: it was closed, or everybody has left it before the game or after seeing its end."""
        left = self.status != "playing" and self.seq > 0 and not self.people and not self.unseen
        return left or self.closed is not None

    @property
    def free(self) -> list[Seat]:
        """The seats at which nobody sits."""
        return [Seat(n) for n, chair in enumerate(self.chairs) if chair.open]

    @property
    def people(self) -> frozenset[Seat]:
        """The seats of people who play."""
        return frozenset(Seat(n) for n, chair in enumerate(self.chairs) if chair.human)

    @property
    def all_ready(self) -> bool:
        """Somebody sits here, and everybody who does is ready."""
        return bool(self.people) and self.people <= self.ready

    def clockwise_from(self, seat: Seat) -> Iterator[Seat]:
        """Go round the other seats, beginning on the left of `seat`."""
        count = len(self.chairs)
        return (Seat((seat + step) % count) for step in range(1, count))

    def seat_of(self, person: UserId) -> Seat | None:
        """Find where a person sits and plays."""
        for n, chair in enumerate(self.chairs):
            if chair.person == person and chair.human:
                return Seat(n)
        return None

    def kept_for(self, person: UserId) -> Seat | None:
        """Find the seat that a bot keeps for a person who left a running game."""
        seat = self.place_of(person)
        return seat if seat is not None and self.chairs[seat].away else None

    def place_of(self, person: UserId) -> Seat | None:
        """Find the seat that is a person's, whether they play or a bot does it for them until they come back."""
        if person in self.kicked:
            return None
        for n, chair in enumerate(self.chairs):  # a generator would take twice as long, many times a move
            if chair.person == person:
                return Seat(n)
        return None

    def admits(self, person: UserId) -> bool:
        """Tell whether the door is open for a person; who has a place needs no door."""
        if person in self.kicked:
            return False
        known = person == self.opened.person or person in self.admitted or self.place_of(person) is not None
        return known or not (self.opened.manners.private or self.locked)

    def hidden_from(self, person: UserId) -> bool:
        """Tell whether a person must not even learn that the table is there."""
        return self.opened.manners.private and person not in self.kicked and not self.admits(person)

    def with_chair(self, seat: Seat, chair: Chair) -> "Table":
        """Replace one chair."""
        return msgspec.structs.replace(self, chairs=(*self.chairs[:seat], chair, *self.chairs[seat + 1 :]))
