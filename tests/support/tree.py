"""The work tree for tests of its structure: its files, and a copy of its scripts."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    ROOT / "shared/scoville_shared",
    ROOT / "shared/scoville_runtime",
    ROOT / "shared/scoville_outside",
    ROOT / "shared/scoville_pettingzoo",
    ROOT / "shared/scoville_laws",
    ROOT / "shared/scoville_thinking",
    ROOT / "server/scoville_server",
    ROOT / "client/scoville_client",
)


@cache
def tracked_files() -> tuple[Path, ...]:
    """List what the repository holds or would take in."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return tuple(sorted({ROOT / name for name in names if (ROOT / name).is_file()}))


def python_files() -> list[Path]:
    """List every Python file, the scripts without a suffix among them."""
    return [path for path in tracked_files() if path.suffix == ".py" or is_python_script(path)]


def is_python_script(path: Path) -> bool:
    """Return whether a file without suffix is a Python script."""
    return path.suffix == "" and path.read_bytes()[:60].split(b"\n")[0].endswith((b"python3", b"python"))


def text_files() -> list[Path]:
    """List the files users read or write as text."""
    return [path for path in tracked_files() if path.suffix not in {".png", ".svg", ".ico", ".raw"}]


def tracked_scripts() -> list[Path]:
    """List the commands in `scripts/`."""
    return [path for path in tracked_files() if path.parent == ROOT / "scripts"]


def copy_of_scripts(target: Path) -> Path:
    """Make a folder that holds no more than set-up looks at, and return it."""
    shutil.copytree(ROOT / "scripts", target / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "requirements", target / "requirements")
    (target / "shared/scoville_shared").mkdir(parents=True)
    for name in ("pyproject.toml", "shared/scoville_shared/__init__.py"):
        shutil.copy(ROOT / name, target / name)
    return target
