"""For whoever looks after a server, and how others call them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import Index, Name, OfTable, Params, Reply, Seconds, ShortText

Reason = Annotated[str, Meta(max_length=200)]
BanKind = Literal["name", "key", "address"]
Scope = Literal["server", "chat", "tables"]
"""What is forbidden: to come in at all, to talk, or to open and join tables."""


class Report(Params, frozen=True, kw_only=True):
    """Tells whoever looks after this server of somebody; `table` says where it was."""

    name: Name
    text: Annotated[str, Meta(min_length=1, max_length=500)]
    table: ShortText = ""


class AdminPerson(Struct, frozen=True, kw_only=True):
    """Somebody who is here, as an admin sees them."""

    name: str
    claimed: bool
    address: str
    client: str
    tables: list[str]
    muted: bool


class ListPeople(Params, frozen=True, kw_only=True):
    """Asks who is here."""


class People(Reply, frozen=True, kw_only=True):
    """Who is here."""

    people: list[AdminPerson]


class Announce(Params, frozen=True, kw_only=True):
    """Tells everybody something."""

    text: Annotated[str, Meta(min_length=1, max_length=500)]


class SendAway(Params, frozen=True, kw_only=True):
    """Hangs up on somebody; they can come back."""

    name: Name
    reason: Reason = ""


class Ban(Params, frozen=True, kw_only=True):
    """Forbids something to a name, a key or an address, for `seconds` (0 is for good)."""

    kind: BanKind = "name"
    whom: Annotated[str, Meta(min_length=1, max_length=128)]
    scope: Scope = "server"
    seconds: Seconds = 0
    reason: Reason = ""


class BanInfo(Struct, frozen=True, kw_only=True):
    """A ban. Times are milliseconds since 1970; `until_ms` is None for good."""

    id: int
    kind: BanKind
    whom: str
    scope: Scope
    reason: str
    by: str
    since_ms: int
    until_ms: int | None


class Banned(Reply, frozen=True, kw_only=True):
    """The ban that holds from now on."""

    ban: BanInfo


class Unban(Params, frozen=True, kw_only=True):
    """Lifts a ban."""

    id: Index


class ListBans(Params, frozen=True, kw_only=True):
    """Asks for the bans that hold."""


class Bans(Reply, frozen=True, kw_only=True):
    """The bans that hold, oldest first."""

    bans: list[BanInfo]


class CloseTable(OfTable, frozen=True, kw_only=True):
    """Clears a table away, with everybody at it told why."""

    reason: Reason = ""


class Appoint(Params, frozen=True, kw_only=True):
    """Lets somebody with a claimed name look after this server as well, or no more."""

    name: Name
    admin: bool = True


class AuditLine(Struct, frozen=True, kw_only=True):
    """Something that an admin did; `at_ms` is milliseconds since 1970."""

    n: int
    at_ms: int
    by: str
    did: str
    whom: str
    why: str


class ReadAudit(Params, frozen=True, kw_only=True):
    """Asks what the admins did, after number `since`."""

    since: Index = 0


class Audit(Reply, frozen=True, kw_only=True):
    """What the admins did, oldest first."""

    lines: list[AuditLine]


class ReportInfo(Struct, frozen=True, kw_only=True):
    """A report that waits; `chat` is what was said there just before it."""

    id: int
    at_ms: int
    by: str
    name: str
    table: str
    text: str
    chat: list[str]


class ListReports(Params, frozen=True, kw_only=True):
    """Asks for the reports that wait."""


class Reports(Reply, frozen=True, kw_only=True):
    """The reports that wait, oldest first."""

    reports: list[ReportInfo]


class Resolve(Params, frozen=True, kw_only=True):
    """Closes a report; `note` goes into the audit log."""

    id: Index
    note: Reason = ""
