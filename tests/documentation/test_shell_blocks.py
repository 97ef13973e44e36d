"""The manual for hosts works as it says: the shell blocks of its pages are executed in order, on a real server.

Each page begins where the installation page ends. Paths of the machine lead to a folder of the test. In place of
commands that need root, a package index or systemd there are stand-ins (`machine/`), which check their arguments;
that of systemctl runs the command lines of the shipped units. Not executed: `needs=network`, whose commands must
exist in the repository, and `runs=on`, whose options must be those of the commands.
"""

import grp
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.tree import ROOT

PAGES = [ROOT / "docs/hosting.md", *sorted((ROOT / "docs/host").glob("*.md"))]
NEEDS = {"", "needs=systemd", "needs=firewall", "needs=pip"}
"""Marks of blocks that are executed, some of them with stand-ins."""
SKIPPED = {"needs=network", "runs=on"}
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
        for name in ("etc/systemd/system", "var/lib", "var/backups", "opt", "run/scoville", "usr/local/bin", "tmp"):
            (root / name).mkdir(parents=True)
        clone = self.home / "scoville"
        clone.mkdir(parents=True)
        for name in ("packaging", "requirements", "scripts"):
            (clone / name).symlink_to(ROOT / name)
        (clone / "dist").mkdir()
        (clone / "dist/scoville-0.1.0-py3-none-any.whl").touch()
        commands = root / "stand-ins"
        commands.mkdir()
        for name in ("sudo", "systemctl", "systemd-sysusers", "systemd-tmpfiles", "ufw", "python3", "pip"):
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
        """Execute the blocks of a page in one shell, which stops at the first command that fails."""
        blocks = [block for block in read_blocks(page) if block.language == "sh" and block.mark not in SKIPPED]
        lines = ["set -eu", f"cd {shlex.quote(str(self.home))}"]
        for block in blocks:
            lines += [f"echo '== {block.where}'", self.translate(block.text)]
        done = subprocess.run(
            ["sh", "-c", "\n".join(lines)], env=self.environment, cwd=self.home, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"

    def stop(self) -> None:
        """Stop the server, if one runs."""
        stop = [sys.executable, "-m", "tests.documentation.machine", "systemctl", "stop", "scoville-server.service"]
        subprocess.run(stop, env=self.environment, check=True)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine on which the installation page has been followed."""
    made = Machine(tmp_path)
    try:
        made.run_page(ROOT / "docs/host/install.md")
        yield made
    finally:
        made.stop()


def test_the_installation_page_installs_a_server(machine: Machine) -> None:
    assert (machine.root / "var/lib/scoville/journal.sqlite3").exists()
    assert len([*(machine.root / "var/backups/scoville").glob("2*/MANIFEST")]) == 1


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "install.md" and "```sh" in page.read_text()], ids=lambda p: p.stem
)
def test_the_commands_of_a_page_work(page: Path, machine: Machine) -> None:
    machine.run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_is_of_a_kind_that_is_checked(page: Path) -> None:
    for block in read_blocks(page):
        assert block.language in {"sh", "toml", "json", "text"}, block.where
        assert block.language != "sh" or block.mark in NEEDS | SKIPPED, block.where
        # A command in a block that claims to be text would never be executed.
        assert block.language != "text" or not re.search(r"^(sudo |scoville)", block.text, re.MULTILINE), block.where


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_settings_of_a_page_are_right(page: Path, tmp_path: Path) -> None:
    group = grp.getgrgid(os.getgid()).gr_name
    for block in read_blocks(page):
        if block.language == "toml":
            tomllib.loads(block.text)
            for name in re.findall(r'"file:(/[^"]+)"', block.text):
                (tmp_path / Path(name).name).touch()
            text = re.sub(r'"file:/[^"]*/([^"/]+)"', rf'"file:{tmp_path}/\1"', block.text)
            file = tmp_path / "server.toml"
            file.write_text(text.replace('group = "scoville"', f'group = "{group}"'), encoding="utf-8")
            check = [str(BINARIES / "scoville-server"), "check-config", str(file)]
            done = subprocess.run(check, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
            assert done.returncode == 0, (block.where, done.stdout, done.stderr)
        elif block.language == "json":
            json.loads(block.text)


def test_commands_that_are_not_executed_exist() -> None:
    for page in PAGES:
        for block in read_blocks(page):
            if block.mark == "needs=network":
                for name in re.findall(r"(?:^|\s|~/scoville/)(scripts/\w+)", block.text):
                    assert os.access(ROOT / name, os.X_OK), (block.where, name)
            if block.mark == "runs=on":
                for line in block.text.splitlines():
                    words = shlex.split(line, comments=True)
                    options = {word for word in words if word.startswith("--")}
                    command = words[: 3 if words[1] == "door" else 1]
                    help_text = subprocess.run(
                        [str(BINARIES / command[0]), *command[1:], "--help"], capture_output=True, text=True, check=True
                    ).stdout
                    assert {option for option in options if option not in help_text} == set(), (block.where, line)


def test_no_page_installs_a_name_from_an_index() -> None:
    """A package of our name in an index that is not ours would be somebody else's program."""
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for line in page.read_text(encoding="utf-8").splitlines():
            for rest in re.findall(r"(?:pipx?|uvx?)\s+(?:install|--from)\s+(.*)", line):
                assert not re.search(r"^(?:-\S+\s+)*[\"']?scoville(?:\[|[\"'`\s]|$)", rest), (page.name, line)


def test_a_wrong_command_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    machine = Machine(tmp_path / "root")
    for wrong in ("scoville-server no-such-command", "sudo systemctl start scoville-nothing", "pip install scoville"):
        page.write_text(f"```sh needs=systemd\n{wrong}\n```\n", encoding="utf-8")
        with pytest.raises(AssertionError):
            machine.run_page(page)
    assert shutil.which("sh")
