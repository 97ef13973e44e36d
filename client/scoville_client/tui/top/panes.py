"""Panes of the screen: which command fills each, its columns and what else is known of a row; and the open one."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from scoville_client.i18n.language import format_number, tr

Row = Mapping[str, Any]


class Column(NamedTuple):
    """A column: its title in English, its cell, its width, and from which width of the screen on it is shown."""

    title: str
    cell: Callable[[Row], str]
    width: int
    from_width: int = 0
    right: bool = False
    sort: Callable[[Row], Any] | None = None
    """The key by which rows are sorted, the largest first; by the cell without it."""


class Pane(NamedTuple):
    """A pane: the command that lists its rows, and the name of the list in the reply."""

    title: str
    command: str
    rows: str
    columns: Sequence[Column]
    newest_last: bool = False
    """Whether rows are events, of which the newest are wanted."""


def write_span(seconds: float) -> str:
    """Format a time such as 0:41, 12:05, 3:07:00 or 3 d."""
    whole = int(seconds)
    if whole >= 86_400:
        return tr("{n} d", n=whole // 86_400)
    minutes, rest = divmod(whole, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def write_size(count: float) -> str:
    """Format bytes such as 118 M."""
    for unit in ("B", "K", "M", "G"):
        if count < 1000 or unit == "G":
            return f"{format_number(count, 0 if count >= 10 or unit == 'B' else 1)} {unit}"
        count /= 1024
    raise AssertionError


def write_milliseconds(seconds: float) -> str:
    """Format seconds as milliseconds."""
    return f"{format_number(1000 * seconds, 0 if seconds >= 0.01 else 1)} ms"


def _write_time(at_ms: int, form: str = "%H:%M:%S") -> str:
    return datetime.fromtimestamp(at_ms / 1000).astimezone().strftime(form)


def _write_seats(row: Row) -> str:
    bots = f"+{row['bots']}b" if row["bots"] else ""
    return f"{row['humans']}{bots}/{row['seats']}"


def _write_state(row: Row) -> str:
    states = {"waiting": tr("waiting"), "playing": tr("playing"), "finished": tr("finished")}
    return tr("paused") if row["paused"] else states[row["status"]]


def _write_waits(row: Row) -> str:
    left = "" if row["left_seconds"] is None else f" {write_span(row['left_seconds'])}"
    return ", ".join(row["waits_for"]) + left if row["waits_for"] else "-"


def _write_fields(row: Row) -> str:
    return " ".join(f"{name}={value}" for name, value in row["fields"].items())


TABLES: Final = Pane(
    "tables",
    "tables",
    "tables",
    (
        Column("table", lambda row: row["id"], 12),
        Column("game", lambda row: row["game"], 12, 60),
        Column("state", _write_state, 9),
        Column("seats", _write_seats, 6),
        Column("watch", lambda row: str(row["spectators"]), 5, 90, True, lambda row: row["spectators"]),
        Column("moves", lambda row: str(row["moves"]), 5, 70, True, lambda row: row["moves"]),
        Column("age", lambda row: write_span(row["age_seconds"]), 7, 80, True, lambda row: row["age_seconds"]),
        Column("idle", lambda row: write_span(row["idle_seconds"]), 7, 100, True, lambda row: row["idle_seconds"]),
        Column("waits for", _write_waits, 0),
    ),
)
PEOPLE: Final = Pane(
    "people",
    "users",
    "users",
    (
        Column("name", lambda row: row["name"], 24),
        Column("kind", lambda row: tr("claimed") if row["claimed"] else tr("guest"), 8, 60),
        Column("address", lambda row: row["address"] or "-", 16),
        Column("client", lambda row: row["client"] or "-", 16, 100),
        Column("tables", lambda row: " ".join(row["table_ids"]) or "-", 0, 70),
    ),
)
NETWORKS: Final = Pane(
    "networks",
    "networks",
    "networks",
    (
        Column("network", lambda row: row["network"], 22),
        Column("people", lambda row: str(row["users"]), 6, 60, True, lambda row: row["users"]),
        Column("conn", lambda row: str(row["connections"]), 5, 0, True, lambda row: row["connections"]),
        Column("refused/min", lambda row: str(row["refusals_per_minute"]), 11, 0, True,
               lambda row: row["refusals_per_minute"]),
        Column("share", lambda row: f"{100 * row['share']:.0f} %", 6, 70, True, lambda row: row["share"]),
        Column("ban", lambda row: tr("banned") if row["banned"] else "-", 0, 50),
    ),
)  # fmt: skip
SLOW: Final = Pane(
    "slow",
    "slow",
    "kinds",
    (
        Column("what", lambda row: row["what"], 12),
        Column("count", lambda row: str(row["count"]), 9, 0, True, lambda row: row["count"]),
        Column("median", lambda row: write_milliseconds(row["p50_seconds"]), 10, 60, True,
               lambda row: row["p50_seconds"]),
        Column("99 %", lambda row: write_milliseconds(row["p99_seconds"]), 10, 0, True, lambda row: row["p99_seconds"]),
        Column("longest", lambda row: write_milliseconds(row["longest_seconds"]), 10, 0, True,
               lambda row: row["longest_seconds"]),
    ),
)  # fmt: skip
LOG: Final = Pane(
    "log",
    "log",
    "events",
    (
        Column("time", lambda row: _write_time(row["at_ms"]), 8),
        Column("event", lambda row: row["kind"], 14),
        Column("about", _write_fields, 0),
    ),
    newest_last=True,
)
REPORTS: Final = Pane(
    "reports",
    "reports",
    "reports",
    (
        Column("id", lambda row: str(row["id"]), 4, 0, True, lambda row: row["id"]),
        Column("time", lambda row: _write_time(row["at_ms"], "%m-%d %H:%M"), 11, 70),
        Column("by", lambda row: row["by"], 12, 60),
        Column("about", lambda row: row["name"], 12),
        Column("text", lambda row: row["text"], 0),
    ),
)
AUDIT: Final = Pane(
    "audit",
    "audit",
    "entries",
    (
        Column("time", lambda row: _write_time(row["at_ms"], "%m-%d %H:%M"), 11),
        Column("by", lambda row: row["by"], 18, 60),
        Column("act", lambda row: row["action"], 14),
        Column("target", lambda row: row["target"] or "-", 14, 50),
        Column("reason", lambda row: row["reason"] or "-", 0, 70),
    ),
    newest_last=True,
)
PANES: Final = (TABLES, PEOPLE, NETWORKS, SLOW, LOG, REPORTS, AUDIT)


def translate_titles() -> dict[str, str]:
    """Translate the titles of panes and columns, by their English ones."""
    return {
        "tables": tr("tables"), "people": tr("people"), "networks": tr("networks"), "slow": tr("slow"),
        "log": tr("log"), "reports": tr("reports"), "audit": tr("audit"), "table": tr("table"), "game": tr("game"),
        "state": tr("state"), "seats": tr("seats"), "watch": tr("watch"), "moves": tr("moves"), "age": tr("age"),
        "idle": tr("idle"), "waits for": tr("waits for"), "name": tr("name"), "kind": tr("kind"),
        "address": tr("address"), "client": tr("client"), "network": tr("network"), "conn": tr("conn."),
        "refused/min": tr("refused/min"), "share": tr("share"), "ban": tr("ban"), "what": tr("what"),
        "count": tr("count"), "median": tr("median"), "99 %": "99 %", "longest": tr("longest"), "time": tr("time"),
        "event": tr("event"), "about": tr("about"), "id": tr("no."), "by": tr("by"), "text": tr("text"),
        "act": tr("act"), "target": tr("target"), "reason": tr("reason"),
    }  # fmt: skip


def alert_text(name: str, text: str) -> str:
    """Return an alert in the user's language; one that this version does not know as the server writes it."""
    known = {
        "journal_failing": tr("The journal cannot write; nothing is saved, and every act is refused."),
        "journal_lost": tr("The journal is lost; restart the server."),
        "disk_full": tr("The disk of the data folder is full."),
        "folder_lost": tr("The data folder cannot be reached."),
        "disk_low": tr("The disk of the data folder is nearly full."),
        "slow_commits": tr("The disk is slow: one commit in a hundred takes more than 250 ms."),
        "failed_writes": tr("Writes have failed since the start; look for space on the disk."),
        "slow_moves": tr("One move in a hundred takes more than 250 ms."),
        "bots_waiting": tr("Bots wait for a processor."),
        "reload_failed": tr("The server runs with older settings than its file has; run scoville-server check-config."),
        "slow_loop": tr("The server is overloaded: its event loop is more than 100 ms late."),
        "memory_high": tr("The process uses nearly all of the memory that limits.memory_mib grants."),
        "open_files_high": tr("The process has nearly as many open files as the system allows; raise its limit."),
        "connections_high": tr("Nearly all connections are taken."),
        "tables_high": tr("Nearly all tables are taken."),
        "passwords_waiting": tr("Passwords wait to be checked; log-ins are slow."),
        "guessing": tr("There are many wrong log-ins: someone is guessing passwords."),
        "internal_errors": tr("Requests have failed because of a bug; the log has more."),
        "cluster_engine": tr("The servers of NATS are not reached, so nothing can be saved."),
        "cluster_alone": tr("This node hears no other node of the cluster: none could take over from it."),
        "door_crashes": tr("Sessions at the doors crash because of a bug; the log of the door has more."),
        "backup_failed": tr("The latest backup has failed; scoville-server doctor says why."),
        "backup_old": tr("The last backup is more than two days old."),
    }
    return known.get(name, text)


