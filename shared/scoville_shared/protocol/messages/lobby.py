"""The lobby: who is here, which tables there are, and how that changes."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Nonce, Params, Reply, ShortText
from scoville_shared.protocol.messages.tables import TableInfo


class PersonInfo(Struct, frozen=True, kw_only=True):
    """Somebody who is here; a `claimed` name is proved to be theirs, an `admin` looks after this server."""

    name: str
    claimed: bool = False
    admin: bool = False


class WatchLobby(Params, frozen=True, kw_only=True):
    """Asks what there is in the lobby, and to be told of every change."""


class LobbySnapshot(Reply, frozen=True, kw_only=True):
    """The tables, oldest first, and the people who are here; `here` counts all of them, `people` names the first.

    Of very many tables, `more` are not among these: mine and those that wait come first.
    """

    tables: list[TableInfo]
    people: list[PersonInfo]
    here: int
    more: int = 0


class UnwatchLobby(Params, frozen=True, kw_only=True):
    """Asks to be told no more of the lobby."""


class QuickMatch(Params, frozen=True, kw_only=True):
    """Seats me at once at a public table that waits for players of `game` (any, when empty), or at a new one."""

    game: ShortText = ""
    nonce: Nonce = ""


class LobbyNotice(Struct, frozen=True, kw_only=True):
    """`lobby.changed`: tables that are new or have `changed`, ids of those that are `gone`, and who came and went."""

    changed: list[TableInfo] = []
    gone: list[str] = []
    came: list[PersonInfo] = []
    went: list[str] = []
    here: int = 0


class InviteNotice(Struct, frozen=True, kw_only=True):
    """`lobby.invited`: somebody invites you to a table, whose door is open for you."""

    info: TableInfo
    by: str


class AnnouncementNotice(Struct, frozen=True, kw_only=True):
    """`announcement`: what whoever looks after this server tells everybody."""

    text: str
