"""Subcommands that speak to a running server, made from the table of the control socket's commands."""

import asyncio
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, get_type_hints

import msgspec
from cyclopts import App, Group, Parameter, Token

from scoville_runtime.clock import SYSTEM
from scoville_runtime.control_client import ControlClient, NotRunning, parse_duration
from scoville_server.cli import control_text
from scoville_server.cli.output import FAILED, USAGE, give_up, print_result
from scoville_server.control.commands import COMMAND_OF, COMMANDS, Command
from scoville_shared.errors import Code, ScovilleError

NOT_RUNNING: Final = 3
"""Exit status when no server runs on the data folder, as systemctl has it."""

RUNNING_SERVER: Final = Group("Commands for a running server")

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
        given = dict(zip(_required_names(command), values, strict=False))
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
        print_result(_to_json(result) if as_json else control_text.describe_result(command.name, result))
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


def _required_names(command: Command) -> list[str]:
    return [field.name for field in msgspec.structs.fields(command.arguments) if field.required]


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
    default = field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown]
    )


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
    """Show a server again and again: on a screen, or as text. Exits with a sentence where there are no screens."""
    _check_watch(seconds)
    if plain or as_json or not sys.stdout.isatty():
        shown = [COMMAND_OF["status"]] if as_json else [COMMAND_OF["status"], COMMAND_OF["tables"]]
        watch_server(ControlClient(folder), shown, {}, seconds=seconds, as_json=as_json)
    try:
        # By its entry point: the server imports no client, and works without what draws screens.
        [screen] = entry_points(group="scoville.server_screens", name="top")
        run_screen = screen.load()
    except (ValueError, ImportError) as error:
        give_up(f"The screen needs the package textual ({error}); install it, or use top --plain.", FAILED)
    try:
        run_screen(folder, seconds)
    except ScovilleError as error:
        give_up(control_text.safe_text(error.message), FAILED)


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
                    _one_line(result) if as_json else control_text.describe_result(name, result) + "\n"
                    for name, result in results
                ]
                text = "\n".join(texts)
            except NotRunning as error:
                text = (
                    _one_line({"error": {"code": error.code, "message": error.message}}) if as_json else error.message
                )
            except ScovilleError as error:
                give_up(control_text.safe_text(error.message), FAILED)
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
        give_up(control_text.safe_text(error.message), FAILED)
    finally:
        client.close()


def _wait_for_successor(client: ControlClient, former: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the status of the server that has taken over, or exit with a sentence if there is none."""

    async def look_until_it_runs() -> Mapping[str, Any]:
        async with SYSTEM.limit(_RESTART_SECONDS):
            while True:
                with suppress(ScovilleError):  # the former one hangs up when it ends
                    status: Mapping[str, Any] = client.send_command("status")
                    if status["started_ms"] != former["started_ms"]:
                        return status
                client.close()
                await SYSTEM.sleep(_LOOK_SECONDS)

    try:
        return asyncio.run(look_until_it_runs())
    except TimeoutError:
        give_up("The server has not come back; its log says why.", FAILED)


def _to_json(result: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(result)).decode()
