"""Writes the lock files from pyproject.toml with uv: pins with the hashes of wheels alone, no sources to build.

Arguments: a folder for temporary files, then options for uv. Run by scripts/lock, in an environment that has uv.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "requirements"
HEAD = "# Made by scripts/lock from pyproject.toml: wheels only. Do not edit."

BESIDE = ("bots", "cluster", "ssh", "web")
"""Extras that are installed beside the game, and by its developers with everything else."""

HOSTED_WITH = ("cluster", "ssh", "web")
"""Extras that hosts need, without compiled bots."""

TRAINED_WITH = ("pettingzoo",)
"""Extras for authors of programs: installed beside the game, and by its developers."""

PLAYED_WITH = ("lan",)
"""Extras that `scripts/play` installs with the game."""

WITH_THE_GAME = ("bench", "fuzz")
"""Extras that are installed beside the game and its developers' tools."""

ALONE = ("lock", "site", "unicode")
"""Extras with an environment of their own: scripts use them to generate files."""

COMMON = (
    "pip", "compile", "--quiet", "--no-config", "--universal", "--python-version", "3.11", "--no-build", "--no-header",
    "--no-annotate", "--no-emit-index-url", "--no-emit-find-links",
)  # fmt: skip

Wheels = dict[tuple[str, str], dict[str, str]]
"""File names by SHA-256, by name and version of a package."""


def main(work: Path, options: Sequence[str]) -> None:
    """Write all lock files, and the names of all wheels."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    game = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    extras: dict[str, list[str]] = project["project"]["optional-dependencies"]
    played_with = [package for part in PLAYED_WITH for package in extras[part]]
    names: dict[str, str] = {}
    beside = [package for part in BESIDE for package in extras[part]]
    trained_with = [package for part in TRAINED_WITH for package in extras[part]]
    names |= write_lock(work, "dev", [*game, *played_with, *beside, *trained_with, *extras["dev"]], options)
    dev = ("--constraint", str(FOLDER / "dev.txt"))
    names |= write_lock(work, "play", [*game, *played_with], dev)
    names |= write_lock(work, "all", [*project["project"]["dependencies"], *played_with, *beside], dev)
    hosted_with = [package for part in HOSTED_WITH for package in extras[part]]
    names |= write_lock(work, "host", [*project["project"]["dependencies"], *played_with, *hosted_with], dev)
    for part in (*BESIDE, *TRAINED_WITH):
        names |= write_lock(work, part, [*game, *extras[part]], dev)
    for part in WITH_THE_GAME:
        names |= write_lock(work, part, [*game, *extras[part]], (*dev, *options))
    for part in ALONE:
        names |= write_lock(work, part, extras[part], options)
    files = sorted(names.items(), key=lambda item: (item[1].lower(), item[0]))
    lines = [f"{digest}  {name}\n" for digest, name in files]
    (FOLDER / "wheels.sha256").write_text("".join(lines), encoding="utf-8")


def write_lock(work: Path, part: str, wanted: Iterable[str], options: Sequence[str]) -> dict[str, str]:
    """Write one lock file; the pins that it has are kept where they fit. Returns its wheels' names by SHA-256."""
    file, source, pins, found = (
        FOLDER / f"{part}.txt",
        work / f"{part}.in",
        work / "pins.txt",
        work / "pylock.part.toml",
    )
    source.write_text("\n".join(wanted), encoding="utf-8")
    pins.write_text(file.read_text(encoding="utf-8") if file.exists() else "", encoding="utf-8")
    run_uv(*COMMON, *options, "--output-file", pins, source)
    found.unlink(missing_ok=True)
    run_uv(*COMMON, "--constraint", pins, "--format", "pylock.toml", "--output-file", found, source)
    wheels = wheels_of(tomllib.loads(found.read_text(encoding="utf-8"))["packages"])
    entries = [pin.strip() for pin in pins.read_text(encoding="utf-8").splitlines() if "==" in pin]
    file.write_text("\n".join([HEAD, *(with_hashes(entry, wheels) for entry in entries), ""]), encoding="utf-8")
    print(f"{file.relative_to(ROOT)}: {len(entries)} packages")
    return {digest: name for own in wheels.values() for digest, name in own.items()}


def wheels_of(packages: Iterable[dict[str, Any]]) -> Wheels:
    """Read a lock of PEP 751."""
    return {
        (package["name"], package["version"]): {
            wheel["hashes"]["sha256"]: wheel["url"].rpartition("/")[2] for wheel in package.get("wheels", ())
        }
        for package in packages
    }


def with_hashes(entry: str, wheels: Wheels) -> str:
    """Add the hashes of its wheels to a pin such as `rich==15.0.0` or `uvloop==0.23.0 ; sys_platform != 'win32'`."""
    match = re.match(r"([\w.-]+)==([^\s;]+)", entry)
    assert match, f"{entry} is no pin"
    hashes = sorted(wheels[match[1], match[2]])
    return " \\\n".join([entry.removesuffix("\\").strip(), *(f"    --hash=sha256:{digest}" for digest in hashes)])


def run_uv(*arguments: str | Path) -> None:
    """Run uv."""
    subprocess.run([Path(sys.executable).with_name("uv"), *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
