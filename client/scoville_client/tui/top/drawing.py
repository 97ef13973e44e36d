"""Drawing of the screen: the figures of the server, the latest as small graphs, above a list, as styled lines."""

from collections import deque
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec
from rich.cells import cell_len
from rich.text import Text

from scoville_client.i18n.language import format_number, render_count, tr
from scoville_client.tui.drawing.canvas import fit_text
from scoville_client.tui.top.panes import (
    PANES,
    Column,
    Pane,
    Row,
    alert_text,
    reason_text,
    translate_titles,
    write_milliseconds,
    write_size,
    write_span,
)
from scoville_runtime.host_status import HostStatus, NodeStatus, is_silent
from scoville_shared.engine.phrases import Phrase
from scoville_shared.text import visible_line

_KEPT: Final = 32
"""Samples of a small graph."""


def read_status(result: Any) -> HostStatus:
    """Check the result of the command `status`. Raises msgspec.ValidationError for that of another version."""
    return msgspec.convert(result, HostStatus)


class History:
    """The latest moves a second and commit times, for small graphs."""

    def __init__(self) -> None:
        self.moves: deque[float] = deque(maxlen=_KEPT)
        self.commits: deque[float] = deque(maxlen=_KEPT)
        self._before: HostStatus | None = None

    def add_status(self, status: HostStatus) -> None:
        """Add a sample; a server that has started again begins at 0."""
        before, self._before = self._before, status
        # By the server's clock: a reply that comes late over a slow link still spans the time of its counts.
        if before is not None and status.now_ms > before.now_ms:
            made = max(0, status.moves.total - before.moves.total)
            self.moves.append(1000 * made / (status.now_ms - before.now_ms))
        self.commits.append(0.0 if status.commits is None else status.commits.p99_seconds)


_BARS: Final = "▁▂▃▄▅▆▇█"
_PLAIN_BARS: Final = "_.:-=+*#"
_ROWS_OF_THE_LIST: Final = 6
"""Rows that the list has at least; figures make room for it."""
_MOST_ALERTS: Final = 3
_MORE_ALERTS: Final = Phrase("{n} more alert", many="{n} more alerts")
_SHORT_PIN: Final = 8

KEYS: Final = (
    ("d", "drain"), ("a", "announce"), ("k", "kick"), ("b", "ban"), ("c", "close table"), ("e", "end report"),
    ("m", "maintenance"), ("r", "reload"), ("x", "export"), ("/", "filter"), ("s", "sort"), ("?", "help"),
    ("q", "quit"),
)  # fmt: skip


class View(NamedTuple):
    """State of the screen.

    Attributes:
        status: The latest status; None before the first reply.
        history: The latest samples.
        pane: The pane that is open.
        rows: Its rows.
        total: How many rows there are on the server.
        cursor: The marked row.
        top: The first row that is shown.
        filter_text: The text that shown rows contain.
        sort: The title of the column by which rows are sorted; empty for the server's order.
        trouble: Why there is nothing new; empty while the server answers.
        notice: The result of the latest act.
        ascii_only: Whether the terminal shows ASCII alone.
    """

    status: HostStatus | None
    history: History
    pane: Pane
    rows: Sequence[Row]
    total: int
    cursor: int
    top: int
    filter_text: str
    sort: str
    trouble: str
    notice: str
    ascii_only: bool


def draw_view(view: View, width: int, height: int) -> list[Text]:
    """Draw the whole screen; it has at most `height` lines."""
    above = _draw_figures(view, width, max(1, height - _ROWS_OF_THE_LIST - 3))
    lines = [*above, _draw_tabs(view, width)]
    room = max(0, height - len(lines) - 2)
    lines += [_draw_titles(view, width), *_draw_rows(view, width, room)]
    lines += [Text("")] * (height - len(lines) - 1)
    drawn = [*lines[: height - 1], _draw_keys(width)]
    for line in drawn:
        line.truncate(width)
    return drawn


