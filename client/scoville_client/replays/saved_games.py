"""Saved games: exported games in the folders where this client and its hosted server write them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from scoville_client.session.start_options import usual_folder
from scoville_shared.replay import Header, read_game
from scoville_shared.replay.file import MAX_LINE_CHARS, BrokenFile

_MOST: Final = 100
"""Games that are listed."""
_OWN: Final = "scoville-*.jsonl"
_HOSTED: Final = ("games/*.jsonl", "generations/*/games/*.jsonl")


class SavedGame(NamedTuple):
    """An exported game: its file, and its first line."""

    path: Path
    header: Header


def saved_games(places: Iterable[tuple[Path, str]] | None = None) -> list[SavedGame]:
    """List the saved games, the newest first.

    Args:
        places: Folders, and the names of the files there; by default the working folder and the home folder, in which
            games are saved by a key, and the folder of hosted games.
    """
    found: dict[str, tuple[float, Path]] = {}
    for path in _files(_places() if places is None else places):
        try:
            # By name: the same game may lie in several of the folders.
            found.setdefault(path.name, (path.stat().st_mtime, path))
        except OSError:
            continue
    newest = sorted(found.values(), reverse=True)[:_MOST]
    return [game for _, path in newest if (game := _opened(path)) is not None]


def _places() -> Iterator[tuple[Path, str]]:
    yield Path(), _OWN
    try:
        yield Path.home(), _OWN
        yield from ((usual_folder(), names) for names in _HOSTED)
    except RuntimeError:  # ~ of a user without a home
        return


def _files(places: Iterable[tuple[Path, str]]) -> Iterator[Path]:
    for folder, names in places:
        try:
            yield from folder.glob(names)
        except OSError:
            continue


def _opened(path: Path) -> SavedGame | None:
    """Read the first line of a file; None where it is no exported game."""
    try:
        with path.open("rb") as file:
            return SavedGame(path, read_game([file.readline(MAX_LINE_CHARS + 1)]).header)
    except (OSError, BrokenFile):
        return None
