"""Results of the control socket's commands as text for a terminal."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from scoville_shared.text import visible_line

_GAP: Final = "  "


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


def _ban(result: Mapping[str, Any]) -> str:
    return f"Ban {result['ban']['id']} is in force; scoville-server unban {result['ban']['id']} lifts it."


_DESCRIBERS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "users": _users,
    "tables": _tables,
    "networks": _networks,
    "reports": _reports,
    "bans": _bans,
    "audit": _audit,
    "ban": _ban,
}
