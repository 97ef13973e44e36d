"""The manual for hosts works as it says: the shell blocks of its pages are executed in order, on a real server.

Each page begins where the installation page ends. Paths of the machine lead to a folder of the test. In place of
commands that need root, a package index or systemd there are stand-ins (`machine/`), which check their arguments;
that of systemctl runs the command lines of the shipped units. Not executed here: `needs=network`, whose commands must
exist in the repository, `needs=before` (test_rollback.py), `needs=container` (tests/packaging/test_container.py),
`needs=machine`, which need disks and users of their own, and `runs=on`, whose options must be those of the commands.
"""

import grp
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documentation.host_machine import BINARIES, NEEDS, SKIPPED, Machine, read_blocks
from tests.support.tree import ROOT

PAGES = [ROOT / "docs/hosting.md", *sorted((ROOT / "docs/host").glob("*.md"))]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine on which the installation page has been followed, stopped, with a copy beside it."""
    made = Machine(tmp_path_factory.mktemp("machine") / "root")
    try:
        made.run_page(ROOT / "docs/host/install.md")
    finally:
        made.stop()
    # Their sockets stay where a service manager has a copy of them; they cannot be copied.
    without_sockets = shutil.ignore_patterns("*.sock")
    shutil.copytree(made.root, made.root.with_name("as-installed"), symlinks=True, ignore=without_sockets)
    return made


@pytest.fixture
def machine(installed: Machine) -> Iterator[Machine]:
    """That machine as it was after the installation, with its server running: installing takes seconds, a copy none."""
    shutil.rmtree(installed.root)
    shutil.copytree(installed.root.with_name("as-installed"), installed.root, symlinks=True)
    try:
        installed.start()
        yield installed
    finally:
        installed.stop()


def test_the_installation_page_installs_a_server(machine: Machine) -> None:
    assert (machine.root / "var/lib/scoville/journal.sqlite3").exists()
    assert len([*(machine.root / "var/backups/scoville").glob("2*/MANIFEST")]) == 1
    shared = machine.root / "usr/local/share"
    for name in (
        "man/man1/scoville-server.1",
        "bash-completion/completions/scoville",
        "fish/vendor_completions.d/scoville.fish",
    ):
        assert (shared / name).resolve() == ROOT / "packaging/share" / name


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "install.md" and "```sh" in page.read_text()], ids=lambda p: p.stem
)
def test_the_commands_of_a_page_work(page: Path, machine: Machine) -> None:
    machine.run_page(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_is_of_a_kind_that_is_checked(page: Path) -> None:
    for block in read_blocks(page):
        assert block.language in {"sh", "toml", "json", "yaml", "text"}, block.where
        assert block.language != "sh" or block.mark in NEEDS | SKIPPED, block.where
        # A command in a block that claims to be text would never be executed.
        assert block.language != "text" or not re.search(r"^(sudo |scoville)", block.text, re.MULTILINE), block.where


@pytest.mark.parametrize("page", [*PAGES, ROOT / "docs/monitoring.md"], ids=lambda page: page.stem)
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
