"""Lists for admins as lines of text."""

from collections.abc import Sequence

from scoville_client.i18n.dates import day_and_time
from scoville_client.i18n.language import tr
from scoville_shared.protocol.messages import AdminUserInfo, AuditEntry, BanInfo, ReportInfo


def format_users(people: Sequence[AdminUserInfo]) -> list[str]:
    """Return a line per connected user."""
    return [_person(each) for each in people]


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


def _person(person: AdminUserInfo) -> str:
    notes = [tr("claimed name")] * person.claimed + [tr("muted")] * person.muted
    return "  ".join(filter(None, (person.name, person.address, person.client, " ".join(person.table_ids), *notes)))


def _ban(ban: BanInfo) -> str:
    until = tr("permanent") if ban.until_ms is None else tr("until {time}", time=day_and_time(ban.until_ms))
    return "  ".join(filter(None, (f"#{ban.id}", ban.kind, ban.target, ban.scope, until, ban.reason, f"({ban.by})")))


def _report(report: ReportInfo) -> str:
    said = tr("{by} about {name}: {text}", by=report.by, name=report.name, text=report.text)
    return f"#{report.id} {day_and_time(report.at_ms)} {said}"
