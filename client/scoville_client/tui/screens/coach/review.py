"""Review dialog: a curve with the moments that decided and the costliest decisions; all lines on demand.

Each moment and each line leads to its place in the game; a decision can be made again.
"""

from collections.abc import Awaitable, Callable, Sequence
from itertools import chain
from typing import ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import current_language, render, tr
from scoville_client.i18n.wrapping import wrap_lines, wrap_whole_clauses
from scoville_client.replays.reel import Reel
from scoville_client.reviews.background import review_of
from scoville_client.reviews.coaches import progress_bar
from scoville_client.reviews.report_lines import MOST_COSTLY, ReviewLine, list_costly, review_lines
from scoville_client.reviews.review import MarkedMoment, Moment, MoveReview, PlayerReview, Review
from scoville_client.reviews.sentences import (
    answer_text,
    leak_text,
    moment_sentence,
    name_move_made,
    names_of,
    percent_text,
    reason_sentences,
    signed_percent,
)
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.coach.chance_chart import name_briefly
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.menu import Item
from scoville_client.tui.widgets.text_view import MarkedText
from scoville_shared.coach.study import ERRORS
from scoville_shared.ids import Seat

CELLS = 20
"""Cells of the progress bar."""


class Shown(NamedTuple):
    """What a review leads to: a position in the game, and all moments that it has marked for the player."""

    position: int
    moments: Sequence[MarkedMoment]


