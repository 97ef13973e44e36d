"""Messages of the daily deal: all users play the same deal against the same bots, and compare afterwards."""

from typing import Literal

from msgspec import Struct

from scoville_shared.protocol.messages.base import Index, Params, Reply, ShortText, Signature
from scoville_shared.protocol.messages.events import TableSnapshot
from scoville_shared.protocol.messages.tables import PastView
from scoville_shared.values import Plain


class DailyResult(Struct, frozen=True, kw_only=True):
    """The result of a player at a daily deal: `scores` and `places` are by seat, `place` and `score` the player's own.

    `id` names it in other requests. `name` is None for a player who has deleted their account. `same_move_count` counts
    the player's moves before the first one in which this game and the user's own differ, None where they are the same
    or the user has none.
    """

    id: str
    name: str | None
    score: int
    place: int
    scores: list[int]
    places: list[int]
    claimed: bool = False
    you: bool = False
    friend: bool = False
    same_move_count: int | None = None


class PastDaily(Struct, frozen=True, kw_only=True):
    """Result of a user at a daily deal, without the moves; `ended_ms`, score and place are None until its end."""

    deal: str
    begun_ms: int
    ended_ms: int | None = None
    score: int | None = None
    place: int | None = None


class DailyPar(Struct, frozen=True, kw_only=True):
    """The par of a deal: what a bot of `level` reaches in the player's seat."""

    level: str
    score: int
    place: int


class DailyDeal(Struct, frozen=True, kw_only=True):
    """The deal of a day, and the user's result. Times are milliseconds.

    `day` counts the server's days since 1970-01-01, and `date` is that day. `deal` is the name that the deal follows
    from; on rated days there are several, of which this user has one. `levels` are those of the bots by seat, None for
    `your_seat`. It can be played while `closes_in_ms` is not None. `state` is what the user has made of it: `table` is
    where they play it, `result` how they finished it; `unfinished` is a game that ended with the time of its deal.
    `percentile` is the percentage of the other players whose result is worse, None without a finished game or others.
    """

    day: int
    date: str
    deal: str
    game: str
    options: Plain
    levels: list[str | None]
    your_seat: int
    commitment: str
    state: Literal["open", "playing", "finished", "unfinished"]
    closes_in_ms: int | None = None
    table: str | None = None
    your_result: DailyResult | None = None
    finished_count: int = 0
    percentile: int | None = None
    deal_count: int = 1


class DailyPromise(Struct, frozen=True, kw_only=True):
    """The commitments to the deals of a day that has not begun, hex."""

    day: int
    date: str
    commitments: list[str]


class ShowDailyRequest(Params, frozen=True, kw_only=True):
    """Requests the daily deals and the user's streak."""


class ShowDailyReply(Reply, frozen=True, kw_only=True):
    """The latest daily deals, today's first, and the commitments to the next ones; the next day begins in `next_in_ms`.

    `streak` counts the days in a row for which the user has finished the deal, with up to two free days a month;
    `free_days_left` are those of this month.
    """

    today: int
    next_in_ms: int
    deals: list[DailyDeal]
    streak: int
    best_streak: int
    free_days_left: int
    upcoming: list[DailyPromise]


class PlayDailyRequest(Params, frozen=True, kw_only=True):
    """Begins the deal of a day, today's without `day`, or continues it. The reply is that of `table.join`.

    Each user has one attempt, which lasts until the time of the deal is over.
    """

    day: Index | None = None


class CompareDailyRequest(Params, frozen=True, kw_only=True):
    """Requests the results of a deal that the user has finished, or whose time is over."""

    day: Index


class CompareDailyReply(Reply, frozen=True, kw_only=True):
    """The results at the user's deal: their own first, then those of friends, then others.

    So many `more` are not shown. `par` is None until it is computed.
    """

    daily_deal: DailyDeal
    results: list[DailyResult]
    more: int = 0
    par: DailyPar | None = None


class ReplayDailyRequest(Params, frozen=True, kw_only=True):
    """Requests the game of a `result` as its player saw it, from event `since` on, under the same condition."""

    day: Index
    result: ShortText
    since: Index = 0


class ReplayDailyReply(Reply, frozen=True, kw_only=True):
    """The game as a snapshot, and Views as they were after its events, the first ones if not all fit.

    `latest` is then the number of the last event of all; request again with `since` = that of the last View.
    """

    snapshot: TableSnapshot
    views: list[PastView]
    latest: int | None = None


class ProveDailyRequest(Params, frozen=True, kw_only=True):
    """Requests the seeds and commitments of the deals of a day."""

    day: Index


class DailyProof(Struct, frozen=True, kw_only=True):
    """A deal of a day: the terms that its commitment binds, the server's signature of it, and the bots' levels by seat.

    `server_seed` is None until the time of the deal is over.
    """

    deal: str
    game: str
    rules_version: int
    options: Plain
    levels: list[str | None]
    commitment: str
    server_key: str
    signature: Signature
    server_seed: str | None = None


class ProveDailyReply(Reply, frozen=True, kw_only=True):
    """The deals of a day, which the server drew at `drawn_ms` (since 1970): that is when it committed to them."""

    day: int
    date: str
    drawn_ms: int
    proofs: list[DailyProof]


class ExportDailyRequest(Params, frozen=True, kw_only=True):
    """Requests the lines of the exported game of a `result`, after the first `since`, once its deal is revealed."""

    day: Index
    result: ShortText
    since: Index = 0
