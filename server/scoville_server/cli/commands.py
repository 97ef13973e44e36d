"""The commands of `scoville-server` and their arguments."""

import asyncio

from cyclopts import App, CycloptsError

from scoville_server.cli.backups import (
    backup,
    copy_from_cluster,
    copy_to_cluster,
    export,
    import_,
    restore,
    rollback,
    verify_backup,
)
from scoville_server.cli.control_commands import RUNNING_SERVER, add_control_commands, show_top
from scoville_server.cli.doctor import doctor
from scoville_server.cli.output import USAGE, give_up, print_result, run_or_exit
from scoville_server.cli.serving import serve
from scoville_server.cli.settings import (
    Config,
    Data,
    Flag,
    check_config,
    find_data_folder,
    find_existing_folder,
    init,
    show_settings,
)
from scoville_server.settings.model import Settings
from scoville_server.settings.sources import collect_settings, find_file
from scoville_shared import __version__

app = App(name="scoville-server", version=__version__, help_format="plaintext")


app.default(serve)
app.command(init)
app.command(check_config)
app.command(show_settings, name="settings")
app.command(doctor)
app.command(backup)
app.command(verify_backup)
app.command(restore)
app.command(rollback)
app.command(export)
app.command(import_, name="import")
app.command(copy_to_cluster)
app.command(copy_from_cluster)


@app.command
def rotate_key(*, data: Data = None, config: Config = None, unsigned: Flag = False) -> None:
    """Replace the key by which clients recognize a server, while it is not running.

    While nodes of a cluster run it takes two runs on one of them: the first makes the next key, a file to be copied to
    the others, and the second lets all nodes show it at once.

    Parameters
    ----------
    unsigned
        Do not let the old key sign the new one: for a key that was stolen or lost. Clients then warn of another server
        until their users accept the new pin.
    """
    from scoville_server.journal.key_rotation import rotate_key

    folder, cluster = find_existing_folder(data, config), collect_settings(find_file(config)).settings.cluster
    if cluster.servers:
        from scoville_server.cluster.key_switch import rotate_cluster_key
        from scoville_server.cluster.node import place_of

        place = place_of(cluster)
        print_result(str(run_or_exit(lambda: asyncio.run(rotate_cluster_key(place, folder, signed=not unsigned)))))
        return
    print_result(str(run_or_exit(lambda: rotate_key(folder, signed=not unsigned))))


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
    print_result(run_or_exit(lambda: describe_code(folder, name, new=new)))


@app.command
def recover(name: str, /, *, data: Data = None, config: Config = None) -> None:
    """Print a one-time code with which the owner of a claimed name sets a new password; the server must be stopped.

    For an admin who has lost every credential, when no other admin is left.

    Parameters
    ----------
    name
        Claimed name of the account.
    """
    from scoville_server.cli.offline_repairs import make_recovery_code

    folder = find_existing_folder(data, config)
    settings = Settings(data=folder)
    print_result(str(run_or_exit(lambda: asyncio.run(make_recovery_code(settings, name)))))


@app.command
def reset_clock(*, data: Data = None, config: Config = None) -> None:
    """Let a server trust the machine's clock again, after it ran with a wrong one; the server must be stopped."""
    from scoville_server.cli.offline_repairs import reset_clock as reset

    folder = find_existing_folder(data, config)
    print_result(str(run_or_exit(lambda: asyncio.run(reset(folder)))))


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


def run_command_line() -> None:
    """Run the command line; wrong usage prints one sentence."""
    try:
        app(exit_on_error=False, print_error=False)
    except CycloptsError as error:
        give_up(f"scoville-server: {error}\nTry scoville-server --help.", USAGE)
