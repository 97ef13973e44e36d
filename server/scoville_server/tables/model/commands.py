"""Commands to a table, and its refusals."""

from typing import Any, Final, Literal, TypeVar

from msgspec import Struct

from scoville_shared.bots.search import Searched
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.values import Plain

T = TypeVar("T")

OF_THE_TABLE: Final = "table"
"""Stands for the level of bots that the table's settings name."""


class Enter(Struct, frozen=True, kw_only=True):
    """Admit a user who has shown the table's code, and its password if it has one."""

    user: UserId


class ListCommentator(Struct, frozen=True, kw_only=True):
    """List a user who has shown the commentators' key, before they are sent anything hidden.

    `claimed` says that they own their name.
    """

    user: UserId
    name: str
    claimed: bool = False


class Invite(Struct, frozen=True, kw_only=True):
    """Admit a `guest`, called `name`, at the request of a player."""

    user: UserId
    guest: UserId
    name: str


class Join(Struct, frozen=True, kw_only=True):
    """Take a seat: the given one, or any. For a player who is already seated, only their `nonce_hash` is taken.

    `claimed` says that the user owns their name.
    """

    user: UserId
    name: str
    claimed: bool = False
    seat: int | None = None
    nonce_hash: bytes = b""


class JoinTogether(Struct, frozen=True, kw_only=True):
    """Seat several users, as far as there is room: quick matches wait for one write and not for one each."""

    joins: tuple[Join, ...]


class Leave(Struct, frozen=True, kw_only=True):
    """Leave a seat, by choice or because the player has been disconnected for too long, for `gone_ms`."""

    user: UserId
    reason: Literal["left", "absent"] = "left"
    gone_ms: int = 0


class Kick(Struct, frozen=True, kw_only=True):
    """Kick the user `whom`, called `name`, from their seat or as a spectator, at the host's request.

    `code` is the new code of a private table; of its admitted users only those who are `present` stay admitted.
    """

    user: UserId
    whom: UserId
    name: str
    reason: str = ""
    code: str = ""
    present: frozenset[UserId] = frozenset()


class Vote(Struct, frozen=True, kw_only=True):
    """Vote on kicking the player at the seat `against` from a running game; the first vote opens the ballot.

    `code` and `present` are as in `Kick`, for the vote that decides.
    """

    user: UserId
    against: int
    agree: bool = True
    code: str = ""
    present: frozenset[UserId] = frozenset()


class ExpireVote(Struct, frozen=True):
    """End the ballot whose time is over."""


class TransferHost(Struct, frozen=True, kw_only=True):
    """Make the player at `seat` the host, at the host's request."""

    user: UserId
    seat: int


class ReplaceIdleHost(Struct, frozen=True, kw_only=True):
    """Replace a host who has done nothing for `after_ms` by one of the connected players, `here`."""

    after_ms: int
    here: frozenset[UserId]


class RestoreHost(Struct, frozen=True, kw_only=True):
    """Make the user who opened the table its host again, after they were replaced because they were idle."""

    user: UserId


class Ready(Struct, frozen=True, kw_only=True):
    """Mark a player as ready or not ready."""

    user: UserId
    ready: bool


class AutoStart(Struct, frozen=True, kw_only=True):
    """Start the game at the end of the countdown, with bots in the open seats."""


class Start(Struct, frozen=True, kw_only=True):
    """Start the game at the host's request; bots of the level `strength`, or `OF_THE_TABLE`, take open seats."""

    user: UserId
    strength: str


class Reveal(Struct, frozen=True, kw_only=True):
    """Reveal the nonce to which a player's hash committed."""

    user: UserId
    nonce: bytes


class Play(Struct, frozen=True, kw_only=True):
    """Play a move.

    `nth` is how many moves the sender believes their seat has made before, so a repeated command is harmless.
    """

    user: UserId
    move: Plain
    nth: int | None = None


class PlayForSeat(Struct, frozen=True, kw_only=True):
    """Play a move for a seat, its `nth`: the seat's bot, or after a timeout the `clock`.

    `searched` is how far a searching bot got with less than its budget.
    """

    seat: Seat
    move: Plain
    nth: int
    mover: Literal["bot", "clock"] = "bot"
    searched: Searched | None = None


class WarnOfClock(Struct, frozen=True, kw_only=True):
    """Warn a player that their time is nearly over."""

    seat: Seat


class WarnOfAbsence(Struct, frozen=True, kw_only=True):
    """Warn a table that a player is disconnected and a bot takes over in `seconds`."""

    user: UserId
    seconds: float


class Pause(Struct, frozen=True, kw_only=True):
    """Request a pause, or agree to one."""

    user: UserId


class Resume(Struct, frozen=True, kw_only=True):
    """End the pause."""

    user: UserId


class ResumeDeserted(Struct, frozen=True):
    """Let bots play on in a game to which no player has returned."""


class EndPause(Struct, frozen=True):
    """End the pause of a rated game whose time for pauses is used up."""


class Rematch(Struct, frozen=True, kw_only=True):
    """Open the rematch at `table` at the request of a player of this one."""

    user: UserId
    table: TableId


class Close(Struct, frozen=True, kw_only=True):
    """Close the table on behalf of the server, with a `reason` in plain words."""

    reason: str


class Restart(Struct, frozen=True, kw_only=True):
    """Continue the clocks after a restart.

    `alive_ms` is when the server was last known to run (milliseconds since 1970).
    """

    alive_ms: int | None = None


Command = (
    Enter
    | ListCommentator
    | Invite
    | Join
    | JoinTogether
    | Leave
    | Kick
    | Vote
    | ExpireVote
    | TransferHost
    | ReplaceIdleHost
    | RestoreHost
    | Ready
    | AutoStart
    | Start
    | Reveal
    | Play
    | PlayForSeat
    | WarnOfClock
    | WarnOfAbsence
    | Pause
    | Resume
    | ResumeDeserted
    | EndPause
    | Rematch
    | Close
    | Restart
)


class Refused(Struct, frozen=True):
    """A refusal: a stable code, a sentence, and the values that it mentions.

    `passing` marks a failure of the server, such as a full disk: the same command may succeed later.
    """

    code: str
    message: str
    data: dict[str, Any] = {}
    passing: bool = False

    def error(self) -> ScovilleError:
        """Return the refusal as an error reply."""
        return ScovilleError(self.code, self.message, self.data)


def granted(answer: T | Refused) -> T:
    """Return what was not refused. Raises ScovilleError for a refusal."""
    if isinstance(answer, Refused):
        raise answer.error()
    return answer
