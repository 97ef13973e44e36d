"""Commands about settings: `init`, `check-config` and `settings`; and the options that give settings."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from scoville_runtime.log_setup import Format, Level
from scoville_server.cli.output import FAILED, USAGE, give_up, print_result
from scoville_server.settings.environment import Given
from scoville_server.settings.model import HIGHEST_PORT, BadSettings, SettingsReader
from scoville_server.settings.sources import (
    DEFAULT_FILE,
    collect_settings,
    find_file,
    load_settings,
    usual_settings,
)


def _check_port(_: Any, port: int | None) -> None:
    if port is not None and not 0 <= port <= HIGHEST_PORT:
        raise ValueError(f"Port must be a number from 0 to {HIGHEST_PORT}.")


Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Json = Annotated[bool, Parameter(name="--json", negative=(), show_default=False)]
Text = Annotated[str | None, Parameter(show_default=False)]
File = Annotated[Path | None, Parameter(show_default=False)]
Data = Annotated[Path | None, Parameter(show_default=False, help="Folder of the server, as in its own --data.")]
Config = Annotated[
    Path | None, Parameter(show_default=False, help="Settings file of the server, as in its own --config.")
]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Options of the server, which override the settings file and the environment.

    Parameters
    ----------
    host
        Address to listen on, by default every address; 127.0.0.1 accepts only this computer.
    port
        Port to listen on; 0 picks a free port.
    plain_text
        Accept unencrypted connections from other computers too; this computer needs no encryption.
    data
        Folder for tables, accounts and finished games; by default in the system's folder for user data.
    no_data
        Store nothing: tables and accounts are lost when the server stops.
    peppers
        Text file with the peppers of the cards 1 to 100: a hundred digits 1, 2 or 3; # starts a comment.
    config
        TOML file with settings, by default that of SCOVILLE_CONFIG, or /etc/scoville/server.toml if it exists.
    admin
        Name of an admin of this server; can be repeated. The server prints a one-time code for each who has no account.
    no_default_tables
        Do not keep a public table open for each game.
    webhook
        HTTP or HTTPS address that receives a JSON POST when a public table is waiting for players.
    cluster
        Address of a NATS server of a cluster, such as nats://192.0.2.7:4222; can be repeated. This server is one of its
        nodes then, and waits for its turn to serve.
    doors
        Take doors, which host clients over ssh and in browsers: listen on the Unix socket door.sock in the data folder.
    announce
        Announce the server on the local network, or do not; needs the extra lan.
    leave_out_damaged
        Start even if rows of the journal are damaged, and skip them: names, bans or passwords may be missing.
    log_level
        Lowest level that is logged, by default info; notice has starts, log-ins and acts of admins, info also
        connections, refusals and games, debug every message.
    log_format
        Format of the log: text, or json with one object per line, also for what is printed.
    log_file
        File of the log, by default standard error; SIGUSR1 opens it again after logrotate has moved it away.
    """

    host: Text = None
    port: Annotated[int | None, Parameter(validator=_check_port, show_default=False)] = None
    plain_text: Flag = False
    data: File = None
    no_data: Flag = False
    peppers: File = None
    config: File = None
    admin: Annotated[list[str] | None, Parameter(show_default=False, negative=())] = None
    no_default_tables: Flag = False
    webhook: Text = None
    cluster: Annotated[list[str] | None, Parameter(show_default=False, negative=())] = None
    doors: Flag = False
    announce: Annotated[bool | None, Parameter(show_default=False)] = None
    leave_out_damaged: Flag = False
    log_level: Annotated[Level | None, Parameter(show_default=False)] = None
    log_format: Annotated[Format | None, Parameter(show_default=False)] = None
    log_file: File = None

    def list_given(self) -> Iterator[Given]:
        """Yield the settings that the options give."""
        singles: dict[str, tuple[str, object]] = {
            "--host": ("host", self.host),
            "--port": ("port", self.port),
            "--data": ("data", self.data),
            "--peppers": ("peppers", self.peppers),
            "--admin": ("admins", self.admin and tuple(self.admin)),
            "--webhook": ("webhook", self.webhook),
            "--cluster": ("cluster.servers", self.cluster and tuple(self.cluster)),
            "--announce": ("announce", self.announce),
            "--log-level": ("log.level", self.log_level),
            "--log-format": ("log.format", self.log_format),
            "--log-file": ("log.file", self.log_file),
        }
        for option, (setting, value) in singles.items():
            if value is not None:
                yield Given(setting, value, option)
        flags: dict[str, tuple[bool, str, object]] = {
            "--plain-text": (self.plain_text, "plain_text", True),
            "--no-data": (self.no_data, "data", None),
            "--no-default-tables": (self.no_default_tables, "default_tables", ()),
            "--doors": (self.doors, "doors.enabled", True),
        }
        for option, (on, setting, value) in flags.items():
            if on:
                yield Given(setting, value, option)

    def check_together(self) -> None:
        """Refuse options that --no-data would silently ignore."""
        if not self.no_data:
            return
        if self.data is not None:
            give_up("--data and --no-data cannot be combined; choose one of them.", USAGE)
        if self.leave_out_damaged:
            give_up("--leave-out-damaged has no effect with --no-data; choose one of them.", USAGE)

    def settings_reader(self) -> SettingsReader:
        """Return what reads the settings of all sources, each time anew but for the choice of the file.

        A file that was there at the start and is gone at a reload is a fault: the defaults are not what the host meant.
        """
        of_this_run = {"leave_out_damaged": self.leave_out_damaged}
        return partial(load_settings, find_file(self.config), [*self.list_given()], of_this_run=of_this_run)


