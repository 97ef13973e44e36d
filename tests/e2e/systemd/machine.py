"""A machine with systemd: the shipped units, their sandboxes and the manual's commands, without stand-ins for them."""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.documentation.host_machine import Block
from tests.e2e.lan.network import NotPermitted
from tests.support.tree import ROOT

SYSTEMD = Path("/lib/systemd/systemd")
SECONDS = 120.0
"""Patience with each single thing that should happen on a busy machine."""
_BOOT = Path(__file__).with_name("boot.sh")
_LOOK = 0.1
_NAMESPACES = ("--pid", "--fork", "--mount", "--cgroup", "--uts", "--ipc", "--net", "--kill-child")
_STAND_INS = {
    "sudo": 'exec "$@"',
    # The packages are those of this test's environment; see boot.sh.
    "scoville": 'exec /opt/scoville/bin/scoville "$@"',
    "scoville-server": 'exec /opt/scoville/bin/scoville-server "$@"',
}
_COMMANDS = {"scoville": "scoville_client.cli.main", "scoville-server": "scoville_server.cli.main"}
_SOURCES = ("client", "server", "shared")


class Failed(Exception):
    """Something is not as the manual says; the text says what."""


class SystemdMachine:
    """A copy of this machine's root with a systemd of its own, on which the project is installed but no unit.

    Args:
        pid: systemd's process, as this machine sees it.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def list_namespaces(self, *chosen: str) -> list[str]:
        """List what begins a command that runs in the machine, or only in `chosen` of its namespaces."""
        return ["nsenter", f"--target={self.pid}", *(chosen or ("-m", "-p", "-u", "-i", "-C", "-n", "--root", "--wd"))]

    def call(self, *command: str, text: str = "", seconds: float = SECONDS) -> "subprocess.CompletedProcess[str]":
        """Run a command as root, for at most so many `seconds`."""
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        environment = ["env", "-i", "HOME=/srv/host", f"PATH={path}", "LANG=C.UTF-8"]
        return subprocess.run(
            [*self.list_namespaces(), *environment, *command],
            capture_output=True, text=True, input=text, check=False, timeout=seconds,
        )  # fmt: skip

    def run(self, *command: str, text: str = "", seconds: float = SECONDS) -> str:
        """Run a command that must succeed; returns what it says. Raises Failed."""
        done = self.call(*command, text=text, seconds=seconds)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def run_blocks(self, blocks: Iterable[Block]) -> None:
        """Execute blocks of the manual in one shell, which stops at the first command that fails. Raises Failed."""
        executed = list(blocks)
        lines = ["set -eu", "cd /srv/host"]
        for block in executed:
            lines += [f"echo '== {block.where}'", block.text]
        # A page has more blocks with every feature: with one patience for all of them a busy machine was too late.
        self.run("sh", text="\n".join(lines), seconds=SECONDS * len(executed))

    def show(self, unit: str, name: str) -> str:
        """Show a property of a unit."""
        return self.run("systemctl", "show", "--property", name, "--value", unit).strip()

    def wait_for(self, unit: str, name: str, value: str) -> None:
        """Wait until a property of a unit has a value. Raises Failed."""
        end = time.monotonic() + SECONDS
        while (now := self.show(unit, name)) != value:
            if time.monotonic() > end:
                raise Failed(f"{unit}: {name} is {now} and never {value}\n{self.read_log(unit)}")
            time.sleep(_LOOK)

    def read_log(self, unit: str) -> str:
        """Return what a unit has written, and what systemd says of it."""
        return self.run("journalctl", "--no-pager", "--output=cat", "--unit", unit)

    def install(self) -> None:
        """Install the commands into the environment that the machine has made. Raises Failed."""
        folder = self.run(
            "/opt/scoville/bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"
        ).strip()
        paths = [*(f"/opt/source/{name}" for name in _SOURCES), "/opt/site"]
        self.write_file(f"{folder}/drill.pth", "\n".join(paths) + "\n")
        for name, module in _COMMANDS.items():
            code = f"#!/opt/scoville/bin/python\nimport sys\nfrom {module} import main\nsys.exit(main())\n"
            self.write_file(f"/opt/scoville/bin/{name}", code, "0755")
        for name, line in _STAND_INS.items():
            self.write_file(f"/usr/local/bin/{name}", f"#!/bin/sh\n{line}\n", "0755")

    def write_file(self, path: str, text: str, mode: str = "0644") -> None:
        """Write a file. Raises Failed."""
        self.run("install", "-D", "-m", mode, "/dev/stdin", path, text=text)


@contextmanager
def boot_machine(folder: Path) -> Iterator[SystemdMachine]:
    """Boot a machine, and let it vanish in the end. Raises NotPermitted, and Failed."""
    if os.geteuid() != 0:
        raise NotPermitted("only root may start a systemd of its own")
    for command in ("setpriv", "unshare", "nsenter", "journalctl", "systemctl"):
        if shutil.which(command) is None:
            raise NotPermitted(f"the command {command} is not installed")
    if not SYSTEMD.exists():
        raise NotPermitted("systemd is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [str(folder), sys.base_prefix, str(ROOT), sysconfig.get_path("purelib")]
    log = folder.with_suffix(".log")
    # A test that is killed takes the machine with it.
    with log.open("wb") as written:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig=KILL", "unshare", *_NAMESPACES, "sh", str(_BOOT), *arguments],
            stdin=subprocess.DEVNULL, stdout=written, stderr=written,
        )  # fmt: skip
    try:
        yield _wait_until_booted(process, log)
    finally:
        process.kill()
        process.wait()


def _wait_until_booted(process: "subprocess.Popen[bytes]", log: Path) -> SystemdMachine:
    """Wait until systemd takes orders. Raises NotPermitted if this machine cannot have it."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise NotPermitted(f"systemd does not start here: {log.read_text(errors='replace').strip()}")
        time.sleep(_LOOK)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if not children:
            continue
        machine = SystemdMachine(int(children[0]))
        state = machine.call("systemctl", "is-system-running").stdout.strip()
        if state in ("running", "degraded"):
            machine.install()
            return machine
    raise NotPermitted(f"systemd has not started: {log.read_text(errors='replace').strip()}")
