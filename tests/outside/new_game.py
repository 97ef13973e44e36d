"""A package from the template of `scoville new-game`, installed into a folder as pip would do it."""

import importlib
import shutil
import sys
import tomllib
from pathlib import Path

from scoville_client.authoring.new_game import write_new_game

SLUG = "stone_heap"


def write_template(folder: Path) -> Path:
    """Write the package of a new game; returns its folder."""
    forget_package()
    assert write_new_game(SLUG, folder) == 0
    forget_package()
    return folder


def forget_package() -> None:
    """Forget the modules of a package that a former test has used."""
    for name in [name for name in sys.modules if name.partition(".")[0] == SLUG]:
        del sys.modules[name]
    importlib.invalidate_caches()


def install_package(package: Path, site: Path) -> Path:
    """Install a package into a folder that can be put on the path; returns the folder of its code."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = site / f"{SLUG}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), ""]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    shutil.copytree(package / "src" / SLUG, site / SLUG)
    return site / SLUG
