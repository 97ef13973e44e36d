"""My games: those that were played on this computer, to continue, watch, review, export or delete, and other files.

Their chart has won of played as a bar, the latest places as dots, and how well the user decided.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.widget import Widget

from scoville_client.i18n.clock_text import time_or_day
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.replays.known_games import (
    KnownGame,
    game_text,
    list_finished_games,
    list_known_games,
    open_playback,
    title_of,
)
from scoville_client.replays.playback import Playback
from scoville_client.reviews.decisions import GameSummary, OwnMistakes, habit_sentence, mean_loss, summarize_games
from scoville_client.reviews.sentences import percent_text
from scoville_client.session.my_games import GameFolder, users_games
from scoville_client.tui.drawing.canvas import Canvas, fit_text
from scoville_client.tui.drawing.sparkline import write_losses
from scoville_client.tui.screens.dialogs.dialog import columns_of_box
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.text_view import Row
from scoville_shared.errors import ScovilleError

_FILE: Final = "file"
_MISTAKES: Final = "mistakes"
_LONGEST_PATH: Final = 1_000
_MOST_CHARTED: Final = 4
"""Games of the chart at most."""
_TITLE: Final = 14
"""Columns of a title, and of the text before the dots."""
_WON, _BETWEEN, _LAST = "●", "○", "·"
_DOTS: Final = 20


async def choose_saved_game(shell: Shell, *, is_connected: bool = False) -> Playback | OwnMistakes | Path | None:
    """Ask which game to watch, or whether to make the user's own mistakes again; returns None if the user wants none.

    A path is that of a game against bots to continue, which a user who `is_connected` to a server is not offered.
    Raises ScovilleError for a game that is unreadable.
    """
    try:
        folder = users_games()
    except OSError:  # a user without a home folder has kept nothing
        return await _ask_for_file(shell, has_games=False)
    dialog = MyGamesDialog(folder, shell.clock.date_ms(), is_connected=is_connected)
    chosen = await shell.ask_user(dialog) if dialog.games else _FILE
    if chosen == _FILE:
        return await _ask_for_file(shell, has_games=bool(dialog.games))
    if chosen == _MISTAKES:
        return dialog.mistakes
    if chosen is None:
        return None
    game = dialog.find_game(chosen)
    if game is None:
        return None
    return game.path if game.moves is not None else game.open_playback()


class MyGamesDialog(PickDialog):
    """Lists the games. `x` exports the marked one to the working folder, `d` twice deletes it, `m` is for mistakes."""

    LABEL: ClassVar[int] = 11
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "export_game", show=False),
        Binding("d,delete", "delete_game", show=False),
        Binding("m", "make_mistakes_again", show=False),
    ]

    def __init__(self, folder: GameFolder, now_ms: int, *, is_connected: bool = False) -> None:
        self._folder = folder
        self._doomed = ""
        self.games = list_finished_games(folder) if is_connected else list_known_games(folder)
        self.mistakes = OwnMistakes(folder)
        self._now_ms = now_ms
        super().__init__(tr("My games"), self._list_items, tr("choose"))

    def make_about(self) -> Widget:
        return PlayedChart(self._summarize_games())

    def fit_menu(self) -> None:
        """Give the chart half of the rows, and the list the others."""
        chart = self.query_one(PlayedChart)
        taken = chart.fit_rows((self.size.height - self.AROUND) // 2, columns_of_box(self.size.width))
        self.query_one(Menu).fit_height(self.size.height - self.AROUND - taken)

    def find_game(self, item: str) -> KnownGame | None:
        """Return the game of an item; None for one that was deleted by a key typed before the dialog had closed."""
        return next((game for game in self.games if str(game.path) == item), None)

    def more_keys(self) -> Sequence[tuple[str, str]]:
        mistakes = (("m", tr("my mistakes")),) if self.mistakes.count > 0 else ()
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
            self.shell.show_notice(tr("Game saved as: {path}", path=str(path)))

    def action_delete_game(self) -> None:
        """Delete the marked game, if this is the second time."""
        game = self._marked_game()
        if game is None or (game.played is None and game.moves is None):
            self.shell.show_notice(tr("Only games of this list's own folder can be deleted here."))
        # By its file: the marked line may be another game's by then.
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
            self.shell.show_notice(tr("There are no mistakes to retry: review a game (h in its replay)."))

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


async def _ask_for_file(shell: Shell, *, has_games: bool) -> Playback | None:
    """Ask for a path until a game can be read from it; new users have no other game yet, and learn where they come."""
    about = tr("The file of a finished game: s saves one after the game.")
    if not has_games:
        about = f"{tr('Every game that you finish will be listed here.')} {about}"
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


class PlayedChart(CanvasWidget):
    """Draws summaries, the game played most first; those that have no room for dots have a bar alone."""

    def __init__(self, summaries: Sequence[GameSummary]) -> None:
        super().__init__(classes="about")
        self.show_summaries(summaries)

    def show_summaries(self, summaries: Sequence[GameSummary]) -> None:
        """Draw other summaries; without any the chart takes no row."""
        self._summaries = summaries[:_MOST_CHARTED]
        self.display = bool(summaries)
        self.repaint()

    def fit_rows(self, most: int, width: int) -> int:
        """Take at most so many rows of `width` columns; returns how many it has taken, with the blank one below."""
        if not self._summaries:
            return 0
        rows = min(max(most, 2), len(self._list_rows(most, width)))
        self.styles.height = rows
        return rows + 1

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        for y, row in enumerate(self._list_rows(height, width)):
            x = 0
            for text, style in row:
                x = canvas.put(x, y, text, style)
        return canvas

    def _list_rows(self, height: int, width: int) -> list[Row]:
        """Write the games and one sentence in so many rows: first the dots of one, then the bars of all, then more."""
        if not self._summaries:
            return []
        said: list[Row] = [((row, "muted"),) for row in wrap_lines(habit_sentence(self._summaries[0]), width)]
        games = [[*self._rows_of_game(each, width)] for each in self._summaries]
        shown, left = [0] * len(games), height - len(said)
        for rows, numbers in (
            (1, (0,)),
            (2, (0,)),
            (1, others := range(1, len(games))),
            (3, (0,)),
            (2, others),
            (3, others),
        ):
            for number in numbers:
                more = max(0, min(rows, len(games[number])) - shown[number])
                if more <= left:
                    shown[number], left = shown[number] + more, left - more
        blank: list[Row] = [()] if left >= sum(map(bool, shown)) else []
        return [row for game, rows in zip(games, shown, strict=True) if rows for row in (*game[:rows], *blank)] + said

    def _rows_of_game(self, summary: GameSummary, width: int) -> Iterator[Row]:
        games = len(summary.places)
        figure = f" {tr('{won} of {games} won', won=summary.won, games=games)}"
        bar = max(0, width - _TITLE - cell_len(figure) - 1)
        won = round(bar * summary.won / max(1, games))
        yield (
            (fit_text(title_of(summary.slug), _TITLE - 1) + " ", "title"),
            ("█" * won, "good"),
            ("░" * (bar - won), "muted"),
            (figure, "strong"),
        )
        dots = "".join(_dot_of(place, players) for place, players in summary.places[-_DOTS:])
        legend = f"{_WON} {tr('a win')}  {_LAST} {tr('last place')}"
        room = width - _TITLE - cell_len(legend) - 2
        shown = dots[-max(1, room) :]
        yield (
            (fit_text(tr("latest games"), _TITLE - 1) + " ", "muted"),
            (shown, "text"),
            ("  " + legend, "faint"),
        )
        if not summary.reviewed:
            return
        if summary.trend is None:  # too few games: a course of one bar says nothing
            loss = percent_text(mean_loss(summary.reviewed), 1)
            course, said = "", tr("each costs {loss} of the chance to win", loss=loss)
        else:
            said = f"  {render(summary.trend)}"
            course = write_losses(summary.losses, min(_DOTS, max(1, width - _TITLE - cell_len(said))))
        yield (
            (fit_text(tr("decisions"), _TITLE - 1) + " ", "muted"),
            (course, "good"),
            (said, "text"),
        )


def _dot_of(place: int, players: int) -> str:
    if place == 1:
        return _WON
    return _LAST if place == players else _BETWEEN
