"""Packs wheels and a small start program into one file per platform.

Arguments: the repository, a working folder whose folder `own` has Scoville's wheel, a folder for the files, then
platforms. Run by scripts/package, with an environment that has pip and packaging.
"""

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
HERE = Path(__file__).parent / "packed"
SIZE = "@SIZE@"
COMPILED_BOTS = "--bots"
MOST_BYTES = 60_000_000
"""Bytes of a file without compiled bots, which people send to each other."""
PIN = re.compile(r"^\S+==.*(?:\n    .*)*", re.MULTILINE)
"""One package of a lock, with its hashes."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every file in the archive: the same wheels make the same file."""


class Platform(NamedTuple):
    """A kind of machine: `sys_platform` and machine as in markers, and the tags of wheels that fit, best first."""

    system: str
    machine: str
    tags: tuple[str, ...]


def _describe_linux(machine: str) -> Platform:
    names = [*(f"manylinux_2_{minor}" for minor in range(28, 4, -1)), "manylinux2014", "manylinux2010", "manylinux1"]
    return Platform("linux", machine, tuple(f"{name}_{machine}" for name in names))


PLATFORMS = {
    "linux-x86_64": _describe_linux("x86_64"),
    "linux-aarch64": _describe_linux("aarch64"),
    "macos-arm64": Platform("darwin", "arm64", tuple(mac_platforms((14, 0), "arm64"))),
}


def main(root: Path, work: Path, target: Path, chosen: Sequence[str]) -> int:
    """Write the file of each platform; return the exit status."""
    compiled = COMPILED_BOTS in chosen
    chosen = [name for name in chosen if name != COMPILED_BOTS]
    unknown = sorted({*chosen} - {*PLATFORMS})
    if unknown:
        print(f"Unknown platform {', '.join(unknown)}; there are {', '.join(PLATFORMS)}.", file=sys.stderr)
        return 2
    (own,) = (work / "own").glob("scoville-*.whl")
    for name in chosen or PLATFORMS:
        wheels = {
            python: [own, *download_wheels(root, work / name, PLATFORMS[name], python, compiled=compiled)]
            for python in PYTHONS
        }
        version = str(parse_wheel_filename(own.name)[1])
        file = target / f"scoville-{version}-{name}{'-bots' if compiled else ''}.run"
        write_package(file, name, version, wheels)
        print(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file}  {file.stat().st_size / 1e6:.0f} MB")
        if not compiled and file.stat().st_size > MOST_BYTES:
            print(
                f"{file} has more than {MOST_BYTES / 1e6:.0f} MB: which package of host.txt is that?", file=sys.stderr
            )
            return 1
    return 0


def read_lock(root: Path, *, compiled: bool) -> str:
    """Return the lock of what is packed; unless `compiled`, without packages that only compiled bots need."""
    return (root / "requirements" / ("all.txt" if compiled else "host.txt")).read_text(encoding="utf-8")


def download_wheels(root: Path, folder: Path, platform: Platform, python: str, *, compiled: bool) -> list[Path]:
    """Have pip fetch the locked wheels for a platform and a Python, each checked by its hash."""
    locked = choose_wheels(
        read_lock(root, compiled=compiled),
        (root / "requirements/wheels.sha256").read_text(encoding="utf-8"),
        platform,
        python,
    )
    into = folder / python
    into.mkdir(parents=True)
    wanted = into.with_suffix(".txt")
    wanted.write_text("".join(f"{pin} --hash=sha256:{digest}\n" for pin, (digest, _) in locked.items()), "utf-8")
    abi = f"cp{python.replace('.', '')}"
    fitting = [f"--platform={tag}" for tag in platform.tags] + [f"--abi={each}" for each in (abi, "abi3", "none")]
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps"]
    command += ["--only-binary=:all:", "--require-hashes", "--implementation=cp", f"--python-version={python}"]
    subprocess.run([*command, *fitting, "--dest", into, "-r", wanted], check=True)
    files = [into / name for _, name in locked.values()]
    for file, (digest, name) in zip(files, locked.values(), strict=True):
        if digest_of(file) != digest:
            raise SystemExit(f"{name} does not have the hash in requirements/all.txt.")
    return files


def choose_wheels(lock: str, names: str, platform: Platform, python: str) -> dict[str, tuple[str, str]]:
    """Choose the best wheel of each pin that applies: hash and file name by the pin, such as `rich==15.0.0`."""
    named = dict(line.split("  ") for line in names.splitlines())
    version = tuple(map(int, python.split(".")))
    order = [*cpython_tags(version, platforms=platform.tags)]
    order += [*compatible_tags(version, f"cp{python.replace('.', '')}", platform.tags)]
    rank = {tag: place for place, tag in reversed([*enumerate(order)])}
    chosen = {}
    for block in PIN.findall(lock):
        pin = Requirement(block.split("\\")[0])
        if pin.marker is None or pin.marker.evaluate(describe_environment(platform, python)):
            fitting = {digest: named[digest] for digest in re.findall("[0-9a-f]{64}", block)}
            chosen[f"{pin.name}{pin.specifier}"] = pick_best_wheel(fitting, rank)
    return chosen


def pick_best_wheel(wheels: Mapping[str, str], rank: Mapping[Tag, int]) -> tuple[str, str]:
    """Return hash and name of the wheel whose tag comes first. Raises ValueError if none fits."""
    ranked = {
        digest: min((rank[tag] for tag in parse_wheel_filename(name)[3] if tag in rank), default=None)
        for digest, name in wheels.items()
    }
    fitting = [(place, digest) for digest, place in ranked.items() if place is not None]
    if not fitting:
        raise ValueError(f"No wheel fits among {', '.join(wheels.values())}.")
    digest = min(fitting)[1]
    return digest, wheels[digest]


def describe_environment(platform: Platform, python: str) -> dict[str, str]:
    """Return the environment of markers on that machine."""
    return {
        **{key: str(value) for key, value in default_environment().items()},
        "implementation_name": "cpython", "platform_python_implementation": "CPython", "os_name": "posix",
        "sys_platform": platform.system, "platform_machine": platform.machine,
        "platform_system": platform.system.title(), "python_version": python, "python_full_version": f"{python}.0",
    }  # fmt: skip


def write_package(file: Path, platform: str, version: str, wheels: Mapping[str, Iterable[Path]]) -> None:
    """Write the file: its head, then an archive of the start program, the wheels by Python, and their hashes."""
    listed = {python: {path.name: digest_of(path) for path in paths} for python, paths in wheels.items()}
    manifest = json.dumps({"version": version, "platform": platform, "wheels": listed}, indent=1)
    paths = {path.name: path for each in wheels.values() for path in each}
    head = (HERE / "head.sh").read_text(encoding="utf-8")
    with file.open("wb") as out:
        out.write(head.replace(SIZE, " " * 12).encode())
        with zipfile.ZipFile(out, "w") as archive:
            add_file(archive, "__main__.py", (HERE / "__main__.py").read_bytes())
            add_file(archive, "manifest.json", manifest.encode())
            for name, path in sorted(paths.items()):
                add_file(archive, f"wheels/{name}", path.read_bytes())
    size = f"{file.stat().st_size:12}"
    with file.open("r+b") as out:
        out.write(head.replace(SIZE, size).encode())
    file.chmod(0o755)


def add_file(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a file as it is: wheels are compressed already."""
    archive.writestr(zipfile.ZipInfo(name, EPOCH), content)


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:]))
