"""The packed file: it unpacks its wheels once, checks them, and runs the game with everything typed behind it."""

import importlib.util
import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.tree import ROOT

SUPPORTED = sys.version_info[:2] in {(3, 11), (3, 12), (3, 13), (3, 14)}
HERE = {"linux": f"linux-{platform.machine()}", "darwin": "macos-arm64"}.get(sys.platform, sys.platform)
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
GAME = """
import sys
def main():
    print("started with", *sys.argv[1:], "in", sys.prefix)
    return 7
"""

pytestmark = pytest.mark.skipif(not SUPPORTED, reason="the packed file is for Python 3.11 to 3.14")


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("package_builder", ROOT / "scripts/lib/package.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


builder = load()


def wheel(folder: Path, game: str = GAME) -> Path:
    """A wheel with a game that prints how it was started."""
    path = folder / "scoville-9.9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in (("__init__", ""), ("cli/__init__", ""), ("cli/main", game)):
            out.writestr(f"scoville_client/{name}.py", content)
    return path


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    file = tmp_path / "scoville.run"
    builder.write_package(file, HERE, "9.9", {PYTHON: [wheel(tmp_path)]})
    return file


def run(file: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a packed file with this Python as the only one, and a home folder beside the file."""
    programs = file.parent / "bin"
    programs.mkdir(exist_ok=True)
    python = programs / "python3"
    if not python.exists():
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
    known = {"HOME": str(file.parent), "PATH": f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin", **environment}
    return subprocess.run(
        ["/bin/sh", file, *arguments], env=known, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def unpacked(file: Path) -> list[Path]:
    return sorted(file.parent.glob("**/scoville/packed/*"))


def test_the_first_start_unpacks_and_later_ones_do_not(packed: Path) -> None:
    first = run(packed, "join", "a b", "--plain")
    (folder,) = unpacked(packed)
    assert first.stdout == f"started with join a b --plain in {folder}\n"
    assert first.stderr == "Unpacking Scoville; only the first start does that.\n"
    assert first.returncode == 7
    second = run(packed, "host")
    assert (second.stdout, second.stderr) == (f"started with host in {folder}\n", "")


def test_the_folder_can_be_chosen_and_other_wheels_have_another(packed: Path, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    assert str(chosen) in run(packed, XDG_CACHE_HOME=str(chosen)).stdout
    builder.write_package(packed, HERE, "9.9", {PYTHON: [wheel(tmp_path, GAME.replace("started", "newly started"))]})
    assert run(packed, XDG_CACHE_HOME=str(chosen)).stdout.startswith("newly started")
    assert len(unpacked(packed)) == 2


def test_a_start_that_was_cut_off_leaves_nothing_that_counts(packed: Path) -> None:
    run(packed)
    (folder,) = unpacked(packed)
    (folder / "bin/python").unlink()
    assert run(packed).returncode == 7


def test_help_says_what_the_file_does(packed: Path) -> None:
    text = run(packed, "--help").stdout
    assert "scoville.run is Scoville with all it needs" in text
    assert str(unpacked(packed)[0]) in text
    assert "started with --help" in text


def test_a_copy_that_is_cut_short_is_refused(packed: Path) -> None:
    whole = packed.read_bytes()
    packed.write_bytes(whole[:-100])
    answer = run(packed)
    assert answer.returncode == 1
    assert answer.stderr == f"{packed} is not complete. Copy it again.\n"


def test_a_wheel_without_its_hash_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, own = tmp_path / "scoville.run", wheel(tmp_path)
    monkeypatch.setattr(builder, "digest_of", lambda _: "0" * 64)
    builder.write_package(file, HERE, "9.9", {PYTHON: [own]})
    answer = run(file)
    assert answer.returncode == 1
    assert f"{file} is damaged: {own.name} does not have its hash. Copy the file again." in answer.stderr
    assert unpacked(file) == []


def test_a_damaged_copy_is_refused(packed: Path) -> None:
    whole = packed.read_bytes()
    at = whole.index(b"PK", whole.index(b"wheels/scoville")) + 60
    packed.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    answer = run(packed)
    assert answer.returncode == 1
    assert answer.stderr.endswith(f"{packed} is damaged. Copy it again.\n")
    assert unpacked(packed) == []


def test_another_machine_is_refused(packed: Path, tmp_path: Path) -> None:
    builder.write_package(packed, "plan9-mips", "9.9", {PYTHON: [wheel(tmp_path)]})
    answer = run(packed)
    assert answer.returncode == 1
    assert answer.stderr == f"This file is for plan9-mips, and this machine is {HERE}. Take the file for it.\n"


def test_a_folder_that_cannot_be_written_to_is_named(packed: Path) -> None:
    (packed.parent / "file").touch()
    answer = run(packed, XDG_CACHE_HOME=str(packed.parent / "file"))
    assert answer.returncode == 1
    assert "Scoville cannot be unpacked" in answer.stderr
    assert "XDG_CACHE_HOME" in answer.stderr
    assert "Traceback" not in answer.stderr


def assert_refused(answer: subprocess.CompletedProcess[str], path: Path) -> None:
    assert answer.returncode == 1
    assert str(path) in answer.stderr
    assert "Set XDG_CACHE_HOME to a folder that only you can write to." in answer.stderr
    assert "PWNED" not in answer.stdout


def plant(folder: Path) -> None:
    """Put a Python of somebody else where the game's is."""
    python = folder / "bin/python"
    python.unlink()
    python.write_text("#!/bin/sh\necho PWNED\n")
    python.chmod(0o755)


@pytest.mark.parametrize("shared", ["", "scoville", "scoville/packed"])
def test_a_cache_that_others_may_write_to_is_refused(packed: Path, tmp_path: Path, shared: str) -> None:
    chosen = tmp_path / "chosen"
    run(packed, XDG_CACHE_HOME=str(chosen))
    plant(*unpacked(packed))
    (chosen / shared).chmod(0o777)
    assert_refused(run(packed, XDG_CACHE_HOME=str(chosen)), chosen / shared)


def test_a_shared_folder_behind_a_link_is_refused(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "shared" / "mine").mkdir(parents=True)
    (tmp_path / "shared").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "shared" / "mine")
    assert_refused(run(packed, XDG_CACHE_HOME=str(tmp_path / "link")), tmp_path / "shared")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "chosen" / "scoville").mkdir(parents=True)
    (tmp_path / "chosen").chmod(0o1777)
    os.chown(tmp_path / "chosen" / "scoville", 4242, 4242)
    assert_refused(run(packed, XDG_CACHE_HOME=str(tmp_path / "chosen")), tmp_path / "chosen" / "scoville")


