"""Messages of moderation."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import Duration, Index, Name, OfTable, Params, Reply, ShortText
from scoville_shared.protocol.messages.clubs import OfClub

Reason = Annotated[str, Meta(max_length=200)]
BanKind = Literal["name", "key", "address"]
Scope = Literal["server", "chat", "tables"]
"""Scope of a ban: it forbids to connect, to chat, or to open and join tables."""


class ReportRequest(Params, frozen=True, kw_only=True):
    """Reports a user to the admins; `table` says where it happened."""

    name: Name
    text: Annotated[str, Meta(min_length=1, max_length=500)]
    table: ShortText | None = None


class AdminUserInfo(Struct, frozen=True, kw_only=True):
    """A connected user, as an admin sees them."""

    name: str
    claimed: bool
    address: str | None
    client: str | None
    table_ids: list[str]
    muted: bool


class UsersRequest(Params, frozen=True, kw_only=True):
    """Requests the connected users."""


class UsersReply(Reply, frozen=True, kw_only=True):
    """The connected users."""

    users: list[AdminUserInfo]


class AnnounceRequest(Params, frozen=True, kw_only=True):
    """Sends an announcement to all connected users."""

    text: Annotated[str, Meta(min_length=1, max_length=500)]


class KickUserRequest(Params, frozen=True, kw_only=True):
    """Disconnects a user; they may return."""

    name: Name
    reason: Reason | None = None


class WarnUserRequest(Params, frozen=True, kw_only=True):
    """Warns a user, who sees the `reason` at once or when they connect; for admins and moderators."""

    name: Name
    reason: Annotated[str, Meta(min_length=1, max_length=200)]


class GivenWarning(Struct, frozen=True, kw_only=True):
    """A warning that an admin or a moderator has given; `at_ms` is milliseconds since 1970."""

    at_ms: int
    by: str
    reason: str


class ListWarningsRequest(Params, frozen=True, kw_only=True):
    """Requests the warnings that a user was given; for admins and moderators."""

    name: Name


class ListWarningsReply(Reply, frozen=True, kw_only=True):
    """The warnings, oldest first."""

    history: list[GivenWarning]


class AppointModeratorRequest(Params, frozen=True, kw_only=True):
    """Makes an owner of a name a moderator, who may warn, mute and kick, or dismisses one."""

    name: Name
    moderator: bool = True


class BanRequest(Params, frozen=True, kw_only=True):
    """Bans a name, a key or an address for `duration_ms`, None for good."""

    kind: BanKind = "name"
    target: Annotated[str, Meta(min_length=1, max_length=128)]
    scope: Scope = "server"
    duration_ms: Duration | None = None
    reason: Reason | None = None


class BanInfo(Struct, frozen=True, kw_only=True):
    """A ban. Times are milliseconds since 1970; `until_ms` is None for good."""

    id: int
    kind: BanKind
    target: str
    scope: Scope
    reason: str | None
    by: str
    since_ms: int
    until_ms: int | None


class BanReply(Reply, frozen=True, kw_only=True):
    """The new ban."""

    ban: BanInfo


class UnbanRequest(Params, frozen=True, kw_only=True):
    """Lifts a ban."""

    id: Index


class BansRequest(Params, frozen=True, kw_only=True):
    """Requests the bans in force."""


class BansReply(Reply, frozen=True, kw_only=True):
    """The bans in force, oldest first."""

    bans: list[BanInfo]


class CloseTableRequest(OfTable, frozen=True, kw_only=True):
    """Closes a table; all users at it get the reason."""

    reason: Reason | None = None


class AdminClubInfo(Struct, frozen=True, kw_only=True):
    """A club, as an admin sees it; `since_ms` is when it was created, `closed_by` is set once it is closed."""

    club: str
    club_name: str
    member_count: int
    leader_names: list[str]
    since_ms: int
    closed_by: str | None = None


class ClubsRequest(Params, frozen=True, kw_only=True):
    """Requests all clubs of the server."""


class ClubsReply(Reply, frozen=True, kw_only=True):
    """All clubs, in the order of their names."""

    clubs_of_server: list[AdminClubInfo]


class ShowClubToAdminRequest(OfClub, frozen=True, kw_only=True):
    """Requests a club with its members."""


class CloseClubAsAdminRequest(OfClub, frozen=True, kw_only=True):
    """Closes a club for good, for a reason that its members get, and that is in the audit log."""

    reason: Annotated[str, Meta(min_length=1, max_length=200)]


class AppointRequest(Params, frozen=True, kw_only=True):
    """Makes an owner of a name an admin, or dismisses one."""

    name: Name
    admin: bool = True


class RecoverAccountRequest(Params, frozen=True, kw_only=True):
    """Makes a one-time code with which the owner of a name can log in and set another password."""

    name: Name
    reason: Reason | None = None


class RecoverAccountReply(Reply, frozen=True, kw_only=True):
    """The code, which is shown only once, and when it expires (milliseconds since 1970)."""

    code: str
    expires_ms: int


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One action of an admin; `at_ms` is milliseconds since 1970."""

    number: int
    at_ms: int
    by: str
    action: str
    target: str | None
    reason: str | None


class AuditRequest(Params, frozen=True, kw_only=True):
    """Requests the acts of admins after number `since`."""

    since: Index = 0


class AuditReply(Reply, frozen=True, kw_only=True):
    """The acts of admins, oldest first."""

    entries: list[AuditEntry]


class ReportInfo(Struct, frozen=True, kw_only=True):
    """An open report; `context` has the messages just before it. One about a `club` has its name as `name`."""

    id: int
    at_ms: int
    by: str
    name: str
    table: str | None
    text: str
    context: list[str]
    club: str | None = None


class ReportsRequest(Params, frozen=True, kw_only=True):
    """Requests the open reports."""


class ReportsReply(Reply, frozen=True, kw_only=True):
    """The open reports, oldest first."""

    reports: list[ReportInfo]


class ResolveReportRequest(Params, frozen=True, kw_only=True):
    """Resolves a report; `note` goes into the audit log."""

    id: Index
    note: Reason | None = None
