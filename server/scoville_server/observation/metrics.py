"""Metrics: the figures of the server as a page for Prometheus.

Names follow Prometheus' rules: base units, `_total` for what only grows, and the sum over all labels means something.
No label has a value that a user can choose, and every known value is there from the start, as 0.
"""

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from scoville_runtime.events import kind_of, list_kinds
from scoville_runtime.figures import BUCKETS, OTHERS, Durations
from scoville_runtime.host_status import Reason, is_heard
from scoville_server.observation.door_census import LABELS, MODES, TRANSPORTS
from scoville_server.observation.figures import COUNTED, ENTRANCES, MOVERS, RESULTS, TABLE_STATES
from scoville_server.observation.process import (
    count_open_files,
    read_open_files_limit,
    read_processor_seconds,
    read_resident_bytes,
)
from scoville_server.observation.status import StatusReader
from scoville_shared import __version__
from scoville_shared.protocol.messages import PROTOCOL

if TYPE_CHECKING:
    from prometheus_client.core import Metric

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_TIMED: Final = ("hello", "table", "chat", "other")
"""Classes of requests in one metric; moves and log-ins, which have goals of their own, have each one of theirs."""

Labels = Mapping[str, Sequence[str]]


class MetricsPage:
    """Renders the page.

    Args:
        reader: Reads the figures of the server.
    """

    def __init__(self, reader: StatusReader) -> None:
        self._reader = reader
        self._written: dict[str, _WrittenMetric] = {}

    def render_page(self) -> bytes:
        """Return the page with the figures of now. May be called in any thread.

        The library checks and escapes each name and label again for each page, which is two thirds of the time; here
        it writes each metric once, and later pages have other values behind the same words.
        """
        # Loaded for the first page: most servers are never asked for one.
        from prometheus_client.utils import floatToGoString

        lines = list[str]()
        for metric in self.collect():
            written = self._written.get(metric.name)
            series = [(sample.name, sample.labels) for sample in metric.samples]
            if written is None or written.series != series:
                written = self._written[metric.name] = _write_metric(metric, series)
            lines.append(written.comments)
            values = (floatToGoString(sample.value) for sample in metric.samples)  # type: ignore[no-untyped-call]
            lines += [f"{head} {value}\n" for head, value in zip(written.heads, values, strict=True)]
        return "".join(lines).encode()

    def collect(self) -> "Iterator[Metric]":
        """Yield all metrics."""
        yield from self._collect_server()
        yield from self._collect_users()
        yield from self._collect_tables()
        yield from self._collect_requests()
        yield from self._collect_storage()
        yield from self._collect_queues()
        yield from self._collect_doors()
        yield from self._collect_process()

    def _collect_server(self) -> "Iterator[Metric]":
        reader = self._reader
        yield _make_gauge(
            "scoville_build_info",
            "Always 1; the version of the server, of Python and of the protocol.",
            [({"version": __version__, "python": platform.python_version(), "protocol": str(PROTOCOL)}, 1)],
        )
        reasons = reader.list_reasons(reader.read_disk_space())
        yield _make_single("scoville_ready", "Whether the server takes users (1) or not (0).", not reasons)
        yield _make_gauge(
            "scoville_not_ready",
            "Why the server is not ready: 1 for each reason that applies.",
            [({"reason": reason}, reason in reasons) for reason in get_args(Reason)],
        )
        cluster = reader.gauges.cluster()
        yield _make_single(
            "scoville_cluster_nodes",
            "Nodes of the cluster that were heard within ten seconds, with this one; 0 for a server that is alone.",
            0 if cluster is None else sum(is_heard(node) for node in cluster.nodes),
        )
        yield _make_single(
            "scoville_cluster_doubts",
            "Reasons why the engine of the cluster may lose what it has acknowledged, or has lost; 0 for none.",
            0 if cluster is None else len(cluster.doubts),
        )
        yield from self._collect_links()
        yield _make_single(
            "scoville_clock_trusted",
            "Whether the machine's clock is believed (1), or far from all stored times (0).",
            not reader.gauges.clock_warning(),
        )

        # The names that Prometheus itself and its relatives use.
        yield _make_single(
            "scoville_config_last_reload_successful",
            "Whether the latest reload of the settings, or the start, could use them.",
            reader.gauges.reload_ok(),
        )
        yield _make_single(
            "scoville_config_last_reload_success_timestamp_seconds",
            "When settings were used last, in seconds since 1970.",
            reader.gauges.reloaded_ms() / 1000,
        )
        lag = reader.figures.lag.durations
        yield _make_histogram(
            "scoville_loop_lag_seconds", "How late the event loop ran a timer, four times a second.", lag
        )
        yield _make_counter(
            "scoville_events",
            "Events by kind, before any quota of the log.",
            [({"kind": kind}, reader.figures.events.kinds[kind]) for kind in sorted(map(kind_of, list_kinds()))],
        )

    def _collect_links(self) -> "Iterator[Metric]":
        links = self._reader.gauges.links()
        opened, sent, received, lost = (
            (0, 0, 0, 0) if links is None else (links.open, links.sent_bytes, links.received_bytes, links.lost)
        )
        yield _make_single("scoville_links", "Open links with other nodes that serve beside this one.", opened)
        yield _make_counter(
            "scoville_link_bytes",
            "Bytes on links with other nodes.",
            [({"direction": "sent"}, sent), ({"direction": "received"}, received)],
        )
        yield _make_counter("scoville_links_lost", "Links that have ended, or could not be opened.", [({}, lost)])

    def _collect_users(self) -> "Iterator[Metric]":
        reader = self._reader
        users = reader.figures.users.users
        yield _make_gauge(
            "scoville_users",
            "Connected users by how they are connected, and whether they own their name.",
            [
                ({"entrance": entrance, "claimed": str(claimed).lower()}, users[entrance, claimed])
                for entrance in ENTRANCES
                for claimed in (False, True)
            ],
        )
        yield _make_single(
            "scoville_connections",
            "Open connections, with those that have not said hello.",
            reader.gauges.connections(),
        )
        yield _make_single("scoville_connections_limit", "Most connections at a time.", reader.bounds.connections)
        yield _make_single(
            "scoville_buffered_bytes", "Bytes in the buffers of all connections.", reader.gauges.buffered_bytes()
        )
        yield _make_single("scoville_buffered_bytes_limit", "Most bytes in these.", reader.bounds.buffered_bytes)

    def _collect_tables(self) -> "Iterator[Metric]":
        census, bounds = self._reader.figures.tables, self._reader.bounds
        games = census.counted_games
        yield _make_gauge(
            "scoville_tables",
            "Open tables by game and state.",
            [({"game": game, "state": state}, census.tables[game, state]) for game in games for state in TABLE_STATES],
        )
        yield _make_single("scoville_tables_limit", "Most tables at a time.", bounds.tables)
        yield _make_counter(
            "scoville_games_started", "Games that have started.", [({"game": g}, census.started[g]) for g in games]
        )
        yield _make_counter(
            "scoville_games_ended",
            "Games that have ended, played to the end or closed before.",
            [({"game": g, "result": result}, census.ended[g, result]) for g in games for result in RESULTS],
        )
        yield _make_counter(
            "scoville_moves",
            "Moves that were made, by players, by the clock for them, and by bots.",
            [({"game": g, "by": mover}, census.moves[g, mover]) for g in games for mover in MOVERS],
        )
        yield _make_single(
            "scoville_games_stopped",
            "Games of other packages that are called no more, since their calls did not end.",
            len(self._reader.gauges.stopped_games()),
        )

    def _collect_requests(self) -> "Iterator[Metric]":
        figures = self._reader.figures
        durations = figures.requests.durations
        yield _make_histogram(
            "scoville_move_delivery_seconds",
            "From reading a player's move, over its commit, to sending it to the others at the table.",
            durations["move"],
        )
        yield _make_histogram(
            "scoville_login_seconds",
            "From reading a log-in to its answer; passwords are slow to check.",
            durations["log_in"],
        )
        yield _make_histograms(
            "scoville_request_seconds",
            "From reading any other request to its answer, by class.",
            [({"class": name}, durations[name]) for name in _TIMED],
        )
        yield _make_counter(
            "scoville_refusals",
            "Requests and connections that were refused, by the error's code.",
            [({"code": code}, figures.events.refusals.totals[code]) for code in COUNTED],
        )

    def _collect_storage(self) -> "Iterator[Metric]":
        reader = self._reader
        gauges, bounds = reader.gauges, reader.bounds
        yield _make_single("scoville_kept_games", "Finished games that are stored.", gauges.kept_games())
        yield _make_single("scoville_kept_games_limit", "Most games that are stored.", bounds.kept_games)
        yield _make_single("scoville_kept_games_bytes", "Size of the stored games.", gauges.kept_bytes())
        yield _make_single("scoville_kept_games_bytes_limit", "Most bytes of stored games.", bounds.kept_bytes)
        journal, space = reader.journal, reader.read_disk_space()
        if journal is not None:
            yield _make_histogram(
                "scoville_commit_seconds", "Commits of the journal, each with its sync to the disk.", journal.commits
            )
            yield _make_counter("scoville_journal_writes", "Writes that are on the disk.", [({}, journal.writes)])
            yield _make_counter(
                "scoville_journal_failed_writes", "Writes that could not be saved.", [({}, journal.failed)]
            )

        if space is not None:
            yield _make_single(
                "scoville_disk_free_bytes", "Free space on the disk of the data folder.", space.free_bytes
            )
            yield _make_single("scoville_disk_bytes", "Size of that disk.", space.total_bytes)
            yield _make_single("scoville_journal_log_bytes", "Size of the journal's write-ahead log.", space.log_bytes)
            note = reader.backups.read_note()
            yield _make_single(
                "scoville_last_backup_timestamp_seconds",
                "When the last backup began, in seconds since 1970; 0 if none is known.",
                note.at_ms / 1000,
            )
            yield _make_single(
                "scoville_last_backup_failed",
                "Whether the latest backup has failed (1) or not (0).",
                note.failed_ms > 0,
            )

    def _collect_queues(self) -> "Iterator[Metric]":
        queues = self._reader.read_queues()
        yield _make_gauge(
            "scoville_queue_length",
            "What waits: questions of bots, passwords, writes, requests that wait for an event, networks that wait "
            "for their turn.",
            [({"queue": name}, length) for name, length, _ in queues],
        )
        yield _make_gauge(
            "scoville_queue_limit",
            "How many of these may wait; one more is refused.",
            [({"queue": name}, limit) for name, _, limit in queues if limit],
        )

    def _collect_doors(self) -> "Iterator[Metric]":
        doors = self._reader.figures.doors
        counts = doors.counts
        yield _make_gauge(
            "scoville_door_processes",
            "Door processes that report to this server.",
            [({"door": door}, doors.count_processes(door)) for door in TRANSPORTS],
        )
        yield _make_gauge(
            "scoville_door_sessions",
            "Sessions of users at the doors, as the doors count them.",
            [({"door": door, "mode": mode}, doors.count_sessions(door, mode)) for door in TRANSPORTS for mode in MODES],
        )
        for name, text, kind, label in (
            ("scoville_door_connects", "Sessions that have begun at the doors.", "connect", "mode"),
            ("scoville_door_disconnects", "Sessions that have ended, by the reason.", "disconnect", "reason"),
            ("scoville_door_refusals", "Connections that the doors have refused.", "refusal", "code"),
            (
                "scoville_door_crashes",
                "Sessions that have crashed by a bug, by the exception.",
                "crash",
                "kind",
            ),
        ):
            yield _make_counter(
                name,
                text,
                [
                    ({"door": door, label: value}, counts[door, kind, value])
                    for door in TRANSPORTS
                    for value in (*LABELS[kind], OTHERS)
                ],
            )
        yield _make_counter(
            "scoville_door_floods",
            "Sessions that the doors have cut because they sent too much.",
            [({"door": door}, counts[door, "flood", ""]) for door in TRANSPORTS],
        )
        yield _make_counter(
            "scoville_door_bytes",
            "Bytes that users of doors have typed (read), and that were drawn for them (sent), before encryption.",
            [
                ({"door": door, "direction": way}, counts[door, way, ""])
                for door in TRANSPORTS
                for way in ("read", "sent")
            ],
        )

    def _collect_process(self) -> "Iterator[Metric]":
        reader = self._reader
        yield _make_single(
            "scoville_memory_limit_bytes", "Memory for which the bounds are made.", self._reader.bounds.memory_bytes
        )
        # The names that all programs use, so that ready-made dashboards know them.
        yield _make_counter("process_cpu_seconds", "Processor time of the process.", [({}, read_processor_seconds())])
        yield _make_single("process_resident_memory_bytes", "Memory of the process.", read_resident_bytes())
        yield _make_single("process_open_fds", "Open files and connections of the process.", count_open_files())
        yield _make_single("process_max_fds", "Most that it may have open.", read_open_files_limit())
        yield _make_single(
            "process_start_time_seconds",
            "When the server started, in seconds since 1970.",
            reader.figures.started_ms / 1000,
        )


