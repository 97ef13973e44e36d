"""What is known of a player: results, ratings and how reliable they are, as plain facts."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Name, Params, Reply, ShortText


class Rating(Struct, frozen=True, kw_only=True):
    """How good somebody is at a `game`: `rating` is the cautious estimate, `mu` the best one, `sigma` its doubt.

    `rank` is their place among those who are ranked, None while the doubt is too great or the name is not claimed.
    """

    game: str
    rating: float
    mu: float
    sigma: float
    games: int
    rank: int | None = None


class PastGame(Struct, frozen=True, kw_only=True):
    """A finished game of somebody's. `places` and `scores` are in the order of `names`; `mine` is their seat."""

    table: str
    game: str
    ended_ms: int
    names: list[str]
    scores: list[int]
    places: list[int]
    mine: int
    rated: bool


class AskProfile(Params, frozen=True, kw_only=True):
    """Asks what is known of somebody; of me, when `name` is empty."""

    name: Name = ""


class Profile(Reply, frozen=True, kw_only=True):
    """What is known of somebody. Times are milliseconds (since 1970 for `since_ms`).

    `begun` and `finished` count games between people, `won` those they came first in; `median_pick_ms` is over their
    latest moves, None before the first. `recent` are their latest games, the latest first.
    """

    name: str
    claimed: bool
    since_ms: int
    begun: int
    finished: int
    won: int
    median_pick_ms: int | None
    ratings: list[Rating]
    recent: list[PastGame]


class AskLeaders(Params, frozen=True, kw_only=True):
    """Asks for the best at a game."""

    game: ShortText


class Leader(Struct, frozen=True, kw_only=True):
    """One line of a leaderboard; equal ratings share their place."""

    place: int
    name: str
    rating: float
    sigma: float
    games: int


class Leaders(Reply, frozen=True, kw_only=True):
    """The best at a game, the best first; kept up to date as games end."""

    leaders: list[Leader]
