"""The version is the same everywhere, and the lock files match pyproject.toml."""

import re
import tomllib
from importlib.metadata import entry_points, version
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.tags import compatible_tags, cpython_tags, mac_platforms
from packaging.utils import canonicalize_name, parse_wheel_filename

import scoville_shared
from tests.support.tree import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13")


PARTS = (
    *("play", "all", "host", "dev", "bots", "cluster", "pettingzoo", "ssh", "web"),
    *("bench", "fuzz", "lock", "site", "unicode"),
)
ALONE = ("lock", "site", "unicode")
"""Parts with an environment of their own, without the game."""
PLAYED_WITH = ("lan",)
"""Extras that scripts/play installs: the lock of the game holds them."""
FOR_PLAYERS = ("bots", "cluster", "lan", "ssh", "web")
"""Extras of the game itself; `all` has all of them."""
FOR_HOSTS = ("cluster", "lan", "ssh", "web")
"""Extras of an image for containers, which has no compiled bots."""
TOGETHER = ("all", "host")
"""Locks of several extras, which no extra names."""

GLIBC = [f"manylinux_2_{minor}" for minor in range(28, 4, -1)] + ["manylinux2014", "manylinux2010", "manylinux1"]
PLATFORMS = {
    "linux-x86_64": [f"{name}_x86_64" for name in GLIBC],
    "linux-aarch64": [f"{name}_aarch64" for name in GLIBC],
    "darwin-arm64": [*mac_platforms((14, 0), "arm64")],
}
"""Supported platforms, as `sys_platform` and machine, with the tags of wheels that fit (glibc 2.28, macOS 14)."""


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
    """List the requirements of pyproject.toml: dependencies, build requirements, and one extra."""
    project = PROJECT["project"]
    wanted = [] if part in ALONE else list(project["dependencies"])
    if part not in (*ALONE, *TOGETHER):
        wanted += PROJECT["build-system"]["requires"]
    extras = {
        "all": FOR_PLAYERS,
        "dev": (part, *FOR_PLAYERS, "pettingzoo"),
        "play": PLAYED_WITH,
        "host": FOR_HOSTS,
    }.get(part, (part,))
    listed = [line for extra in extras for line in project["optional-dependencies"].get(extra, [])]
    return [Requirement(line) for line in wanted + listed]


def environment(platform: str, python: str) -> dict[str, str]:
    """The environment markers of CPython on a platform."""
    system, machine = platform.split("-")
    return {
        **{key: str(value) for key, value in default_environment().items()},
        "implementation_name": "cpython", "platform_python_implementation": "CPython", "os_name": "posix",
        "sys_platform": system, "platform_machine": machine, "platform_system": system.title(),
        "python_version": python, "python_full_version": f"{python}.1",
    }  # fmt: skip


def is_for(wanted: Requirement, here: dict[str, str]) -> bool:
    return wanted.marker is None or wanted.marker.evaluate(here)


def fits(wanted: Requirement, locked: list[Requirement], here: dict[str, str]) -> bool:
    """Whether a requirement is locked for an environment, or does not apply there."""
    if not is_for(wanted, here):
        return True
    chosen = [pin for pin in locked if is_for(pin, here)]
    return len(chosen) == 1 and wanted.specifier.contains(next(iter(chosen[0].specifier)).version)


def wheels() -> dict[str, str]:
    """The file names of all locked wheels by SHA-256."""
    lines = (ROOT / "requirements/wheels.sha256").read_text(encoding="utf-8").splitlines()
    return dict(line.split("  ") for line in lines)


def hashes(part: str) -> dict[str, list[str]]:
    """The hashes of each pin, by the line that begins it."""
    text = (ROOT / f"requirements/{part}.txt").read_text(encoding="utf-8")
    blocks = re.findall(r"^(\S+==.*) \\((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)$", text, re.MULTILINE)
    return {pin: re.findall("[0-9a-f]{64}", block) for pin, block in blocks}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("part", PARTS)
def test_the_lock_meets_every_request(part: str, python: str, platform: str) -> None:
    locked, here = pins(part), environment(platform, python)
    unmet = [
        str(wanted) for wanted in direct(part) if not fits(wanted, locked.get(canonicalize_name(wanted.name), []), here)
    ]
    assert unmet == [], "run scripts/lock"


