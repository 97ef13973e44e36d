"""`scripts/play` finds a Python, makes `.venv` once, and understands its arguments. Fake Pythons record their calls."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.tree import copy_of_scripts

SYSTEM = ("sh", "cat", "cksum", "dirname", "mkdir", "chmod")

FAKE = """#!/bin/sh
# A Python that knows its version, and instead of a set-up leaves a scoville that tells its arguments.
if [ "$1" = -c ]; then echo {version}; exit; fi
echo "set-up by {version} for $4" >&2
venv={root}/.venv
mkdir -p "$venv/bin"
printf '#!/bin/sh\\necho "scoville $*"\\n' >"$venv/bin/scoville"
printf '#!/bin/sh\\n' >"$venv/bin/python"
chmod +x "$venv/bin/scoville" "$venv/bin/python"
printf '%s\\n' "$5" >"$venv/made-of.$4"
printf '%s\\n' "$SCOVILLE_PYTHON" >"$venv/made-with"
"""


class Checkout:
    """A checkout in an empty machine: only the Pythons a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.root = copy_of_scripts(folder / "card table")
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name in SYSTEM:
            (self.bin / name).symlink_to(Path(shutil.which(name) or name).resolve())

    def python(self, name: str, version: str) -> Path:
        """Put an interpreter of a version on the path."""
        path = self.bin / name
        path.write_text(FAKE.format(version=version, root=f"'{self.root}'"))
        path.chmod(0o755)
        return path

    def play(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run scripts/play in an empty environment."""
        command = [self.root / "scripts/play", *arguments]
        around = {"PATH": str(self.bin), "HOME": str(self.root), **environment}
        return subprocess.run(
            command, env=around, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.parametrize("version", ["3.11.2", "3.12.10", "3.13.0"])
def test_a_fitting_python3_sets_up_and_opens_a_game(checkout: Checkout, version: str) -> None:
    checkout.python("python3", version)
    played = checkout.play()
    assert (played.returncode, played.stdout) == (0, "scoville practice --welcome\n")
    assert f"set-up by {version} for play" in played.stderr


def test_the_second_start_runs_no_python(checkout: Checkout) -> None:
    checkout.python("python3", "3.11.2")
    checkout.play()
    (checkout.bin / "python3").unlink()
    again = checkout.play()
    assert (again.returncode, again.stdout, again.stderr) == (0, "scoville practice --welcome\n", "")


@pytest.mark.parametrize("changed", ["requirements/play.txt", "pyproject.toml", "shared/scoville_shared/__init__.py"])
def test_a_changed_file_sets_up_again(checkout: Checkout, changed: str) -> None:
    checkout.python("python3", "3.11.2")
    checkout.play()
    with (checkout.root / changed).open("a") as file:
        file.write("# newer\n")
    assert "set-up by 3.11.2" in checkout.play().stderr


def test_an_interrupted_set_up_is_done_again(checkout: Checkout) -> None:
    checkout.python("python3", "3.11.2")
    checkout.play()
    (checkout.root / ".venv/unfinished").touch()
    assert "set-up by 3.11.2" in checkout.play().stderr


def test_a_moved_folder_is_set_up_again(checkout: Checkout) -> None:
    checkout.python("python3", "3.11.2")
    checkout.play()
    checkout.root = checkout.root.rename(checkout.root.parent / "elsewhere")
    checkout.python("python3", "3.11.2")
    assert "set-up by 3.11.2" in checkout.play().stderr


def test_an_old_python_is_passed_over(checkout: Checkout) -> None:
    checkout.python("python3", "3.9.2")
    checkout.python("python3.12", "3.12.4")
    assert "set-up by 3.12.4" in checkout.play().stderr


def test_an_untested_newer_python_comes_last(checkout: Checkout) -> None:
    checkout.python("python3", "3.15.0")
    assert "set-up by 3.15.0" in checkout.play().stderr
    shutil.rmtree(checkout.root / ".venv")
    checkout.python("python3.11", "3.11.9")
    assert "set-up by 3.11.9" in checkout.play().stderr


def test_only_old_pythons_are_refused_by_version(checkout: Checkout) -> None:
    checkout.python("python3", "3.9.2")
    refused = checkout.play()
    assert refused.returncode == 1
    assert "needs Python 3.11, 3.12 or 3.13" in refused.stderr
    assert "python3 is 3.9.2" in refused.stderr
    assert "apt install python3 python3-venv" in refused.stderr


def test_no_python_at_all_is_said(checkout: Checkout) -> None:
    assert "no working Python as python3 python3.13" in checkout.play().stderr


def test_the_requested_python_wins_over_the_installed_one(checkout: Checkout) -> None:
    checkout.python("python3", "3.11.2")
    asked = str(checkout.python("my python", "3.13.1"))
    checkout.play()
    assert "set-up by 3.13.1" in checkout.play(SCOVILLE_PYTHON=asked).stderr
    assert checkout.play(SCOVILLE_PYTHON=asked).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["--demo"], "demo"),
        (["--demo", "--players", "5"], "demo --players 5"),
        (["--players", "3"], "practice --welcome --players 3"),
        (["--ascii", "host"], "--ascii host"),
        (["--name", "Anna", "--language=de", "join", "example"], "--name Anna --language=de join example"),
        (["--no-color", "--players", "3"], "practice --welcome --no-color --players 3"),
        (["--plain"], "practice --welcome --plain"),
        (["--name", "host"], "practice --welcome --name host"),
        (["--ascii", "--demo", "--players", "5"], "demo --ascii --players 5"),
        (["practice", "dicht_dran"], "practice dicht_dran"),
        (["join", "host:5757"], "join host:5757"),
        (["host"], "host"),
        (["--version"], "--version"),
    ],
)
def test_arguments(checkout: Checkout, arguments: list[str], command: str) -> None:
    checkout.python("python3", "3.11.2")
    assert checkout.play(*arguments).stdout == f"scoville {command}\n"


def test_help_needs_no_python_and_makes_nothing(checkout: Checkout) -> None:
    helped = checkout.play("--help")
    assert helped.returncode == 0
    assert "scripts/play --demo" in helped.stdout
    assert not (checkout.root / ".venv").exists()


def test_a_failed_set_up_opens_no_game(checkout: Checkout) -> None:
    broken = checkout.python("python3", "3.11.2")
    broken.write_text(broken.read_text().replace("mkdir -p", "exit 1 #"))
    failed = checkout.play()
    assert (failed.returncode, failed.stdout) == (1, "")


def test_half_a_checkout_is_named(checkout: Checkout) -> None:
    (checkout.root / "pyproject.toml").unlink()
    assert "pyproject.toml is missing" in checkout.play().stderr
