"""Slash commands of admins."""

from collections.abc import Sequence
from typing import Final

from scoville_client.i18n.dates import day_and_time
from scoville_client.i18n.language import tr
from scoville_client.session.conversations import Conversations
from scoville_client.session.slash.lists import format_audit, format_bans, format_reports, format_users
from scoville_client.session.slash.parsing import Command, Misuse, number, somebody, span
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import BanRequest, Scope

_SCOPES: Final[dict[str, Scope]] = {"server": "server", "chat": "chat", "tables": "tables"}


async def _announce(talk: Conversations, typed: str) -> Sequence[str]:
    if not typed:
        raise Misuse(tr("The announcement is missing: type {form}", form="/announce TEXT"))
    await talk.session.admin.announce(typed)
    return ()


async def _kick(talk: Conversations, typed: str) -> Sequence[str]:
    name, reason = somebody(talk, typed, "/kick NAME REASON")
    await talk.session.admin.kick(name, reason)
    return [tr("{name} has been kicked.", name=name)]


async def _ban(talk: Conversations, typed: str) -> Sequence[str]:
    name, rest = somebody(talk, typed, "/ban NAME [30m|12h|7d] [chat|tables] REASON")
    seconds, rest = span(rest)
    first, _, after = rest.partition(" ")
    reason = after.strip() if first in _SCOPES else rest
    request = BanRequest(
        target=name, duration_ms=1000 * seconds or None, scope=_SCOPES.get(first, "server"), reason=reason or None
    )
    ban = await talk.session.admin.ban(request)
    return [tr("{name} is banned (ban {id}). /unban {id} lifts the ban.", id=ban.id, name=ban.target)]


async def _unban(talk: Conversations, typed: str) -> Sequence[str]:
    ban, _ = number(typed, "/unban NUMBER")
    await talk.session.admin.unban(ban)
    return [tr("Ban {id} has been lifted.", id=ban)]


async def _close(talk: Conversations, typed: str) -> Sequence[str]:
    table, _, reason = typed.partition(" ")
    if not table:
        raise Misuse(tr("The table is missing: type {form}", form="/close TABLE REASON"))
    await talk.session.admin.close(table, reason.strip())
    return [tr("Table {table} has been closed.", table=table)]


async def _appoint(talk: Conversations, typed: str) -> Sequence[str]:
    name, rest = somebody(talk, typed, "/appoint NAME")
    await talk.session.admin.appoint(name, admin=rest != "off")
    if rest == "off":
        return [tr("{name} is no longer an admin of this server.", name=name)]
    return [tr("{name} is now an admin of this server.", name=name)]


async def _recover(talk: Conversations, typed: str) -> Sequence[str]:
    name, reason = somebody(talk, typed, "/recover NAME REASON")
    made = await talk.session.admin.recover_account(name, reason)
    return [
        tr("Recovery code for {name}: {code}", name=name, code=made.code),
        tr(
            "It is valid once, until {day}, and sets another password. Make sure who asks for it.",
            day=day_and_time(made.expires_ms),
        ),
    ]


async def _bans(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return format_bans(await talk.session.admin.bans()) or [tr("There are no bans.")]


async def _audit(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return format_audit(await talk.session.admin.audit()) or [tr("The audit log is empty.")]


async def _reports(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return format_reports(await talk.session.admin.reports()) or [tr("There are no open reports.")]


async def _resolve(talk: Conversations, typed: str) -> Sequence[str]:
    report, note = number(typed, "/resolve NUMBER NOTE")
    await talk.session.admin.resolve(report, note)
    return [tr("Report {id} has been resolved.", id=report)]


async def _users(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return format_users(await talk.session.admin.users())


FOR_ADMINS = (
    Command("users", "", Phrase("List the connected users and their addresses."), _users, admin=True),
    Command("announce", "TEXT", Phrase("Send an announcement to everybody."), _announce, admin=True),
    Command("kick", "NAME REASON", Phrase("Disconnect a user, who can reconnect."), _kick, admin=True),
    Command("ban", "NAME [7d] [chat|tables] REASON", Phrase("Ban a user."), _ban, admin=True),
    Command("bans", "", Phrase("List the bans."), _bans, admin=True),
    Command("unban", "NUMBER", Phrase("Lift a ban."), _unban, admin=True),
    Command("close", "TABLE REASON", Phrase("Close a table."), _close, admin=True),
    Command("reports", "", Phrase("List the open reports."), _reports, admin=True),
    Command("resolve", "NUMBER NOTE", Phrase("Resolve a report."), _resolve, admin=True),
    Command(
        "appoint",
        "NAME [off]",
        Phrase("Make a user an admin; with off, remove an admin."),
        _appoint,
        admin=True,
    ),
    Command(
        "recover",
        "NAME REASON",
        Phrase("Make a one-time code for an owner who lost the password."),
        _recover,
        admin=True,
    ),
    Command("audit", "", Phrase("Show the audit log."), _audit, admin=True),
)
