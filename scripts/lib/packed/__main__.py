"""Start of a packed Scoville: unpacks its wheels into the user's cache folder once, and runs it from there.

Standard library only; run by the file's own head, from the zip archive behind it.
"""

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import stat
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import venv

THIS_FILE = Path(sys.argv[0])
SYSTEMS = {"linux": "linux", "darwin": "macos"}
MACHINES = {"amd64": "x86_64", "arm64": "arm64" if sys.platform == "darwin" else "aarch64"}
REMEDY = "Set XDG_CACHE_HOME to a folder that only you can write to."
OLDEST_GLIBC = (2, 28)
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
COMMAND = "import sys; from scoville_client.cli.main import main; sys.exit(main())"


class Refusal(Exception):
    """The game cannot be started; the text says why, and what to do."""


def main(arguments: list[str]) -> int:
    """Unpack if needed, then become the game. Returns only if that fails."""
    try:
        with zipfile.ZipFile(THIS_FILE) as archive:
            listed = archive.read("manifest.json")
            manifest = json.loads(listed)
            check_machine(manifest)
            folder = (
                find_cache_folder() / f"{manifest['version']}-python{PYTHON}-{hashlib.sha256(listed).hexdigest()[:12]}"
            )
            if arguments in (["--help"], ["-h"]):
                explain_file(folder)
            python = folder / "bin" / "python"
            check_folders_to(folder.parent)
            if not (python.exists() and is_private(folder.lstat())):
                unpack_wheels(archive, manifest["wheels"][PYTHON], folder)
        os.umask(os.umask(0o077) | 0o022)  # the game compiles its modules there
        sys.stdout.flush()
        os.execv(python, [str(python), "-I", "-c", COMMAND, *arguments])
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
    except (KeyError, ValueError, zipfile.BadZipFile):
        print(f"{THIS_FILE} is damaged. Copy it again.", file=sys.stderr)
    except OSError as error:
        print(
            f"Scoville cannot be unpacked: {error.strerror}: {error.filename or find_cache_folder()}", file=sys.stderr
        )
        print(
            "Free some space (100 MB), or set XDG_CACHE_HOME to a folder of yours that can be written to.",
            file=sys.stderr,
        )
    except KeyboardInterrupt:
        return 130
    return 1


def explain_file(folder: Path) -> None:
    """Print what this file does, above the help of the game."""
    print(f"{THIS_FILE.name} is Scoville with all it needs; it uses no network to start.")
    print(f"It unpacks itself into {folder} and runs there; delete that folder at any time.")
    print("Everything you type behind it goes to the command scoville:\n")


def check_machine(manifest: dict[str, str]) -> None:
    """Refuse a machine or a Python that the wheels are not for."""
    machine = platform.machine().lower()
    here = f"{SYSTEMS.get(sys.platform, sys.platform)}-{MACHINES.get(machine, machine)}"
    if here != manifest["platform"]:
        raise Refusal(f"This file is for {manifest['platform']}, and this machine is {here}. Take the file for it.")
    if sys.platform == "linux" and read_glibc_version() < OLDEST_GLIBC:
        raise Refusal("This file needs a Linux with glibc 2.28 or newer (Debian 10, Ubuntu 18.10, Fedora 29).")
    if importlib.util.find_spec("venv") is None:
        raise Refusal(
            f"This Python comes without its module venv. Install it (Debian: apt install python{PYTHON}-venv)."
        )


def read_glibc_version() -> tuple[int, ...]:
    """Return the version of the C library; empty for another one."""
    try:
        name, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
    except (OSError, ValueError):
        return ()
    return tuple(map(int, version.split(".")[:2])) if name == "glibc" else ()


def find_cache_folder() -> Path:
    """Return the folder for unpacked versions, inside the user's cache folder of this system."""
    usual = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or usual).expanduser().absolute() / "scoville" / "packed"


def check_folders_to(folder: Path) -> None:
    """Refuse a folder that other users can replace or write to, by any folder or link on the way to it.

    They could put a Python of their own where this user's is looked for.
    """
    for path in {*[folder, *folder.parents], *[folder.resolve(), *folder.resolve().parents]}:
        try:
            state = path.lstat()
        except (FileNotFoundError, NotADirectoryError):  # it is made later, or the error says more
            continue
        if state.st_uid not in (0, os.getuid()):
            raise Refusal(f"{path} belongs to another user, who could replace the game. {REMEDY}")
        if stat.S_ISDIR(state.st_mode) and not (is_private(state) or state.st_mode & stat.S_ISVTX):
            raise Refusal(f"Other users can write to {path}, and could replace the game. {REMEDY}")


def is_private(state: os.stat_result) -> bool:
    """Whether only the owner can write; a group that is the user's own counts as the user."""
    if state.st_uid not in (0, os.getuid()) or state.st_mode & stat.S_IWOTH:
        return False
    return not state.st_mode & stat.S_IWGRP or is_own_group(state.st_gid)


def is_own_group(group: int) -> bool:
    """Whether a group is the one that many systems make for each user, with nobody else in it."""
    import grp
    import pwd

    try:
        own, me = grp.getgrgid(group), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return group == me.pw_gid and own.gr_name == me.pw_name and not {*own.gr_mem} - {me.pw_name}


def unpack_wheels(archive: zipfile.ZipFile, wheels: dict[str, str], folder: Path) -> None:
    """Make a virtual environment of the wheels (SHA-256 by name). The folder has its name only once it is complete.

    Nobody else may write to any of it, whatever the umask says.
    """
    import venv

    umask = os.umask(0o077)
    try:
        _make_environment(archive, wheels, folder, venv.EnvBuilder(symlinks=True, with_pip=False))
    finally:
        os.umask(umask)


def _make_environment(
    archive: zipfile.ZipFile, wheels: dict[str, str], folder: Path, builder: "venv.EnvBuilder"
) -> None:

    print("Unpacking Scoville; only the first start does that.", file=sys.stderr, flush=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    check_folders_to(folder.parent)  # another user may have been faster in making a part of it
    if folder.exists():  # its Python is gone, or others can write to it
        shutil.rmtree(folder)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="unpacking-", ignore_cleanup_errors=True) as work:
        made = Path(work) / "venv"
        builder.create(made)
        packages = sysconfig.get_path("purelib", "venv", {"base": str(made), "platbase": str(made)})
        for name, digest in wheels.items():
            with archive.open(f"wheels/{name}") as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() != digest:
                    raise Refusal(f"{THIS_FILE} is damaged: {name} does not have its hash. Copy the file again.")
            with archive.open(f"wheels/{name}") as stream, zipfile.ZipFile(stream) as wheel:
                wheel.extractall(packages)
        try:
            made.rename(folder)
        except OSError:
            if not folder.exists():  # else another start was faster
                raise


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
