"""Journal records of a table: its seed, its players and every move; everything else is derived from them.

Records are facts of the past: once decided they are never refused, and the same records always make the same table.
Moves and options are kept as the plain data that crossed the wire.
"""

from typing import Literal

from msgspec import Struct

from scoville_shared.bots.search import Searched
from scoville_shared.engine.dice import DealTerms, commitment
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import AnyTableEvent, TableClock, TableSettings
from scoville_shared.values import Mover, Plain

CountdownWhy = Literal["full", "ready", "fill"]
"""Reason of an automatic start: all seats are taken, all players are ready, or they have waited long enough."""

VoteEnd = Literal["rejected", "expired", "left"]
"""Why a ballot ended without a kick: too many votes against it, its time is over, or the player has left the seat."""


# Decision 002: a record says what was decided, not what was requested, so a replay never asks what was allowed.
class Record(Struct, frozen=True, kw_only=True, tag_field="record"):
    """Base of all records; `at_ms` is wall time in milliseconds since 1970."""

    at_ms: int


class Created(Record, frozen=True, kw_only=True, tag="created"):
    """A table was opened by `user`, named `creator`, with a game, its options and the server's secret `seed`.

    A default table has no opener. `code` leads to the table; `password` is a salted hash, empty for none. `before` is
    the table of which this one is the rematch: `dealer` is then the seat that deals, in games where the dealer
    rotates, `admitted` are the users who may enter, and `watch_refusal` the kicked ones with the reasons.

    `commitment_signature` is the signature of the commitment by `server_key`, which the server had then.
    """

    table: TableId
    game: str
    rules_version: int
    options: Plain
    seat_count: int
    seed: bytes
    user: UserId
    clock: TableClock = TableClock()
    settings: TableSettings = TableSettings()
    code: str = ""
    password: bytes = b""
    creator: str = ""
    before: TableId | None = None
    dealer: Seat | None = None
    server_key: bytes = b""
    commitment_signature: bytes = b""
    admitted: tuple[UserId, ...] = ()
    watch_refusal: dict[UserId, str] = {}

    @property
    def timed(self) -> bool:
        """Whether thinking time is limited at this table."""
        return self.clock.timed

    @property
    def commitment(self) -> str:
        """The commitment to the seed and to everything else that the deal follows from, hex."""
        return commitment(self.seed, self.terms).hex()

    @property
    def terms(self) -> DealTerms:
        """The terms that the commitment binds beside the seed."""
        return DealTerms(
            table=self.table,
            game=self.game,
            rules_version=self.rules_version,
            options=self.options,
            seats=self.seat_count,
            dealer=self.dealer,
        )


class Entered(Record, frozen=True, kw_only=True, tag="entered"):
    """A user may enter the table from now on."""

    user: UserId


class Joined(Record, frozen=True, kw_only=True, tag="joined"):
    """A user took a free seat, or their own back from the bot that kept it; `claimed`: they own their name."""

    seat: Seat
    user: UserId
    name: str
    claimed: bool = False
    nonce_hash: bytes = b""


class NonceReplaced(Record, frozen=True, kw_only=True, tag="nonce_replaced"):
    """A seated user committed to another nonce."""

    seat: Seat
    nonce_hash: bytes


LeaveReason = Literal["left", "absent", "stalled"]
"""Why a player left: by choice, disconnected for too long, or because they let the time run out again and again."""


class Left(Record, frozen=True, kw_only=True, tag="left"):
    """A player left their seat: it is free again while the table waits; later a bot keeps it for them.

    An `excused` player counts in the result as if they had stayed.
    """

    seat: Seat
    reason: LeaveReason = "left"
    excused: bool = False


class Kicked(Record, frozen=True, kw_only=True, tag="kicked"):
    """A user was kicked for good: from `seat`, which is free again or stays a bot's, or as a spectator.

    The host did it, or in a running game the other players, who `voted`. A private table has a new `code` from then
    on, and of the users who were let in by the old one only those in `admitted` stay so.
    """

    user: UserId
    name: str
    seat: Seat | None
    reason: str
    voted: bool = False
    code: str = ""
    admitted: tuple[UserId, ...] = ()


class Voted(Record, frozen=True, kw_only=True, tag="voted"):
    """The player at `seat` voted on kicking the player at `against`.

    The first vote opens the ballot, which ends at `until_ms` and needs so many votes (`needed`).
    """

    seat: Seat
    against: Seat
    agree: bool
    until_ms: int
    needed: int


class VoteEnded(Record, frozen=True, kw_only=True, tag="vote_ended"):
    """The ballot on the player at `against` ended without a kick."""

    against: Seat
    reason: VoteEnd


class HostTransferred(Record, frozen=True, kw_only=True, tag="host_transferred"):
    """The player at `seat` became the host."""

    seat: Seat
    reason: Literal["given", "idle", "returned"] = "given"


