"""Wheels of Scoville and of games from its template, installed into environments without a checkout."""

import os
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from sysconfig import get_path
from typing import Final

from scoville_client.authoring.new_game import write_new_game
from tests.outside.faulty_games.prepared import put_fault
from tests.support.tree import ROOT

_PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def build_wheel(source: Path, folder: Path) -> Path:
    """Build the wheel of a source folder with the pinned build tools; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.glob("*.whl"))
    _run_command(*_PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (made,) = set(folder.glob("*.whl")) - before
    return made


def write_game(slug: str, folder: Path, fault: str = "") -> Path:
    """Write the package of a game from the template, with a fault if one is named; returns its folder."""
    place = folder / slug
    with redirect_stdout(StringIO()):
        assert write_new_game(slug, place) == 0
    if fault:
        put_fault(fault, place / "src" / slug)
    return place


class Environment:
    """A fresh virtual environment with the wheel of Scoville, in which nothing of the checkout can be imported.

    Args:
        folder: Where it is made.
        wheels: Where the wheel is built.
        borrowing: Whether it takes the dependencies from the environment of the tests, which has them already.
    """

    def __init__(self, folder: Path, wheels: Path, *, borrowing: bool = False) -> None:
        self._folder = folder
        # Without a pip of its own: to unpack one takes four seconds of processor time, and the one here serves it too.
        _run_command(sys.executable, "-m", "venv", "--without-pip", str(folder))
        if borrowing:
            # A folder that such a file names is only searched: the links to the checkout in it are not followed.
            own, lent = (get_path("purelib", vars={"base": str(base)}) for base in (folder, sys.prefix))
            Path(own, "dependencies.pth").write_text(f"{lent}\n", encoding="utf-8")
        self.install(build_wheel(ROOT, wheels), with_dependencies=not borrowing)

    def install(self, *wheels: Path, with_dependencies: bool = False) -> None:
        """Install wheels."""
        alone = () if with_dependencies else ("--no-deps", "--no-compile")
        self._run_pip("install", *alone, *map(str, wheels))

    def uninstall(self, *names: str) -> None:
        """Uninstall packages."""
        self._run_pip("uninstall", "--yes", *names)

    def _run_pip(self, *arguments: str) -> None:
        _run_command(*_PIP, "--python", str(self._folder / "bin" / "python"), *arguments)

    def run(self, command: str, *arguments: str, seconds: float) -> tuple[int, str]:
        """Run an installed command; returns its status and what it has printed."""
        done = subprocess.run(
            [str(self._folder / "bin" / command), *arguments],
            cwd=self._folder, env=self.variables, capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of a user who has no checkout."""
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "TMPDIR"}}
        return {**kept, "HOME": str(self._folder), "SCOVILLE_SETTINGS": str(self._folder / "settings.toml")}

    def path_of(self, command: str) -> Path:
        """Return the path of an installed command."""
        return self._folder / "bin" / command


def _run_command(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
