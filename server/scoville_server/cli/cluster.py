"""The commands `copy-to-cluster` and `copy-from-cluster`."""

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from scoville_server.cli.options import ServerOptions
from scoville_server.cli.output import (
    USAGE,
    count_noun,
    give_up,
    or_give_up,
    print_result,
    show_progress,
    warn_of_owner,
)
from scoville_server.cli.settings import Config, Data, find_existing_folder
from scoville_server.settings.model import BadSettings, Settings

if TYPE_CHECKING:
    from scoville_server.cluster.copies import Copied

Cluster = Annotated[list[str] | None, Parameter(show_default=False, negative=())]
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
    from scoville_runtime.events import write_event
    from scoville_server.cluster.copies import copy_to_cluster as copy
    from scoville_server.cluster.node import place_of

    settings = _read_settings(config, cluster)
    copied = or_give_up(lambda: asyncio.run(copy(src, place_of(settings.cluster), write_event, _show_parts)))
    print_result(
        f"Copied to the cluster {settings.cluster.name}, and compared: {_count_copied(copied)}. Copy server.key from "
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
    from scoville_runtime.events import write_event
    from scoville_server.cluster.copies import copy_from_cluster as copy
    from scoville_server.cluster.node import place_of
    from scoville_server.journal.files import key_file

    settings, folder = _read_settings(config, cluster), find_existing_folder(data, config)
    key = or_give_up(lambda: key_file.load_key(folder))
    copied = or_give_up(lambda: asyncio.run(copy(place_of(settings.cluster), key, dest, write_event, _show_parts)))
    print_result(f"Copied to {dest}, and compared: {_count_copied(copied)}.")
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


def _count_copied(copied: "Copied") -> str:
    return ", ".join(
        [
            f"{count_noun(copied.tables, 'table')} with {count_noun(copied.records, 'record')}",
            count_noun(copied.users, "user"),
            count_noun(copied.rows, "row"),
            count_noun(copied.games, "finished game"),
            f"{copied.entries} entries of the audit log" if copied.entries != 1 else "1 entry of the audit log",
        ]
    )
