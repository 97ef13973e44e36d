"""What one user of an evening did and saw, as their own connection had it: all that the checker believes of them."""

from typing import Any, Literal

from msgspec import Struct


class Greeted(Struct):
    """A connection was greeted at `at` as a user of that name, which they had until `until`."""

    name: str
    at: float
    until: float = float("inf")
    is_known: bool = True
    has_left: bool = False
    """Whether the user has hung up by themselves."""


class Tried(Struct):
    """A move or message: it is `unknown` whether it was done until an answer says so."""

    table: str
    outcome: Literal["ok", "refused", "unknown"] = "unknown"
    seat: int = -1
    nth: int = -1
    move: Any = None
    text: str = ""
    number: int = 0
    """That of the event, or of the message."""


class Shown(Struct):
    """An event that was shown at a seat, by a notice with a View or by a snapshot."""

    connection: int
    table: str
    seat: int
    event: dict[str, Any]
    view: Any = None
    is_notice: bool = True


class Given(Struct):
    """A warning or an invitation for a user who was away: its reason, or the table."""

    kind: Literal["warning", "invitation"]
    text: str
    at: float
    outcome: Literal["ok", "unknown"] = "unknown"


class Told(Struct):
    """A warning or an invitation as it came, by which connection, and when."""

    text: str
    connection: int
    at: float


class Story(Struct):
    """A user: `faults` are what they found wrong themselves."""

    user: str
    way: str
    greeted: list[Greeted] = []
    moves: list[Tried] = []
    said: list[Tried] = []
    shown: list[Shown] = []
    heard: list[dict[str, Any]] = []
    """Messages of others, as they came."""
    caught_up: list[dict[str, Any]] = []
    """Messages of the lobby that were read after a hello, since the last one that this user had until then."""
    read: list[dict[str, Any]] = []
    """Messages of the lobby, as they were read at the end."""
    commitments: dict[str, str] = {}
    """By table."""
    exported: dict[str, list[str]] = {}
    """The lines of finished games."""
    games: dict[str, int] = {}
    """The tables at which this user has had a seat, and which one."""
    waits: list[float] = []
    """How long each move was waited for."""
    claimed: str = ""
    given: list[Given] = []
    told: list[Told] = []
    screens: dict[str, str] = {}
    """What a user behind a door saw last, by table."""
    faults: list[str] = []