class _WrittenMetric(NamedTuple):
    """A metric as the library writes it.

    Attributes:
        series: The name and the labels of each line.
        comments: The lines before them.
        heads: Each line without its value.
    """

    series: list[tuple[str, dict[str, str]]]
    comments: str
    heads: list[str]


class _OneMetric:
    """A collector of a single metric, for a registry."""

    def __init__(self, metric: "Metric") -> None:
        self._metric = metric

    def collect(self) -> "Iterator[Metric]":
        yield self._metric

    def describe(self) -> "list[Metric]":
        return []


def _write_metric(metric: "Metric", series: list[tuple[str, dict[str, str]]]) -> _WrittenMetric:
    from prometheus_client import CollectorRegistry, generate_latest

    # A registry of its own: the library's global one would add figures of Python that nobody looks at.
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_OneMetric(metric))
    lines = generate_latest(registry).decode().splitlines(keepends=True)
    comments = "".join(line for line in lines if line.startswith("#"))
    return _WrittenMetric(series, comments, [line.rpartition(" ")[0] for line in lines if not line.startswith("#")])


def _make_gauge(name: str, text: str, samples: "Iterable[tuple[Mapping[str, str], float]]") -> "Metric":
    return _make_metric(name, text, "gauge", ((name, labels, value) for labels, value in samples))


