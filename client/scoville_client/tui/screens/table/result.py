"""Result of a finished game: winners, places (shared on ties), the points of each part of the game, and its course."""

from collections.abc import Sequence
from functools import cached_property

from scoville_client.i18n.event_text import finish_phrase
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.session.table.points import count_gains, explain_points, find_remark
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards.course import Course
from scoville_client.tui.boards.motion import Motion
from scoville_client.tui.drawing.canvas import Area, Canvas, Run
from scoville_client.tui.drawing.digits import ROWS, draw_figure, fit_block, width_of_figure
from scoville_client.tui.drawing.letters import draw_paragraph
from scoville_client.tui.screens.table.course import course_of, rows_of_costly
from scoville_client.tui.screens.table.scores import TILED_FROM, Finale, ScoreTable
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Finished

_WIDEST = 240
_MARGIN = 4
"""Columns at the left and the right."""
_APART = 4
"""Columns between the sentences and the lessons beside them."""
_BANNER = 30
"""Rows from which on the winner's name and points are in large letters above the table."""
_TALLEST_BANNER = 14
_FIGURE = 21
"""Rows from which on the winner's points are at least in large digits beside the sentences."""
_AROUND_FIGURE = 12
"""Rows of the title and of digits with what is between; the verdict on the deal comes before digits."""
_FIGURE_ROWS = 10
"""Rows of a figure at most: it changes while it is counted, and each step has few bytes."""
_STYLES = {DealStanding.VERIFIED: "good", DealStanding.OPEN: "target", DealStanding.BROKEN: "bad"}
_MORE = "… /deal"
_SHORT = 20
"""Rows up to which there are no blank ones above and below."""


