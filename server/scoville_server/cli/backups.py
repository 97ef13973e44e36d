"""The commands that copy a whole server: backups, exports as text, and copies to and from a cluster."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from msgspec import to_builtins
from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM
from scoville_runtime.control_client import ControlClient
from scoville_runtime.events import write_event
from scoville_runtime.log_setup import Format, set_up_log
from scoville_server.cli.options import ServerOptions
from scoville_server.cli.output import (
    FAILED,
    USAGE,
    complain,
    count_noun,
    give_up,
    print_result,
    run_or_exit,
    show_progress,
    use_format,
    warn_of_owner,
)
from scoville_server.cli.settings import Config, Data, Flag, find_data_folder, find_existing_folder
from scoville_server.events import Backup, BackupFailed, Damage, ReportDamage
from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.settings.model import BadSettings, Settings
from scoville_server.settings.sources import collect_settings, find_file
from scoville_shared.errors import ScovilleError

if TYPE_CHECKING:
    from scoville_server.cluster.copies import Copied
    from scoville_server.exports.server_export import Exported


def _check_keep(_: Any, keep: int | None) -> None:
    if keep is not None and keep < 1:
        raise ValueError("--keep must be 1 or more.")


def _check_dest(_: object, value: Path) -> None:
    if str(value).startswith("-") and str(value) != "-":
        raise ValueError(f"There is no option {value}.")


# `-` is standard output, and no option.
Dest = Annotated[Path, Parameter(allow_leading_hyphen=True, validator=_check_dest)]
Cluster = Annotated[list[str] | None, Parameter(show_default=False, negative=())]
Keep = Annotated[int | None, Parameter(validator=_check_keep, show_default=False)]


def backup(
    dest: Dest,
    /,
    *,
    data: Data = None,
    config: Config = None,
    keep: Keep = None,
    log_format: Format = "text",
) -> None:
    """Copy all data of a server, running or stopped, or of the cluster that the settings name.

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
    from scoville_server.journal.backups import note, series
    from scoville_server.journal.backups.copying import back_up
    from scoville_server.journal.backups.stream import stream_backup

    use_format(log_format)
    set_up_log("info", log_format, "backup")
    folder, now_ms, began = find_existing_folder(data, config), SYSTEM.date_ms(), SYSTEM.seconds()
    piped = str(dest) == "-"

    def report_damage(damage: Damage) -> None:
        _report_event(folder, damage)

    try:
        with open_source(folder, config, report_damage) as source:
            if piped:
                made = series.Backup(dest, stream_backup(source, sys.stdout.buffer, show_progress, report_damage))
            elif keep is None:
                copied = back_up(source, dest, progress=show_progress, report_damage=report_damage)
                made = series.Backup(dest, copied)
            else:
                made = series.back_up_series(source, dest, keep, now_ms, show_progress, report_damage)
    except FolderTaken as error:  # the other backup says itself how it ends
        give_up(error.message, FAILED)
    except JournalError as error:
        # Nobody reads the mail of a timer: the server's status and its alerts say it.
        failed = BackupFailed(reason=error.message)
        note.note_failed_backup(folder, error.message, now_ms, _report_event(folder, failed))
        give_up(error.message, FAILED)
    (tables, games), seconds = made.copied, round(SYSTEM.seconds() - began, 3)
    event = Backup(path="" if piped else str(made.folder.absolute()), tables=tables, games=games, seconds=seconds)
    note.note_backup(folder, None if piped else made.folder, made.copied, now_ms, _report_event(folder, event))
    sentence = f"Backed up to {'standard output' if piped else made.folder}: {_count_copied(made.copied)}."
    (complain if piped else print_result)(sentence)


