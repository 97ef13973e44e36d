"""One version everywhere, and lock files that say what pyproject.toml says."""

import re
import tomllib
from importlib.metadata import entry_points, version
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import scoville_shared
from tests.support.tree import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13")


def pins(part: str) -> dict[str, list[Requirement]]:
    """Read a lock file: the pins of each package, several where they depend on the platform."""
    lines = (ROOT / f"requirements/{part}.txt").read_text(encoding="utf-8").splitlines()
    read: dict[str, list[Requirement]] = {}
    for line in lines:
        if "==" in line:
            pin = Requirement(line.removesuffix("\\"))
            read.setdefault(canonicalize_name(pin.name), []).append(pin)
    return read


def direct(part: str) -> list[Requirement]:
    """List what pyproject.toml asks for: the game, what builds it, and for developers their tools."""
    project = PROJECT["project"]
    wanted = project["dependencies"] + PROJECT["build-system"]["requires"]
    return [Requirement(line) for line in wanted + (project["optional-dependencies"]["dev"] if part == "dev" else [])]


def fits(wanted: Requirement, locked: list[Requirement], python: str) -> bool:
    """Tell whether a wish is met by the lock on a Linux machine with this Python, or is not wanted there."""
    here = {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
    if wanted.marker and not wanted.marker.evaluate(here):
        return True
    chosen = [pin for pin in locked if pin.marker is None or pin.marker.evaluate(here)]
    return len(chosen) == 1 and wanted.specifier.contains(next(iter(chosen[0].specifier)).version)


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("part", ["play", "dev"])
def test_the_lock_meets_every_wish(part: str, python: str) -> None:
    locked = pins(part)
    unmet = [
        str(wanted)
        for wanted in direct(part)
        if not fits(wanted, locked.get(canonicalize_name(wanted.name), []), python)
    ]
    assert unmet == [], "run scripts/lock"


def test_developers_play_with_the_players_versions() -> None:
    developers = pins("dev")
    assert {name: found for name, found in pins("play").items() if developers.get(name) != found} == {}


@pytest.mark.parametrize("part", ["play", "dev"])
def test_every_pin_has_hashes(part: str) -> None:
    text = (ROOT / f"requirements/{part}.txt").read_text(encoding="utf-8")
    blocks = re.findall(r"^[\w.\[\]-]+==.*(?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+$", text, re.MULTILINE)
    assert len(blocks) == len(re.findall(r"^[\w.\[\]-]+==", text, re.MULTILINE))


def test_the_newest_heading_of_the_changelog_is_the_version() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == scoville_shared.__version__


def test_the_installed_distribution_is_this_one() -> None:
    assert version("scoville") == scoville_shared.__version__


@pytest.mark.parametrize("group", ["scoville.games", "scoville.bots"])
def test_what_is_announced_is_installed_and_loads(group: str) -> None:
    announced = PROJECT["project"]["entry-points"][group]
    installed = {entry.name: entry for entry in entry_points(group=group)}
    assert {name: entry.value for name, entry in installed.items() if name in announced} == announced
    for name in announced:
        installed[name].load()


def test_supported_pythons_agree() -> None:
    classified = {line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line}
    assert classified == set(PYTHONS)
    assert f"SUPPORTED = {PYTHONS!r}".replace("'", '"') in (ROOT / "scripts/lib/setup.py").read_text(encoding="utf-8")
