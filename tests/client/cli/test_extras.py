"""Without the packages of an extra, one sentence says what to install."""

import re
import sys
import tomllib

import pytest

from scoville_client.cli import main as cli
from scoville_client.cli.main import main
from tests.support.tree import PACKAGES, ROOT, files

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
    assert f"pip install 'scoville[{extra}]'" in written.err


@pytest.mark.parametrize(("option", "package", "extra"), [("--ssh", "asyncssh", "ssh"), ("--web", "aiohttp", "web")])
def test_a_host_learns_what_a_door_needs_before_anything_starts(
    option: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == package else object())
    assert main(["host", option, "2222"]) == 2
    assert f"pip install 'scoville[{extra}]'" in capsys.readouterr().err


def test_every_extra_that_a_sentence_names_exists() -> None:
    sources = [path for path in files() if path.suffix == ".py" and any(map(path.is_relative_to, PACKAGES))]
    named = {extra for path in sources for extra in re.findall(r"scoville\[(\w+)\]", path.read_text(encoding="utf-8"))}
    assert {"lan", "ssh", "web"} <= named <= {*EXTRAS}
