"""Arguments and commands of `scoville-server`."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter
from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM
from scoville_runtime.log_setup import Format, Level, set_up_log
from scoville_server.cli.control_commands import add_control_commands
from scoville_server.cli.output import (
    USAGE,
    count_noun,
    give_up,
    open_streams,
    or_give_up,
    print_result,
    show_progress,
    warn_of_owner,
)
from scoville_server.cli.serving import run_until_stopped
from scoville_server.server import allowed_slugs
from scoville_server.settings.files import read_option_file
from scoville_server.settings.model import (
    DEFAULT_PORT,
    HIGHEST_PORT,
    BadSettings,
    LoadedSettings,
    Settings,
    default_data,
)
from scoville_shared import __version__
from scoville_shared.games.registry import list_slugs, list_usable


def _check_port(_: Any, port: int | None) -> None:
    if port is not None and not 0 <= port <= HIGHEST_PORT:
        raise ValueError(f"Port must be a number from 0 to {HIGHEST_PORT}.")


def _check_keep(_: Any, keep: int | None) -> None:
    if keep is not None and keep < 1:
        raise ValueError("--keep must be 1 or more.")


Host = Annotated[str, Parameter(show_default=False)]
Port = Annotated[int, Parameter(validator=_check_port)]
Data = Annotated[Path | None, Parameter(show_default=False)]
Names = Annotated[list[str] | None, Parameter(show_default=False, negative=())]
Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Choice = Annotated[bool | None, Parameter(show_default=False)]
Keep = Annotated[int | None, Parameter(validator=_check_keep, show_default=False)]

app = App(name="scoville-server", version=__version__, help_format="plaintext")


@app.default
def serve(
    *,
    host: Host | None = None,
    port: Port | None = None,
    plain_text: Flag = False,
    data: Data = None,
    no_data: Flag = False,
    peppers: Path | None = None,
    config: Path | None = None,
    admin: Names = None,
    no_default_tables: Flag = False,
    webhook: str | None = None,
    doors: Flag = False,
    announce: Choice = None,
    leave_out_damaged: Flag = False,
    log_level: Level = "warning",
    log_format: Format = "text",
) -> None:
    """Run a Scoville server in the foreground until Ctrl+C.

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
        TOML file with settings; options override it. `scoville-server settings` prints one with the defaults.
    admin
        Name of an admin of this server; can be repeated. The server prints a one-time code for each who has no account.
    no_default_tables
        Do not keep a public table open for each game.
    webhook
        HTTP or HTTPS address that receives a JSON POST when a public table is waiting for players.
    doors
        Take doors, which host clients over ssh and in browsers: listen on the Unix socket door.sock in the data folder.
    announce
        Announce the server on the local network, or do not; needs the extra lan.
    leave_out_damaged
        Start even if rows of the journal are damaged, and skip them: names, bans or passwords may be missing.
    log_level
        Lowest level logged to standard error; info adds events such as hello and game start, debug every connection.
    log_format
        Format of the log: text, or json with one object per line.
    """
    _check_data(data, no_data=no_data, leave_out_damaged=leave_out_damaged)
    given: dict[str, Any] = {"host": host, "port": port, "webhook": webhook, "announce": announce, "data": data}
    given |= {"admins": admin and tuple(admin), "default_tables": () if no_default_tables else None}
    given |= {"plain_text": plain_text or None, "leave_out_damaged": leave_out_damaged or None}
    set_up_log(log_level, log_format, "server")

    def read_settings() -> LoadedSettings:
        return LoadedSettings(_override_settings(_read_files(config, peppers), given, doors=doors, no_data=no_data))

    try:
        loaded = read_settings()
    except BadSettings as error:
        give_up(error.message, USAGE)
    run_until_stopped(loaded.settings, read_settings)


@app.command
def settings() -> None:
    """Print all settings with their defaults and reasons, as a file for --config."""
    from scoville_server.settings.pages import settings_page

    print_result("\n".join(settings_page(_read_files(None, None))))


@app.command
def backup(dest: Path, /, *, data: Data = None, keep: Keep = None) -> None:
    """Copy all data of a server, running or stopped.

    Parameters
    ----------
    dest
        New or empty folder, or one with an interrupted backup. It can be used as --data, or be restored. With --keep
        a folder of backups, each in a folder named by its time; with - the backup goes to standard output, as tar.
    data
        Folder of the server, as in its own --data.
    keep
        Add a backup to those in the folder, and remove all but so many; what has not changed takes no space again.
    """
    from scoville_server.journal import backup as backups

    folder, now_ms = _data_folder(data), SYSTEM.date_ms()
    if str(dest) == "-":
        or_give_up(lambda: backups.stream_backup(folder, sys.stdout.buffer, show_progress))
        return
    made = or_give_up(
        lambda: (
            backups.Backup(dest, backups.back_up(folder, dest, progress=show_progress))
            if keep is None
            else backups.back_up_series(folder, dest, keep, now_ms, show_progress)
        )
    )
    backups.note_backup(folder, made.folder, made.copied, now_ms)
    print_result(f"Backed up to {made.folder}: {_count_copied(made.copied)}.")


@app.command
def verify_backup(src: Path, /) -> None:
    """Check that a backup is unchanged and can be restored; nothing is written.

    Parameters
    ----------
    src
        Folder that `scoville-server backup` wrote.
    """
    from scoville_server.journal.backup import verify_backup as verify

    print_result(f"{src} can be restored: {_count_copied(or_give_up(lambda: verify(src, show_progress)))}.")


@app.command
def restore(src: Path, /, *, data: Data = None, force: Flag = False) -> None:
    """Restore a backup; the server must be stopped.

    Parameters
    ----------
    src
        Folder that `scoville-server backup` wrote.
    data
        Folder of the server, as in its own --data.
    force
        Replace what is there; the former journal stays where it is, and the file CURRENT names the new one.
    """
    from scoville_server.journal.backup import restore_backup as bring_back

    folder = _data_folder(data)
    copied = or_give_up(lambda: bring_back(src, folder, force=force, progress=show_progress))
    print_result(f"Restored to {folder}: {_count_copied(copied)}.")
    warn_of_owner(folder)


@app.command
def rotate_key(*, data: Data = None, unsigned: Flag = False) -> None:
    """Replace the key by which clients recognize a server, while it is not running.

    Parameters
    ----------
    data
        The server's folder, as it was started with.
    unsigned
        Do not let the old key sign the new one: for a key that was stolen or lost. Clients then warn of another server
        until their users accept the new pin.
    """
    from scoville_server.journal.key_rotation import rotate_key

    print_result(str(or_give_up(lambda: rotate_key(_data_folder(data), signed=not unsigned))))


@app.command
def admin_code(name: str, /, *, data: Data = None, new: Flag = False) -> None:
    """Print the one-time code of an admin who has no account yet; the server may be running.

    Parameters
    ----------
    name
        Name of the admin, as given to --admin.
    data
        Folder of the server, as in its own --data.
    new
        Replace the code: the old one is no longer valid.
    """
    from scoville_server.moderation.admin_codes import describe_code

    print_result(or_give_up(lambda: describe_code(_data_folder(data), name, new=new)))


@app.command
def recover(name: str, /, *, data: Data = None) -> None:
    """Print a one-time code with which the owner of a claimed name sets a new password; the server must be stopped.

    For an admin who has lost every credential, when no other admin is left.

    Parameters
    ----------
    name
        Claimed name of the account.
    data
        Folder of the server, as in its own --data.
    """
    from scoville_server.offline_recovery import make_recovery_code

    settings = Settings(data=_data_folder(data))
    print_result(str(or_give_up(lambda: asyncio.run(make_recovery_code(settings, name)))))


@app.command
def reset_clock(*, data: Data = None) -> None:
    """Let a server trust the machine's clock again, after it ran with a wrong one; the server must be stopped.

    Parameters
    ----------
    data
        Folder of the server, as in its own --data.
    """
    from scoville_server.offline_clock import reset_clock as reset

    print_result(str(or_give_up(lambda: asyncio.run(reset(_data_folder(data))))))


def _find_folder(data: Path | None, config: Path | None) -> Path:
    """Return the data folder that a server with these options has."""
    if data is not None:
        return data
    if config is None:
        return default_data()
    try:
        return _data_folder(_read_files(config, None).data)
    except BadSettings as error:
        give_up(error.message, USAGE)


_ServerData = Annotated[Path | None, Parameter(show_default=False, help="Folder of the server, as in its own --data.")]
_ServerConfig = Annotated[Path | None, Parameter(show_default=False, help="Settings file of the server.")]

add_control_commands(app, _ServerData, _ServerConfig, _find_folder)


def _override_settings(chosen: Settings, given: dict[str, Any], *, doors: bool, no_data: bool) -> Settings:
    """Return the settings with the options that were given, and with a data folder unless there is to be none."""
    chosen = replace(chosen, **{name: value for name, value in given.items() if value is not None})
    enabled = replace(chosen.doors, enabled=doors or chosen.doors.enabled)
    return replace(chosen, doors=enabled, data=None if no_data else _data_folder(chosen.data))


def _check_data(data: Path | None, *, no_data: bool, leave_out_damaged: bool) -> None:
    """Refuse options that --no-data would silently ignore."""
    if not no_data:
        return
    if data is not None:
        give_up("--data and --no-data cannot be combined; choose one of them.", USAGE)
    if leave_out_damaged:
        give_up("--leave-out-damaged has no effect with --no-data; choose one of them.", USAGE)


def _read_files(config: Path | None, peppers: Path | None) -> Settings:
    """Merge the default settings with those of files. Raises BadSettings."""
    every = tuple(list_slugs())
    usual = Settings(port=DEFAULT_PORT, default_tables=every)
    own = {} if peppers is None else read_option_file("peppers", peppers)
    if config is not None:
        from scoville_server.settings.files import read_settings

        usual = read_settings(config, usual)
    if usual.default_tables == every:  # nobody chose them: those that can be used, which takes loading them to know
        usual = replace(usual, default_tables=tuple(list_usable(allowed_slugs(usual))))
    return replace(usual, game_options=own)


def main() -> None:
    """Run the command line; wrong usage prints one sentence."""
    open_streams()
    try:
        app(exit_on_error=False, print_error=False)
    except CycloptsError as error:
        give_up(f"scoville-server: {error}\nTry scoville-server --help.", USAGE)


def _count_copied(copied: tuple[int, int]) -> str:
    return f"{count_noun(copied[0], 'table')}, {count_noun(copied[1], 'finished game')}"


def _data_folder(data: Path | None) -> Path:
    return default_data() if data is None else data