class ReviewDialog(Dialog[Shown | None], ScrollingDialog):
    """Reviews the game that `load` returns, for the player at `seat` first.

    Enter returns the place of the marked moment or line, with the other moments.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,h,q", "close", show=False),
        Binding("enter", "choose", show=False),
        Binding("left", "step(-1)", show=False),
        Binding("right", "step(1)", show=False),
        Binding("tab", "next_player", show=False),
        Binding("v", "list", show=False),
        Binding("c", "choose_again", show=False),
        *SCROLLING,
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, load: Callable[[], Awaitable[Reel]], seat: Seat | None = None) -> None:
        super().__init__()
        self._seat = Seat(0) if seat is None else seat
        self._lists = False
        self._load = load
        self._review: Review | None = None
        self._refused = ""
        self._done = (0, 1)
        self._in_language = ""
        self._rows: list[ReviewLine] = []

    def compose(self) -> ComposeResult:
        """Arrange the progress, the chart and the lines; the box is tall once the review is there."""
        with Vertical(classes="box wide"):
            yield LiveText(lambda: tr("Review"), classes="heading")
            yield LiveText(self._write_progress, id="progress")
            yield ReviewChart(lambda: self._review, self._seat)
            yield MarkedText(self._write_lines)
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self._show_part()
        Request(self._review_game(), self._show_review, self._show_refusal).start_worker(self)

    def on_resize(self) -> None:
        self._progress_text.retranslate()

    def on_unmount(self) -> None:
        self.shell.progress.hide()

    async def _review_game(self) -> Review:
        # Askers take turns at the thinking pool: behind a door each dialog is one.
        return await review_of(await self._load(), f"review {id(self)}", self._show_progress)

    def _show_progress(self, done: int, total: int) -> None:
        self._done = (done, total)
        self.shell.progress.show_done(done, total)
        self._progress_text.retranslate()

    def _show_review(self, review: Review) -> None:
        self._review = review
        self.query_one(MarkedText).mark(1)  # below the heading
        self.query_one(ReviewChart).mark_costliest()
        self._show_part()

    @property
    def _charts(self) -> bool:
        return self._review is not None and not self._lists

    def _show_part(self) -> None:
        """Show how far the coach is, and then the chart or the lines."""
        chart, is_there = self.query_one(ReviewChart), self._review is not None
        self._progress_text.display = not is_there
        self.query_one(".box").set_class(is_there, "tall")
        chart.display, self.text_view.display = self._charts, self._lists
        chart.repaint()
        self.query_one(KeyHints).rewrite_hints()

    def _show_refusal(self, sentence: str) -> None:
        self._refused = sentence
        self._progress_text.retranslate()

    @property
    def _progress_text(self) -> LiveText:
        return self.query_one("#progress", LiveText)

    def _write_progress(self) -> str:
        """Write how far the coach is in one row, or why there is no review."""
        room = self.text_columns - cell_len(progress_bar(*self._done, 0))
        return self._refused or progress_bar(*self._done, max(1, min(CELLS, room)))

    def _write_lines(self) -> Sequence[str]:
        return [line.text for line in self._list_review_lines()]

    def _list_review_lines(self) -> list[ReviewLine]:
        """Write the review once in each language."""
        language = current_language()
        if self._review is not None and self._in_language != language:
            self._in_language, self._rows = language, list(review_lines(self._review))
        return self._rows

    def action_step(self, steps: int) -> None:
        """Mark the next moment of the curve."""
        if self._charts:
            self.query_one(ReviewChart).mark_next(steps)

    def action_next_player(self) -> None:
        """Show the curve of the next player."""
        if self._charts:
            self.query_one(ReviewChart).show_next_player()

    def action_list(self) -> None:
        """Show all lines, or the chart again."""
        if self._review is not None:
            self._lists = not self._lists
            self._show_part()

    def action_choose(self) -> None:
        text, chart = self.text_view, self.query_one(ReviewChart)
        if self._charts and chart.stop is not None:
            self.dismiss(Shown(chart.stop.shown_at, chart.list_moments()))
        elif self._review is not None and isinstance(text, MarkedText):
            position = self._list_review_lines()[text.marked].position
            if position is not None:
                self.dismiss(Shown(position, chart.list_moments()))

    def action_choose_again(self) -> None:
        """Let the user make the marked decision again; the answer and the reason follow."""
        review, stop = self._review, self.query_one(ReviewChart).stop
        if not self._charts or review is None or stop is None or stop.decision is None:
            return
        decision, names = stop.decision, names_of(review)
        labels = [
            render(review.reel.describe_move_at(decision.position, each.move), names) for each in decision.figures
        ]

        def answer(chosen: str | None) -> None:
            if chosen is not None:
                said = answer_text(decision.figures[int(chosen)], decision.better, labels[int(chosen)])
                self.query_one(ReviewChart).show_answer(f"{said} {reason_sentences(review, decision)[0]}")

        items = [Item(str(number), label) for number, label in enumerate(labels)]
        about = tr("Move {position}: what do you play?", position=decision.position)
        self.shell.open_dialog(PickDialog(tr("Choose again"), lambda: items, tr("play"), about=about), answer)

    def _list_hints(self) -> Sequence[Hint]:
        if self._review is None:
            return ((tr("Esc"), tr("close")),)
        if not self._charts:
            back = (("v", tr("curve")),)
            return (f"↑ ↓ {tr('PgUp PgDn')}", tr("line")), (tr("Enter"), tr("show it")), *back, (tr("Esc"), tr("close"))
        return (
            ("← →", tr("moment")),
            (tr("Enter"), tr("show it")),
            ("c", tr("choose again")),
            (tr("Tab"), tr("next player")),
            ("v", tr("all lines")),
            (tr("Esc"), tr("close")),
        )


_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_COSTLIEST, _ERROR, _DECISIVE = "▲", "△", "·"
_NUMBER: Final = 7
"""Columns of the mark and the number before a move."""
_LABEL: Final = 6
"""Columns of the percentages at the left of the curve."""
_TOPS: Final = (0.1, 0.25, 0.5, 0.75, 1.0)
"""Chances at the top of a curve: the least of them that no point exceeds, so that small chances fill it too."""
_BESIDES_CURVE: Final = 14
_LEAST_CURVE, _MOST_CURVE = 3, 16
_LEGEND: Final = 12
"""Rows from which on the signs have a legend: with fewer the three costliest decisions matter more."""


class Stop(NamedTuple):
    """A marked place of the curve: a decision that was an error, or a moment that decided."""

    position: int
    sign: str
    decision: MoveReview | None = None
    moment: Moment | None = None

    @property
    def shown_at(self) -> int:
        """The place in the replay: a decision is shown before it is made."""
        return self.position if self.decision is None else self.position - 1


def list_stops(review: Review, seat: Seat) -> list[Stop]:
    """Return the marked places of a player in the order of the game."""
    errors = [move for move in review.moves if move.seat == seat and move.verdict in ERRORS]
    costly = list_costly(review, seat)
    stops = [Stop(move.position, _COSTLIEST if move in costly else _ERROR, move) for move in errors]
    marked = {stop.position for stop in stops}
    moments = [Stop(each.position, _DECISIVE, moment=each) for each in review.moments if each.position not in marked]
    return sorted(chain(stops, moments), key=lambda stop: stop.position)


class ReviewChart(CanvasWidget):
    """Draws the review that `find_review` returns, for one player after the other; ← and → mark another moment."""

    def __init__(self, find_review: Callable[[], Review | None], seat: Seat) -> None:
        super().__init__()
        self._find_review = find_review
        self.seat = seat
        self._marked = 0
        self._answer: tuple[int, str] = (0, "")

    @property
    def stop(self) -> Stop | None:
        """The place in the game to which Enter leads; None while the review is not there."""
        review = self._find_review()
        stops = [] if review is None else list_stops(review, self.seat)
        return stops[min(self._marked, len(stops) - 1)] if stops else None

    def list_moments(self) -> list[MarkedMoment]:
        """Return the marked places of the player in the order of the game, one for each position."""
        review = self._find_review()
        if review is None:
            return []
        said: dict[int, list[str]] = {}
        for stop in list_stops(review, self.seat):
            said.setdefault(stop.shown_at, []).append(_describe_stop(review, stop))
        return [MarkedMoment(position, " ".join(texts)) for position, texts in sorted(said.items())]

    def mark_costliest(self) -> None:
        """Mark the decision that cost the player the most."""
        review = self._find_review()
        if review is not None:
            costly = list_costly(review, self.seat)
            stops = list_stops(review, self.seat)
            self._marked = next((n for n, stop in enumerate(stops) if costly and stop.decision is costly[0]), 0)
        self.repaint()

    def mark_next(self, steps: int) -> None:
        """Mark the place so many further on."""
        review = self._find_review()
        if review is not None:
            self._marked = max(0, min(self._marked + steps, len(list_stops(review, self.seat)) - 1))
            self.repaint()

    def show_next_player(self) -> None:
        review = self._find_review()
        if review is not None:
            self.seat = Seat((self.seat + 1) % len(review.players))
            self.mark_costliest()

    def show_answer(self, text: str) -> None:
        """Show a text about the marked decision instead of its reasons."""
        if self.stop is not None:
            self._answer = (self.stop.position, text)
            self.repaint()

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the curve with its marks, luck and skill, the costliest decisions, and the text on one."""
        canvas, review = Canvas(width, height), self._find_review()
        if review is None:
            return canvas
        player = next(each for each in review.players if each.seat == self.seat)
        head = tr("{name}: chance to win, move by move", name=player.name)
        right = tr("{place}. of {places}", place=player.place, places=len(review.players))
        canvas.put(0, 0, head if cell_len(head) <= width else fit_text(head, width), "strong")
        if cell_len(head) + cell_len(right) + 2 <= width:
            canvas.put_right(width, 0, right, "muted")
        rows = max(_LEAST_CURVE, min(_MOST_CURVE, height - _BESIDES_CURVE))
        y = self._draw_curve(canvas, (0, 1, width, rows), review, legend=height >= _LEGEND)
        y = _draw_parts(canvas, y, width, player)
        if height > y + MOST_COSTLY + 4:
            y += 1
        y = self._draw_costly(canvas, y, width, review)
        leaks = review.list_leaks(self.seat)
        if leaks and height > y + 3:
            most = tr("What costs most: {kind}", kind=leak_text(leaks[0]))
            wrapped = [*wrap_lines(most, width)]
            if height <= y + len(wrapped) + 2:  # without its share, which is behind it, rather than cut
                brief = most if cell_len(most) <= width else most.rpartition(" (")[0] or most
                wrapped = [fit_text(brief, width).rstrip()]
            for row in wrapped:
                canvas.put(0, y, row, "muted")
                y += 1
        for row in wrap_whole_clauses(self._write_text(review), width, height - y) if height > y else ():
            canvas.put(0, y, row, "text")
            y += 1
        return canvas

    def _draw_curve(self, canvas: Canvas, area: Area, review: Review, *, legend: bool) -> int:
        """Draw the curve and its marks; returns the row below."""
        x, y, width, rows = area
        course, room = review.course, width - _LABEL
        wins = [point.wins[self.seat] for point in course]
        top = next(each for each in _TOPS if each >= min(max(wins, default=0.0), _TOPS[-1]))
        left = x + _LABEL
        # Lines are where bars of these chances end: at an edge of a cell, or within it for the half of odd rows.
        for label, row, line in ((top, 0, "▔"), (top / 2, rows // 2, "┄" if rows % 2 else "▔"), (0.0, rows - 1, "▁")):
            canvas.put(left, y + row, line * room, "faint")
            canvas.put_right(left - 1, y + row, percent_text(label), "faint")

        last = max(1, course[-1].position) if course else 1
        for column in range(room):
            position = column * last / max(1, room - 1)
            point = max((each for each in course if each.position <= position), key=lambda each: each.position,
                        default=course[0])  # fmt: skip
            eighths = round(point.wins[self.seat] / top * rows * 8)
            for row in range(rows):
                part = min(8, max(0, eighths - 8 * row))
                if part:
                    canvas.put(left + column, y + rows - 1 - row, _EIGHTHS[part], "rim")

        current = self.stop
        for stop in list_stops(review, self.seat):
            is_current = current is not None and stop.position == current.position
            style = "selected-pin" if is_current else "bad" if stop.decision is not None else "muted"
            canvas.put(left + round(stop.position * (room - 1) / last), y + rows, stop.sign, style)

        if not legend:
            return y + rows + 1
        signs = [f"{_COSTLIEST} {tr('costliest')}", f"{_ERROR} {tr('error')}", f"{_DECISIVE} {tr('decided')}"]
        said = "  ".join(signs)
        while cell_len(said) > room and signs:
            signs.pop()
            said = "  ".join(signs)
        canvas.put(left, y + rows + 1, said, "faint")
        if cell_len(said) + len(str(last)) + 1 < room:
            canvas.put_right(width, y + rows + 1, str(last), "faint")
        return y + rows + 2

    def _draw_costly(self, canvas: Canvas, y: int, width: int, review: Review) -> int:
        """Draw the costliest decisions, each with a bar of the chance that it cost; returns the row below."""
        names, costly = names_of(review), list_costly(review, self.seat)
        if not costly:
            canvas.put(0, y, fit_text(tr("No decision was an error beyond doubt."), width).rstrip(), "good")
            return y + 1
        bar = width // 6
        largest = costly[0].loss.mean or 1.0
        current = self.stop
        rooms = [width - bar - cell_len(percent_text(move.loss.mean, 1)) - 2 for move in costly]
        # What was decided on says more of a move than its number, which the curve shows.
        numbered = all(
            cell_len(_name_shortly(move, names)) + _NUMBER <= room for move, room in zip(costly, rooms, strict=True)
        )
        for move, room in zip(costly, rooms, strict=True):
            marked = current is not None and current.decision is move
            cost = percent_text(move.loss.mean, 1)
            played, best = render(move.move, names), render(move.best, names)
            better = tr("{move}; better: {best}", move=played, best=best)
            briefly = tr("{move}; better: {best}", move=name_briefly(played), best=name_briefly(best))
            mark = "▸" if marked else " "
            # Three bare numbers say nothing to a newcomer, yet the better move matters more than the word for a move,
            # and what was decided on more than both.
            said = [better, briefly, played, name_briefly(played)]
            if move.about is None:
                said.insert(0, tr("Move {position}: {move}", position=move.position, move=better))
            else:
                said[:0] = [name_move_made(briefly, move.about, names), _name_shortly(move, names)]
            head = f"{mark} {move.position:>3}  " if numbered else f"{mark} "
            texts = [f"{head}{each}" for each in said]
            text = next((each for each in texts if cell_len(each) <= room), fit_text(texts[-1], room))
            canvas.put(0, y, text, "title" if marked else "text")
            canvas.put(room + 1, y, "█" * max(1, round(bar * move.loss.mean / largest)), "bad")
            canvas.put_right(width, y, cost, "bad")
            y += 1
        return y

    def _write_text(self, review: Review) -> str:
        """Write the text on the marked place."""
        stop = self.stop
        if stop is None:
            return ""
        if self._answer[0] == stop.position and self._answer[1]:
            return self._answer[1]
        return _describe_stop(review, stop)


def _name_shortly(move: MoveReview, names: Sequence[str]) -> str:
    """Name a move briefly, with what was decided on if the game says it."""
    played = name_briefly(render(move.move, names))
    return played if move.about is None else name_move_made(played, move.about, names)


def _describe_stop(review: Review, stop: Stop) -> str:
    """Write what there is to say of a marked place."""
    if stop.moment is not None:
        return moment_sentence(review, stop.moment)
    return "" if stop.decision is None else " ".join(reason_sentences(review, stop.decision))


def _draw_parts(canvas: Canvas, y: int, width: int, player: PlayerReview) -> int:
    """Draw skill and luck as two bars from a common zero; returns the row below."""
    parts: Sequence[tuple[str, float]] = ((tr("skill"), player.skill.mean), (tr("luck"), player.luck))
    label = 1 + max(cell_len(name) for name, _ in parts)
    half = max(1, (width - label - 8) // 2)
    zero = label + half
    for name, share in parts:
        canvas.put(0, y, name, "muted")
        canvas.put(zero, y, "│", "faint")
        length = min(half, round(half * abs(share)))
        canvas.put(zero + 1 if share > 0 else zero - length, y, ("█" if share > 0 else "▒") * length,
                   "good" if share > 0 else "bad")  # fmt: skip
        canvas.put_right(width, y, f"{signed_percent(share)} %", "text")
        y += 1
    return y
