"""Events of a table, snapshots, and the notices that bring them."""

from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from scoville_shared.protocol.messages.base import Reply
from scoville_shared.protocol.messages.tables import SeatInfo, TableInfo, TableSentences
from scoville_shared.values import Mover, Plain


class TableEvent(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """An event of a table; `seq` counts its events from 1, without gaps."""

    seq: int


class Joined(TableEvent, frozen=True, kw_only=True, tag="joined"):
    """A user took a seat; `claimed` says that the name is claimed."""

    seat: int
    name: str
    host: int | None
    claimed: bool = False


class Left(TableEvent, frozen=True, kw_only=True, tag="left"):
    """A player left, was disconnected for too long, or `stalled`: let the time run out again and again.

    `host` is the host from now on. `excused` in a rated game: the result counts as if they had stayed, because nobody
    else was left to play against, or another player had let the time run out.
    """

    seat: int
    name: str
    host: int | None
    reason: Literal["left", "absent", "stalled"] = "left"
    excused: bool = False


class Kicked(TableEvent, frozen=True, kw_only=True, tag="kicked"):
    """A user was kicked from `seat` or, for None, as a spectator: by the host, or by the players, who `voted`.

    In a rated game all who voted for it come last in the rating, and the kicked player gains nothing.
    `code_changed`: the private table has a new code, in its next description.
    """

    seat: int | None
    name: str
    reason: str | None
    host: int | None
    voted: bool = False
    code_changed: bool = False


class VoteInfo(Struct, frozen=True, kw_only=True):
    """A vote on kicking the player at the seat `against` from a running game.

    `agreed` and `refused` are the seats that have voted; with `needed` of them agreed within `ends_in_ms` the
    player is kicked.
    """

    against: int
    agreed: list[int]
    refused: list[int]
    needed: int
    ends_in_ms: int


class Voted(TableEvent, frozen=True, kw_only=True, tag="voted"):
    """A player voted; the first vote opens the `vote`."""

    seat: int
    agree: bool
    vote: VoteInfo


class VoteEnded(TableEvent, frozen=True, kw_only=True, tag="vote_ended"):
    """The vote on the player at the seat `against` ended without a kick."""

    against: int
    reason: Literal["rejected", "expired", "left"]


class HostTransferred(TableEvent, frozen=True, kw_only=True, tag="host_transferred"):
    """The host changed."""

    host: int | None
    reason: Literal["given", "idle", "returned"] = "given"


class ReadyChanged(TableEvent, frozen=True, kw_only=True, tag="ready_changed"):
    """A player became ready, or is not any more."""

    seat: int
    ready: bool


class CountdownStarted(TableEvent, frozen=True, kw_only=True, tag="countdown_started"):
    """The game starts automatically in `starts_in_ms` milliseconds, unless something happens before."""

    starts_in_ms: int
    reason: Literal["full", "ready", "fill"]


class CountdownCancelled(TableEvent, frozen=True, kw_only=True, tag="countdown_cancelled"):
    """The game does not start automatically any more."""


class RematchOpened(TableEvent, frozen=True, kw_only=True, tag="rematch_opened"):
    """The rematch was opened at `rematch`, where the players' seats are kept, at the request of `by`."""

    rematch: str
    by: str


class Closed(TableEvent, frozen=True, kw_only=True, tag="closed"):
    """The table was closed, with the reason in plain words; or this user may watch it no longer.

    `cause` is that of the server itself, so that clients can say it in the language of their users: `moved`, `idle`,
    `deserted`, `unused`, `time_over`, `game_failed`, `not_member`, or `admin` for one who gives no reason.
    """

    reason: str
    cause: str | None = None


class NoncesRequested(TableEvent, frozen=True, kw_only=True, tag="nonces_requested"):
    """The game starts when the players have revealed their nonces by `table.reveal`, at the latest in `starts_in_ms`.

    `nonce_hashes` are those of all seats, hex, which a client keeps to compare with the nonces; None for none.
    """

    nonce_hashes: list[str | None]
    starts_in_ms: int


class StartVoided(TableEvent, frozen=True, kw_only=True, tag="start_voided"):
    """The start is void because the players at `missing` did not reveal their nonces, or left.

    All nonces are void: every client commits to a new one by `table.join`.
    """

    missing: list[int]
    reason: Literal["missing", "left"]


class Started(TableEvent, frozen=True, kw_only=True, tag="started"):
    """The game started: `nonces` are the players' shares of the randomness, hex, in seat order; None for none.

    `missing` are the seats whose players had committed to a nonce and did not reveal it.
    """

    seats: list[SeatInfo]
    nonces: list[str | None]
    missing: list[int] = []
    pending: list[int]


class Played(TableEvent, frozen=True, kw_only=True, tag="played"):
    """A player moved. `facts` are those this watcher may know; `move_counts` counts the moves of each seat.

    `fact_sentences` are the facts in sentences, for a watcher who has requested them.
    """

    seat: int
    mover: Mover
    facts: list[Plain]
    pending: list[int]
    move_counts: list[int]
    fact_sentences: list[str] | UnsetType = UNSET


class Finished(TableEvent, frozen=True, kw_only=True, tag="finished"):
    """The game ended; `server_seed` is the committed seed, hex; empty where a shared deal is not revealed yet."""

    scores: list[int]
    places: list[int]
    reason: str
    server_seed: str


class Warned(TableEvent, frozen=True, kw_only=True, tag="warned"):
    """A bot acts for a seat in `acts_in_ms`: moves when its `clock` has run out, or takes over after its `absence`."""

    seat: int
    reason: Literal["clock", "absence"]
    acts_in_ms: int


class Paused(TableEvent, frozen=True, kw_only=True, tag="paused"):
    """A player requests a pause or agrees to one; `granted` when all players have, and the table is paused."""

    seat: int
    granted: bool


MOST_PAUSED_MS: Final = 1_800_000
"""Milliseconds for which a rated game may be paused in total: a meal, but nobody can put off a defeat for ever."""


class Resumed(TableEvent, frozen=True, kw_only=True, tag="resumed"):
    """A player ended the pause, or it was `over`: rated games are paused for 30 minutes in total."""

    seat: int
    reason: Literal["asked", "over"] = "asked"


class VacationBegun(TableEvent, frozen=True, kw_only=True, tag="vacation_begun"):
    """A player is on vacation until `until_ms`, milliseconds since 1970, and their clock rests."""

    seat: int
    until_ms: int


class VacationEnded(TableEvent, frozen=True, kw_only=True, tag="vacation_ended"):
    """A player is back from their vacation before its end, and their clock runs."""

    seat: int


class UnknownEvent(TableEvent, frozen=True, kw_only=True, tag="unknown"):
    """Placeholder of a reader for an event that it does not know: only the number counts. Never sent."""


AnyTableEvent = (
    Joined
    | Left
    | Kicked
    | Voted
    | VoteEnded
    | HostTransferred
    | ReadyChanged
    | NoncesRequested
    | StartVoided
    | CountdownStarted
    | CountdownCancelled
    | Started
    | Played
    | Finished
    | RematchOpened
    | Warned
    | Paused
    | Resumed
    | VacationBegun
    | VacationEnded
    | Closed
    | UnknownEvent
)


class TableSnapshot(Reply, frozen=True, kw_only=True):
    """A table as this watcher sees it: the requested events, and the View after event `seq`.

    `seat` is the watcher's own, None for a spectator; `point_of_view` is the seat whose View a commentator sees. `view`
    and `pending` are empty until the game starts. `left_ms` is each seat's thinking time in milliseconds, empty without
    clocks: it passes for the human players among the pending. `spectators` are the names of the spectators,
    `commentators` those of all users who have ever been sent what only the commentators' key shows;
    `claimed_spectators` and `claimed_commentators` are as in `SpectatorsNotice`.

    If there are more events than fit, it has the first ones. Then `seq` is the number of the last of these, and
    `latest` that of the table's latest event, after which the View is; request again with `since` = `seq` for the
    next ones.

    `vote` is the open vote on a kick, if there is one; spectators who see the game later only get its events.
    `commentary_key` is the commentators' key, for the user who opened the table only; empty for all others.
    `sentences` says in sentences what the View shows, for a watcher who has requested that.
    """

    info: TableInfo
    seq: int
    seat: int | None
    view: Plain | None
    pending: list[int]
    move_counts: list[int]
    events: list[AnyTableEvent]
    left_ms: list[int] | None = None
    point_of_view: int | None = None
    spectators: list[str] = []
    commentators: list[str] = []
    claimed_spectators: list[int] = []
    claimed_commentators: list[int] = []
    latest: int | None = None
    vote: VoteInfo | None = None
    commentary_key: str | None = None
    sentences: TableSentences | UnsetType = UNSET


class EventNotice(Struct, frozen=True, kw_only=True):
    """`table.event`: an event of a watched table, with this watcher's View and all thinking times after it.

    `sentences` says in sentences what the View shows, for a watcher who has requested that.
    """

    table: str
    event: AnyTableEvent
    view: Plain | None
    left_ms: list[int] | None = None
    sentences: TableSentences | UnsetType = UNSET


class PresenceNotice(Struct, frozen=True, kw_only=True):
    """`table.presence`: a player connected or disconnected. Not an event: it has no number and is not kept."""

    table: str
    seat: int
    connected: bool


class SpectatorsNotice(Struct, frozen=True, kw_only=True):
    """`table.spectators`: the spectators have changed; all of them by name.

    `commentators` are all users who have ever been sent what only the commentators' key shows, also by `table.poll`.
    `claimed_spectators` and `claimed_commentators` are the positions in these lists, from 0, of users who owned their
    names when they came.
    """

    table: str
    spectators: list[str]
    commentators: list[str] = []
    claimed_spectators: list[int] = []
    claimed_commentators: list[int] = []
