"""Actions after a game: watch it again, save it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path

from scoville_client.i18n.language import tr
from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.session.session import Session
from scoville_shared.errors import ScovilleError
from scoville_shared.replay import read_game


def save_game(lines: Sequence[str], game: str, table: str, folders: Iterable[Path] = (Path(), Path.home())) -> Path:
    """Write a game's lines to a new file in the first of `folders` that is writable. Raises ScovilleError."""
    reason = ""
    for folder in folders:
        try:
            return _try_names(lines, folder, _file_stem(game, table))
        except OSError as error:
            reason = error.strerror or str(error)
    raise ScovilleError("not_saved", tr("The game could not be saved: {reason}.", reason=reason))


def file_name(game: str, table: str) -> str:
    """Return the name of the file of a table's game."""
    return f"{_file_stem(game, table)}.jsonl"


def save_as(lines: Sequence[str], name: str) -> Path:
    """Write a game's lines to the new file `name`; ~ is the user's home folder. Raises ScovilleError."""
    try:
        path = Path(name).expanduser()
        _write_file(lines, path)
    except FileExistsError:
        reason = tr("{file} already exists; choose another name", file=name)
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
    else:
        return path.resolve()
    raise ScovilleError("not_saved", tr("The game could not be saved: {reason}.", reason=reason))


def _write_file(lines: Sequence[str], path: Path) -> None:
    """Write a new file, never over an existing one."""
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def _try_names(lines: Sequence[str], folder: Path, stem: str) -> Path:
    """Write to the first free name."""
    for name in _possible_names(stem):
        path = folder / name
        try:
            _write_file(lines, path)
        # A file of an earlier game is never written over.
        except FileExistsError:
            continue
        return path.resolve()
    raise AssertionError("there is always another name")


def _possible_names(stem: str) -> Iterator[str]:
    yield f"{stem}.jsonl"
    yield from (f"{stem}-{number}.jsonl" for number in count(2))


def _file_stem(game: str, table: str) -> str:
    return f"scoville-{_safe_name(game)}-{_safe_name(table)}"


def _safe_name(word: str) -> str:
    """Remove characters that could lead to another folder: the server chose the word."""
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "_-") else "-" for sign in word[:40])


async def reel_of_finished_game(session: Session) -> Playback:
    """Fetch the finished game of the session's table. Raises ScovilleError and LinkError."""
    seat = None if session.table is None else session.table.seat
    return Playback(Reel(read_game(await session.table_actions.export_game())), seat)


async def offer_file(
    session: Session, hand_over: Callable[[str, str], object], report: Callable[[str], object]
) -> None:
    """Offer the finished game as a file by its name and text, and report that. Raises ScovilleError and LinkError."""
    at = session.table
    lines = await session.table_actions.export_game()
    assert at is not None, "what was exported is a table's"
    name = file_name(at.info.game, at.id)
    hand_over(name, "".join(f"{line}\n" for line in lines))
    report(tr("Your browser gets the game as {file}.", file=name))


async def save_file(session: Session, report: Callable[[str], object], name: str = "") -> None:
    """Save the finished game as file `name`, else under a name of its own, and report where.

    Raises ScovilleError and LinkError.
    """
    at = session.table
    lines = await session.table_actions.export_game()
    assert at is not None, "what was exported is a table's"
    path = save_as(lines, name) if name else save_game(lines, at.info.game, at.id)
    report(tr("Game saved as: {path}", path=str(path)))
