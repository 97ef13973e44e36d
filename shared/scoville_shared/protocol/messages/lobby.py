"""Messages of the lobby."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Params, Reply, ShortText
from scoville_shared.protocol.messages.tables import TableInfo
from scoville_shared.values import Plain


class UserInfo(Struct, frozen=True, kw_only=True):
    """A connected user; a `claimed` name is proved to be theirs, an `admin` or `moderator` may moderate this server."""

    name: str
    claimed: bool = False
    admin: bool = False
    moderator: bool = False


class WatchLobbyRequest(Params, frozen=True, kw_only=True):
    """Requests the lobby, and notices of every later change."""


class LobbySnapshot(Reply, frozen=True, kw_only=True):
    """The tables, oldest first, and the connected users; `online` counts all users, `users` names the first.

    If there are very many tables, `more` are not among these: the user's own and waiting ones come first.
    """

    tables: list[TableInfo]
    users: list[UserInfo]
    online: int
    more: int = 0


class UnwatchLobbyRequest(Params, frozen=True, kw_only=True):
    """Ends the notices of the lobby."""


class QuickMatchRequest(Params, frozen=True, kw_only=True):
    """Seats the user at once at a waiting public table of `game` (any game if empty), or at a new one."""

    game: ShortText | None = None


class LobbyChangedNotice(Struct, frozen=True, kw_only=True):
    """`lobby.changed`: new or `tables` tables, ids of removed ones, and users who connected or disconnected.

    `entrant_counts` counts the entrants of tournaments, by their ids, where the number is another one now.
    """

    tables: list[TableInfo] = []
    removed: list[str] = []
    arrived: list[UserInfo] = []
    departed: list[str] = []
    online: int = 0
    entrant_counts: dict[str, int] = {}


class InvitedNotice(Struct, frozen=True, kw_only=True):
    """`lobby.invited`: an invitation to a table, to which the user is admitted."""

    info: TableInfo
    by: str


class AnnouncedNotice(Struct, frozen=True, kw_only=True):
    """`announced`: an announcement of an admin, or of the server itself.

    `code` and `data` are those of the server itself, so that clients can say it in the language of their users: an
    error that concerns all users, or `table_closes` with the title of its `game` and the `seconds` that are left.
    """

    text: str
    code: str | None = None
    data: Plain | None = None
