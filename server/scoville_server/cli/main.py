"""Arguments and commands of `scoville-server`."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from scoville_runtime.clock import SYSTEM
from scoville_runtime.events import write_event
from scoville_runtime.log_setup import Format, set_up_log
from scoville_runtime.signals import ignore_harmless_signals
from scoville_server.cli.control_commands import RUNNING_SERVER, add_control_commands, show_top
from scoville_server.cli.doctor import doctor
from scoville_server.cli.output import (
    FAILED,
    USAGE,
    count_noun,
    give_up,
    open_streams,
    or_give_up,
    print_result,
    show_progress,
    use_format,
    warn_of_owner,
)
from scoville_server.cli.serving import run_until_stopped
from scoville_server.cli.settings import (
    NO_OPTIONS,
    Flag,
    ServerOptions,
    check_config,
    find_data_folder,
    find_existing_folder,
    init,
    show_settings,
)
from scoville_server.events import Backup
from scoville_server.journal.base import JournalError
from scoville_server.settings.model import BadSettings, Settings
from scoville_shared import __version__


def _check_keep(_: Any, keep: int | None) -> None:
    if keep is not None and keep < 1:
        raise ValueError("--keep must be 1 or more.")


Data = Annotated[Path | None, Parameter(show_default=False, help="Folder of the server, as in its own --data.")]
Config = Annotated[
    Path | None, Parameter(show_default=False, help="Settings file of the server, as in its own --config.")
]


def _check_dest(_: object, value: Path) -> None:
    if str(value).startswith("-") and str(value) != "-":
        raise ValueError(f"There is no option {value}.")


# `-` is standard output, and no option.
Dest = Annotated[Path, Parameter(allow_leading_hyphen=True, validator=_check_dest)]
Keep = Annotated[int | None, Parameter(validator=_check_keep, show_default=False)]

app = App(name="scoville-server", version=__version__, help_format="plaintext")


@app.default
def serve(options: ServerOptions = NO_OPTIONS) -> None:
    """Run a Scoville server in the foreground until Ctrl+C."""
    ignore_harmless_signals()  # first: the start takes a moment, and a reload may come at once
    use_format(options.log_format or "text")  # until the settings are read, for faults in them
    options.check_together()
    read_settings = options.settings_reader()
    try:
        loaded = read_settings()
    except BadSettings as error:
        give_up(error.message, USAGE)
    run_until_stopped(loaded.settings, read_settings)


app.command(init)
app.command(check_config)
app.command(show_settings, name="settings")
app.command(doctor)


@app.command
def backup(
    dest: Dest,
    /,
    *,
    data: Data = None,
    config: Config = None,
    keep: Keep = None,
    log_format: Format = "text",
) -> None:
    """Copy all data of a server, running or stopped.

    Parameters
    ----------
    dest
        New or empty folder, or one with an interrupted backup. It can be used as --data, or be restored. With --keep
        a folder of backups, each in a folder named by its time; with - the backup goes to standard output, as tar.
    keep
        Add a backup to those in the folder, and remove all but so many; what has not changed takes no space again.
    log_format
        Format of the line about it on standard error, which looks like those of a server's log: text or json.
    """
    from scoville_server.journal import backup as backups
    from scoville_server.journal.backup_note import note_backup, note_failed_backup

    use_format(log_format)
    set_up_log("info", log_format, "backup")
    folder, now_ms, began = find_existing_folder(data, config), SYSTEM.date_ms(), SYSTEM.seconds()
    try:
        if str(dest) == "-":
            backups.stream_backup(folder, sys.stdout.buffer, show_progress)
            return
        made = (
            backups.Backup(dest, backups.back_up(folder, dest, progress=show_progress))
            if keep is None
            else backups.back_up_series(folder, dest, keep, now_ms, show_progress)
        )
    except JournalError as error:
        # Nobody reads the mail of a timer: the server's status and its alerts say it.
        note_failed_backup(folder, error.message, now_ms)
        give_up(error.message, FAILED)
    note_backup(folder, made.folder, made.copied, now_ms)
    (tables, games), seconds = made.copied, round(SYSTEM.seconds() - began, 3)
    write_event(Backup(path=str(made.folder), tables=tables, games=games, seconds=seconds))
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
def restore(src: Path, /, *, data: Data = None, config: Config = None, force: Flag = False) -> None:
    """Restore a backup; the server must be stopped.

    Parameters
    ----------
    src
        Folder that `scoville-server backup` wrote.
    force
        Replace what is there; the former journal stays where it is, and the file CURRENT names the new one.
    """
    from scoville_server.journal.backup import restore_backup as bring_back

    folder = find_data_folder(data, config)
    copied = or_give_up(lambda: bring_back(src, folder, force=force, progress=show_progress))
    print_result(f"Restored to {folder}: {_count_copied(copied)}.")
    warn_of_owner(folder)


@app.command
def rollback(*, data: Data = None, config: Config = None) -> None:
    """Return to the data from before an upgrade, after the version before it was installed again.

    Only if this version cannot use the present data; these stay where they are. The server must be stopped.
    """
    from scoville_server.journal.backup import roll_back

    folder = find_existing_folder(data, config)
    copy, copied = or_give_up(lambda: roll_back(folder, show_progress))
    print_result(f"Restored to {folder} from {copy}: {_count_copied(copied)}.")
    warn_of_owner(folder)


@app.command
def rotate_key(*, data: Data = None, config: Config = None, unsigned: Flag = False) -> None:
    """Replace the key by which clients recognize a server, while it is not running.

    Parameters
    ----------
    unsigned
        Do not let the old key sign the new one: for a key that was stolen or lost. Clients then warn of another server
        until their users accept the new pin.
    """
    from scoville_server.journal.key_rotation import rotate_key

    folder = find_existing_folder(data, config)
    print_result(str(or_give_up(lambda: rotate_key(folder, signed=not unsigned))))


@app.command
def admin_code(name: str, /, *, data: Data = None, config: Config = None, new: Flag = False) -> None:
    """Print the one-time code of an admin who has no account yet; the server may be running.

    Parameters
    ----------
    name
        Name of the admin, as given to --admin.
    new
        Replace the code: the old one is no longer valid.
    """
    from scoville_server.moderation.admin_codes import describe_code

    folder = find_existing_folder(data, config)
    print_result(or_give_up(lambda: describe_code(folder, name, new=new)))


@app.command
def recover(name: str, /, *, data: Data = None, config: Config = None) -> None:
    """Print a one-time code with which the owner of a claimed name sets a new password; the server must be stopped.

    For an admin who has lost every credential, when no other admin is left.

    Parameters
    ----------
    name
        Claimed name of the account.
    """
    from scoville_server.offline_recovery import make_recovery_code

    folder = find_existing_folder(data, config)
    settings = Settings(data=folder)
    print_result(str(or_give_up(lambda: asyncio.run(make_recovery_code(settings, name)))))


@app.command
def reset_clock(*, data: Data = None, config: Config = None) -> None:
    """Let a server trust the machine's clock again, after it ran with a wrong one; the server must be stopped."""
    from scoville_server.offline_clock import reset_clock as reset

    folder = find_existing_folder(data, config)
    print_result(str(or_give_up(lambda: asyncio.run(reset(folder)))))


add_control_commands(app, Data, Config, find_data_folder)


@app.command(group=RUNNING_SERVER)
def top(
    *,
    watch: float = 1.0,
    plain: Flag = False,
    json: Flag = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Show the running server on a screen, with lists and acts; q quits it.

    Parameters
    ----------
    watch
        Seconds between two looks.
    plain
        Print the status and the tables as text instead, again and again; also if the output is no terminal.
    json
        Print the status as one JSON object per look instead.
    """
    show_top(find_data_folder(data, config), watch, plain=plain, as_json=json)


def main() -> None:
    """Run the command line; wrong usage prints one sentence."""
    open_streams()
    try:
        app(exit_on_error=False, print_error=False)
    except CycloptsError as error:
        give_up(f"scoville-server: {error}\nTry scoville-server --help.", USAGE)


def _count_copied(copied: tuple[int, int]) -> str:
    return f"{count_noun(copied[0], 'table')}, {count_noun(copied[1], 'finished game')}"
