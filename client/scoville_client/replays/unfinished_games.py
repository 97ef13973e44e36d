"""Practice games that are not over: which there are, and how one of them goes on."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from scoville_client.session.start_options import Start, practice_folder
from scoville_shared.errors import ScovilleError

if TYPE_CHECKING:
    from scoville_shared.replay.file import UnfinishedGame


class UnfinishedFile(NamedTuple):
    """The file of a game, and when its last move was made, in milliseconds since 1970."""

    played_ms: int
    path: Path


def list_unfinished() -> list[UnfinishedFile]:
    """List the games, the one that was played last first. It loads nothing of the games."""
    with suppress(OSError):  # such as that of a user without a home
        # By the time of the file, which is written at each move: none is opened before one is chosen.
        return sorted(_list_files(practice_folder()), reverse=True)
    return []


def _list_files(folder: Path) -> Iterator[UnfinishedFile]:
    for path in folder.glob("*.jsonl"):
        with suppress(OSError):  # another process may just have ended it
            yield UnfinishedFile(int(1000 * path.stat().st_mtime), path)


def read_unfinished_file(path: Path) -> "UnfinishedGame":
    """Read a game. Raises ScovilleError, OSError."""
    from scoville_shared.replay.file import (
        MAX_FILE_CHARS,  # late: the start screen lists games without reading any
        read_unfinished,
    )

    with path.open("rb") as file:
        return read_unfinished(file.read(MAX_FILE_CHARS))


def continue_game(path: Path, start: Start) -> Start:
    """Return how a game goes on for a user who began with `start`. Raises ScovilleError."""
    from scoville_client.i18n.language import tr
    from scoville_client.replays.playback import opening_of
    from scoville_shared.ids import Seat
    from scoville_shared.protocol.messages import NAME_CHARACTERS

    try:
        exported, terms = read_unfinished_file(path)
    except OSError as error:
        raise ScovilleError(
            "no_game", tr("The game cannot be read: {reason}.", reason=error.strerror or str(error))
        ) from error
    seat = Seat(terms.seat)
    opening = opening_of(exported, len(exported.moves), seat)
    return replace(
        start,
        kind="practice",
        game=exported.header.game,
        opening=opening,
        clock=dict(terms.clock),
        settings=dict(terms.settings),
        # Neither a seed nor another number of players: the game brings its own.
        players=None,
        options={},
        seed=None,
        name=exported.header.seats[seat].name[:NAME_CHARACTERS],
    )