def list_room(view: View, width: int, height: int) -> int:
    """Return how many rows of the list fit on the screen."""
    return max(0, height - len(_draw_figures(view, width, max(1, height - _ROWS_OF_THE_LIST - 3))) - 3)


def _draw_figures(view: View, width: int, most: int) -> list[Text]:
    """Draw the lines above the list, at most so many: what needs attention first, details only if they fit."""
    status = view.status
    if status is None:
        return [_draw_line(view.trouble or tr("Waiting for the server …"), width, "bold")]
    urgent = [_draw_line(view.trouble, width, "bold red")] if view.trouble else []
    urgent += _draw_attention(status, width, view)
    if view.notice:
        urgent.append(_draw_line(view.notice, width, "bold"))
    first = _flow_parts(_title_parts(status), width)[:2]
    details = [line for parts in _detail_parts(status, view) for line in _flow_parts(parts, width)]
    # Details give way first; things that need attention are shown even if the list gets no row.
    room = max(0, most - len(first) - len(urgent))
    return [
        *[_draw_line(each, width, "bold") for each in first],
        *urgent,
        *[_draw_line(each, width) for each in details[:room]],
    ]


def _draw_attention(status: HostStatus, width: int, view: View) -> list[Text]:
    mark = "!" if view.ascii_only else "⚠"
    lines = []
    for alert in status.alerts[:_MOST_ALERTS]:
        style = "bold red" if alert.severity == "critical" else "bold yellow"
        lines.append(_draw_line(f"{mark} {alert_text(alert.name, alert.text)}", width, style))
    if (more := len(status.alerts) - _MOST_ALERTS) > 0:
        lines.append(_draw_line(f"{mark} {render_count(_MORE_ALERTS, more)}", width, "bold yellow"))
    if status.shutdown is not None:
        text = tr(
            "Shuts down in {time}: {reason}",
            time=write_span(status.shutdown.left_seconds),
            reason=status.shutdown.reason,
        )
        lines.append(_draw_line(text, width, "bold yellow"))
    if status.maintenance is not None:
        text = tr("Maintenance by {name}: {reason}", name=status.maintenance.by, reason=status.maintenance.reason)
        lines.append(_draw_line(text, width, "bold yellow"))
    return lines


def _title_parts(status: HostStatus) -> list[str]:
    state = tr("READY") if status.ready else tr("NOT READY: {why}", why=", ".join(map(reason_text, status.reasons)))
    if status.reasons == ["waiting"]:
        state = reason_text("waiting")
    return [
        state,
        f"scoville {status.version}",
        f"{status.host or '*'}:{status.port}",
        f"pin {status.pin[:_SHORT_PIN]}…",
        tr("up {time}", time=_write_long_span(status.uptime_seconds)),
        datetime.fromtimestamp(status.now_ms / 1000).astimezone().strftime("%H:%M:%S"),
    ]


