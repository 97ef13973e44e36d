"""Subcommands that speak to a running server, made from the table of the control socket's commands; results as text."""

import asyncio
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, get_type_hints

import msgspec
from cyclopts import App, Group, Parameter, Token
from msgspec import convert

from scoville_runtime.clock import SYSTEM
from scoville_runtime.control_client import ControlClient, NotRunning, parse_duration
from scoville_runtime.events import format_fields
from scoville_runtime.host_status import SILENT_SECONDS
from scoville_server.cli.output import FAILED, USAGE, count_noun, give_up, print_result
from scoville_server.control.commands import COMMAND_OF, COMMANDS, Command
from scoville_server.settings.live import Reload
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.text import visible_line

NOT_RUNNING: Final = 3
"""Exit status when no server runs on the data folder, as systemctl has it."""

RUNNING_SERVER: Final = Group("Commands for a running server")

_MODE: Final = "mode"
"""The argument that is typed without its name: on or off."""

_SHORTEST_WATCH: Final = 0.2
_LONGEST_WATCH: Final = 86_400
"""Bounds of --watch, in seconds."""

_RESTART_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.1
"""How long a restart is waited for, and the seconds between two looks."""

_FAILS: Final[Mapping[str, Callable[[Mapping[str, Any]], bool]]] = {
    # A node that waits for its turn is as it should be.
    "status": lambda result: not result["ready"] and result["reasons"] != ["waiting"],
    "reload": lambda result: bool(result["faults"]),
}
"""Whether the result of a command means exit status 1."""

FindFolder = Callable[[Path | None, Path | None], Path]
"""Finds the data folder by --data and --config."""


def add_control_commands(app: App, data: Any, config: Any, find_folder: FindFolder) -> None:
    """Add a subcommand for each command of the table.

    Args:
        app: The command line.
        data: The annotated type of --data.
        config: That of --config.
        find_folder: Finds the data folder by the values of both.
    """
    for command in COMMANDS:
        if command.internal:
            continue
        app.command(_make_subcommand(command, data, config, find_folder), name=command.name, group=RUNNING_SERVER)


def _make_subcommand(command: Command, data: Any, config: Any, find_folder: FindFolder) -> Callable[..., None]:
    """Return a function with the signature of a command, from which the command line makes its help and its errors."""

    def run_command(*values: Any, **options: Any) -> None:
        given = dict(zip(_positional_names(command), values, strict=False))
        folder = find_folder(options.pop("data", None), options.pop("config", None))
        as_json, reason = options.pop("json", False), options.pop("reason", None)
        watch = options.pop("watch", None)
        given |= {name: value for name, value in options.items() if value is not None}
        if command.reason == "needed" and not reason:
            reason = _ask_reason(command)
        client = ControlClient(folder, _RESTART_SECONDS) if command.name == "restart" else ControlClient(folder)
        if watch is not None:
            watch_server(client, [command], given, seconds=watch, as_json=as_json)
        result = send_or_give_up(client, command, given, reason or "")
        if command.name == "restart":
            result = _wait_for_successor(client, result)
        print_result(_to_json(result) if as_json else describe_result(command.name, result))
        if command.name in _FAILS and _FAILS[command.name](result):
            raise SystemExit(FAILED)

    parameters = [_parameter_of(field, command) for field in msgspec.structs.fields(command.arguments)]
    keyword = inspect.Parameter.KEYWORD_ONLY
    if command.reason != "none":
        reason = Annotated[
            str | None, Parameter(show_default=False, help="Why, for the audit log and for those concerned.")
        ]
        parameters.append(inspect.Parameter("reason", keyword, default=None, annotation=reason))
    if not command.acts:
        watched = Parameter(show_default=False, help="Print it again and again, every so many seconds, until Ctrl+C.")
        parameters.append(
            inspect.Parameter("watch", keyword, default=None, annotation=Annotated[float | None, watched])
        )
    as_json = Annotated[bool, Parameter(negative=(), show_default=False, help="Print the reply as JSON.")]
    parameters += [
        inspect.Parameter("json", keyword, default=False, annotation=as_json),
        inspect.Parameter("data", keyword, default=None, annotation=data),
        inspect.Parameter("config", keyword, default=None, annotation=config),
    ]
    run_command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run_command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run_command.__name__, run_command.__doc__ = command.name.replace("-", "_"), command.text
    return run_command