class Result(CanvasWidget):
    """Shows the result of a finished table, the course of its game, and whether a rematch is open.

    With `counts` it is a finale: the points are counted seat by seat, the winners' last, and then these are named.
    """

    def __init__(self, at: AtTable, *, counts: bool = False) -> None:
        super().__init__()
        self._at = at
        self._counts = counts
        self._rematch = ""
        self.finale = Finale(order_by_places(self._result), self._result.scores, count_gains(at))
        self._motion = Motion(self, self.repaint, self.finale.beats)

    def on_mount(self) -> None:
        if self._counts:
            self._motion.start()

    @property
    def is_counting(self) -> bool:
        """Whether the points are still counted."""
        return self._motion.running

    def skip_finale(self) -> None:
        """Show the result at once."""
        self._motion.stop()
        self.repaint()

    @property
    def _beat(self) -> float:
        return self._motion.progress * self.finale.beats

    @property
    def _revealed(self) -> float:
        return self.finale.revealed(self._beat)

    def show_rematch(self, sentence: str) -> None:
        """Show a sentence about the rematch."""
        if sentence != self._rematch:
            self._rematch = sentence
            self.repaint()

    @property
    def _result(self) -> Finished:
        assert self._at.result is not None, "a result is shown once there is one"
        return self._at.result

    @cached_property
    def course(self) -> Course:
        """The course of the game, and the user's costliest move."""
        return course_of(self._at)

    @cached_property
    def _scores(self) -> ScoreTable:
        return ScoreTable(self._at, self._result, self.finale, self.course)

    @cached_property
    def _remark(self) -> str:
        """A bot's remark on the game."""
        return "" if (remark := find_remark(self._at)) is None else render(remark, self._at.names)

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the winners, a row for each seat by places, the course, a remark, the rematch and the deal check."""
        wide = min(width - _MARGIN, _WIDEST)
        below = self._count_rows_below(wide)
        x = (width - wide) // 2
        # Why each seat has its points comes before blank rows; without the rows for it the winner's alone is said.
        heads = (self._draw_head(width, height, apart=apart) for apart in (1, 0))
        roomy = (head for head in heads if self._scores.has_room_for_reasons(height - head[1] - below))
        canvas, y = next(roomy, None) or self._draw_head(width, height, apart=1, explained=True)
        y = self._scores.draw(canvas, (x, y, wide, height - y - below), self._beat)
        if wide < TILED_FROM:
            y = self._write_lessons(canvas, x, y, wide, height - len(list(wrap_lines(self._verdict, wide))))
        y = _draw_text(canvas, x, y, wide, self._rematch, "good")
        if self._at.deal.verdict is not None:
            _draw_verdict(canvas, (x, y, wide), self._verdict, _STYLES[self._at.deal.verdict.standing])
        return canvas

    def _draw_head(self, width: int, height: int, *, apart: int, explained: bool = False) -> tuple[Canvas, int]:
        """Draw the title and the winners on a canvas, with so many blank rows; returns it, and the first row below.

        Where the points are `explained` here, the table has no room for it.
        """
        canvas, wide = Canvas(width, height), min(width - _MARGIN, _WIDEST)
        x, y = (width - wide) // 2, apart if height > _SHORT else 0
        canvas.put(x, y, self._at.game.info.title, "title")
        # Where rows are few a remark teaches more than what the table shows as well.
        brief = height <= _SHORT and bool(self._remark)
        sentences = self._list_sentences(brief=brief, explained=explained)
        said = [(style, text) for style, text in sentences if text]
        return canvas, self._draw_winners(canvas, (x, y + 1, wide), said, apart) + apart

    def _draw_winners(self, canvas: Canvas, place: tuple[int, int, int], said: Sequence[Run], apart: int) -> int:
        """Draw the winners, as large as the window allows, after a blank row or none; returns the row below.

        While the points are counted the same rows say so: nothing moves when the winners are named.
        """
        x, y, wide = place
        if canvas.height >= _BANNER:
            y += self._draw_banner(canvas, (x, y, wide, min(canvas.height // 4, _TALLEST_BANNER)))
        elif canvas.height >= max(_FIGURE, _AROUND_FIGURE + len(self.finale.order) + self._count_rows_below(wide)):
            return y + apart + self._draw_figure_beside(canvas, x, y + apart, wide, said)
        return self._write_sentences(canvas, x, y + apart, wide, said)

    def _list_sentences(self, *, brief: bool, explained: bool) -> list[Run]:
        """Write the winners, by how much they have won unless `brief`, why if `explained`, and the user's place."""
        best = self.finale.gains_of(self.finale.order[0])
        why = explain_points(best) if explained else None
        return [
            ("caption", render(finish_phrase(self._result), self._at.names)),
            ("muted", "" if brief else _write_lead(self._result, self.finale.order, self._at.names)),
            ("muted", tr("The fewest points win.") if self._scores.fewest_win and not brief else ""),
            ("muted", "" if why is None or not self._is_alone else render(why, self._at.names)),
            ("text", self._write_own_place()),
        ]

    def _write_lessons(self, canvas: Canvas, x: int, y: int, wide: int, room: int) -> int:
        """Write the lessons above row `room`: a bot's remark and the user's costliest move; returns the row below.

        The verdict on the deal, which begins at `room`, comes before them.
        """
        said, costly = list(wrap_lines(self._remark, wide)), rows_of_costly(self._at, self.course.costliest, wide)
        if y + len(said) <= room:
            # It may name the winner, so that its rows are blank while the points are counted.
            y = y + len(said) if self.is_counting else _draw_text(canvas, x, y, wide, self._remark, "text")
        if y + len(costly) <= room:
            for row in costly:
                canvas.put(x, y, row, "text")
                y += 1
        return y + (canvas.height > _SHORT and bool(said or costly) and y < room)

    def _write_sentences(self, canvas: Canvas, x: int, y: int, wide: int, said: Sequence[Run]) -> int:
        """Write sentences one below the other, or in their place that the points are counted; returns the row below.

        In wide windows what the user can learn stands beside them.
        """
        top, taught = y, y
        each = wide
        if canvas.width >= TILED_FROM + _MARGIN:
            each = (wide - _APART) // 2
            taught = self._write_lessons(canvas, x + each + _APART, y, each, canvas.height)
        for style, text in said:
            y = _draw_text(canvas, x, y, each, text, style)
        if self._revealed < 1:
            for row in range(top, max(y, taught)):
                canvas.put(x, row, " " * wide, "blank")
            counted = tr("The points are counted. Any key shows the result.")
            _draw_text(canvas, x, top, wide, counted, "muted")
        return max(y, taught)

    def _draw_figure_beside(self, canvas: Canvas, x: int, y: int, wide: int, said: Sequence[Run]) -> int:
        """Draw the winners' points in large digits, and the sentences beside them; returns the rows used."""
        points = self._scores.write_points(self._result.scores[self.finale.order[0]])
        left = width_of_figure(points, 2) if fit_block([points], wide // 3, ROWS) else 0
        if left:
            self._draw_points(canvas, (x, y, left, ROWS))
            left += 3
        beneath = self._write_sentences(canvas, x + left, y, wide - left, said)
        return max(ROWS if left else 0, beneath - y)

    def _draw_points(self, canvas: Canvas, area: Area) -> None:
        """Draw the winners' points, as far as they are counted, in the size of the final ones."""
        best = self.finale.order[0]
        block = fit_block([self._scores.write_points(self._result.scores[best])], area[2], min(area[3], _FIGURE_ROWS))
        shown = self._scores.write_points(self.finale.count(best, self._beat).points)
        draw_figure(canvas, area, shown, "target" if self._revealed > 0 else "muted", block)

    def _draw_banner(self, canvas: Canvas, area: Area) -> int:
        """Draw the winners' points and names as large as they fit between two strips; returns the rows used.

        The names and the strips appear from the left to the right.
        """
        x, y, wide, high = area
        shown, figure = round(wide * self._revealed), wide // 3
        for edge in (y, y + high - 1):
            canvas.put(x, edge, ("▀▄" * wide)[:shown], "heat4")
            canvas.put(x + shown, edge, ("▀▄" * wide)[shown:wide], "faint")
        self._draw_points(canvas, (x, y + 1, figure, high - 2))
        names = ", ".join(self._at.names[seat] for seat in self.finale.order if self._result.places[seat] == 1)
        draw_paragraph(canvas, (x + figure + 1, y + 1, wide - figure - 1, high - 2), [names], "target")
        hidden = max(shown, figure + 1)
        # Drawn whole and then covered: letters that grow would jump from size to size.
        for row in range(y + 1, y + high - 1):
            canvas.put(x + hidden, row, " " * (wide - hidden), "blank")
        return high

    def _count_rows_below(self, wide: int) -> int:
        """Count the rows below the scores: lessons of narrow windows, the rematch and the deal check."""
        said = [self._rematch, self._verdict, *([self._remark] if wide < TILED_FROM else [])]
        costly = rows_of_costly(self._at, self.course.costliest, wide) if wide < TILED_FROM else []
        return (
            len(costly) + (1 if self._rematch else 0) + sum(len(list(wrap_lines(each, wide))) for each in said if each)
        )

    def _write_own_place(self) -> str:
        """Write the user's place."""
        if self._at.seat is None:
            return ""
        places, mine = self._result.places, self._result.places[self._at.seat]
        if mine > 1:
            return tr("Your rank: {place} of {places}.", place=mine, places=len(places))
        return tr("You win!") if self._is_alone else tr("You share the win!")

    @property
    def _is_alone(self) -> bool:
        """Whether one seat has won alone."""
        return self._result.places.count(1) == 1

    @property
    def _verdict(self) -> str:
        """The verdict on the deal with its notes; empty until there is one."""
        verdict = self._at.deal.verdict
        return "" if verdict is None else " ".join(render(phrase, self._at.names) for phrase in verdict.phrases)


def order_by_places(result: Finished) -> list[int]:
    """Return the seats by their places."""
    return sorted(range(len(result.scores)), key=lambda seat: (result.places[seat], seat))


def _draw_verdict(canvas: Canvas, place: tuple[int, int, int], verdict: str, style: str) -> None:
    """Draw at the bottom, but not above a place, whether the deal matched its commitment."""
    x, y, width = place
    rows = list(wrap_lines(verdict, width))
    top = max(y, canvas.height - 1 - len(rows))
    room = canvas.height - top
    if len(rows) > room:  # the chat shows it in full
        rows = [*rows[: room - 1], f"{rows[room - 1][: width - len(_MORE)]}{_MORE}"] if room > 0 else []
    for number, row in enumerate(rows, top):
        canvas.put(x, number, row, style)


def _write_lead(result: Finished, order: Sequence[int], names: Sequence[str]) -> str:
    """Write by how many points the winner is ahead of the next one; `order` are the seats by places."""
    if result.places.count(1) > 1 or len(order) < 2:
        return ""
    n = abs(result.scores[order[0]] - result.scores[order[1]])
    ahead = Phrase("{n} point ahead of {who}.", many="{n} points ahead of {who}.")
    return render(ahead.with_fields({"n": n, "who": Who(Seat(order[1]))}, n), names) if n else ""


def _draw_text(canvas: Canvas, x: int, y: int, wide: int, text: str, style: str) -> int:
    """Draw text over as many rows as it takes; returns the row below."""
    for row in wrap_lines(text, wide):
        canvas.put(x, y, row, style)
        y += 1
    return y
