"""Commands about the server and of its admins: its texts, users, announcements, kicks, bans, reports, the audit log."""

from collections.abc import Sequence
from typing import Final

from scoville_client.i18n.clock_text import day_and_time
from scoville_client.i18n.club_text import admin_line
from scoville_client.i18n.language import choose_texts, tr
from scoville_client.i18n.own_words import quote_server
from scoville_client.session.commands.clubs import club_lines
from scoville_client.session.commands.command import (
    NAME,
    NUMBER,
    REASON,
    TABLE,
    TEXT,
    WHOLE_NAME,
    Argument,
    Caller,
    Command,
    pick_numbered,
    split_name,
    split_text,
)
from scoville_client.session.commands.tables import find_table
from scoville_client.session.community import rules_lines
from scoville_client.session.identity.admin import AdminActions
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AnnounceRequest,
    AppointRequest,
    BanInfo,
    BanRequest,
    CloseClubAsAdminRequest,
    CloseTableRequest,
    DescribeServerRequest,
    KickUserRequest,
    RecoverAccountRequest,
    ResolveReportRequest,
    ShowClubToAdminRequest,
    UnbanRequest,
)
from scoville_shared.protocol.messages.admin import (
    AppointModeratorRequest,
    AuditRequest,
    BanKind,
    BansRequest,
    ClubsRequest,
    GivenWarning,
    ListWarningsRequest,
    ReportsRequest,
    Scope,
    UsersRequest,
    WarnUserRequest,
)

_UNITS: Final = {"m": 60, "h": 3_600, "d": 86_400}
_SCOPES: Final[dict[str, Scope]] = {"server": "server", "chat": "chat", "tables": "tables"}
_KINDS: Final[dict[str, BanKind]] = {"name": "name", "key": "key", "address": "address"}


async def list_users(admin: AdminActions) -> Sequence[str]:
    """Return a line per connected user."""
    lines = []
    for user in await admin.list_users():
        notes = choose_texts({tr("claimed name"): user.claimed, tr("muted"): user.muted})
        facts = [*notes, user.address, user.client, *user.table_ids]
        lines.append(tr("{name}: {notes}", name=user.name, notes=list(filter(None, facts))))
    return lines


async def list_clubs(admin: AdminActions) -> Sequence[str]:
    """Return a line per club."""
    clubs = await admin.list_clubs()
    return [f"{n}. {admin_line(club)}" for n, club in enumerate(clubs, 1)] or [tr("There are no clubs.")]


async def list_bans(admin: AdminActions) -> Sequence[str]:
    """Return a line per ban."""
    return [_ban_line(ban) for ban in await admin.list_bans()] or [tr("There are no bans.")]


async def list_audit(admin: AdminActions) -> Sequence[str]:
    """Return a line per entry of the audit log."""
    entries = await admin.list_audit()
    lines = [
        " ".join(filter(None, (day_and_time(each.at_ms), f"{each.by}:", each.action, each.target, each.reason)))
        for each in entries
    ]
    return lines or [tr("The audit log is empty.")]


async def list_reports(admin: AdminActions) -> Sequence[str]:
    """Return each open report as a line, followed by the messages before it."""
    lines: list[str] = []
    for report in await admin.list_reports():
        lines.append(
            tr(
                "Report {id}, {time}, {by} about {name}: {text}",
                id=report.id,
                time=day_and_time(report.at_ms),
                by=report.by,
                name=report.name,
                text=report.text,
            )
        )
        lines += (f"  > {said}" for said in report.context)
    return lines or [tr("There are no open reports.")]


def _ban_line(ban: BanInfo) -> str:
    until = tr("permanent") if ban.until_ms is None else tr("until {time}", time=day_and_time(ban.until_ms))
    return tr(
        "Ban {id}: {whom}, from {scope}, {until}, by {by}. {reason}",
        id=ban.id,
        whom=ban.target,
        scope=ban.scope,
        until=until,
        by=ban.by,
        reason=ban.reason or "",
    ).rstrip()


async def _list_users(to: Caller) -> Sequence[str]:
    return await list_users(to.session.admin)


async def _announce_text(to: Caller, text: str) -> Sequence[str]:
    await to.session.admin.announce_text(text)
    return ()


async def _kick_user(to: Caller, name: str, reason: str) -> Sequence[str]:
    await to.session.admin.kick_user(name, reason)
    return [tr("{name} has been disconnected.", name=name)]


async def _warn_user(to: Caller, name: str, reason: str) -> Sequence[str]:
    await to.session.admin.warn_user(name, reason)
    return [tr("{name} has been warned.", name=name)]


def warning_line(given: GivenWarning) -> str:
    """Write a warning that a user was given, in a line."""
    return f"{day_and_time(given.at_ms)} {given.by}: {given.reason}"