def _positional_names(command: Command) -> list[str]:
    return [field.name for field in msgspec.structs.fields(command.arguments) if field.required or field.name == _MODE]


def _parameter_of(field: msgspec.structs.FieldInfo, command: Command) -> inspect.Parameter:
    """Return an argument as a parameter: what must be given is typed in its order, the rest are options."""
    hint = get_type_hints(command.arguments, include_extras=True)[field.name]
    text = next((meta.description for meta in reversed(hint.__metadata__) if getattr(meta, "description", None)), "")
    shown = Parameter(help=text, show_default=field.default not in (None, "", 0), negative=())
    kind: Any = hint.__origin__
    if field.name.endswith("_ms"):
        option = "--" + field.name.removesuffix("_ms")
        shown = Parameter(name=option, help=text, show_default=False, converter=_convert_duration)
        kind = int | None
    if field.required:
        return inspect.Parameter(field.name, inspect.Parameter.POSITIONAL_ONLY, annotation=Annotated[kind, shown])
    # As documents and people write it: moderator NAME off.
    place = inspect.Parameter.POSITIONAL_ONLY if field.name == _MODE else inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, place, default=field.default, annotation=Annotated[kind, shown])


def _convert_duration(_: Any, tokens: "tuple[Token, ...]") -> int:
    return parse_duration(tokens[0].value)


def _ask_reason(command: Command) -> str:
    """Ask for the reason of an act at a terminal; exits where there is none."""
    if not sys.stdin.isatty():
        give_up(f"The command {command.name} needs --reason, for the audit log.", USAGE)
    try:
        reason = input("Reason (for the audit log): ").strip()
    except (EOFError, KeyboardInterrupt):
        reason = ""
    return reason or give_up("Nothing was done.", FAILED)


def show_top(folder: Path, seconds: float, *, plain: bool, as_json: bool) -> None:
    """Show a server at intervals, on a screen or as text. Exits with a sentence where there are no screens."""
    _check_watch(seconds)
    if plain or as_json or not sys.stdout.isatty():
        shown = [COMMAND_OF["status"]] if as_json else [COMMAND_OF["status"], COMMAND_OF["tables"]]
        watch_server(ControlClient(folder), shown, {}, seconds=seconds, as_json=as_json)
    try:
        # By its entry point: the server imports no client, and works without the libraries that draw screens.
        [screen] = entry_points(group="scoville.server_screens", name="top")
        run_screen = screen.load()
    except (ValueError, ImportError) as error:
        give_up(f"The screen needs the package textual ({error}); install it, or use top --plain.", FAILED)
    try:
        run_screen(folder, seconds)
    except ScovilleError as error:
        give_up(safe_text(error.message), FAILED)


def _check_watch(seconds: float) -> None:
    if not _SHORTEST_WATCH <= seconds <= _LONGEST_WATCH:
        give_up(f"--watch takes {_SHORTEST_WATCH} to {_LONGEST_WATCH} seconds (got {seconds:g}).", USAGE)


def watch_server(
    client: ControlClient, commands: Sequence[Command], arguments: Mapping[str, Any], *, seconds: float, as_json: bool
) -> NoReturn:
    """Print the results of commands every so many seconds until Ctrl+C; a server that restarts is waited for."""
    _check_watch(seconds)
    # The latter where Ctrl+C comes as a wait begins.
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        while True:
            try:
                results = _ask_all(client, commands, arguments)
                texts = [
                    _one_line(result) if as_json else describe_result(name, result) + "\n" for name, result in results
                ]
                text = "\n".join(texts)
            except NotRunning as error:
                text = (
                    _one_line({"error": {"code": error.code, "message": error.message}}) if as_json else error.message
                )
            except ScovilleError as error:
                give_up(safe_text(error.message), FAILED)
            print_result(text)
            asyncio.run(_wait_for(seconds))
    raise SystemExit(0)


