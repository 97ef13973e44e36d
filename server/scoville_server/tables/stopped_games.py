"""Games of other packages that the server has stopped, and those that have hung in its process.

The folder `outside` of its data, which there is not as long as all games are ours:

    CALL      the game that is called right now, in a page of memory
    HANG      where a call was when the system ended the server, see `scoville_outside.last_resort`
    STOPPED   the games that have done so; each is left out until another version of its package is installed
"""

import logging
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from scoville_outside import guard
from scoville_outside.last_resort import PAGE_BYTES, LastResort, may_end
from scoville_runtime.atomic_files import replace_file
from scoville_runtime.events import Events
from scoville_server.events import GameStopped
from scoville_server.journal.files.disk import make_folder
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.registry import TableRegistry
from scoville_shared.games.registry import package_of

FOLDER: Final = "outside"
_CALL, _HANG, _STOPPED = "CALL", "HANG", "STOPPED"

_log = logging.getLogger(__name__)


class HungGame(Struct, frozen=True, kw_only=True):
    """A game that has hung: with its package and that one's version, when (ms since 1970), and where in its code."""

    game: str
    package: str
    at_ms: int
    where: str

    def describe(self, data: Path) -> str:
        """Say what it did and what brings it back."""
        place = f" in {self.where}" if self.where else ""
        file = data / FOLDER / _STOPPED
        back = f"it is offered again once another version than {self.package} is installed, or {file} is removed"
        return f"a call that did not end{place} has ended the server; {back}"


class GameWatch:
    """Notes in the data folder which game is called, so that a start after a hang knows which one it was."""

    def __init__(self, data: Path) -> None:
        self._folder = data / FOLDER
        self._resort: LastResort | None = None

    def take_hang(self, now_ms: int) -> HungGame | None:
        """Note that a game has hung in the former process, if one has. Raises OSError."""
        dump, called = _read_file(self._folder / _HANG), _read_file(self._folder / _CALL)
        game = called.partition(b"\0")[0].decode(errors="replace")
        if not dump or not game:
            return None
        text = dump.decode(errors="replace")
        _log.error("A call of the game %s did not end, and ended the server:\n%s", game, text)
        hung = HungGame(game=game, package=str(package_of(game)), at_ms=now_ms, where=_find_place(text))
        others = [each for each in list_hung(self._folder.parent) if each.game != game]
        replace_file(self._folder / _STOPPED, b"".join(msgspec.json.encode(each) + b"\n" for each in (*others, hung)))
        # Last: after a crash before this the same hang is noted once more, which changes nothing.
        (self._folder / _HANG).unlink()
        return hung

    def begin_watching(self) -> None:
        """Note calls from here on. Raises OSError."""
        make_folder(self._folder)
        page = (self._folder / _CALL).open("wb+", buffering=0)
        with page:
            (self._folder / _CALL).chmod(0o600)
            page.write(bytes(PAGE_BYTES))
            dump = (self._folder / _HANG).open("wb", buffering=0)
            (self._folder / _HANG).chmod(0o600)
            self._resort = LastResort(page, dump)
        guard.follow_calls(self._resort)

    def stop_watching(self) -> None:
        """Note no more calls."""
        guard.follow_calls(None)
        if self._resort is not None:
            self._resort.close()
            self._resort = None


class StoppedGames:
    """Closes the tables of games that are called no more, and leaves out those that have ended the server.

    Args:
        catalog: The games.
        registry: Their tables.
        events: Where each stopped game is reported.
    """

    def __init__(self, catalog: GameCatalog, registry: TableRegistry, events: Events) -> None:
        self._catalog = catalog
        self._registry = registry
        self._events = events
        self._watch: GameWatch | None = None
        catalog.on_stopped = self._stop_game

    def watch_calls(self, data: Path, now_ms: int) -> None:
        """Leave out the games that have hung, and let the process end by those that will, if it may.

        Before any table is restored, which calls its game.
        """
        if not self._catalog.has_outside_games() or not may_end():
            return
        self._watch = GameWatch(data)
        try:
            hung = self._watch.take_hang(now_ms)
            if hung is not None:
                self._report_stop(hung.game, hung.describe(data))
            self._watch.begin_watching()
        except OSError as error:
            _log.warning("Games of other packages are called without a last resort: %s", error)
        for each in list_hung(data):
            self._catalog.leave_out(each.game, each.describe(data))

    def stop_watching(self) -> None:
        """Stop ending the process for calls that take too long."""
        if self._watch is not None:
            self._watch.stop_watching()

    def close_restored_tables(self) -> None:
        """Close the tables of games that were stopped while tables were read, before they could be closed."""
        for game in self._catalog.list_stopped():
            self._close_tables(game)

    def _stop_game(self, game: str, reason: str) -> None:
        self._report_stop(game, reason)
        self._close_tables(game)

    def _report_stop(self, game: str, reason: str) -> None:
        self._events.report_event(GameStopped(game=game, package=str(package_of(game)), reason=reason))

    def _close_tables(self, game: str) -> None:
        sentence = f"The game {game} did not answer several times, so this server has stopped it."
        self._registry.close_tables_of(game, sentence)


def list_hung(data: Path) -> list[HungGame]:
    """List the games that have hung in a server's process and whose package is the same today."""
    found = []
    for line in _read_file(data / FOLDER / _STOPPED).splitlines():
        # A kill may have cut off the last line.
        with suppress(msgspec.DecodeError):
            found.append(msgspec.json.decode(line, type=HungGame))
    return [each for each in found if each.package == str(package_of(each.game))]


def _find_place(dump: str) -> str:
    """Return the place in Python from which the call went on in other code, without the folder."""
    line = next((line.strip() for line in dump.splitlines() if line.strip().startswith('File "')), "")
    path, _, rest = line.removeprefix('File "').partition('"')
    return f"{Path(path).name}{rest}" if rest else ""


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