def _make_single(name: str, text: str, value: float) -> "Metric":
    return _make_gauge(name, text, [({}, value)])


def _make_counter(name: str, text: str, samples: "Iterable[tuple[Mapping[str, str], float]]") -> "Metric":
    return _make_metric(name, text, "counter", ((f"{name}_total", labels, value) for labels, value in samples))


def _make_histogram(name: str, text: str, durations: Durations) -> "Metric":
    return _make_histograms(name, text, [({}, durations)])


def _make_histograms(name: str, text: str, samples: "Iterable[tuple[Mapping[str, str], Durations]]") -> "Metric":
    return _make_metric(
        name, text, "histogram", (sample for labels, each in samples for sample in _list_buckets(name, labels, each))
    )


def _list_buckets(
    name: str, labels: Mapping[str, str], durations: Durations
) -> "Iterator[tuple[str, Mapping[str, str], float]]":
    total, counts = 0, [*durations.counts]
    for upper, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
        total += count
        yield f"{name}_bucket", {**labels, "le": upper}, total
    yield f"{name}_count", labels, total
    yield f"{name}_sum", labels, durations.total_seconds


def _make_metric(
    name: str, text: str, kind: str, samples: "Iterable[tuple[str, Mapping[str, str], float]]"
) -> "Metric":
    from prometheus_client.core import Metric

    metric = Metric(name, text, kind)
    for sample_name, labels, value in samples:
        metric.add_sample(sample_name, dict(labels), float(value))
    return metric