def _ask_all(client: ControlClient, commands: Sequence[Command], arguments: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the results of commands by their names. Raises ScovilleError."""
    results: list[tuple[str, Any]] = []
    for command in commands:
        try:
            results.append((command.name, client.send_command(command.name, arguments)))
        except ScovilleError as error:
            # A node of a cluster that waits has a status, and no tables.
            if not results or error.code != Code.MOVED:
                raise
    return results


async def _wait_for(seconds: float) -> None:
    await SYSTEM.sleep(seconds)


def _one_line(result: Any) -> str:
    return msgspec.json.encode(result).decode()


def send_or_give_up(client: ControlClient, command: Command, arguments: Mapping[str, Any], reason: str) -> Any:
    """Return the result of a command, or exit with the sentence of its error: 3 when no server runs, else 1."""
    try:
        return client.send_command(command.name, arguments, reason)
    except NotRunning as error:
        give_up(error.message, NOT_RUNNING)
    except ScovilleError as error:
        give_up(safe_text(error.message), FAILED)
    finally:
        client.close()


def _wait_for_successor(client: ControlClient, former: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the status of the server that has taken over, or exit with a sentence if there is none."""

    async def look_until_it_runs() -> Mapping[str, Any]:
        async with SYSTEM.limit(_RESTART_SECONDS):
            while True:
                with suppress(ScovilleError):  # the former one hangs up when it ends
                    status: Mapping[str, Any] = client.send_command("status")
                    # Not by the process: it may be the same one, with the version that is installed now.
                    if status["started_ms"] != former["started_ms"]:
                        return status
                client.close()
                await SYSTEM.sleep(_LOOK_SECONDS)

    try:
        status = asyncio.run(look_until_it_runs())
    except TimeoutError:
        give_up("The server has not come back; its log says why.", FAILED)
    # A server of a former version says nothing of its successor.
    if former.get("successor", 0) not in (0, status["process"]["pid"]):
        give_up("The installed version could not take over, so the former one goes on; its log says why.", FAILED)
    return status


def _to_json(result: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(result)).decode()


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


def _describe_users(result: Mapping[str, Any]) -> str:
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


def _describe_tables(result: Mapping[str, Any]) -> str:
    tables = result["tables"]
    # A server alone has no nodes, and one of a former version names none.
    nodes = [(table.get("node", ""),) if any(each.get("node") for each in tables) else () for table in tables]
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
            *node,
            ", ".join(table["waits_for"]) or "-",
        )
        for table, node in zip(tables, nodes, strict=True)
    ]
    where = ("NODE",) if any(nodes) else ()
    header = ("ID", "GAME", "STATE", "SEATS", "WATCH", "MOVES", "AGE", "IDLE", *where, "WAITS FOR")
    text = _with_rest(align_columns(header, rows), len(rows), result["total"]) if rows else "There are no tables."
    missing = [f"{node} has not answered; its tables are missing." for node in result.get("unreached", ())]
    return "\n".join((text, *missing))


def _describe_networks(result: Mapping[str, Any]) -> str:
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


def _describe_reports(result: Mapping[str, Any]) -> str:
    blocks = []
    for report in result["reports"]:
        where = f" at table {report['table']}" if report["table"] else ""
        blocks.append(
            f"{report['id']}: {date_text(report['at_ms'])} {report['by']} reports {report['name']}{where}:"
            f" {report['text']}"
        )
        blocks += [f"    {line}" for line in report["context"]]
    return "\n".join(blocks) or "There are no open reports."


def _describe_warnings(result: Mapping[str, Any]) -> str:
    lines = [f"{date_text(each['at_ms'])} {each['by']}: {each['reason']}" for each in result["history"]]
    return "\n".join(lines) or "No warnings."


def _describe_bans(result: Mapping[str, Any]) -> str:
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


def _describe_audit(result: Mapping[str, Any]) -> str:
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


def _describe_status(result: Mapping[str, Any]) -> str:
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

    # A server of a former version says nothing of clusters.
    if result.get("cluster") is not None:
        lines.append(_describe_cluster(result["cluster"]))
    if (links := result.get("links")) is not None:
        lines.append(
            f"links {links['open']}, sent {size_text(links['sent_bytes'])}, received"
            f" {size_text(links['received_bytes'])}, lost {links['lost']}"
        )

    if result["shutdown"] is not None:
        left = span_text(round(result["shutdown"]["left_seconds"]))
        lines.append(f"shuts down in {left}: {result['shutdown']['reason'] or 'no reason given'}")
    if result["maintenance"] is not None:
        mode = result["maintenance"]
        lines.append(f"maintenance since {date_text(mode['since_ms'])} by {mode['by']}: {mode['reason']}")
    lines.append(f"people {people['total']} ({people['claimed']} with a claimed name{_wrap_text(entrances)})")
    lines.append(f"connections {result['connections']['total']} of {result['connections']['limit']}")
    lines.append(f"tables {tables['total']} of {tables['limit']}{_wrap_text(states, ' ({})')}")
    lines.append(
        f"games started {games['started']}, ended {games['ended']}, stored {games['kept']} of {games['kept_limit']}"
    )
    lines.append(
        f"moves {result['moves']['total']}, {result['moves']['per_second']:.1f} a second,"
        f" p50 {_ms_text(result['moves']['p50_seconds'])}, p99 {_ms_text(result['moves']['p99_seconds'])}"
    )
    if commits is not None:
        lines.append(
            f"commits p50 {_ms_text(commits['p50_seconds'])}, p99 {_ms_text(commits['p99_seconds'])},"
            f" failed {commits['failed']}"
        )

    lines.append(f"loop lag p50 {_ms_text(lag['p50_seconds'])}, p99 {_ms_text(lag['p99_seconds'])}")
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