class ReadyChanged(Record, frozen=True, kw_only=True, tag="ready_changed"):
    """A player became ready, or is not ready any more."""

    seat: Seat
    ready: bool


class CountdownStarted(Record, frozen=True, kw_only=True, tag="countdown_started"):
    """A countdown to `until_ms` started; it replaces an earlier one."""

    until_ms: int
    reason: CountdownWhy


class CountdownCancelled(Record, frozen=True, kw_only=True, tag="countdown_cancelled"):
    """The countdown was cancelled."""


class NoncesRequested(Record, frozen=True, kw_only=True, tag="nonces_requested"):
    """The game starts, with bots of `strength`, as soon as all nonces are revealed, or at `until_ms`.

    `strength` is a level for all open seats, or says that the table's settings name the levels.
    """

    strength: str
    until_ms: int


class Revealed(Record, frozen=True, kw_only=True, tag="revealed"):
    """A player revealed the nonce to which their hash committed."""

    seat: Seat
    nonce: bytes


class StartVoided(Record, frozen=True, kw_only=True, tag="start_voided"):
    """The start failed because the players at `missing` did not reveal their nonces, or left. All nonces are void."""

    missing: tuple[Seat, ...]
    reason: Literal["missing", "left"]


class Started(Record, frozen=True, kw_only=True, tag="started"):
    """The game started; bots play the seats in `bots`, by name, of the level `strength` or of their own in `levels`."""

    strength: str
    bots: dict[Seat, str]
    levels: dict[Seat, str] = {}


class Played(Record, frozen=True, kw_only=True, tag="played", omit_defaults=True):
    """A seat moved.

    `searched` says how far a searching bot got that had less than its budget, so that its move can be repeated.
    """

    seat: Seat
    move: Plain
    mover: Mover
    searched: Searched | None = None


class Warned(Record, frozen=True, kw_only=True, tag="warned"):
    """A player was warned that a bot will act for them in `acts_in_ms`."""

    seat: Seat
    reason: Literal["clock", "absence"]
    acts_in_ms: int


class Paused(Record, frozen=True, kw_only=True, tag="paused"):
    """A player requested a pause."""

    seat: Seat


class Resumed(Record, frozen=True, kw_only=True, tag="resumed"):
    """A player ended the pause, or it was `over`: rated games are paused for a limited time."""

    seat: Seat
    reason: Literal["asked", "over"] = "asked"


class RematchOpened(Record, frozen=True, kw_only=True, tag="rematch_opened"):
    """The rematch was opened at `rematch`, at the request of the player named `by`."""

    rematch: TableId
    by: str


class Commentator(Struct, frozen=True, kw_only=True):
    """A user who was sent what only the commentators' key shows; `claimed` says that they owned their name then."""

    name: str
    claimed: bool = False


class CommentatorListed(Record, frozen=True, kw_only=True, tag="commentator_listed"):
    """A user is listed as a commentator for good; recorded before they are sent anything hidden."""

    user: UserId
    commentator: Commentator


class SeatedPlayer(Struct, frozen=True, kw_only=True):
    """A seated player of a waiting table."""

    seat: Seat
    user: UserId
    name: str
    claimed: bool = False
    nonce_hash: bytes


class Condensed(Record, frozen=True, kw_only=True, tag="condensed"):
    """A waiting table as it was, in place of all its records after `Opened`.

    `seq` is the number of its latest event; `events` are the newest ones, the others are dropped. `until_ms` and
    `reason` belong to its countdown, if one was running. The other fields are as in `Table`.
    """

    seq: int
    events: list[AnyTableEvent]
    sitters: list[SeatedPlayer]
    host: Seat | None
    admitted: list[UserId]
    kicked: dict[UserId, str]
    ready: list[Seat]
    since_ms: int | None
    acted_ms: int
    host_acted_ms: int
    until_ms: int | None = None
    reason: CountdownWhy = "full"
    redrawing: list[Seat] = []
    voided_ms: int = 0
    withheld: list[UserId] = []
    commentators: dict[UserId, Commentator] = {}


class Closed(Record, frozen=True, kw_only=True, tag="closed"):
    """The server closed the table, with a reason in plain words."""

    reason: str


class Restarted(Record, frozen=True, kw_only=True, tag="restarted"):
    """The server is running again: the clocks continue, and its down time counts for nobody.

    The server is known to have run until `alive_ms`, so thinking time passed until then; None means until the
    previous record.
    """

    alive_ms: int | None = None


AnyRecord = (
    Created
    | Entered
    | Joined
    | NonceReplaced
    | Left
    | Kicked
    | Voted
    | VoteEnded
    | HostTransferred
    | ReadyChanged
    | CountdownStarted
    | CountdownCancelled
    | NoncesRequested
    | Revealed
    | StartVoided
    | Started
    | Played
    | Warned
    | Paused
    | Resumed
    | RematchOpened
    | CommentatorListed
    | Condensed
    | Closed
    | Restarted
)
