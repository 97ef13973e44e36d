"""What can be asked of a table, and how it says no."""

from typing import Any, Literal

from msgspec import Struct

from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat, TableId, UserId

Plain = Any


class Admit(Struct, frozen=True, kw_only=True):
    """A person has shown the table's code, and its password where it has one: the door is open for them."""

    person: UserId


class Invite(Struct, frozen=True, kw_only=True):
    """A person who sits there opens the door for a `guest`, who is called `name`."""

    person: UserId
    guest: UserId
    name: str


class Join(Struct, frozen=True, kw_only=True):
    """A person wants a seat: the named one, or any. Who sits there already gives their `nonce` by it."""

    person: UserId
    name: str
    seat: int | None = None
    nonce: bytes = b""


class Leave(Struct, frozen=True, kw_only=True):
    """A person gets up, or was away for too long."""

    person: UserId
    why: Literal["left", "absent"] = "left"


class Kick(Struct, frozen=True, kw_only=True):
    """The host sends `whom`, who is called `name`, away from their seat or from looking on."""

    person: UserId
    whom: UserId
    name: str
    reason: str = ""


class MakeHost(Struct, frozen=True, kw_only=True):
    """The host makes the person at `seat` the host."""

    person: UserId
    seat: int


class ReplaceIdleHost(Struct, frozen=True, kw_only=True):
    """A host who has done nothing for `after_ms` is to be replaced by one of those who are `here`."""

    after_ms: int
    here: frozenset[UserId]


class Ready(Struct, frozen=True, kw_only=True):
    """A person is ready for the game to begin, or is not."""

    person: UserId
    ready: bool


class AutoStart(Struct, frozen=True, kw_only=True):
    """The countdown is over: the game is to begin, with bots in the open seats."""


class Start(Struct, frozen=True, kw_only=True):
    """The host wants to begin, with bots of `strength` in the open seats."""

    person: UserId
    strength: str


class Play(Struct, frozen=True, kw_only=True):
    """A person moves; `nth` is how many moves they think their seat has made before."""

    person: UserId
    move: Plain
    nth: int | None = None


class PlayForSeat(Struct, frozen=True, kw_only=True):
    """A bot moves for a seat, its `nth` move: the seat's own bot, or when its time is over the `clock`'s."""

    seat: Seat
    move: Plain
    nth: int
    by: Literal["bot", "clock"] = "bot"


class WarnOfClock(Struct, frozen=True, kw_only=True):
    """A seat's time is nearly over."""

    seat: Seat


class WarnOfAbsence(Struct, frozen=True, kw_only=True):
    """A person's line is down, and a bot will play on in `seconds`."""

    person: UserId
    seconds: float


class Pause(Struct, frozen=True, kw_only=True):
    """A person wants a pause, or agrees to one."""

    person: UserId


class Resume(Struct, frozen=True, kw_only=True):
    """A person ends the pause."""

    person: UserId


class PlayOn(Struct, frozen=True):
    """Nobody came back to a game that all people have left: bots play on."""


class Rematch(Struct, frozen=True, kw_only=True):
    """A person who sat there wants to play again; the next table would be `table`."""

    person: UserId
    table: TableId


class Close(Struct, frozen=True, kw_only=True):
    """The house closes the table, for a `reason` in words for people."""

    reason: str


class Reopen(Struct, frozen=True, kw_only=True):
    """The server is back, and the clocks can go on; `alive_ms` is when it was last known to run."""

    alive_ms: int | None = None


Command = (
    Admit
    | Invite
    | Join
    | Leave
    | Kick
    | MakeHost
    | ReplaceIdleHost
    | Ready
    | AutoStart
    | Start
    | Play
    | PlayForSeat
    | WarnOfClock
    | WarnOfAbsence
    | Pause
    | Resume
    | PlayOn
    | Rematch
    | Close
    | Reopen
)


class Refused(Struct, frozen=True):
    """No, and why: a stable code, a sentence, and the values it speaks of.

    `passing` marks a failure of the server, such as a full disk: the same command may succeed later.
    """

    code: str
    message: str
    data: dict[str, Any] = {}
    passing: bool = False

    def error(self) -> ScovilleError:
        """Turn it into what the wire answers with."""
        return ScovilleError(self.code, self.message, self.data)