def _describe_cluster(cluster: Mapping[str, Any]) -> str:
    nodes = []
    for node in cluster["nodes"]:
        # A node of a former version does not say how many tables it serves.
        tables = f" {count_noun(node['tables'], 'table')}" if node.get("tables") else ""
        does = f"serves{tables}" if node["serves"] else "waits"
        silent = node["heard_seconds"]
        if silent is None:
            about = f"{does} (this node)"
        elif silent < SILENT_SECONDS:
            about = f"{does} (heard {silent:.1f} s ago)"
        else:
            about = f"is silent (last heard {silent:.0f} s ago)"
        nodes.append(f"{node['address']} {about}")
    return f"cluster {cluster['name']}: {', '.join(nodes)}"


def _wrap_text(text: str, form: str = "; {}") -> str:
    """Return a text in a form, and nothing for nothing."""
    return form.format(text) if text else ""


def _ms_text(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"


def size_text(size: int) -> str:
    """Return a number of bytes in the largest unit that fits once."""
    amount, units = float(size), iter(("B", "KiB", "MiB", "GiB"))
    unit = next(units)
    while amount >= _UNIT:
        following = next(units, None)
        if following is None:
            break
        amount, unit = amount / _UNIT, following
    return f"{amount:.0f} {unit}" if amount >= 10 or unit == "B" else f"{amount:.1f} {unit}"


def _describe_slow(result: Mapping[str, Any]) -> str:
    rows = [
        (
            each["what"],
            each["count"],
            _ms_text(each["p50_seconds"]),
            _ms_text(each["p99_seconds"]),
            _ms_text(each["longest_seconds"]),
        )
        for each in result["kinds"]
    ]
    return align_columns(("WHAT", "SINCE START", "P50", "P99", "LONGEST"), rows)


def event_text(event: Mapping[str, Any]) -> str:
    """Return an event as the log writes it."""
    return f"{event['kind']} {format_fields(event['fields'])}".rstrip()


def _describe_log(result: Mapping[str, Any]) -> str:
    rows = [(event["number"], _clock_text(event["at_ms"]), event_text(event)) for event in result["events"]]
    return align_columns(("NUMBER", "TIME", "EVENT"), rows) if rows else "Nothing has happened yet."


def _clock_text(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000).astimezone().strftime("%H:%M:%S")


def _describe_drain(result: Mapping[str, Any]) -> str:
    left = result["left_seconds"]
    return "The end is called off." if left is None else f"The server shuts down in {span_text(round(left))}."


def _describe_reload(result: Mapping[str, Any]) -> str:
    return "\n".join(convert(result, Reload).list_lines())


def _describe_restart(result: Mapping[str, Any]) -> str:
    tables, version = result["tables"]["total"], result["version"]
    return f"Restarted: version {version} runs, with {tables} table{'' if tables == 1 else 's'}."


def _describe_move(result: Mapping[str, Any]) -> str:
    return f"Table {result['table']} is served by {result['node']} now."


def _describe_ban(result: Mapping[str, Any]) -> str:
    return f"Ban {result['ban']['id']} is in force; scoville-server unban {result['ban']['id']} lifts it."


_DESCRIBERS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "status": _describe_status,
    "users": _describe_users,
    "tables": _describe_tables,
    "networks": _describe_networks,
    "reports": _describe_reports,
    "bans": _describe_bans,
    "warnings": _describe_warnings,
    "audit": _describe_audit,
    "ban": _describe_ban,
    "slow": _describe_slow,
    "log": _describe_log,
    "drain": _describe_drain,
    "reload": _describe_reload,
    "restart": _describe_restart,
    "move-table": _describe_move,
}
