"""Slash commands of admins."""

from collections.abc import Sequence
from typing import Final

from scoville_client.i18n.language import words
from scoville_client.session.conversations import Conversations
from scoville_client.session.slash.lists import format_audit, format_bans, format_reports, format_users
from scoville_client.session.slash.parsing import Command, Misuse, number, somebody, span
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import BanRequest, Scope

_SCOPES: Final[dict[str, Scope]] = {"server": "server", "chat": "chat", "tables": "tables"}


async def _announce(talk: Conversations, typed: str) -> Sequence[str]:
    if not typed:
        raise Misuse(words("Tell them what? Type {form}", form="/announce TEXT"))
    await talk.session.admin.announce(typed)
    return ()


async def _kick(talk: Conversations, typed: str) -> Sequence[str]:
    name, reason = somebody(talk, typed, "/kick NAME REASON")
    await talk.session.admin.kick(name, reason)
    return [words("{name} has been sent away.", name=name)]


async def _ban(talk: Conversations, typed: str) -> Sequence[str]:
    name, rest = somebody(talk, typed, "/ban NAME [30m|12h|7d] [chat|tables] REASON")
    seconds, rest = span(rest)
    first, _, after = rest.partition(" ")
    reason = after.strip() if first in _SCOPES else rest
    wish = BanRequest(whom=name, seconds=seconds, scope=_SCOPES.get(first, "server"), reason=reason)
    ban = await talk.session.admin.ban(wish)
    return [words("Ban {id} holds for {name}. /unban {id} lifts it.", id=ban.id, name=ban.whom)]


async def _unban(talk: Conversations, typed: str) -> Sequence[str]:
    ban, _ = number(typed, "/unban NUMBER")
    await talk.session.admin.unban(ban)
    return [words("Ban {id} is lifted.", id=ban)]


async def _close(talk: Conversations, typed: str) -> Sequence[str]:
    table, _, reason = typed.partition(" ")
    if not table:
        raise Misuse(words("Which table? Type {form}", form="/close TABLE REASON"))
    await talk.session.admin.close(table, reason.strip())
    return [words("Table {table} has been cleared away.", table=table)]


async def _appoint(talk: Conversations, typed: str) -> Sequence[str]:
    name, rest = somebody(talk, typed, "/appoint NAME")
    await talk.session.admin.appoint(name, admin=rest != "off")
    if rest == "off":
        return [words("{name} looks after this server no more.", name=name)]
    return [words("{name} looks after this server as well.", name=name)]


async def _bans(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return format_bans(await talk.session.admin.bans()) or [words("No ban holds.")]


async def _audit(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return format_audit(await talk.session.admin.audit()) or [words("No admin has done anything yet.")]


async def _reports(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return format_reports(await talk.session.admin.reports()) or [words("No report waits.")]


async def _resolve(talk: Conversations, typed: str) -> Sequence[str]:
    report, note = number(typed, "/resolve NUMBER NOTE")
    await talk.session.admin.resolve(report, note)
    return [words("Report {id} is closed.", id=report)]


async def _people(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return format_users(await talk.session.admin.people())


FOR_ADMINS = (
    Command("people", "", Phrase("Who is here, and from where."), _people, admin=True),
    Command("announce", "TEXT", Phrase("Tell everybody something."), _announce, admin=True),
    Command("kick", "NAME REASON", Phrase("Hang up on somebody; they can come back."), _kick, admin=True),
    Command("ban", "NAME [7d] [chat|tables] REASON", Phrase("Forbid somebody to come in."), _ban, admin=True),
    Command("bans", "", Phrase("Which bans hold."), _bans, admin=True),
    Command("unban", "NUMBER", Phrase("Lift a ban."), _unban, admin=True),
    Command("close", "TABLE REASON", Phrase("Clear a table away."), _close, admin=True),
    Command("reports", "", Phrase("Which reports wait."), _reports, admin=True),
    Command("resolve", "NUMBER NOTE", Phrase("Close a report."), _resolve, admin=True),
    Command(
        "appoint",
        "NAME [off]",
        Phrase("Make somebody an admin, or no more."),
        _appoint,
        admin=True,
    ),
    Command("audit", "", Phrase("What the admins did."), _audit, admin=True),
)
