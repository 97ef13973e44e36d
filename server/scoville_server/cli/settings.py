"""Commands about settings: `init`, `check-config` and `settings`; and the data folder of all other commands."""

import json
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from scoville_server.cli.options import NO_OPTIONS, ServerOptions
from scoville_server.cli.output import FAILED, USAGE, give_up, print_result
from scoville_server.settings.model import BadSettings
from scoville_server.settings.sources import DEFAULT_FILE, collect_settings, find_file, usual_settings

# Here, so that a server which starts loads no library for command lines.
Parameter(name="*", show_default=False, negative=())(ServerOptions)

Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Json = Annotated[bool, Parameter(name="--json", negative=(), show_default=False)]
File = Annotated[Path | None, Parameter(show_default=False)]
Data = Annotated[Path | None, Parameter(show_default=False, help="Folder of the server, as in its own --data.")]
Config = Annotated[
    Path | None, Parameter(show_default=False, help="Settings file of the server, as in its own --config.")
]


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
        notes = [str(note) for note in collected.notes]
        print_result(json.dumps({"ok": not faults, "file": file, "faults": found, "notes": notes}, indent=2))
        if faults:
            raise SystemExit(USAGE)
        return
    for note in collected.notes:
        print_result(str(note))
    if faults:
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
    options.check_options()
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
