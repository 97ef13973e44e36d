"""The image for containers: its steps are executed without an engine, and its pages name what there is."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation.host_machine import BINARIES, read_blocks
from tests.support.tree import ROOT

FOLDER = ROOT / "packaging/container"
PAGE = ROOT / "docs/host/container.md"
UNITS = ROOT / "packaging/systemd"
SKIPPED = 77
SERVER, CLIENT = "/opt/scoville/bin/scoville-server", "/opt/scoville/bin/scoville"


def last_value(verb: str) -> str:
    """Return what the last instruction of a kind says."""
    return re.findall(rf"^{verb} (.*)$", (FOLDER / "Containerfile").read_text(), re.MULTILINE)[-1]


def test_image_runs_unprivileged_with_a_read_only_root() -> None:
    """Executes all steps but those that need an index, and then the server, see `scripts/container`."""
    build = [sys.executable, str(ROOT / "scripts/lib/container.py"), "--offline"]
    done = subprocess.run(build, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode == SKIPPED:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    assert "the server runs in it" in done.stdout


def test_the_image_begins_with_the_server_and_opens_its_ports() -> None:
    units = "\n".join(unit.read_text() for unit in UNITS.iterdir())
    assert set(last_value("EXPOSE").split()) == set(re.findall(r"(?:--port |ListenStream=)(\d+)", units))
    assert json.loads(last_value("ENTRYPOINT")) == [SERVER]
    assert last_value("USER") == "10001:10001"


def help_of(command: list[str]) -> str:
    """Return the help of an installed command."""
    program = BINARIES / Path(command[0]).name
    return subprocess.run([program, *command[1:], "--help"], capture_output=True, text=True, check=True).stdout


def test_commands_of_the_page_exist() -> None:
    for block in read_blocks(PAGE):
        for line in block.text.splitlines() if block.language == "sh" else ():
            words = shlex.split(line)
            if SERVER in words:
                assert words[words.index(SERVER) + 1] in help_of([SERVER]), line
            elif words[:2] == ["podman", "run"] and "--rm" in words:
                assert words[-1] in help_of([SERVER]), line
            elif "--admin" in words:
                assert "--admin" in help_of([SERVER])


def test_doors_of_the_page_have_options_that_exist() -> None:
    (services,) = [block.text for block in read_blocks(PAGE) if block.language == "yaml"]
    commands = [found.split(", ") for found in re.findall(r"entrypoint: \[(.*)\]", services)]
    assert [command[:3] for command in commands] == [[CLIENT, "door", "ssh"], [CLIENT, "door", "web"]]
    for command in commands:
        shown = help_of(command[:3])
        assert [word for word in command if word.startswith("--") and word not in shown] == []
    named = set(re.findall(r"SCOVILLE_(\w+)", services))
    settings = subprocess.run(
        [BINARIES / "scoville-server", "settings"], capture_output=True, text=True, check=True
    ).stdout
    for name in named:
        table, _, key = name.lower().partition("__")
        assert re.search(rf"^\[{table}\]$", settings, re.MULTILINE), name
        assert re.search(rf"^#? ?{key} = ", settings, re.MULTILINE), name
