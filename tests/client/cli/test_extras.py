"""Without the packages of an extra, one sentence says what to install."""

import re
import sys
import tomllib

import pytest

from scoville_client.cli import main as cli
from scoville_client.cli.main import main
from tests.support.tree import ROOT, tracked_files

EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [
        (["door", "ssh", "./door.sock"], "asyncssh", "ssh"),
        (["door", "web", "./door.sock"], "aiohttp", "web"),
    ],
)
def test_a_door_without_its_packages_says_what_to_install(
    command: list[str],
    package: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert main(command) == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert package in written.err
    assert f"pip install {package}" in written.err


@pytest.mark.parametrize(("option", "package", "extra"), [("--ssh", "asyncssh", "ssh"), ("--web", "aiohttp", "web")])
def test_a_host_learns_what_a_door_needs_before_anything_starts(
    option: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == package else object())
    assert main(["host", option, "2222"]) == 2
    assert f"pip install {package}" in capsys.readouterr().err


def sentences_to_install() -> list[str]:
    """What sentences, pages and scripts tell users to install."""
    texts = [path for path in tracked_files() if path.suffix in {".py", ".md", ".po", ""} and "tests" not in path.parts]
    found = (re.findall(r"pip install ([^`\n\"]+)", path.read_text(encoding="utf-8")) for path in texts)
    return [names for of_file in found for names in of_file]


def test_only_packages_of_others_are_installed_by_name() -> None:
    """Nobody here owns the name `scoville` in an index: whoever takes it would be installed."""
    named = [
        word.strip("'") for names in sentences_to_install() for word in names.split() if re.match(r"'?[a-z]", word)
    ]
    assert [word for word in named if word.startswith("scoville") and not word.endswith(".whl")] == []
    required = {each for extra in EXTRAS.values() for each in extra}
    assert {word for word in named if word.startswith("asyncssh")} == {"asyncssh==2.24.1"} & required
    assert {"aiohttp", "zeroconf"} <= {*named}
