"""Where golden games are kept: in a folder for each game, here and where `SCOVILLE_GOLDEN` says."""

import os
from pathlib import Path

ROOT = Path(__file__).parent


def golden_files(slug: str) -> list[Path]:
    """List a game's golden files."""
    folders = (ROOT, *map(Path, filter(None, os.environ.get("SCOVILLE_GOLDEN", "").split(os.pathsep))))
    return sorted(path for folder in folders for path in (folder / slug).glob("*.txt"))


def golden_texts(slug: str) -> list[str]:
    """Read a game's golden files."""
    return [path.read_text(encoding="utf-8") for path in golden_files(slug)]


def name_of(path: Path) -> str:
    """Name a golden file by its game and its own name."""
    return f"{path.parent.name}/{path.name}"