def test_a_sticky_folder_such_as_tmp_is_good(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "chosen").mkdir()
    (tmp_path / "chosen").chmod(0o1777)
    assert run(packed, XDG_CACHE_HOME=str(tmp_path / "chosen")).returncode == 7


def test_nothing_is_writable_by_others_whatever_the_umask_is(packed: Path) -> None:
    before = os.umask(0)
    try:
        assert run(packed).returncode == 7
    finally:
        os.umask(before)
    (folder,) = unpacked(packed)
    paths = [folder, *folder.parents[:2], *folder.rglob("*")]
    assert [path for path in paths if not path.is_symlink() and path.stat().st_mode & 0o022] == []


def test_a_folder_others_may_write_is_unpacked_again(packed: Path) -> None:
    run(packed)
    (folder,) = unpacked(packed)
    plant(folder)
    folder.chmod(0o777)
    answer = run(packed)
    assert answer.stdout.startswith("started with")
    assert not folder.stat().st_mode & 0o022


def test_a_machine_without_a_fitting_python_learns_what_to_install(packed: Path) -> None:
    answer = subprocess.run(["/bin/sh", packed], env={"PATH": "/nowhere"}, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr.startswith("Scoville needs Python 3.11, 3.12, 3.13 or 3.14 and does not find it.")


@pytest.mark.parametrize("python", builder.PYTHONS)
@pytest.mark.parametrize("name", builder.PLATFORMS)
@pytest.mark.parametrize("compiled", [False, True])
def test_each_platform_has_one_wheel_of_every_pin(name: str, python: str, *, compiled: bool) -> None:
    lock = builder.read_lock(ROOT, compiled=compiled)
    names = (ROOT / "requirements/wheels.sha256").read_text(encoding="utf-8")
    chosen = builder.choose_wheels(lock, names, builder.PLATFORMS[name], python)
    packages = {re.split("[=;]", pin)[0] for pin in chosen}
    assert {"aiohttp", "asyncssh", "cryptography", "textual", "uvloop", "zeroconf"} <= packages
    assert not packages & {"hatchling", "pytest"}
    assert packages & {"numba", "llvmlite", "numpy"} == ({"numba", "llvmlite", "numpy"} if compiled else set())
    for pin, (digest, file) in chosen.items():
        assert f"{digest}  {file}" in names
        assert digest in lock, pin


def test_the_same_wheels_make_the_same_file(packed: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.run"
    builder.write_package(again, HERE, "9.9", {PYTHON: [tmp_path / "scoville-9.9-py3-none-any.whl"]})
    assert again.read_bytes() == packed.read_bytes()


def test_an_unknown_platform_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert builder.main(ROOT, tmp_path, tmp_path, ["amiga"]) == 2
    assert "amiga; there are linux-x86_64, linux-aarch64, macos-arm64" in capsys.readouterr().err


def test_a_file_that_is_too_large_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/scoville-9.9-py3-none-any.whl").write_bytes(b"wheel")
    monkeypatch.setattr(builder, "download_wheels", lambda *_, **__: [])
    assert builder.main(ROOT, tmp_path, tmp_path, [HERE]) == 0
    monkeypatch.setattr(builder, "MOST_BYTES", 100)
    assert builder.main(ROOT, tmp_path, tmp_path, [HERE]) == 1
    assert "has more than" in capsys.readouterr().err
    assert builder.main(ROOT, tmp_path, tmp_path, ["--bots", HERE]) == 0
