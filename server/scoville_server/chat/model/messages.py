"""A line as it is said and as it is kept, and the places where lines stand."""

from msgspec import Struct

from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import Channel, ChatLine

Place = str
"""Where lines are numbered: the lobby, a table, or the whispers of one person."""

LOBBY: Place = "lobby"


def at_table(table: str) -> Place:
    """The place of a table."""
    return f"table/{table}"


def whispers_of(person: UserId) -> Place:
    """The place of a person's whispers. A whisper stands in two: each side numbers, keeps and loses its own."""
    return f"whisper/{person}"


WHISPERS = whispers_of(UserId(""))
"""How the places of whispers begin."""


class Saying(Struct, frozen=True, kw_only=True):
    """Something said at `at_ms` (since 1970) in `place` by a person called `name`; in several places for a whisper.

    `seat` is where they sit at that table; `to` whom they whisper to, by name.
    """

    at_ms: int
    places: tuple[Place, ...]
    by: UserId
    name: str
    text: str
    seat: Seat | None = None
    to: str = ""

    def numbered(self, place: Place, n: int) -> "ChatMessage":
        """Make it line `n` of a place."""
        return ChatMessage(
            n=n, place=place, at_ms=self.at_ms, by=self.by, name=self.name, text=self.text, seat=self.seat, to=self.to
        )


class ChatMessage(Struct, frozen=True, kw_only=True):
    """A line as it is kept: who says it by person, and the name they bore then, which a new name does not change."""

    n: int
    place: Place
    at_ms: int
    by: UserId
    name: str
    text: str
    seat: Seat | None = None
    to: str = ""

    @property
    def key(self) -> str:
        """Under which it is kept."""
        return key_of(self.place, self.n)

    @property
    def channel(self) -> Channel:
        """What the place is on the wire."""
        if self.place == LOBBY:
            return "lobby"
        return "table" if self.place.startswith(at_table("")) else "whisper"

    @property
    def shown(self) -> ChatLine:
        """The line as its readers get it."""
        return ChatLine(
            n=self.n,
            at_ms=self.at_ms,
            channel=self.channel,
            name=self.name,
            text=self.text,
            table=self.place.removeprefix(at_table("")) if self.channel == "table" else "",
            seat=self.seat,
            to=self.to,
        )


def key_of(place: Place, n: int) -> str:
    """The key of line `n` of a place."""
    return f"{place}/{n}"
