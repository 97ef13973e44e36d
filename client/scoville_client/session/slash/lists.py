"""Lists for admins as lines of text."""

from collections.abc import Sequence

from scoville_client.i18n.dates import day_and_time
from scoville_client.i18n.language import tr
from scoville_shared.protocol.messages import AdminUserInfo, AuditEntry, BanInfo, ReportInfo


def format_users(users: Sequence[AdminUserInfo]) -> list[str]:
    """Return a line per connected user."""
    return [_user_row(each) for each in users]


def format_bans(bans: Sequence[BanInfo]) -> list[str]:
    """Return a line per ban."""
    return [_ban(each) for each in bans]


def format_audit(lines: Sequence[AuditEntry]) -> list[str]:
    """Return a line per entry of the audit log."""
    return [
        " ".join(filter(None, (day_and_time(each.at_ms), each.by, each.action, each.target, each.reason)))
        for each in lines
    ]


def format_reports(reports: Sequence[ReportInfo]) -> list[str]:
    """Return each report as a line, followed by the messages before it."""
    return [line for each in reports for line in (_report(each), *(f"  > {said}" for said in each.context))]


def _done(line: AuditEntry) -> str:
    return " ".join(filter(None, (day_and_time(line.at_ms), line.by, line.action, line.target, line.reason)))


def _user_row(user: AdminUserInfo) -> str:
    notes = [tr("claimed name")] * user.claimed + [tr("muted")] * user.muted
    return "  ".join(filter(None, (user.name, user.address, user.client, " ".join(user.table_ids), *notes)))


def _ban(ban: BanInfo) -> str:
    until = tr("permanent") if ban.until_ms is None else tr("until {time}", time=day_and_time(ban.until_ms))
    return "  ".join(filter(None, (f"#{ban.id}", ban.kind, ban.target, ban.scope, until, ban.reason, f"({ban.by})")))


def _report(report: ReportInfo) -> str:
    said = tr("{by} about {name}: {text}", by=report.by, name=report.name, text=report.text)
    return f"#{report.id} {day_and_time(report.at_ms)} {said}"
