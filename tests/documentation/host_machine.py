"""A folder that looks like the root of a host's machine, on which shell blocks of the manual are executed."""

import grp
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.support.tree import ROOT

NEEDS = {"", "needs=systemd", "needs=firewall", "needs=pip"}
"""Marks of blocks that are executed, some of them with stand-ins."""
SKIPPED = {"needs=network", "needs=before", "needs=container", "needs=machine", "runs=on"}
MOVED = ("/etc/", "/var/", "/opt/", "/run/", "/usr/local/")
"""Folders of the machine that are below the test's folder here."""
BINARIES = Path(sys.executable).parent


class Block(NamedTuple):
    """A fenced block: its language, its mark, its text and where it begins."""

    language: str
    mark: str
    text: str
    where: str


def read_blocks(page: Path) -> list[Block]:
    """Read the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2].strip(), found[3], f"{page.name}:{text[: found.start()].count(chr(10)) + 1}")
        for found in re.finditer(r"^```(\w*)([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


class Machine:
    """A folder that looks like the root of a host's machine, with stand-ins for what only root may do."""

    def __init__(self, root: Path) -> None:
        self.root, self.home = root, root / "home"
        for name in (
            "etc/systemd/system",
            "var/lib",
            "var/backups",
            "opt",
            "run",
            "usr/local/bin",
            "usr/local/share",
            "tmp",
        ):
            (root / name).mkdir(parents=True)
        clone = self.home / "scoville"
        clone.mkdir(parents=True)
        for name in ("packaging", "requirements", "scripts"):
            (clone / name).symlink_to(ROOT / name)
        (clone / "dist").mkdir()
        (clone / "dist/scoville-0.1.0-py3-none-any.whl").touch()
        commands = root / "stand-ins"
        commands.mkdir()
        for name in ("sudo", "systemctl", "systemd-sysusers", "systemd-tmpfiles", "ufw", "python3", "pip", "git"):
            (commands / name).write_text(
                f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m tests.documentation.machine {name} "$@"\n'
            )
            (commands / name).chmod(0o755)
        self.environment = {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PATH": f"{commands}:{root / 'usr/local/bin'}:/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "MACHINE_ROOT": str(root),
            "MACHINE_BINARIES": str(BINARIES),
            "SCOVILLE_CONFIG": str(root / "etc/scoville/server.toml"),
            "SCOVILLE_PORT": "0",
            "TMPDIR": str(root / "tmp"),
        }

    def translate(self, text: str) -> str:
        """Lead the paths of a text into this folder, and let the only group of the test be that of the doors."""
        for folder in MOVED:
            text = re.sub(rf"(?<![\w./-]){folder}", f"{self.root}{folder}", text)
        group = grp.getgrgid(os.getgid()).gr_name
        return text.replace('group = "scoville"', f'group = "{group}"')

    def run_page(self, page: Path) -> None:
        """Execute the blocks of a page."""
        self.run_blocks(block for block in read_blocks(page) if block.language == "sh" and block.mark not in SKIPPED)

    def run_blocks(self, blocks: Iterable[Block]) -> None:
        """Execute blocks in one shell, which stops at the first command that fails. Raises AssertionError for that."""
        lines = ["set -eu", f"cd {shlex.quote(str(self.home))}"]
        for block in blocks:
            lines += [f"echo '== {block.where}'", self.translate(block.text)]
        done = subprocess.run(
            ["sh", "-c", "\n".join(lines)], env=self.environment, cwd=self.home, capture_output=True, text=True,
            check=False, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"

    def start(self) -> None:
        """Start the server that has been installed."""
        self._control_server("start")

    def stop(self) -> None:
        """Stop the server, if one runs."""
        self._control_server("stop")

    def _control_server(self, verb: str) -> None:
        control = [sys.executable, "-m", "tests.documentation.machine", "systemctl", verb, "scoville-server.service"]
        subprocess.run(control, env=self.environment, check=True)
