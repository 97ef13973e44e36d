"""Stand-ins for commands that need root: `python -m tests.documentation.machine NAME ARGUMENT...`.

Each checks its arguments against what the project ships, and does what a test can see of the command.
"""

import os
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.tree import ROOT

HERE = Path(os.environ["MACHINE_ROOT"])
BINARIES = Path(os.environ["MACHINE_BINARIES"])
LIBRARY = Path(os.environ["MACHINE_LIBRARY"]) if "MACHINE_LIBRARY" in os.environ else None
"""Where wheels are really installed; without it the commands are those of the test's own environment."""
UNITS = HERE / "etc/systemd/system"
PROCESS = HERE / "server.pid"
LONGEST = 60.0
"""Seconds until a server must have started or stopped."""


def lead_here(text: str) -> str:
    """Lead the paths of a unit into the test's folder."""
    return re.sub(r"(?<![\w./-])(/etc/|/var/|/opt/|/run/)", rf"{HERE}\1", text)


def sudo(arguments: Sequence[str]) -> None:
    """Run a command as the test's own user; the user that is asked for must be one that the package makes."""
    if arguments[:1] == ["-u"]:
        made = (HERE / "etc/sysusers.d/scoville.conf").read_text(encoding="utf-8")
        assert f"u {arguments[1]} " in made, f"no user {arguments[1]}"
        run_as_user(arguments[1], arguments[2:])
    if arguments[:2] == ["apt-get", "install"]:
        return
    os.execvp(arguments[0], [*arguments])


def run_as_user(user: str, command: Sequence[str]) -> None:
    """Run a command of another user than root, and end with its status; it may make nothing in folders of root."""
    before = list_other_entries(user)
    status = subprocess.run(command, check=False).returncode
    made = list_other_entries(user) - before
    assert not made, f"the user {user} may not make {min(made)}"
    sys.exit(status)


def list_other_entries(user: str) -> set[Path]:
    """List what is in the folders of the machine that packages and systemd do not make for a user."""
    own = {HERE / "var/lib" / user}  # StateDirectory= of the units
    for file in (HERE / "etc/tmpfiles.d").glob("*.conf"):
        rows = (line.split() for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("d "))
        own |= {Path(lead_here(row[1])) for row in rows if row[3] == user}
    found: set[Path] = set()
    for top in ("etc", "var", "opt", "usr"):
        for folder, names, files in os.walk(HERE / top):
            names[:] = [name for name in names if Path(folder, name) not in own]
            found |= {Path(folder, name) for name in (*names, *files)}
    return found


def systemctl(arguments: Sequence[str]) -> None:
    """Start and stop what units say; only the server and the backup are run, doors and sockets are looked up."""
    verb, *names = [argument for argument in arguments if not argument.startswith("-")]
    assert verb in {"daemon-reload", "enable", "start", "stop", "restart", "reload"}, verb
    for name in names:
        unit = name if "." in name else f"{name}.service"
        # `stop` is also how the test ends, perhaps before the units are there.
        assert verb == "stop" or (UNITS / unit).is_file(), f"no unit {unit}"
        if unit == "scoville-backup.service" and verb == "start":
            subprocess.run(command_of(unit), check=True)
        if unit != "scoville-server.service":
            continue
        if verb in ("stop", "restart"):
            stop_server()
        if verb in ("start", "restart") or (verb == "enable" and "--now" in arguments):
            start_server(unit)
        if verb == "reload":
            subprocess.run(command_of(unit, "ExecReload"), check=True)


