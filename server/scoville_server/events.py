"""Events of the server: what it reports to its log and its metrics. docs/events.md is generated from this module."""

from typing import Annotated

from msgspec import Meta

from scoville_runtime.events import Address, Code, Event, Priority
from scoville_shared.errors import Code as ErrorCode

Connection = Annotated[int, Meta(description="number of the connection, unique until the server ends")]
UserName = Annotated[str, Meta(description="name of the user")]
Client = Annotated[str, Meta(description="how the client names itself")]
Door = Annotated[str, Meta(description="`ssh` or `web`, if the user came through a door")]
TableCode = Annotated[str, Meta(description="code of the table")]
GameName = Annotated[str, Meta(description="name of the game")]


class OfConnection(Event, frozen=True, kw_only=True):
    """Base of events of one connection."""

    address: Address = ""
    connection: Connection


class Hello(OfConnection, frozen=True, kw_only=True, tag="hello"):
    """A user has connected."""

    user: UserName
    claimed: Annotated[bool, Meta(description="whether somebody owns the name")]
    door: Door = ""
    client: Client = ""


class Takeover(OfConnection, frozen=True, kw_only=True, tag="takeover"):
    """A new connection has replaced an older one of the same user."""

    user: UserName


class TokenReused(OfConnection, frozen=True, kw_only=True, tag="token_reused"):
    """A token came back that had been replaced: it may have been copied."""

    priority = Priority.WARNING
    security = True
    user: UserName
    client: Client = ""


class Refused(Event, frozen=True, kw_only=True):
    """Base of refusals; `code` tells them apart."""

    code: Code
    method: Annotated[
        str,
        Meta(
            description="the refused request; `connect` for a connection before its hello, `malformed` for a "
            "message that is no valid request"
        ),
    ]
    address: Address = ""
    connection: Connection
    user: UserName = ""


class Refusal(Refused, frozen=True, kw_only=True, tag="refusal"):
    """A request or a connection was refused; refusals that concern security have kinds of their own."""


class WrongLogin(Refused, frozen=True, kw_only=True, tag="wrong_login"):
    """A wrong name, password, SSH key, resume code, recovery code or admin code."""

    priority = Priority.WARNING
    security = True


class BannedRefused(Refused, frozen=True, kw_only=True, tag="banned"):
    """Somebody who is banned has tried to connect."""

    priority = Priority.NOTICE
    security = True


class DoorRefused(Refused, frozen=True, kw_only=True, tag="door_refused"):
    """A program that is no door of this server has spoken like one."""

    priority = Priority.WARNING
    security = True


_REFUSALS: dict[str, type[Refused]] = {
    ErrorCode.WRONG_LOGIN: WrongLogin,
    ErrorCode.WRONG_CODE: WrongLogin,
    ErrorCode.BANNED: BannedRefused,
    ErrorCode.DOOR_REFUSED: DoorRefused,
}


def refusal_kind(code: str) -> type[Refused]:
    """Return the kind of a refusal."""
    return _REFUSALS.get(code, Refusal)


class GameStart(Event, frozen=True, kw_only=True, tag="game_start"):
    """A game has started."""

    table: TableCode
    game: GameName
    humans: Annotated[int, Meta(description="seats of users")]
    bots: Annotated[int, Meta(description="seats of bots")]


class GameEnd(Event, frozen=True, kw_only=True, tag="game_end"):
    """A game has ended."""

    table: TableCode
    game: GameName
    result: Annotated[str, Meta(description="`finished` or `closed`")]
    moves: Annotated[int, Meta(description="moves that were played")]