async def _list_warnings(to: Caller, name: str) -> Sequence[str]:
    given = await to.session.admin.list_warnings(name)
    return [warning_line(each) for each in given] or [tr("{name} has not been warned.", name=name)]


async def _appoint_moderator(to: Caller, name: str) -> Sequence[str]:
    await to.session.admin.appoint_moderator(name)
    return [tr("{name} is now a moderator of this server.", name=name)]


async def _dismiss_moderator(to: Caller, name: str) -> Sequence[str]:
    await to.session.admin.appoint_moderator(name, moderator=False)
    return [tr("{name} is no longer a moderator of this server.", name=name)]


def _split_target(caller: Caller, typed: str) -> tuple[tuple[BanKind, str], str]:
    """Split off who is banned: a name, an address or a key."""
    word, _, rest = typed.partition(" ")
    kind, equals, target = word.partition("=")
    if equals and kind in _KINDS:
        return (_KINDS[kind], target), rest.strip()
    name, rest = split_name(caller, typed)
    return ("name", name), rest


async def _ban_user(to: Caller, target: tuple[BanKind, str], typed: str) -> Sequence[str]:
    words = typed.split()
    scope: Scope = "server"
    seconds = 0
    # In either order; the first word that is neither begins the reason.
    while words and (words[0] in _SCOPES or seconds_in(words[0])):
        scope, seconds = _SCOPES.get(words[0], scope), seconds_in(words[0]) or seconds
        words = words[1:]
    kind, whom = target
    duration_ms = 1000 * seconds or None
    request = BanRequest(kind=kind, target=whom, scope=scope, duration_ms=duration_ms, reason=" ".join(words) or None)
    ban = await to.session.admin.add_ban(request)
    return [_ban_line(ban), tr("To lift the ban type {command}.", command=f"{to.mark}admin unban {ban.id}")]


def seconds_in(word: str) -> int:
    """Return a duration such as 30m, 12h or 7d in seconds; 0 if it is none."""
    figures, unit = word[:-1], word[-1:]
    # Four digits: more make a time that no server accepts, and some thousand would take long to parse.
    is_span = unit in _UNITS and figures.isascii() and figures.isdigit() and len(figures) <= 4
    return int(figures) * _UNITS[unit] if is_span else 0


async def _list_clubs(to: Caller) -> Sequence[str]:
    return await list_clubs(to.session.admin)


async def _find_club(to: Caller, number: int) -> str:
    clubs = await to.session.admin.list_clubs()
    missing = tr("There is no club number {n}; type {command}.", n=number, command=f"{to.mark}admin clubs")
    return pick_numbered(clubs, number, missing).club


async def _show_club(to: Caller, number: int) -> Sequence[str]:
    return club_lines(await to.session.admin.show_club(await _find_club(to, number)))


async def _close_club(to: Caller, number: int, reason: str) -> Sequence[str]:
    club = await _find_club(to, number)
    await to.session.admin.close_club(club, reason)
    return club_lines(await to.session.admin.show_club(club))


async def _lift_ban(to: Caller, ban: int) -> Sequence[str]:
    await to.session.admin.lift_ban(ban)
    return [tr("Ban {id} has been lifted.", id=ban)]


async def _list_bans(to: Caller) -> Sequence[str]:
    return await list_bans(to.session.admin)


async def _close_table(to: Caller, typed: str, reason: str) -> Sequence[str]:
    table = await find_table(to, typed)
    await to.session.admin.close_table(table, reason)
    return [tr("Table {table} has been closed.", table=table)]


async def _appoint_admin(to: Caller, name: str) -> Sequence[str]:
    await to.session.admin.appoint_admin(name)
    return [tr("{name} is now an admin of this server.", name=name)]


async def _dismiss_admin(to: Caller, name: str) -> Sequence[str]:
    await to.session.admin.appoint_admin(name, admin=False)
    return [tr("{name} is no longer an admin of this server.", name=name)]


async def _recover_account(to: Caller, name: str, reason: str) -> Sequence[str]:
    made = await to.session.admin.recover_account(name, reason)
    return [
        tr("Recovery code for {name}: {code}", name=name, code=made.code),
        tr(
            "It is valid once, until {day}, and sets another password. Make sure who asks for it.",
            day=day_and_time(made.expires_ms),
        ),
    ]


async def _list_audit(to: Caller) -> Sequence[str]:
    return await list_audit(to.session.admin)


async def _list_reports(to: Caller) -> Sequence[str]:
    return await list_reports(to.session.admin)


async def _resolve_report(to: Caller, report: int, note: str) -> Sequence[str]:
    await to.session.admin.resolve_report(report, note)
    return [tr("Report {id} has been resolved.", id=report)]