@contextmanager
def open_source(folder: Path, config: Path | None, report_damage: ReportDamage) -> Iterator[Path]:
    """Return the folder to copy: that of a node of a cluster has only its key, so the cluster is copied first."""
    cluster = collect_settings(find_file(config)).settings.cluster
    if not cluster.servers:
        yield folder
        return
    from scoville_server.cluster.copies import copy_from_cluster
    from scoville_server.cluster.node import place_of
    from scoville_server.journal.files import key_file
    from scoville_server.journal.files.scratch import own_scratch_folder

    # There, since it has all data of the server: a folder for all users may be in memory, or too small.
    with own_scratch_folder(folder, "cluster-copy") as scratch:
        copy = scratch / "data"
        asyncio.run(copy_from_cluster(place_of(cluster), key_file.load_key(folder), copy, report_damage, show_progress))
        yield copy


def _report_event(folder: Path, event: Backup | BackupFailed | Damage) -> Any:
    """Write an event to the log, and let the server of the folder report it; returns it if none runs."""
    if not isinstance(event, BackupFailed):  # the command ends with its sentence
        write_event(event)
    client = ControlClient(folder)
    try:
        client.send_command("report-event", {"event": to_builtins(event)})
    except ScovilleError:
        return event if isinstance(event, Damage) else replace(event, by=_describe_user())
    finally:
        client.close()
    return None


def _describe_user() -> str:
    """Describe who runs this command, as the server does with those at its control socket."""
    if os.name == "nt":
        return ""
    from scoville_server.control.peers import login_of

    return f"{login_of(os.getuid())} (uid {os.getuid()}, scoville-server backup)"


def verify_backup(src: Path, /) -> None:
    """Check that a backup is unchanged and can be restored; nothing is written.

    Parameters
    ----------
    src
        Folder that `scoville-server backup` wrote.
    """
    from scoville_server.journal.backups.copying import has_manifest, verify_backup
    from scoville_server.tables.archive.archive import find_game_faults

    copied = run_or_exit(lambda: verify_backup(src, show_progress, lambda *found: find_game_faults(*found).changed))
    print_result(f"{src} can be restored: {_count_copied(copied)}.")
    if not has_manifest(src):
        complain(f"It has no file MANIFEST, so only what the journal knows was checked: {src} is no untouched backup.")


def restore(src: Path, /, *, data: Data = None, config: Config = None, force: Flag = False) -> None:
    """Restore a backup; the server must be stopped.

    Parameters
    ----------
    src
        Folder that `scoville-server backup` wrote.
    force
        Replace what is there; the former journal stays where it is, and the file CURRENT names the new one.
    """
    from scoville_server.journal.backups.copying import restore_backup

    folder = find_data_folder(data, config)
    copied = run_or_exit(lambda: restore_backup(src, folder, force=force, progress=show_progress))
    print_result(f"Restored to {folder}: {_count_copied(copied)}.")
    warn_of_owner(folder)


def rollback(*, data: Data = None, config: Config = None) -> None:
    """Return to the data from before an upgrade, after the version before it was installed again.

    Only if this version cannot use the present data; these stay where they are. The server must be stopped.
    """
    from scoville_server.journal.backups.copying import roll_back

    folder = find_existing_folder(data, config)
    copy, copied = run_or_exit(lambda: roll_back(folder, show_progress))
    print_result(f"Restored to {folder} from {copy}: {_count_copied(copied)}.")
    warn_of_owner(folder)


def _count_copied(copied: tuple[int, int]) -> str:
    return f"{count_noun(copied[0], 'table')}, {count_noun(copied[1], 'finished game')}"


def export(dest: Path, /, *, data: Data = None, config: Config = None) -> None:
    """Write all data of a server, running or stopped, or of the cluster that the settings name, as text.

    JSON Lines that other programs can read, and a summary for people. It has the server's key, password hashes and the
    seeds of running games: keep it as you keep a backup.

    Parameters
    ----------
    dest
        New or empty folder. It gets its name when everything is in it.
    """
    from scoville_server.exports.server_export import export_server

    folder = find_existing_folder(data, config)

    def export_source() -> "Exported":
        with open_source(folder, config, write_event) as source:
            return export_server(source, dest, write_event, show_progress)

    print_result(f"Exported to {dest}: {_count_exported(run_or_exit(export_source))}. Read {dest / 'summary.txt'}.")


