"""An upgrade that changes the form of the data, and the way back, as the manual says it: with wheels of two versions.

The newer version is this one with another number and one migration more. Both are built and installed; the shell blocks
of the manual's page are executed, and users play before, between and after them.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoville_client.transport.tcp import TcpLink
from scoville_server.journal.files.version_file import VERSION
from scoville_server.journal.schema import newest_version
from scoville_shared import __version__
from tests.documentation.host_machine import Block, Machine, read_blocks
from tests.support.process import quiet_port
from tests.support.recording_session import RecordingSession
from tests.support.tree import ROOT

NEWER = "99.0.0"
COPIED = ("client", "server", "shared", "packaging", "pyproject.toml", "README.md", "LICENSE")
UPGRADE = ROOT / "docs/host/upgrade.md"


def build_wheel(sources: Path, folder: Path) -> Path:
    """Build the wheel of a source tree."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=sources, check=True, capture_output=True)
    (wheel,) = folder.glob("scoville-*.whl")
    return wheel


def build_newer_wheel(folder: Path) -> Path:
    """Build the wheel of a version that has changed the form of the journal."""
    sources = folder / "sources"
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, sources / name)
    version = sources / "shared/scoville_shared/__init__.py"
    version.write_text(version.read_text().replace(f'"{__version__}"', f'"{NEWER}"'))
    migration = sources / f"server/scoville_server/journal/migrations/{newest_version() + 1:04}_newer.sql"
    migration.write_text("CREATE TABLE newer (number INTEGER PRIMARY KEY);")
    return build_wheel(sources, folder)


class UpgradedMachine(Machine):
    """A host's machine on which wheels are really installed."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.port = quiet_port()
        self.environment |= {"MACHINE_LIBRARY": str(root / "library"), "SCOVILLE_PORT": str(self.port)}
        self.data = root / "var/lib/scoville"

    @property
    def log(self) -> str:
        """What the servers have logged."""
        return (self.root / "server.log").read_text()

    def make_wheels(self) -> None:
        """Put this version's wheel where the installation finds it, and let `scripts/wheel` make the newer one."""
        dist = self.home / "scoville/dist"
        shutil.rmtree(dist)
        build_wheel(ROOT, dist)
        newer = build_newer_wheel(self.root / "newer")
        (self.home / "scoville/scripts").unlink()
        script = self.home / "scoville/scripts/wheel"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\nmkdir -p "$1"\ncp {newer} "$1"\n')
        script.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[UpgradedMachine]:
    """A machine on which this version is installed."""
    made = UpgradedMachine(tmp_path)
    made.make_wheels()
    try:
        made.run_page(ROOT / "docs/host/install.md")
        yield made
    finally:
        made.stop()


def blocks_of(mark: str) -> list[Block]:
    """Return the blocks of the manual's page with a mark."""
    return [block for block in read_blocks(UPGRADE) if block.mark == mark]


async def play_moves(anna: RecordingSession, moves: int) -> None:
    """Play against bots until Anna has moved so often."""
    await anna.until(lambda: anna.at.played[0] >= moves or anna.at.my_turn)
    while anna.at.played[0] < moves:
        await anna.play_move(next(iter(anna.at.legal_moves())))
        await anna.until(lambda: anna.at.played[0] >= moves or anna.at.my_turn)


async def test_an_older_version_serves_again_after_a_rollback(machine: UpgradedMachine) -> None:
    upgrade = [block for block in read_blocks(UPGRADE) if block.mark in ("needs=network", "needs=pip")]
    install_former, roll_back = blocks_of("needs=before")
    copy = machine.data / f"before-schema-{newest_version() + 1}"
    anna = RecordingSession()
    await anna.connect(TcpLink("127.0.0.1", machine.port), "Anna")
    table = await anna.lobby.create_table("no_thanks", 3, {})
    await anna.join_table(table.table)
    await anna.table_actions.start_game()
    await play_moves(anna, 2)

    machine.run_blocks(upgrade)
    assert (machine.data / VERSION).read_text() == f"{NEWER}\n"
    assert f"{__version__} (schema {newest_version()})" in machine.log
    assert f"{NEWER} (schema {newest_version() + 1})" in machine.log
    assert str(copy) in machine.log
    await play_moves(anna, 4)
    assert anna.returns == 0, "a restart in place keeps connections without encryption"

    logged = len(machine.log)
    with pytest.raises(AssertionError):
        machine.run_blocks([install_former])
    refusal = machine.log[logged:]
    assert re.search(rf"written by a newer Scoville, {NEWER} .* this is {__version__}, which", refusal), refusal
    assert str(copy) in refusal
    assert (machine.data / VERSION).read_text() == f"{NEWER}\n"

    machine.run_blocks([roll_back])
    assert (machine.data / VERSION).read_text() == f"{__version__}\n"
    await anna.until(lambda: anna.returns == 1 and anna.at.played[0] == 2)
    await play_moves(anna, 3)
    await anna.close()
