"""Options with which a server starts, as the command line gives them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

from scoville_runtime.log_setup import Format, Level
from scoville_server.cli.output import USAGE, give_up
from scoville_server.settings.environment import GivenValue
from scoville_server.settings.model import SettingsReader
from scoville_server.settings.sources import find_file, load_settings
from scoville_shared import HIGHEST_PORT

_REPEATED: Final = ("admin", "cluster")
"""Options that can be given more than once."""


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
        Announce the server on the local network; needs the extra lan.
    no_announce
        Do not announce it, whatever the settings file says.
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

    host: str | None = None
    port: int | None = None
    plain_text: bool = False
    data: Path | None = None
    no_data: bool = False
    peppers: Path | None = None
    config: Path | None = None
    admin: list[str] | None = None
    no_default_tables: bool = False
    webhook: str | None = None
    cluster: list[str] | None = None
    doors: bool = False
    announce: bool = False
    no_announce: bool = False
    leave_out_damaged: bool = False
    log_level: Level | None = None
    log_format: Format | None = None
    log_file: Path | None = None

    def list_given(self) -> Iterator[GivenValue]:
        """Yield the settings that the options give."""
        singles: dict[str, tuple[str, object]] = {
            "--host": ("host", self.host),
            "--port": ("port", self.port),
            "--data": ("data", self.data),
            "--peppers": ("peppers", self.peppers),
            "--admin": ("admins", self.admin and tuple(self.admin)),
            "--webhook": ("webhook", self.webhook),
            "--cluster": ("cluster.servers", self.cluster and tuple(self.cluster)),
            "--log-level": ("log.level", self.log_level),
            "--log-format": ("log.format", self.log_format),
            "--log-file": ("log.file", self.log_file),
        }
        for option, (setting, value) in singles.items():
            if value is not None:
                yield GivenValue(setting, value, option)
        flags: dict[str, tuple[bool, str, object]] = {
            "--plain-text": (self.plain_text, "plain_text", True),
            "--no-data": (self.no_data, "data", None),
            "--no-default-tables": (self.no_default_tables, "default_tables", ()),
            "--doors": (self.doors, "doors.enabled", True),
            "--announce": (self.announce, "announce", True),
            "--no-announce": (self.no_announce, "announce", False),
        }
        for option, (on, setting, value) in flags.items():
            if on:
                yield GivenValue(setting, value, option)

    def check_options(self) -> None:
        """Refuse impossible ports, and pairs of options of which the server would ignore one."""
        if self.port is not None and not 0 <= self.port <= HIGHEST_PORT:
            give_up(f"--port must be a number from 0 to {HIGHEST_PORT}, not {self.port}.", USAGE)
        if self.announce and self.no_announce:
            give_up("--announce and --no-announce cannot be combined; choose one of them.", USAGE)
        if not self.no_data:
            return
        if self.data is not None:
            give_up("--data and --no-data cannot be combined; choose one of them.", USAGE)
        if self.leave_out_damaged:
            give_up("--leave-out-damaged has no effect with --no-data; choose one of them.", USAGE)

    def settings_reader(self) -> SettingsReader:
        """Return a function that reads the settings of all sources; the choice of the file stays.

        A file that was there at the start and is gone at a reload is a fault: the defaults are not what the host meant.
        """
        # No setting: in a file it would go on hiding damage, long after the start for which somebody wanted it.
        of_this_run = {"leave_out_damaged": self.leave_out_damaged}
        return partial(load_settings, find_file(self.config), [*self.list_given()], of_this_run=of_this_run)


NO_OPTIONS: Final = ServerOptions()


def read_options(arguments: Sequence[str]) -> ServerOptions | None:
    """Read arguments that start a server; None if anything is unusual, which the command line reads, or refuses.

    The library for command lines takes a tenth of a second to load, and users wait for a server that restarts.
    """
    kinds = {"--" + name.replace("_", "-"): (name, kind) for name, kind in get_type_hints(ServerOptions).items()}
    found: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        option, equals, value = argument.partition("=")
        name, kind = kinds.get(option, ("", None))
        if kind is None or (name in found and name not in _REPEATED):
            return None
        if kind is bool:
            if equals:
                return None
            found[name] = True
            continue
        value = value if equals else next(rest, "")
        read = _read_value(value, kind)
        if read is None:
            return None
        found[name] = [*found.get(name, ()), read] if name in _REPEATED else read
    return ServerOptions(**found)


def _read_value(text: str, kind: Any) -> str | int | Path | None:
    """Read a value of an option; None unless it is an ordinary one."""
    [wanted] = (each for each in get_args(kind) if each is not NoneType)
    if not text or text.startswith("-"):
        return None
    if wanted is int:
        return int(text) if text.isascii() and text.isdecimal() else None
    if wanted is Path:
        return Path(text)
    allowed = get_args(wanted) if wanted in (Level, Format) else ()
    return text if not allowed or text in allowed else None
