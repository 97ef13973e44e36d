"""Known games: those that the user has played or saved on this computer, and other files, with words for lists."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from scoville_client.i18n.language import render, tr
from scoville_client.replays.after_game import save_as
from scoville_client.replays.playback import Playback, first_human
from scoville_client.replays.reel import Reel
from scoville_client.replays.source import open_game
from scoville_client.replays.unfinished_games import list_unfinished, read_unfinished_file
from scoville_client.session.my_games import GameFolder, PlayedGame
from scoville_client.session.start_options import usual_folder
from scoville_outside import guard
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.replay import Header, read_game
from scoville_shared.replay.file import MAX_LINE_CHARS, BrokenFile


class KnownGame(NamedTuple):
    """A game in the list; `played` is one of the user's own, whose seat and place are known.

    `moves` are those of a game against bots that goes on; None of one that is over.
    """

    path: Path
    header: Header
    at_ms: int
    played: PlayedGame | None = None
    moves: int | None = None

    def open_playback(self) -> Playback:
        """Open the game as the user saw it. Raises ScovilleError."""
        return open_playback(self.path, None if self.played is None else self.played.seat)

    def export_copy(self) -> Path:
        """Write a copy to the working folder, and return where it is. Raises ScovilleError."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = tr("The game could not be saved: {reason}.", reason=str(error))
            raise ScovilleError("not_saved", reason) from error
        return save_as(lines, f"scoville-{self.path.name}")


def list_known_games(folder: GameFolder) -> list[KnownGame]:
    """List the games that go on, then those that are over, each game once, the newest first."""
    return [*_list_games_that_go_on(), *list_finished_games(folder)]


def list_finished_games(folder: GameFolder) -> list[KnownGame]:
    """List the user's finished games and other files, each game once, the newest first."""
    mine = [KnownGame(game.path, game.header, _ms_of(game.header), game) for game in folder.list_games()]
    # By both: a table of another server, or of another year, may have the same name.
    known = {(game.header.table, game.header.started) for game in mine}
    others = [
        KnownGame(game.path, game.header, _ms_of(game.header))
        for game in list_saved_games()
        if (game.header.table, game.header.started) not in known
    ]
    return sorted([*mine, *others], key=lambda game: game.header.started, reverse=True)


def _list_games_that_go_on() -> Iterator[KnownGame]:
    for file in list_unfinished():
        with suppress(ScovilleError, OSError):  # a file that was damaged
            game = read_unfinished_file(file.path)
            yield KnownGame(file.path, game.exported.header, file.played_ms, moves=len(game.exported.moves))


def _ms_of(header: Header) -> int:
    return round(1000 * header.started.timestamp())


def open_playback(path: str | Path, seat: Seat | None = None) -> Playback:
    """Open the file of a game as a seat saw it, by default the first that a person had. Raises ScovilleError."""
    reel = Reel(open_game(str(path)))
    return Playback(reel, first_human(reel.header) if seat is None else seat)


def game_text(game: KnownGame) -> str:
    """Write the game, its result, and its players."""
    title, names = title_of(game.header.game), ", ".join(seat.name for seat in game.header.seats)
    if game.moves is not None:
        phrase = Phrase("{n} move, continue it", {"n": game.moves}, many="{n} moves, continue it", number=game.moves)
        return f"{title}, {render(phrase)}: {names}"
    place = None if game.played is None else game.played.place
    if place is None:
        return f"{title}: {names}"
    return f"{title}, {tr('rank {n} of {players}', n=place, players=len(game.header.seats))}: {names}"


def title_of(slug: str) -> str:
    """Return the title of a game; its slug where it is not installed."""
    try:
        return guard.load_game(slug).info.title
    except ScovilleError:
        return slug


_MOST: Final = 100
"""Games that are listed, the newest ones: each is a file that has to be opened."""
_OWN: Final = "scoville-*.jsonl"
_HOSTED: Final = ("games/*.jsonl", "generations/*/games/*.jsonl")


class SavedGame(NamedTuple):
    """An exported game: its file, and its first line."""

    path: Path
    header: Header


def list_saved_games(places: Iterable[tuple[Path, str]] | None = None) -> list[SavedGame]:
    """List the saved games, the newest first.

    Args:
        places: Folders, and the names of the files there; by default the working folder and the home folder, in which
            games are saved by a key, and the folder of hosted games.
    """
    found: dict[str, tuple[float, Path]] = {}
    for path in _list_files(_list_places() if places is None else places):
        try:
            # By name: the same game may lie in several of the folders.
            found.setdefault(path.name, (path.stat().st_mtime, path))
        except OSError:
            continue
    newest = sorted(found.values(), reverse=True)[:_MOST]
    return [game for _, path in newest if (game := _read_saved(path)) is not None]


def _list_places() -> Iterator[tuple[Path, str]]:
    yield Path(), _OWN
    try:
        yield Path.home(), _OWN
        yield from ((usual_folder(), names) for names in _HOSTED)
    except (OSError, RuntimeError):  # a user without a home
        return


def _list_files(places: Iterable[tuple[Path, str]]) -> Iterator[Path]:
    for folder, names in places:
        try:
            yield from folder.glob(names)
        except OSError:
            continue


def _read_saved(path: Path) -> SavedGame | None:
    """Read the first line of a file; None where it is no exported game."""
    try:
        with path.open("rb") as file:
            return SavedGame(path, read_game([file.readline(MAX_LINE_CHARS + 1)]).header)
    # A file that only has the name of a game is not offered.
    except (OSError, BrokenFile):
        return None
