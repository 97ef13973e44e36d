"""The commands `export` and `import`."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from scoville_runtime.events import write_event
from scoville_server.cli.backups import open_source
from scoville_server.cli.output import count_noun, or_give_up, print_result, show_progress, warn_of_owner
from scoville_server.cli.settings import Config, Data, Flag, find_data_folder, find_existing_folder

if TYPE_CHECKING:
    from scoville_server.exports.server_export import Exported


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

    print_result(f"Exported to {dest}: {_count_exported(or_give_up(export_source))}. Read {dest / 'summary.txt'}.")


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
    imported = or_give_up(
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