def test_all_has_every_extra_of_the_game() -> None:
    assert PROJECT["project"]["optional-dependencies"]["all"] == [f"scoville[{','.join(FOR_PLAYERS)}]"]


def test_every_extra_has_a_lock() -> None:
    assert {*PROJECT["project"]["optional-dependencies"], "play", "host"} == {*PARTS, *PLAYED_WITH}
    assert {path.stem for path in (ROOT / "requirements").glob("*.txt")} == {*PARTS}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("part", PARTS)
def test_every_pin_has_a_wheel_for_every_supported_machine(part: str, python: str, platform: str) -> None:
    names, version_info = wheels(), tuple(map(int, python.split(".")))
    usable = {*cpython_tags(version_info, platforms=PLATFORMS[platform])}
    usable |= {*compatible_tags(version_info, f"cp{python.replace('.', '')}", PLATFORMS[platform])}
    here = environment(platform, python)
    missing = [
        pin
        for pin, digests in hashes(part).items()
        if is_for(Requirement(pin), here) and not any(usable & parse_wheel_filename(names[each])[3] for each in digests)
    ]
    assert missing == []


@pytest.mark.parametrize("part", PARTS)
def test_no_lock_allows_a_source_distribution(part: str) -> None:
    names = wheels()
    for pin, digests in hashes(part).items():
        wanted = Requirement(pin)
        for name in (names[digest] for digest in digests):
            assert name.endswith(".whl")
            package, version, *_ = parse_wheel_filename(name)
            assert package == canonicalize_name(wanted.name)
            assert wanted.specifier.contains(version, prereleases=True)


def test_whatever_installs_packages_takes_wheels_by_hash_alone() -> None:
    setup = (ROOT / "scripts/lib/setup.py").read_text(encoding="utf-8")
    assert '"--only-binary", ":all:"' in setup
    assert '"--require-hashes"' in setup
    for script in ("lock", "site", "unicode"):
        text = (ROOT / f"scripts/{script}").read_text(encoding="utf-8")
        assert f"--only-binary :all: --require-hashes -r requirements/{script}.txt" in text
    assert [line for line in PROJECT["build-system"]["requires"] if not re.fullmatch(r"[\w-]+==[\d.]+", line)] == []


def version_of(locked: list[Requirement]) -> set[str]:
    return {str(pin.specifier) for pin in locked}


def test_developers_play_with_the_players_versions() -> None:
    developers = pins("dev")
    for part in ("play", "all", "host", "bots", "cluster", "ssh", "web", "bench", "fuzz"):
        others = pins(part)
        assert {
            name for name, found in pins("play").items() if version_of(developers[name]) != version_of(found)
        } == set()
        assert {
            name for name in {*others} & {*developers} if version_of(developers[name]) != version_of(others[name])
        } == set()


@pytest.mark.parametrize("part", PARTS)
def test_every_pin_has_hashes(part: str) -> None:
    text = (ROOT / f"requirements/{part}.txt").read_text(encoding="utf-8")
    assert len(hashes(part)) == len(re.findall(r"^[\w.\[\]-]+==", text, re.MULTILINE)) > 0


def test_the_newest_heading_of_the_changelog_is_the_version() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == scoville_shared.__version__


def test_the_installed_distribution_is_this_one() -> None:
    assert version("scoville") == scoville_shared.__version__


@pytest.mark.parametrize("group", ["scoville.games", "scoville.bots"])
def test_announced_release_installs_and_loads(group: str) -> None:
    announced = PROJECT["project"]["entry-points"][group]
    installed = {entry.name: entry for entry in entry_points(group=group)}
    assert {name: entry.value for name, entry in installed.items() if name in announced} == announced
    for name in announced:
        installed[name].load()


def test_supported_pythons_agree() -> None:
    classified = {line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line}
    assert classified == set(PYTHONS)
    assert f"SUPPORTED = {PYTHONS!r}".replace("'", '"') in (ROOT / "scripts/lib/setup.py").read_text(encoding="utf-8")
