"""Choice of a saved game to watch: one of those that were found, or a file by its path."""

from typing import Final

from scoville_client.i18n.dates import day_and_time
from scoville_client.i18n.language import tr
from scoville_client.replays.playback import Playback, first_human
from scoville_client.replays.reel import Reel
from scoville_client.replays.saved_games import SavedGame, saved_games
from scoville_client.replays.source import open_game
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.menu import Item
from scoville_shared.errors import ScovilleError
from scoville_shared.games import registry

_FILE: Final = "file"
_LONGEST_PATH: Final = 1_000


async def choose_saved_game(shell: Shell) -> Playback | None:
    """Ask which game to watch; returns None if the user wants none. Raises ScovilleError for one that is unreadable."""
    games = saved_games()
    chosen = await shell.ask_user(_make_picker(games)) if games else _FILE
    if chosen == _FILE:
        return await _ask_for_file(shell)
    return None if chosen is None else _open_saved_game(str(games[int(chosen)].path))


def _make_picker(games: list[SavedGame]) -> PickDialog:
    items = [Item(str(number), _date_text(game), _game_text(game)) for number, game in enumerate(games)]
    file = Item(_FILE, tr("Another file …"), tr("by its path"))
    return PickDialog(tr("Watch a replay"), lambda: [*items, file], tr("watch"))


def _date_text(game: SavedGame) -> str:
    return f"{day_and_time(round(1000 * game.header.started.timestamp()))}  "


def _game_text(game: SavedGame) -> str:
    try:
        title = registry.load_game(game.header.game).info.title
    except ScovilleError:  # a game that is not installed here
        title = game.header.game
    return f"{title}: {', '.join(seat.name for seat in game.header.seats)}"


async def _ask_for_file(shell: Shell) -> Playback | None:
    """Ask for a path until a game can be read from it."""
    about = tr("The file of a finished game: s saves one after the game.")
    path, fault = "", ""
    while True:
        prompt = PromptDialog(
            tr("Watch a replay"),
            about,
            tr("watch"),
            TextLine("game.jsonl", value=path, fault=fault, max_length=_LONGEST_PATH),
        )
        asked = await shell.ask_user(prompt)
        if not asked:
            return None
        path = asked
        try:
            return _open_saved_game(path)
        except ScovilleError as error:
            fault = error.message


def _open_saved_game(path: str) -> Playback:
    reel = Reel(open_game(path))
    return Playback(reel, first_human(reel.header))
