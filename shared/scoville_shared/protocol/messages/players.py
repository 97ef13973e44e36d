"""Messages of profiles and leaderboards."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Name, Params, Reply, ShortText


class Rating(Struct, frozen=True, kw_only=True):
    """A rating at a `game`: `rating` is the cautious estimate, `mu` the best one, `sigma` its uncertainty.

    `rank` is the place among ranked players, None while sigma is too large, with too few different opponents, or if the
    name is not claimed. `game_count` counts those that were rated for this user.
    """

    game: str
    rating: float
    mu: float
    sigma: float
    game_count: int
    rank: int | None = None


class PastGame(Struct, frozen=True, kw_only=True):
    """A finished game. `places` and `scores` are in the order of `names`; `your_seat` is the user's seat."""

    table: str
    game: str
    ended_ms: int
    names: list[str]
    scores: list[int]
    places: list[int]
    your_seat: int
    rated: bool


class ProfileRequest(Params, frozen=True, kw_only=True):
    """Requests the profile of a user; the user's own if `name` is empty."""

    name: Name | None = None


class ProfileReply(Reply, frozen=True, kw_only=True):
    """Profile of a user. Times are milliseconds (since 1970 for `since_ms`).

    `begun` and `finished` count games between users, `won` those with the first place; `median_pick_ms` is the
    thinking time over their latest moves, None before the first. `recent` are their latest games, newest first. An
    `admin` or `moderator` may moderate this server, also one who is not connected.
    """

    name: str
    claimed: bool
    admin: bool = False
    moderator: bool = False
    since_ms: int
    begun: int
    finished: int
    won: int
    median_pick_ms: int | None
    ratings: list[Rating]
    recent: list[PastGame]


class LeaderboardRequest(Params, frozen=True, kw_only=True):
    """Requests the leaderboard of a game."""

    game: ShortText


class LeaderboardEntry(Struct, frozen=True, kw_only=True):
    """One entry of a leaderboard; equal ratings share their place."""

    place: int
    name: str
    rating: float
    sigma: float
    game_count: int


class LeaderboardReply(Reply, frozen=True, kw_only=True):
    """The leaderboard of a game, best first; updated as games end."""

    leaders: list[LeaderboardEntry]