def command_of(unit: str, key: str = "ExecStart") -> list[str]:
    """Return a command line of a unit."""
    found = re.search(rf"^{key}=(.+)$", (UNITS / unit).read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return shlex.split(lead_here(found[1]))


def start_server(unit: str) -> None:
    """Start the server, and wait for its notification as systemd does."""
    if PROCESS.exists():
        return
    notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notices.bind("")  # to an abstract name: no file is left in the machine, which tests copy
    variables = {**os.environ, "NOTIFY_SOCKET": f"@{notices.getsockname()[1:].decode()}"}
    with (HERE / "server.log").open("ab") as log, notices:
        server = subprocess.Popen(command_of(unit), env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        PROCESS.write_text(str(server.pid))
        watched = [notices, os.pidfd_open(server.pid)]
        while True:
            ready, _, _ = select.select(watched, [], [], LONGEST)
            if notices not in ready:
                break
            if b"READY=1" in notices.recv(4096).splitlines():
                return
    PROCESS.unlink()
    assert server.poll() is not None, "the server does not become ready"
    raise AssertionError((HERE / "server.log").read_text())


def stop_server() -> None:
    """Stop the server, and wait for its end."""
    if not PROCESS.exists():
        return
    number = int(PROCESS.read_text())
    # It is no child of this process, so a descriptor shows its end.
    process = os.pidfd_open(number)
    os.kill(number, signal.SIGTERM)
    assert select.select([process], [], [], LONGEST)[0], "the server does not stop"
    os.close(process)
    PROCESS.unlink()


def make_users(arguments: Sequence[str]) -> None:
    """Check that the users are described where systemd-sysusers looks."""
    assert [*(HERE / "etc/sysusers.d").glob("*.conf")], "no file in /etc/sysusers.d"
    assert not arguments


def make_folders(arguments: Sequence[str]) -> None:
    """Make the folders of a file for systemd-tmpfiles."""
    option, name = arguments
    assert option == "--create"
    for line in (HERE / "etc/tmpfiles.d" / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("d "):
            Path(lead_here(line.split()[1])).mkdir(parents=True, exist_ok=True)


def open_port(arguments: Sequence[str]) -> None:
    """Check that a port which is opened is one of the shipped units'."""
    verb, port = arguments
    units = "\n".join(unit.read_text(encoding="utf-8") for unit in (ROOT / "packaging/systemd").iterdir())
    assert verb == "allow"
    assert port.removesuffix("/tcp") in set(re.findall(r"(?:--port |ListenStream=)(\d+)", units)), port


def make_environment(arguments: Sequence[str]) -> None:
    """Make a folder that has the commands of the test's own environment in place of a new one."""
    assert arguments[:2] == ["-m", "venv"], arguments
    folder = Path(arguments[2]) / "bin"
    folder.mkdir(parents=True)
    for name in ("scoville", "scoville-server"):
        if LIBRARY is None:
            (folder / name).symlink_to(BINARIES / name)
        else:
            run = f'PYTHONPATH={LIBRARY} exec {sys.executable} {LIBRARY}/bin/{name} "$@"'
            (folder / name).write_text(f"#!/bin/sh\n{run}\n")
            (folder / name).chmod(0o755)
    (folder / "pip").symlink_to(HERE / "stand-ins/pip")
    folder.with_name("share").symlink_to(ROOT / "packaging/share")


def install_packages(arguments: Sequence[str]) -> None:
    """Check that what is installed is a file: a lock of the project, with hashes, or a wheel."""
    verb, *rest = arguments
    assert verb == "install"
    if "-r" in rest:
        assert {"--only-binary", "--require-hashes"} <= {*rest}
        lock = Path(rest[rest.index("-r") + 1])
        assert lock.read_bytes() == (ROOT / "requirements" / lock.name).read_bytes()
    else:
        packages = [word for word in rest if not word.startswith("-")]
        assert packages
        assert all(Path(word).suffix == ".whl" and Path(word).is_file() for word in packages), packages
        if LIBRARY is not None:
            pip = [
                sys.executable,
                "-m",
                "pip",
                "--disable-pip-version-check",
                "install",
                "--quiet",
                "--no-index",
                "--no-compile",
            ]
            subprocess.run([*pip, "--no-deps", "--upgrade", "--target", str(LIBRARY), *packages], check=True)


def pull_sources(arguments: Sequence[str]) -> None:
    """Take the place of `git pull`: the newer sources are those of a wheel that is built already."""
    assert arguments == ["pull"], arguments


COMMANDS: dict[str, Callable[[Sequence[str]], None]] = {
    "sudo": sudo,
    "systemctl": systemctl,
    "systemd-sysusers": make_users,
    "systemd-tmpfiles": make_folders,
    "ufw": open_port,
    "python3": make_environment,
    "pip": install_packages,
    "git": pull_sources,
}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](sys.argv[2:])
