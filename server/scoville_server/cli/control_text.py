"""Results of the control socket's commands as text for a terminal."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import convert

from scoville_runtime.events import format_fields
from scoville_server.settings.live import Reload
from scoville_shared.text import visible_line

_GAP: Final = "  "
_UNIT: Final = 1024


def describe_result(name: str, result: Mapping[str, Any]) -> str:
    """Return the result of a command as lines."""
    describe = _DESCRIBERS.get(name)
    return "Done." if describe is None else safe_text(describe(result))


def safe_text(text: str) -> str:
    """Return a text without anything that acts on a terminal or hides: names and addresses come from strangers."""
    return "\n".join(map(visible_line, text.split("\n")))


def align_columns(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table with columns of equal width; the last one is as wide as it likes."""
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return "\n".join(
        _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def span_text(seconds: int) -> str:
    """Return a time as its two largest units, such as 3d 4h or 2m 5s."""
    parts = [(seconds // 86_400, "d"), (seconds // 3_600 % 24, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s")]
    first = next((n for n, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count}{unit}" for count, unit in parts[first : first + 2])


def date_text(at_ms: int) -> str:
    """Return a time in this machine's time zone."""
    return datetime.fromtimestamp(at_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M")


def _users(result: Mapping[str, Any]) -> str:
    rows = [
        (
            user["name"],
            "claimed" if user["claimed"] else "guest",
            user["address"] or "-",
            user["client"] or "-",
            " ".join(user["table_ids"]) or "-",
        )
        for user in result["users"]
    ]
    return align_columns(("NAME", "KIND", "ADDRESS", "CLIENT", "TABLES"), rows) if rows else "Nobody is connected."


def seats_text(table: Mapping[str, Any]) -> str:
    """Return the seats of a table: humans and bots of all, such as 3+1b/5."""
    bots = f"+{table['bots']}b" if table["bots"] else ""
    return f"{table['humans']}{bots}/{table['seats']}"


def _tables(result: Mapping[str, Any]) -> str:
    rows = [
        (
            table["id"],
            table["game"],
            "paused" if table["paused"] else table["status"],
            seats_text(table),
            table["spectators"],
            table["moves"],
            span_text(table["age_seconds"]),
            span_text(table["idle_seconds"]),
            ", ".join(table["waits_for"]) or "-",
        )
        for table in result["tables"]
    ]
    header = ("ID", "GAME", "STATE", "SEATS", "WATCH", "MOVES", "AGE", "IDLE", "WAITS FOR")
    return _with_rest(align_columns(header, rows), len(rows), result["total"]) if rows else "There are no tables."


def _networks(result: Mapping[str, Any]) -> str:
    rows = [
        (
            each["network"],
            each["users"],
            each["connections"],
            f"{round(100 * each['share'])}%",
            "banned" if each["banned"] else "-",
        )
        for each in result["networks"]
    ]
    header = ("NETWORK", "USERS", "CONNECTIONS", "SHARE", "BAN")
    return _with_rest(align_columns(header, rows), len(rows), result["total"]) if rows else "Nobody is connected."


def _with_rest(text: str, shown: int, total: int) -> str:
    return text if shown == total else f"{text}\n… {total - shown} more"


def _reports(result: Mapping[str, Any]) -> str:
    blocks = []
    for report in result["reports"]:
        where = f" at table {report['table']}" if report["table"] else ""
        blocks.append(
            f"{report['id']}: {date_text(report['at_ms'])} {report['by']} reports {report['name']}{where}:"
            f" {report['text']}"
        )
        blocks += [f"    {line}" for line in report["context"]]
    return "\n".join(blocks) or "There are no open reports."


def _warnings(result: Mapping[str, Any]) -> str:
    lines = [f"{date_text(each['at_ms'])} {each['by']}: {each['reason']}" for each in result["history"]]
    return "\n".join(lines) or "No warnings."


def _bans(result: Mapping[str, Any]) -> str:
    rows = [
        (
            ban["id"],
            ban["kind"],
            ban["target"],
            ban["scope"],
            "for good" if ban["until_ms"] is None else date_text(ban["until_ms"]),
            ban["by"],
            ban["reason"] or "-",
        )
        for ban in result["bans"]
    ]
    return (
        align_columns(("ID", "KIND", "TARGET", "FROM", "UNTIL", "BY", "REASON"), rows) if rows else "There are no bans."
    )


def _audit(result: Mapping[str, Any]) -> str:
    rows = [
        (
            entry["number"],
            date_text(entry["at_ms"]),
            entry["by"],
            entry["action"],
            entry["target"] or "-",
            entry["reason"] or "-",
        )
        for entry in result["entries"]
    ]
    return (
        align_columns(("NUMBER", "TIME", "BY", "ACT", "TARGET", "REASON"), rows)
        if rows
        else "No admin has done anything yet."
    )


def _status(result: Mapping[str, Any]) -> str:
    people, tables, process, disk = result["people"], result["tables"], result["process"], result["disk"]
    commits, lag, games, queues = result["commits"], result["loop_lag"], result["games"], result["queues"]
    state = "ready" if result["ready"] else "NOT READY: " + ", ".join(result["reasons"])
    if result["reasons"] == ["waiting"]:
        state = "waits for its turn"
    entrances = ", ".join(f"{name} {count}" for name, count in people["by_entrance"].items() if count)
    states = ", ".join(f"{state} {count}" for state, count in tables["by_state"].items() if count)
    place = f"{result['host'] or 'every address'}, port {result['port']}, pin {result['pin']}"
    up = span_text(int(result["uptime_seconds"]))
    lines = [f"scoville-server {result['version']} on {place}: {state}, up {up}"]
    lines += [f"{alert['severity'].upper()}: {alert['text']}" for alert in result["alerts"]]
    if result.get("cluster") is not None:
        lines.append(_cluster(result["cluster"]))
    if result["shutdown"] is not None:
        left = span_text(round(result["shutdown"]["left_seconds"]))
        lines.append(f"shuts down in {left}: {result['shutdown']['reason'] or 'no reason given'}")
    if result["maintenance"] is not None:
        mode = result["maintenance"]
        lines.append(f"maintenance since {date_text(mode['since_ms'])} by {mode['by']}: {mode['reason']}")
    lines.append(f"people {people['total']} ({people['claimed']} with a claimed name{_listed(entrances)})")
    lines.append(f"connections {result['connections']['total']} of {result['connections']['limit']}")
    lines.append(f"tables {tables['total']} of {tables['limit']}{_listed(states, ' ({})')}")
    lines.append(
        f"games started {games['started']}, ended {games['ended']}, stored {games['kept']} of {games['kept_limit']}"
    )
    lines.append(
        f"moves {result['moves']['total']}, {result['moves']['per_second']:.1f} a second,"
        f" p50 {_ms(result['moves']['p50_seconds'])}, p99 {_ms(result['moves']['p99_seconds'])}"
    )
    if commits is not None:
        lines.append(
            f"commits p50 {_ms(commits['p50_seconds'])}, p99 {_ms(commits['p99_seconds'])}, failed {commits['failed']}"
        )
    lines.append(f"loop lag p50 {_ms(lag['p50_seconds'])}, p99 {_ms(lag['p99_seconds'])}")
    lines.append(
        f"cpu {100 * process['cpu_ratio']:.0f} %, memory {size_text(process['resident_bytes'])}"
        f" of {size_text(process['memory_bytes_limit'])}, open files {process['open_files']}"
    )
    lines += [
        f"{kind} doors {door['processes']}, sessions {door['sessions']}, refused {door['refusals']},"
        f" crashed {door['crashes']}, read {size_text(door['read_bytes'])}, sent {size_text(door['sent_bytes'])}"
        for kind, door in result["doors"].items()
    ]
    if disk is not None:
        backup = "unknown" if disk["last_backup_ms"] is None else date_text(disk["last_backup_ms"])
        if disk.get("backup_failed_ms") is not None:
            backup += f", one failed at {date_text(disk['backup_failed_ms'])}"
        lines.append(
            f"disk {size_text(disk['free_bytes'])} free, journal's log {size_text(disk['log_bytes'])},"
            f" last backup {backup} (scoville-server backup FOLDER makes one while it runs)"
        )
    lines.append(
        "queues " + ", ".join(f"{name} {queues[name]}" for name in ("bots", "passwords", "writes", "polls", "readers"))
    )
    refusals = ", ".join(f"{code} {count}" for code, count in result["refusals_per_minute"].items())
    lines.append(f"refusals in the last minute: {refusals or 'none'}")
    lines.append(f"open reports {result['open_reports']}, bans {result['bans']}")
    return "\n".join(lines)


def _cluster(cluster: Mapping[str, Any]) -> str:
    nodes = []
    for node in cluster["nodes"]:
        does = "serves" if node["serves"] else "waits"
        heard = "this node" if node["heard_seconds"] is None else f"heard {node['heard_seconds']:.1f} s ago"
        nodes.append(f"{node['address']} {does} ({heard})")
    return f"cluster {cluster['name']}: {', '.join(nodes)}"


def _listed(text: str, form: str = "; {}") -> str:
    """Return a text in a form, and nothing for nothing."""
    return form.format(text) if text else ""


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def size_text(size: int) -> str:
    """Return a number of bytes in the largest unit of which there is one."""
    amount, units = float(size), iter(("B", "KiB", "MiB", "GiB"))
    unit = next(units)
    while amount >= _UNIT:
        following = next(units, None)
        if following is None:
            break
        amount, unit = amount / _UNIT, following
    return f"{amount:.0f} {unit}" if amount >= 10 or unit == "B" else f"{amount:.1f} {unit}"


def _slow(result: Mapping[str, Any]) -> str:
    rows = [
        (
            each["what"],
            each["count"],
            _ms(each["p50_seconds"]),
            _ms(each["p99_seconds"]),
            _ms(each["longest_seconds"]),
        )
        for each in result["kinds"]
    ]
    return align_columns(("WHAT", "SINCE START", "P50", "P99", "LONGEST"), rows)


def event_text(event: Mapping[str, Any]) -> str:
    """Return an event as the log writes it."""
    return f"{event['kind']} {format_fields(event['fields'])}".rstrip()


def _log(result: Mapping[str, Any]) -> str:
    rows = [(event["number"], _clock_text(event["at_ms"]), event_text(event)) for event in result["events"]]
    return align_columns(("NUMBER", "TIME", "EVENT"), rows) if rows else "Nothing has happened yet."


def _clock_text(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000).astimezone().strftime("%H:%M:%S")


def _drain(result: Mapping[str, Any]) -> str:
    left = result["left_seconds"]
    return "The end is called off." if left is None else f"The server shuts down in {span_text(round(left))}."


def _reload(result: Mapping[str, Any]) -> str:
    return "\n".join(convert(result, Reload).list_lines())


def _restart(result: Mapping[str, Any]) -> str:
    tables, version = result["tables"]["total"], result["version"]
    return f"Restarted: version {version} runs, with {tables} table{'' if tables == 1 else 's'}."


def _ban(result: Mapping[str, Any]) -> str:
    return f"Ban {result['ban']['id']} is in force; scoville-server unban {result['ban']['id']} lifts it."


_DESCRIBERS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "status": _status,
    "users": _users,
    "tables": _tables,
    "networks": _networks,
    "reports": _reports,
    "bans": _bans,
    "warnings": _warnings,
    "audit": _audit,
    "ban": _ban,
    "slow": _slow,
    "log": _log,
    "drain": _drain,
    "reload": _reload,
    "restart": _restart,
}