COMMANDS = (
    Command(
        ("admin users",),
        (),
        Phrase("List the connected users and their addresses."),
        _list_users,
        sends=(UsersRequest,),
        who="admin",
    ),
    Command(
        ("admin announce",),
        (TEXT,),
        Phrase("Send an announcement to everybody."),
        _announce_text,
        sends=(AnnounceRequest,),
        who="admin",
    ),
    Command(
        ("admin kick",),
        (NAME, REASON),
        Phrase("Disconnect a user, who can reconnect."),
        _kick_user,
        sends=(KickUserRequest,),
        who="moderator",
    ),
    Command(
        ("admin warn",),
        (NAME, TEXT),
        Phrase("Warn a user; admins and moderators can."),
        _warn_user,
        sends=(WarnUserRequest,),
        who="moderator",
    ),
    Command(
        ("admin warnings",),
        (WHOLE_NAME,),
        Phrase("List the warnings that a user was given."),
        _list_warnings,
        sends=(ListWarningsRequest,),
        who="moderator",
    ),
    Command(
        ("admin moderator",),
        (WHOLE_NAME,),
        Phrase("Make a user a moderator, who can warn, mute and kick, and resolve reports."),
        _appoint_moderator,
        sends=(AppointModeratorRequest,),
        who="admin",
    ),
    Command(
        ("admin unmoderator",),
        (WHOLE_NAME,),
        Phrase("Remove a moderator."),
        _dismiss_moderator,
        sends=(AppointModeratorRequest,),
        who="admin",
    ),
    Command(
        ("admin ban",),
        (
            Argument("NAME or address=ADDRESS or key=KEY", _split_target, Phrase("The name is missing.")),
            Argument("[chat or tables] [30m, 12h or 7d] [REASON]", split_text),
        ),
        Phrase("Ban a user from the server, or only from chat or tables."),
        _ban_user,
        sends=(BanRequest,),
        who="admin",
    ),
    Command(("admin bans",), (), Phrase("List the bans."), _list_bans, sends=(BansRequest,), who="admin"),
    Command(("admin unban",), (NUMBER,), Phrase("Lift a ban."), _lift_ban, sends=(UnbanRequest,), who="admin"),
    Command(
        ("admin close",),
        (TABLE, REASON),
        Phrase("Close a table."),
        _close_table,
        sends=(CloseTableRequest,),
        who="admin",
    ),
    Command(
        ("admin clubs",), (), Phrase("List all clubs of the server."), _list_clubs, sends=(ClubsRequest,), who="admin"
    ),
    Command(
        ("admin club",),
        (NUMBER,),
        Phrase("Show a club of the list with its members."),
        _show_club,
        sends=(ClubsRequest, ShowClubToAdminRequest),
        who="admin",
    ),
    Command(
        ("admin close club",),
        (NUMBER, Argument("REASON", split_text, Phrase("The reason is missing; members and the audit log get it."))),
        Phrase("Close a club of the list for good, with a reason."),
        _close_club,
        sends=(ClubsRequest, CloseClubAsAdminRequest, ShowClubToAdminRequest),
        who="admin",
    ),
    Command(
        ("admin reports",),
        (),
        Phrase("List the open reports."),
        _list_reports,
        sends=(ReportsRequest,),
        who="moderator",
    ),
    Command(
        ("admin resolve",),
        (NUMBER, Argument("[NOTE]", split_text)),
        Phrase("Resolve a report."),
        _resolve_report,
        sends=(ResolveReportRequest,),
        who="moderator",
    ),
    Command(
        ("admin appoint",),
        (WHOLE_NAME,),
        Phrase("Make a user an admin."),
        _appoint_admin,
        sends=(AppointRequest,),
        who="admin",
    ),
    Command(
        ("admin dismiss",),
        (WHOLE_NAME,),
        Phrase("Remove an admin."),
        _dismiss_admin,
        sends=(AppointRequest,),
        who="admin",
    ),
    Command(
        ("admin recover",),
        (NAME, REASON),
        Phrase("Make a one-time code for an owner who lost the password."),
        _recover_account,
        sends=(RecoverAccountRequest,),
        who="admin",
    ),
    Command(("admin audit",), (), Phrase("Show the audit log."), _list_audit, sends=(AuditRequest,), who="admin"),
)


# --- the texts of the server ------------------------------------------------------------------------


async def _show_motd(to: Caller) -> Sequence[str]:
    community = to.session.community
    await community.read_texts()
    if not community.motd:
        return [tr("This server has no message of the day.")]
    return [*community.list_introduction()]


async def _show_rules(to: Caller) -> Sequence[str]:
    lines = rules_lines(await to.session.community.read_texts())
    return [*map(quote_server, lines)] or [tr("This server has no rules of its own.")]


ABOUT_SERVER = (
    Command(("motd",), (), Phrase("Show the message of the day again."), _show_motd, sends=(DescribeServerRequest,)),
    Command(
        ("rules server", "server rules"),
        (),
        Phrase("Show the rules of this server."),
        _show_rules,
        sends=(DescribeServerRequest,),
    ),
)