def import_(
    src: Path, /, *, data: Data = None, config: Config = None, changed: Flag = False, force: Flag = False
) -> None:
    """Restore an export, with its key, accounts, results and open tables; the server must be stopped.

    Parameters
    ----------
    src
        Folder that `scoville-server export` wrote.
    changed
        Take it although its files are not as they were exported, because you have changed them.
    force
        Replace what is there, as `restore --force` does; the former journal stays where it is.
    """
    from scoville_server.exports.server_export import import_server

    folder = find_data_folder(data, config)
    imported = run_or_exit(
        lambda: asyncio.run(import_server(src, folder, write_event, show_progress, changed=changed, force=force))
    )
    print_result(f"Imported to {folder}: {_count_exported(imported)}.")
    warn_of_owner(folder)


def _count_exported(exported: "Exported") -> str:
    parts = (
        count_noun(exported.users, "user"),
        count_noun(exported.rows, "row"),
        count_noun(exported.tables, "open table"),
        count_noun(exported.games, "finished game"),
    )
    return ", ".join(parts)


_show_parts = partial(show_progress, noun="parts")


def copy_to_cluster(src: Path, /, *, config: Config = None, cluster: Cluster = None) -> None:
    """Copy all data of a stopped server, or a backup, into a cluster that is empty; no node may run.

    Everything is compared before the first node may join. After an interruption run it again: it starts over.

    Parameters
    ----------
    src
        Data folder of the server, or folder that `scoville-server backup` wrote; it stays as it is.
    cluster
        Address of a NATS server of the cluster, in place of those in the settings file; can be repeated.
    """
    from scoville_server.cluster.copies import copy_to_cluster as copy
    from scoville_server.cluster.node import place_of

    settings = _read_settings(config, cluster)
    copied = run_or_exit(lambda: asyncio.run(copy(src, place_of(settings.cluster), write_event, _show_parts)))
    print_result(
        f"Copied to the cluster {settings.cluster.name}, and compared: {_count_compared(copied)}. Copy server.key from "
        f"{src} into the data folders of its nodes, and door.credential, if you run doors; then start them."
    )


def copy_from_cluster(dest: Path, /, *, data: Data = None, config: Config = None, cluster: Cluster = None) -> None:
    """Copy all data of a cluster into a new folder, which can be used as --data of a server, or be copied back.

    Nodes may run: what comes later is not in the copy, as in a backup. To move for good, stop all of them before.

    Parameters
    ----------
    dest
        New or empty folder. It gets its name only when everything was compared.
    cluster
        Address of a NATS server of the cluster, in place of those in the settings file; can be repeated.
    """
    from scoville_server.cluster.copies import copy_from_cluster as copy
    from scoville_server.cluster.node import place_of
    from scoville_server.journal.files import key_file

    settings, folder = _read_settings(config, cluster), find_existing_folder(data, config)
    key = run_or_exit(lambda: key_file.load_key(folder))
    copied = run_or_exit(lambda: asyncio.run(copy(place_of(settings.cluster), key, dest, write_event, _show_parts)))
    print_result(f"Copied to {dest}, and compared: {_count_compared(copied)}.")
    warn_of_owner(dest)


def _read_settings(config: Path | None, cluster: list[str] | None) -> Settings:
    """Read the settings that name the cluster."""
    try:
        settings = ServerOptions(config=config, cluster=cluster).settings_reader()().settings
    except BadSettings as error:
        give_up(error.message, USAGE)
    if not settings.cluster.servers:
        give_up("No cluster is named: use --config with a settings file that has cluster.servers, or --cluster.", USAGE)
    return settings


def _count_compared(copied: "Copied") -> str:
    return ", ".join(
        [
            f"{count_noun(copied.tables, 'table')} with {count_noun(copied.records, 'record')}",
            count_noun(copied.users, "user"),
            count_noun(copied.rows, "row"),
            count_noun(copied.games, "finished game"),
            f"{copied.entries} entries of the audit log" if copied.entries != 1 else "1 entry of the audit log",
        ]
    )
