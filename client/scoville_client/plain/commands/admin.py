"""The command `admin` and its subcommands."""

from collections.abc import Awaitable, Callable

from scoville_client.i18n.dates import day_and_time
from scoville_client.i18n.language import render, tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import ONLINE, Command
from scoville_client.plain.commands.tables import table_argument
from scoville_client.plain.input.parsing import named, number, one, whole_name
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import BanInfo, BanRequest
from scoville_shared.protocol.messages.admin import BanKind, Scope

_UNITS = {"m": 60, "h": 3_600, "d": 86_400}
_SCOPES: dict[str, Scope] = {"server": "server", "chat": "chat", "tables": "tables"}
_KINDS: dict[str, BanKind] = {"name": "name", "key": "key", "address": "address"}


async def _users(app: LineModeApp, _: list[str]) -> None:
    for user in await app.session.admin.users():
        notes = [tr("claimed name")] * user.claimed + [tr("muted")] * user.muted
        app.output.say(
            "{name}: {notes}",
            name=user.name,
            notes=[*notes, user.address, user.client, *user.table_ids],
        )


async def _announce(app: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(tr("Type admin announce and the text of the announcement."))
    await app.session.admin.announce(" ".join(after))


async def _kick(app: LineModeApp, after: list[str]) -> None:
    name, reason = named(app.session, after)
    await app.session.admin.kick(name, reason)
    app.output.say("{name} has been kicked.", name=name)


async def _ban(app: LineModeApp, after: list[str]) -> None:
    """Ban a name, or address=… or key=…, from the server, chat or tables, for a time such as 30m, 12h or 7d."""
    kind, equals, whom = after[0].partition("=") if after else ("", "", "")
    if equals and kind in _KINDS:
        name, rest = whom, after[1:]
    else:
        kind, (name, said) = "name", named(app.session, after)
        rest = said.split()
    scope: Scope = "server"
    seconds = 0
    while rest and (rest[0] in _SCOPES or _seconds(rest[0])):
        scope, seconds = _SCOPES.get(rest[0], scope), _seconds(rest[0]) or seconds
        rest = rest[1:]
    reason, duration_ms = " ".join(rest) or None, 1000 * seconds or None
    new = BanRequest(kind=_KINDS[kind], target=name, scope=scope, duration_ms=duration_ms, reason=reason)
    _say_ban(app, await app.session.admin.ban(new))


def _seconds(word: str) -> int:
    """Return a duration such as 30m, 12h or 7d in seconds; 0 if it is none."""
    figures, unit = word[:-1], word[-1:]
    return int(figures) * _UNITS[unit] if unit in _UNITS and figures.isascii() and figures.isdigit() else 0


def _say_ban(app: LineModeApp, ban: BanInfo) -> None:
    until = tr("permanent") if ban.until_ms is None else tr("until {time}", time=day_and_time(ban.until_ms))
    app.output.say(
        "Ban {id}: {whom}, from {scope}, {until}, by {by}. {reason}",
        id=ban.id,
        whom=ban.target,
        scope=ban.scope,
        until=until,
        by=ban.by,
        reason=ban.reason or "",
    )


async def _unban(app: LineModeApp, after: list[str]) -> None:
    await app.session.admin.unban(number(one(after, tr("Type admin unban and the number of the ban."))))
    app.output.say("The ban has been lifted.")


async def _bans(app: LineModeApp, _: list[str]) -> None:
    bans = await app.session.admin.bans()
    if not bans:
        app.output.say("Nobody is banned.")
    for ban in bans:
        _say_ban(app, ban)


async def _close(app: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(tr("Type admin close, a table, and the reason."))
    await app.session.admin.close(await table_argument(app, after[:1]), " ".join(after[1:]))
    app.output.say("The table has been closed.")


async def _appoint(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after)
    await app.session.admin.appoint(name)
    app.output.say("{name} is now an admin of this server.", name=name)


async def _dismiss(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after)
    await app.session.admin.appoint(name, admin=False)
    app.output.say("{name} is no longer an admin of this server.", name=name)


async def _audit(app: LineModeApp, _: list[str]) -> None:
    for line in await app.session.admin.audit():
        app.output.say(
            "{time} {name}: {did} {whom} {why}",
            time=day_and_time(line.at_ms),
            name=line.by,
            did=line.action,
            whom=line.target or "",
            why=line.reason or "",
        )


async def _reports(app: LineModeApp, _: list[str]) -> None:
    reports = await app.session.admin.reports()
    if not reports:
        app.output.say("There are no open reports.")
    for report in reports:
        app.output.say(
            "Report {id}, {time}, {by} about {name}: {text}",
            id=report.id,
            time=day_and_time(report.at_ms),
            by=report.by,
            name=report.name,
            text=report.text,
        )
        for line in report.context:
            app.output.say("{line}", line=line)


async def _resolve(app: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(tr("Type admin resolve, the number of a report, and a note."))
    await app.session.admin.resolve(number(after[0]), " ".join(after[1:]))
    app.output.say("The report has been resolved.")


_WORDS: dict[str, tuple[Phrase, Callable[[LineModeApp, list[str]], Awaitable[None]]]] = {
    "users": (Phrase("admin users: list the connected users, their addresses and clients"), _users),
    "announce": (Phrase("admin announce TEXT: send an announcement to everybody"), _announce),
    "kick": (Phrase("admin kick NAME [REASON]: disconnect a user, who can reconnect"), _kick),
    "ban": (
        Phrase(
            "admin ban NAME or address=ADDRESS or key=KEY [chat or tables] [30m, 12h or 7d] "
            "[REASON]: ban a user from the server, or only from chat or tables"
        ),
        _ban,
    ),
    "unban": (Phrase("admin unban NUMBER: lift a ban"), _unban),
    "bans": (Phrase("admin bans: list the bans"), _bans),
    "close": (Phrase("admin close TABLE [REASON]: close a table"), _close),
    "appoint": (Phrase("admin appoint NAME: make a user an admin"), _appoint),
    "dismiss": (Phrase("admin dismiss NAME: remove an admin"), _dismiss),
    "audit": (Phrase("admin audit: show the audit log"), _audit),
    "reports": (Phrase("admin reports: list the open reports"), _reports),
    "resolve": (Phrase("admin resolve NUMBER [NOTE]: resolve a report"), _resolve),
}


async def _admin(app: LineModeApp, after: list[str]) -> None:
    if not after or after[0] not in _WORDS:
        for sentence, _ in _WORDS.values():
            app.output.say("{help}", help=render(sentence))
    else:
        await _WORDS[after[0]][1](app, after[1:])


COMMANDS: tuple[Command, ...] = (
    Command(("admin",), "[WHAT ...]", "run an admin command; admin alone lists them", ONLINE, _admin),
)