def _detail_parts(status: HostStatus, view: View) -> list[list[str]]:
    """Return the figures in groups, the most important first; each begins on a line of its own."""
    people, process, queues, disk = status.people, status.process, status.queues, status.disk
    entrances = " · ".join(f"{name} {count}" for name, count in people.by_entrance.items() if count)
    moves, commits = draw_graph(view.history.moves, ascii_only=view.ascii_only), []
    if status.commits is not None:
        bars = draw_graph(view.history.commits, ascii_only=view.ascii_only)
        p50, p99 = write_milliseconds(status.commits.p50_seconds), write_milliseconds(status.commits.p99_seconds)
        commits.append(f"{tr('commit')} p50 {p50} p99 {p99} {bars}")
    refusals = " · ".join(f"{code} {count}" for code, count in status.refusals_per_minute.items()) or "0"
    claimed = tr("claimed {n}", n=people.claimed)
    backup = (
        tr("unknown")
        if disk is None or disk.last_backup_ms is None
        else write_span((status.now_ms - disk.last_backup_ms) / 1000)
    )
    return [
        [
            f"{tr('people')} {people.total} ({claimed}{' · ' if entrances else ''}{entrances})",
            tr("connections {n} of {most}", n=status.connections.total, most=status.connections.limit),
            tr("tables {n} of {most}", n=status.tables.total, most=status.tables.limit),
        ],
        [
            f"{tr('moves/s')} {_write_rate(view.history.moves)} {moves}",
            *commits,
            f"{tr('loop lag')} p99 {write_milliseconds(status.loop_lag.p99_seconds)}",
            f"cpu {process.cpu_ratio * 100:.0f} %",
            f"{tr('memory')} {write_size(process.resident_bytes)} / {write_size(process.memory_bytes_limit)}",
        ],
        [] if disk is None else [
            tr("disk {size} free", size=write_size(disk.free_bytes)),
            tr("games {n} of {most}", n=status.games.kept, most=status.games.kept_limit),
            f"wal {write_size(disk.log_bytes)}",
            tr("last backup {time}", time=backup),
        ],
        _describe_nodes(status),
        [f"{tr('refused/min')} {refusals}"],
        _describe_doors(status),
        [
            f"{tr('queues')} {tr('bots')} {queues.bots}", f"{tr('passwords')} {queues.passwords}",
            f"{tr('writes')} {queues.writes}", f"{tr('polls')} {queues.polls}", f"{tr('readers')} {queues.readers}",
        ],
    ]  # fmt: skip


def _describe_nodes(status: HostStatus) -> list[str]:
    cluster = status.cluster
    if cluster is None:
        return []
    nodes = [f"{node.address} ({_describe_node(node)})" for node in cluster.nodes]
    return [tr("cluster {name}", name=cluster.name), *nodes]


def _describe_node(node: NodeStatus) -> str:
    if node.serves:
        return f"{tr('serves')} · {tr('tables')} {node.tables}" if node.tables else tr("serves")
    return tr("silent") if is_silent(node) else tr("waits")


def _describe_doors(status: HostStatus) -> list[str]:
    return [
        tr(
            "{kind} door: sessions {n}, refused {refused}, crashed {crashed}, sent {size}",
            kind=kind,
            n=door.sessions,
            refused=door.refusals,
            crashed=door.crashes,
            size=write_size(door.sent_bytes),
        )
        for kind, door in status.doors.items()
    ]


def _write_rate(samples: Iterable[float]) -> str:
    latest = [*samples][-1:] or [0.0]
    return format_number(latest[0], 0 if latest[0] >= 10 else 1)


def draw_graph(samples: Iterable[float], *, ascii_only: bool, points: int = 8) -> str:
    """Draw the latest samples as bars, the largest of them as high as a bar can be."""
    shown = [*samples][-points:]
    bars, highest = _PLAIN_BARS if ascii_only else _BARS, max(shown, default=0.0)
    return "".join(bars[round((len(bars) - 1) * sample / highest)] if highest else bars[0] for sample in shown)


def _write_long_span(seconds: float) -> str:
    days, rest = divmod(int(seconds), 86_400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}"
    return tr("{n} d {time}", n=days, time=clock) if days else clock


def _flow_parts(parts: Sequence[str], width: int) -> list[str]:
    """Put parts beside each other, in as many lines as they need."""
    lines: list[str] = []
    for part in parts:
        if lines and cell_len(lines[-1]) + 2 + cell_len(part) <= width:
            lines[-1] += f"  {part}"
        else:
            lines.append(part)
    return lines


def _draw_tabs(view: View, width: int) -> Text:
    names = translate_titles()
    reports = 0 if view.status is None else view.status.open_reports

    def label(number: int, pane: Pane, *, short: bool) -> str:
        count = f"({reports})" if pane.command == "reports" and reports else ""
        return f" {number}{count} " if short and pane is not view.pane else f" {number} {names[pane.title]}{count} "

    labels = [label(number, pane, short=False) for number, pane in enumerate(PANES, 1)]
    shown = f"{len(view.rows)}/{view.total}" if view.total > len(view.rows) else str(len(view.rows))
    extras = [f"/{view.filter_text}" if view.filter_text else "", f"↓{names[view.sort]}" if view.sort else "", shown]
    rest = " ".join(filter(None, extras))
    # The numbers alone say which key opens a pane, so the open one keeps its title.
    if sum(map(cell_len, labels)) + 1 + cell_len(rest) > width:
        labels = [label(number, pane, short=True) for number, pane in enumerate(PANES, 1)]
    line = Text(no_wrap=True)
    for pane, text in zip(PANES, labels, strict=True):
        line.append(text, "reverse bold" if pane is view.pane else "")
    if line.cell_len + 1 + cell_len(rest) <= width:
        line.append(" " * (width - line.cell_len - cell_len(rest)) + rest, "dim")
    return line


