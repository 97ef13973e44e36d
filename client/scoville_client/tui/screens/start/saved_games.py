"""My games: those that were played on this computer, to continue, watch, review, export or delete, and other files."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.widget import Widget

from scoville_client.i18n.clock_text import time_or_day
from scoville_client.i18n.language import tr
from scoville_client.replays.known_games import KnownGame, game_text, list_known_games, open_playback
from scoville_client.replays.playback import Playback
from scoville_client.reviews.decisions import GameSummary, OwnMistakes, summarize_games
from scoville_client.session.my_games import GameFolder, users_games
from scoville_client.tui.screens.dialogs.dialog import columns_of_box
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine
from scoville_client.tui.screens.start.played_chart import PlayedChart
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.errors import ScovilleError

_FILE: Final = "file"
_MISTAKES: Final = "mistakes"
_LONGEST_PATH: Final = 1_000


async def choose_saved_game(shell: Shell) -> Playback | OwnMistakes | Path | None:
    """Ask which game to watch, or whether to make the user's own mistakes again; returns None if the user wants none.

    A path is that of a game against bots to continue. Raises ScovilleError for a game that is unreadable.
    """
    try:
        folder = users_games()
    except OSError:  # a user without a home folder has kept nothing
        return await _ask_for_file(shell)
    dialog = MyGamesDialog(folder, shell.clock.date_ms())
    chosen = await shell.ask_user(dialog) if dialog.games else _FILE
    if chosen == _FILE:
        return await _ask_for_file(shell)
    if chosen == _MISTAKES:
        return dialog.mistakes
    if chosen is None:
        return None
    game = dialog.find_game(chosen)
    return game.path if game.moves is not None else game.open_playback()


class MyGamesDialog(PickDialog):
    """Lists the games. `x` exports the marked one to the working folder, `d` twice deletes it, `m` is for mistakes."""

    LABEL: ClassVar[int] = 11
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "export_game", show=False),
        Binding("d,delete", "delete_game", show=False),
        Binding("m", "make_mistakes_again", show=False),
    ]

    def __init__(self, folder: GameFolder, now_ms: int) -> None:
        self._folder = folder
        self._doomed = ""
        self.games = list_known_games(folder)
        self.mistakes = OwnMistakes(folder)
        self._now_ms = now_ms
        super().__init__(tr("My games"), self._list_items, tr("choose"))

    def make_about(self) -> Widget:
        return PlayedChart(self._summarize_games())

    def fit_menu(self) -> None:
        """Give the chart half of the rows, and the list what is left."""
        chart = self.query_one(PlayedChart)
        taken = chart.fit_rows((self.size.height - self.AROUND) // 2, columns_of_box(self.size.width))
        self.query_one(Menu).fit_height(self.size.height - self.AROUND - taken)

    def find_game(self, item: str) -> KnownGame:
        """Return the game of an item."""
        return next(game for game in self.games if str(game.path) == item)

    def more_keys(self) -> Sequence[tuple[str, str]]:
        mistakes = (("m", tr("my mistakes")),) * (self.mistakes.count > 0)
        return (("x", tr("export")), ("d", tr("delete")), *mistakes)

    def on_menu_marked(self) -> None:
        self._doomed = ""

    def action_export_game(self) -> None:
        """Write a copy of the marked game to the working folder."""
        if (game := self._marked_game()) is None:
            return
        try:
            path = game.export_copy()
        except ScovilleError as error:
            self.shell.show_notice(error.message)
        else:
            self.shell.show_notice(tr("Game saved as {path}.", path=str(path)))

    def action_delete_game(self) -> None:
        """Delete the marked game, if this is the second time."""
        game = self._marked_game()
        if game is None or (game.played is None and game.moves is None):
            self.shell.show_notice(tr("Only games of this list's own folder can be deleted here."))
        elif self._doomed != str(game.path):
            self._doomed = str(game.path)
            self.shell.show_notice(tr("Press d again to delete this game for good."))
        else:
            self._remove_game(game)

    def action_make_mistakes_again(self) -> None:
        """Leave the list for the user's mistakes, or say where they come from."""
        if self.mistakes.count:
            self.dismiss(_MISTAKES)
        else:
            self.shell.show_notice(tr("There are no mistakes to make again: review a game (h in its replay)."))

    def _remove_game(self, game: KnownGame) -> None:
        try:
            self._folder.remove_game(game.path)
        except OSError as error:
            self.shell.show_notice(tr("The game could not be deleted: {reason}.", reason=error.strerror or str(error)))
            return
        self.games = [each for each in self.games if each is not game]
        self.query_one(PlayedChart).show_summaries(self._summarize_games())
        self.query_one(Menu).show_items(self._list_items())
        self.fit_menu()

    def _summarize_games(self) -> list[GameSummary]:
        return summarize_games(self._folder, [game.played for game in self.games if game.played is not None])

    def _marked_game(self) -> KnownGame | None:
        return next((game for game in self.games if str(game.path) == self.marked), None)

    def _list_items(self) -> list[Item]:
        items = [Item(str(game.path), time_or_day(game.at_ms, self._now_ms), game_text(game)) for game in self.games]
        return [*items, Item(_FILE, "", f"{tr('Another file …')} {tr('by its path')}")]


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
            return open_playback(path)
        except ScovilleError as error:
            fault = error.message
