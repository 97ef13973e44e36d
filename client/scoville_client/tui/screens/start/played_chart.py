"""Chart of the user's own games: won of played as a bar, the latest places as dots, and how well they decided."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.replays.known_games import title_of
from scoville_client.reviews.decisions import GameSummary, habit_sentence, mean_loss
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.screens.table.course import write_sparkline
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.text_view import Row

_MOST: Final = 4
"""Games of the chart at most."""
_LABEL: Final = 14
"""Columns of a title, and of what stands before the dots."""
_WON, _BETWEEN, _LAST = "●", "○", "·"
_DOTS: Final = 20
_SCALE: Final = 1_000
_LEAST_SCALE: Final = 0.05
"""What a decision loses at least where the course is lowest: smaller differences are not worth a mountain."""


class PlayedChart(CanvasWidget):
    """Draws summaries, the game played most first; those that have no room for dots have a bar alone."""

    def __init__(self, summaries: Sequence[GameSummary]) -> None:
        super().__init__(classes="about")
        self.show_summaries(summaries)

    def show_summaries(self, summaries: Sequence[GameSummary]) -> None:
        """Draw other summaries; without any the chart takes no row."""
        self._summaries = summaries[:_MOST]
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
        blank: list[Row] = [()] * (left >= sum(map(bool, shown)))
        return [row for game, rows in zip(games, shown, strict=True) if rows for row in (*game[:rows], *blank)] + said

    def _rows_of_game(self, summary: GameSummary, width: int) -> Iterator[Row]:
        games = len(summary.places)
        figure = f" {tr('{won} of {games} won', won=summary.won, games=games)}"
        bar = max(0, width - _LABEL - cell_len(figure) - 1)
        won = round(bar * summary.won / max(1, games))
        yield (
            (fitted(title_of(summary.slug), _LABEL - 1) + " ", "title"),
            ("█" * won, "good"),
            ("░" * (bar - won), "muted"),
            (figure, "strong"),
        )
        dots = "".join(_dot_of(place, players) for place, players in summary.places[-_DOTS:])
        legend = f"{_WON} {tr('a win')}  {_LAST} {tr('last place')}"
        room = width - _LABEL - cell_len(legend) - 2
        shown = dots[-max(1, room) :]
        yield (
            (fitted(tr("latest games"), _LABEL - 1) + " ", "muted"),
            (shown, "text"),
            ("  " + legend, "faint"),
        )
        if not summary.reviewed:
            return
        said = "" if summary.trend is None else f"  {render(summary.trend)}"
        course = _draw_course(summary, min(_DOTS, max(1, width - _LABEL - cell_len(said))))
        yield (
            (fitted(tr("decisions"), _LABEL - 1) + " ", "muted"),
            (course, "good"),
            (said, "text"),
        )


def _dot_of(place: int, players: int) -> str:
    if place == 1:
        return _WON
    return _LAST if place == players else _BETWEEN


def _draw_course(summary: GameSummary, width: int) -> str:
    """Draw how well the user decided in each reviewed game: the higher, the less was lost."""
    losses = [mean_loss([each]) for each in summary.reviewed]
    worst = max(_LEAST_SCALE, *losses)
    return write_sparkline([round(_SCALE * (worst - loss)) for loss in losses], 0, round(_SCALE * worst), width)