def shown_columns(pane: Pane, width: int) -> list[tuple[Column, int]]:
    """Return the columns that are shown on a screen of a width, each with its own; the last takes the rest."""
    columns = [column for column in pane.columns if column.from_width <= width]
    fixed = sum(column.width + 2 for column in columns[:-1])
    return [*[(column, column.width) for column in columns[:-1]], (columns[-1], max(1, width - 1 - fixed))]


def _draw_titles(view: View, width: int) -> Text:
    names = translate_titles()
    cells = [_write_cell(names[column.title], size, column) for column, size in shown_columns(view.pane, width)]
    return _draw_line(" " + "  ".join(cells), width, "bold underline")


def _draw_rows(view: View, width: int, room: int) -> list[Text]:
    columns = shown_columns(view.pane, width)
    lines = []
    for number, row in enumerate(view.rows[view.top : view.top + room], view.top):
        cells = [_write_cell(visible_line(column.cell(row)), size, column) for column, size in columns]
        marked = number == view.cursor
        lines.append(_draw_line((">" if marked else " ") + "  ".join(cells), width, "reverse" if marked else ""))
    if not view.rows:
        lines.append(_draw_line("  " + tr("Nothing to show."), width, "dim"))
    return lines[:room]


def _write_cell(text: str, size: int, column: Column) -> str:
    cut = fit_text(text, size)
    return " " * (size - cell_len(cut.rstrip())) + cut.rstrip() if column.right else cut


def _draw_keys(width: int) -> Text:
    """Name the keys that fit; help, which has the others, and the way out always do."""
    meanings = key_meanings()
    *acts, help_key, quit_key = [(key, meanings[action]) for key, action in KEYS]
    shown, room = [], width - sum(map(_key_width, (help_key, quit_key)))
    for each in acts:
        room -= _key_width(each)
        if room < 0:
            break
        shown.append(each)
    line = Text(no_wrap=True)
    for key, meaning in (*shown, help_key, quit_key):
        line.append(f" {key}", "bold")
        line.append(f" {meaning} ")
    return line


def _key_width(key: tuple[str, str]) -> int:
    return cell_len(key[0]) + cell_len(key[1]) + 3


def key_meanings() -> dict[str, str]:
    """Translate the effects of keys, by their English names."""
    return {
        "drain": tr("drain"), "announce": tr("announce"), "kick": tr("kick"), "ban": tr("ban"),
        "close table": tr("close table"), "end report": tr("resolve report"), "maintenance": tr("maintenance"),
        "reload": tr("reload"), "export": tr("export"), "filter": tr("filter"), "sort": tr("sort"),
        "help": tr("help"), "quit": tr("quit"),
    }  # fmt: skip


def _draw_line(text: str, width: int, style: str = "") -> Text:
    return Text(fit_text(visible_line(text), width), style, no_wrap=True)


def describe_row(pane: Pane, row: Row) -> list[str]:
    """Return everything that is known of a row, in lines; also what its columns leave out."""
    names = translate_titles()
    lines = [f"{names[column.title]}: {visible_line(column.cell(row))}" for column in pane.columns]
    if pane.command == "reports":
        lines += [tr("The messages before it:"), *[f"  {visible_line(line)}" for line in row["context"]]]
    if pane.command == "tables":
        lines.append(f"{tr('players')}: {visible_line(', '.join(row['players'])) or '-'}")
    return lines
