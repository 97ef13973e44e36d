"""The wheel has every file that the game reads, and no other."""

import email
import email.message
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import hatchling.build
import pytest
from packaging.requirements import Requirement

from scoville_shared import __version__
from tests.support.tree import PACKAGES, ROOT, tracked_files

METADATA = f"scoville-{__version__}.dist-info"
DATA = f"scoville-{__version__}.data"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The wheel, built by the build backend itself: no pip, no network."""
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        name = hatchling.build.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as built:
        yield built


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> email.message.Message:
    return email.message_from_bytes(wheel.read(f"{METADATA}/METADATA"))


def content(wheel: zipfile.ZipFile) -> set[str]:
    """The files of the packages."""
    return {name for name in wheel.namelist() if not name.startswith((METADATA, DATA))}


def test_the_wheel_has_the_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    in_the_tree = {
        path.relative_to(package.parent).as_posix()
        for package in PACKAGES
        for path in tracked_files()
        if path.is_relative_to(package) and path.suffix != ".po"
    }
    assert content(wheel) == in_the_tree


def test_hosts_get_units_filter_and_dashboard(wheel: zipfile.ZipFile) -> None:
    tree = {path for path in tracked_files() if path.is_relative_to(ROOT / "packaging")}
    assert tree
    found = {name: wheel.read(name) for name in wheel.namelist() if name.startswith(DATA)}
    assert found == {f"{DATA}/data/{installed_at(path)}": path.read_bytes() for path in tree}


def installed_at(path: Path) -> str:
    """Return where a file of the folder `packaging` is installed."""
    place = path.relative_to(ROOT / "packaging").as_posix()
    return place if place.startswith("share/") else f"share/scoville/{place}"


def test_files_of_the_wheel_equal_the_tree(wheel: zipfile.ZipFile) -> None:
    parents = {package.name: package.parent for package in PACKAGES}
    different = [
        name for name in content(wheel) if wheel.read(name) != (parents[name.split("/")[0]] / name).read_bytes()
    ]
    assert different == []


@pytest.mark.parametrize(
    ("pattern", "number"),
    [
        ("*/py.typed", 3),
        ("scoville_client/i18n/locales/*.mo", 2),
        ("scoville_client/rules/*/*.md", 9),
        ("scoville_client/tui/styles/*.tcss", 4),
        ("scoville_client/doors/web/static/*.html", 2),
        ("scoville_client/doors/web/static/vendor/*.mjs", 2),
        ("scoville_client/doors/web/static/vendor/LICENSE-*", 2),
        ("scoville_server/journal/migrations/*.sql", 1),
        ("scoville_server/accounts/model/naming/*.txt", 3),
        ("scoville_shared/games/*/peppers.txt", 1),
    ],
)
def test_the_wheel_has_the_files_that_are_not_code(wheel: zipfile.ZipFile, pattern: str, number: int) -> None:
    assert len([name for name in wheel.namelist() if Path(name).match(pattern)]) >= number


def test_no_tests_scripts_or_sources_of_translations_are_installed(wheel: zipfile.ZipFile) -> None:
    assert {name.split("/")[0] for name in wheel.namelist()} == {
        *(package.name for package in PACKAGES),
        METADATA,
        DATA,
    }
    assert [name for name in wheel.namelist() if name.endswith((".po", ".pyc", ".orig"))] == []


def test_the_licence_and_the_commands_are_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    assert wheel.read(f"{METADATA}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    commands = wheel.read(f"{METADATA}/entry_points.txt").decode()
    assert "scoville = scoville_client.cli.main:main" in commands
    assert "scoville-server = scoville_server.cli.main:main" in commands


def test_the_wheel_names_what_each_extra_installs(metadata: email.message.Message) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    for extra, wanted in project["optional-dependencies"].items():
        chosen = {each.name for each in named if each.marker and f'extra == "{extra}"' in str(each.marker)}
        flat = {name for each in map(Requirement, wanted) for name in (each.extras if each.name == "scoville" else ())}
        flattened = {Requirement(text).name for name in flat for text in project["optional-dependencies"][name]}
        assert chosen >= (flattened or {Requirement(text).name for text in wanted})
