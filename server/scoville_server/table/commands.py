"""What can be asked of a table, and how it says no."""

from typing import Any, Literal

from msgspec import Struct

from scoville_shared.errors import ScovilleError
from scoville_shared.ids import PersonId, Seat

Plain = Any


class Join(Struct, frozen=True, kw_only=True):
    """A person wants a seat: the named one, or any."""

    person: PersonId
    name: str
    seat: int | None = None
    nonce: bytes = b""


class Leave(Struct, frozen=True, kw_only=True):
    """A person gets up."""

    person: PersonId


class Start(Struct, frozen=True, kw_only=True):
    """The host wants to begin, with bots of `strength` in the open seats."""

    person: PersonId
    strength: str


class Play(Struct, frozen=True, kw_only=True):
    """A person moves; `nth` is how many moves they think their seat has made before."""

    person: PersonId
    move: Plain
    nth: int | None = None


class BotPlays(Struct, frozen=True, kw_only=True):
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

    person: PersonId
    seconds: float


class Pause(Struct, frozen=True, kw_only=True):
    """A person wants a pause, or agrees to one."""

    person: PersonId


class Resume(Struct, frozen=True, kw_only=True):
    """A person ends the pause."""

    person: PersonId


class Reopen(Struct, frozen=True, kw_only=True):
    """The server is back, and the clocks can go on."""


Command = Join | Leave | Start | Play | BotPlays | WarnOfClock | WarnOfAbsence | Pause | Resume | Reopen


class Refused(Struct, frozen=True):
    """No, and why: a stable code, a sentence, and the values it speaks of."""

    code: str
    message: str
    data: dict[str, Any] = {}

    def error(self) -> ScovilleError:
        """Turn it into what the wire answers with."""
        return ScovilleError(self.code, self.message, self.data)