NO_OPTIONS = ServerOptions()


def init(path: Path = DEFAULT_FILE, /, *, full: Flag = False) -> None:
    """Write a settings file with comments; one that exists stays as it is.

    Parameters
    ----------
    path
        The new file; its folder is made if it is missing.
    full
        Write every setting, not only those to look at first.
    """
    from scoville_server.settings.pages import full_page, short_page

    page = full_page if full else short_page
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in page(usual_settings()))
    except FileExistsError:
        give_up(f"{path} exists and was not changed; name another file, or remove it first.", FAILED)
    except OSError as error:
        give_up(f"{path} cannot be written: {error.strerror}.", FAILED)
    print_result(
        f"Wrote {path}. Change it, then check it: scoville-server check-config {path}\n"
        f"Start with: scoville-server --config {path}"
    )


def check_config(
    path: File = None, /, *, json_: Annotated[bool, Parameter(name="--json", negative=())] = False
) -> None:
    """Check a settings file and the environment, and print all faults; the status is 2 if there are any.

    Parameters
    ----------
    path
        The settings file, by default the one that the server would read.
    json_
        Print the result as JSON.
    """
    collected = collect_settings(find_file(path))
    faults = collected.faults
    if json_:
        file = None if collected.file is None else str(collected.file)
        found = [{**msgspec.to_builtins(fault), "text": str(fault)} for fault in faults]
        print_result(json.dumps({"ok": not faults, "file": file, "faults": found}, indent=2))
    elif faults:
        print_result("\n".join(map(str, faults)))
    elif collected.file is None:
        print_result("There is no settings file; the defaults hold, and the environment is correct.")
    else:
        print_result(f"{collected.file} is correct.")
    if faults:
        raise SystemExit(USAGE)


def show_settings(
    options: ServerOptions = NO_OPTIONS,
    *,
    effective: Flag = False,
    environment: Flag = False,
    json_: Json = False,
) -> None:
    """Print all settings with their defaults and reasons, as a file for --config.

    Parameters
    ----------
    effective
        Print the values that hold with these options, this environment and the settings file, each with its origin.
    environment
        Print the environment variables in place of a settings file.
    json_
        Print the effective values as JSON.
    """
    from scoville_server.settings import pages

    if not effective and not json_:
        page = pages.environment_page if environment else pages.full_page
        print_result("\n".join(page(usual_settings())))
        return
    options.check_together()
    try:
        loaded = options.settings_reader()()
    except BadSettings as error:
        give_up(error.message, USAGE)
    if json_:
        print_result(json.dumps(pages.effective_values(loaded.settings, loaded.origins), indent=2))
    else:
        print_result("\n".join(pages.effective_page(loaded.settings, loaded.origins)))


def find_data_folder(data: Path | None, config: Path | None) -> Path:
    """Return the data folder of the server with these options, or exit with a sentence.

    Faults of other settings do not matter here: a backup must be possible whatever is wrong with them.
    """
    if data is not None:
        return data
    collected = collect_settings(find_file(config))
    for fault in collected.faults:
        if fault.setting in ("", "data") or not fault.place:
            give_up(str(fault), USAGE)
    folder = collected.settings.data
    if folder is None:
        give_up(f"These settings store nothing ({collected.origins['data']}); name a folder with --data.", FAILED)
    return folder


def find_existing_folder(data: Path | None, config: Path | None) -> Path:
    """Return the data folder, which must be there already."""
    folder = find_data_folder(data, config)
    if not folder.is_dir():
        give_up(f"There is no data folder {folder}; name the server's own with --data or --config.", FAILED)
    return folder