def reason_text(reason: str) -> str:
    """Return why a server is not ready."""
    known = {"starting": tr("starting"), "waiting": tr("waits for its turn"), "draining": tr("shutting down")}
    return known.get(reason, reason)


_MOST_ROWS: Final = 500
"""Rows that are asked for: more than anybody scrolls through; the filter finds the others."""
_MOST_EVENTS: Final = 200
_TABLE_SORTS: Final = {"age": "age", "seats": "seats", "watch": "spectators", "moves": "moves", "idle": "idle"}
"""By which columns the server sorts tables, and its names for that."""


class OpenPane:
    """A pane with its rows; `total` is how many the server has, `top` the first row that is shown."""

    def __init__(self, pane: Pane) -> None:
        self.pane = pane
        self.rows: list[Row] = []
        self.total = 0
        self.cursor = self.top = 0
        self.filter_text = self.sort = ""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments with which the server is asked for the rows."""
        if self.pane is TABLES:
            return {"match": self.filter_text, "most": _MOST_ROWS, "sort": _TABLE_SORTS.get(self.sort, "age")}
        if self.pane in (PEOPLE, NETWORKS):
            return {"match": self.filter_text, "most": _MOST_ROWS}
        return {"most": _MOST_EVENTS} if self.pane in (LOG, AUDIT) else {}

    @property
    def marked_row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def take_rows(self, listed: Any) -> None:
        """Keep the rows of a reply in the order in which they are shown, and the cursor on the row where it was."""
        rows: list[Row] = listed[self.pane.rows]
        if self.pane.newest_last:
            rows = [*reversed(rows)]
        if self.pane in (SLOW, LOG, REPORTS, AUDIT) and self.filter_text:
            wanted = self.filter_text.casefold()
            rows = [row for row in rows if wanted in json.dumps(row, ensure_ascii=False).casefold()]
        column = next((column for column in self.pane.columns if column.title == self.sort), None)
        if column is not None and not (self.pane is TABLES and self.sort in _TABLE_SORTS):
            rows = sorted(rows, key=column.sort or column.cell, reverse=column.sort is not None)
        marked = self.marked_row
        self.rows, self.total = rows, listed.get("total", len(rows))
        if marked is not None:
            same = (n for n, row in enumerate(rows) if _identity_of(row) == _identity_of(marked))
            self.cursor = next(same, self.cursor)
        self.move_cursor(0)

    def move_cursor(self, step: int) -> None:
        """Mark another row, as far as there are rows."""
        self.cursor = max(0, min(self.cursor + step, len(self.rows) - 1))

    def scroll_to_cursor(self, room: int) -> None:
        """Show so many rows with the marked one among them."""
        self.top = max(0, min(self.top, self.cursor, max(0, len(self.rows) - room)))
        self.top = max(self.top, self.cursor - room + 1)

    def sort_by_next(self) -> None:
        """Sort by the next column that can be sorted by, at last in the server's order again."""
        sortable = [
            column.title
            for column in self.pane.columns
            if column.sort is not None or self.pane in (PEOPLE, AUDIT, REPORTS)
        ]
        names = ["", *sortable]
        self.sort = names[(names.index(self.sort) + 1) % len(names)]


def _identity_of(row: Row) -> object:
    """Return the key of a row."""
    return next((row[name] for name in ("id", "number", "name", "network", "what") if name in row), None)
