"""Result of a finished game: winners, places (shared on ties), the points of each part of the game, and its course."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.event_text import finish_phrase
from scoville_client.i18n.language import render, tr, with_sign
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.table.deal_record import Standing
from scoville_client.session.table.points import count_gains, explain_points, find_remark
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards import find_board_of
from scoville_client.tui.boards.board import Parts
from scoville_client.tui.boards.course import Course
from scoville_client.tui.boards.motion import Motion, number_between
from scoville_client.tui.drawing.canvas import Area, Canvas, Run, fitted
from scoville_client.tui.drawing.digits import ROWS, draw_figure, fit_block, width_of_figure
from scoville_client.tui.drawing.frames import Edge, draw_frame
from scoville_client.tui.drawing.letters import HALF, draw_paragraph, draw_text, width_of
from scoville_client.tui.screens.table.course import course_of, draw_course, draw_sparkline, rows_of_costly
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_shared.engine.contract import Gain
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Finished

_WIDEST = 240
_BANNER = 30
"""Rows from which on the winner's name and points are in large letters above the table."""
_FIGURE = 21
"""Rows from which on the winner's points are at least in large digits beside the sentences."""
_AROUND_FIGURE = 12
"""Rows of the title and of digits with what is between; the verdict on the deal comes before digits."""
_FIGURE_ROWS = 10
"""Rows of a figure at most: it changes while it is counted, and each step has few bytes."""
_NAME, _SHORT_NAME = 16, 10
_PLACE = 5
_PART, _TOTAL = 5, 7
_LEAST_BAR = 8
_LARGE_PART = 4
"""The part of the columns that large names may take."""
_THICKEST = 5
"""Rows of a seat at most: its name and bar, and below why it has its points."""
_TILED_FROM = 110
"""Columns from which on the gains of a seat are small cards, its bar beside them."""
_TILED_PART = 60
"""The part of the columns, in percent, that names and cards take."""
_CURVES = (4, 2)
"""Rows of a seat's curve that are worth more than thicker bars."""
_TILE_ROWS = 3
_LARGE_TILED = 7
"""Rows of a seat with a large name and cards: a blank one below."""
_STYLES = {Standing.VERIFIED: "good", Standing.OPEN: "target", Standing.BROKEN: "bad"}
_APART = "  "
"""Cells between two gains of a row."""
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
        self.finale = Finale(self._order, self._result.scores, count_gains(at))
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
    def _remark(self) -> str:
        """What a bot says about the game."""
        return "" if (remark := find_remark(self._at)) is None else render(remark, self._at.names)

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the winners, a row for each seat by places, the course, a remark, the rematch and the deal check."""
        canvas = Canvas(width, height)
        wide = min(width - 4, _WIDEST)
        x = (width - wide) // 2
        y = 1 if height > _SHORT else 0
        canvas.put(x, y, self._at.game.info.title, "title")
        y = self._draw_winners(canvas, x, y + 1, wide)
        y = self._draw_table(canvas, x, y + 1, wide, height - y - 1 - self._rows_beneath(wide))
        room = height - len(list(wrap_lines(self._verdict, wide)))  # the verdict comes first
        said = list(wrap_lines(self._remark, wide))
        if y + len(said) <= room:
            # It may name the winner, so that its rows are blank while the points are counted.
            y = y + len(said) if self.is_counting else _draw_text(canvas, x, y, wide, self._remark, "text")
        costly = rows_of_costly(self._at, self.course.costliest, wide)
        if y + len(costly) <= room:
            for row in costly:
                canvas.put(x, y, row, "text")
                y += 1
        y += height > _SHORT and bool(said or costly) and y < room
        y = _draw_text(canvas, x, y, wide, self._rematch, "good")
        if self._at.deal.verdict is not None:
            _draw_verdict(canvas, (x, y, wide), self._verdict, _STYLES[self._at.deal.verdict.standing])
        return canvas

    def _draw_winners(self, canvas: Canvas, x: int, y: int, wide: int) -> int:
        """Draw the winners, as large as the window allows; returns the row below.

        While the points are counted the same rows say so: nothing moves when the winners are named.
        """
        # Where rows are few a remark teaches more than what the table shows as well.
        brief = canvas.height <= _SHORT and bool(self._remark)
        said = [(style, text) for style, text in self._list_sentences(brief=brief) if text]
        if canvas.height >= _BANNER:
            y += self._draw_banner(canvas, (x, y, wide, canvas.height // 4))
        elif canvas.height >= max(_FIGURE, _AROUND_FIGURE + len(self._order) + self._rows_beneath(wide)):
            return y + self._draw_figure_beside(canvas, x, y + 1, wide, said) + 1
        return self._write_sentences(canvas, x, y + 1, wide, said)

    def _list_sentences(self, *, brief: bool) -> list[Run]:
        """Write the winners, why and by how much they have won (unless `brief`), and the user's own place."""
        best = self.finale.gains_of(self._order[0])
        why = explain_points(best)
        return [
            ("caption", render(finish_phrase(self._result), self._at.names)),
            ("text", self._write_own_place()),
            ("muted", "" if brief else _write_lead(self._result, self._order, self._at.names)),
            ("muted", tr("The fewest points win.") if self._fewest and not brief else ""),
            ("muted", "" if why is None or not self._is_alone else render(why, self._at.names)),
        ]

    def _write_sentences(self, canvas: Canvas, x: int, y: int, wide: int, said: Sequence[Run]) -> int:
        """Write sentences one below the other, or in their place that the points are counted; returns the row below."""
        top = y
        for style, text in said:
            y = _draw_text(canvas, x, y, wide, text, style)
        if self._revealed < 1:
            for row in range(top, y):
                canvas.put(x, row, " " * wide, "blank")
            counted = tr("The points are counted. Any key shows the result.")
            _draw_text(canvas, x, top, wide, counted, "muted")
        return y

    def _draw_figure_beside(self, canvas: Canvas, x: int, y: int, wide: int, said: Sequence[Run]) -> int:
        """Draw the winners' points in large digits, and the sentences beside them; returns the rows used."""
        points = self._write_points(self._result.scores[self._order[0]])
        left = width_of_figure(points, 2) if fit_block([points], wide // 3, ROWS) else 0
        if left:
            self._draw_points(canvas, (x, y, left, ROWS))
            left += 3
        beneath = self._write_sentences(canvas, x + left, y, wide - left, said)
        return max(ROWS if left else 0, beneath - y)

    def _draw_points(self, canvas: Canvas, area: Area) -> None:
        """Draw the winners' points, as far as they are counted, in the size of the final ones."""
        best = self._order[0]
        block = fit_block([self._write_points(self._result.scores[best])], area[2], min(area[3], _FIGURE_ROWS))
        shown = self._write_points(self.finale.count(best, self._beat).points)
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
        names = ", ".join(self._at.names[seat] for seat in self._order if self._result.places[seat] == 1)
        draw_paragraph(canvas, (x + figure + 1, y + 1, wide - figure - 1, high - 2), [names], "target")
        hidden = max(shown, figure + 1)
        # Drawn whole and then covered: letters that grow would jump from size to size.
        for row in range(y + 1, y + high - 1):
            canvas.put(x + hidden, row, " " * (wide - hidden), "blank")
        return high

    def _rows_beneath(self, wide: int) -> int:
        """Count the rows of a bot's remark, of the costliest move, of the rematch and of the deal check."""
        said = [self._rematch, self._verdict, self._remark]
        costly = rows_of_costly(self._at, self.course.costliest, wide)
        return (
            len(costly) + (1 if self._rematch else 0) + sum(len(list(wrap_lines(each, wide))) for each in said if each)
        )

    def _draw_table(self, canvas: Canvas, x: int, y: int, wide: int, room: int) -> int:
        """Draw the scores and the course of the game in `room` rows; returns the row below.

        Without the rows for both, and for why each seat has its points, the course takes the place of the bars.
        """
        seats = len(self._result.scores)
        if not self.course.points:
            return self._draw_scores(canvas, x, y, wide, 2 if room > 2 * seats + 2 else 1) + 1
        has_reasons = bool(self.finale.gains or self.course.reasons)
        both = room >= (3 if has_reasons else 2) * seats + 4
        steps = (_LARGE_TILED,) * (bool(self.finale.gains) and wide >= _TILED_FROM) + tuple(range(_THICKEST, 1, -1))
        step = _choose_rows(steps, 3 if has_reasons else 2, seats, room, both=both)
        first = y
        y = self._draw_scores(canvas, x, y, wide, step, course=not both) + 1
        if both:
            area = (x, y, wide, max(seats + 1, room - (y - first) - 2))
            y = draw_course(canvas, area, self.course, self._at.names, self._order, _NAME) + 1
        return y

    @property
    def _order(self) -> list[int]:
        """The seats by their places."""
        return sorted(range(len(self._result.scores)), key=lambda seat: (self._result.places[seat], seat))

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
    def _fewest(self) -> bool:
        """Whether the fewest points win."""
        best = {self._result.scores[seat] for seat, place in enumerate(self._result.places) if place == 1}
        return best != {max(self._result.scores)}

    # --- scores -----------------------------------------------------------------------------------------

    def _draw_scores(self, canvas: Canvas, x: int, y: int, wide: int, step: int, *, course: bool = False) -> int:
        """Draw the places, each part's points, the sum and a bar, or the course instead; returns the row below."""
        parts = self._find_parts()
        reasons = Reasons(self._at.names, self.finale, self._beat, self.course.reasons)
        count, room = len(parts.points), wide - _PLACE - _TOTAL
        tiled = step > _TILE_ROWS and wide >= _TILED_FROM and bool(self.finale.gains) and not course
        part = _PART if room - _PART * count >= _SHORT_NAME else _PART - 1
        name = min(_NAME, room - part * count)
        large = (
            not count
            and step >= (_LARGE_TILED if tiled else _THICKEST)
            and max(width_of(each, HALF) for each in self._at.names) < wide // _LARGE_PART
        )
        if large:
            name = wide // _LARGE_PART
        points = (
            _TOTAL if not large else max(width_of(self._write_points(each), HALF) for each in self._result.scores) + 2
        )
        total = x + _PLACE + name + part * count + points
        _draw_headings(canvas, x, y, parts, total, part)
        if course and x + wide - total - 2 >= _LEAST_BAR:
            canvas.put(total + 2, y, tr("course"), "faint")
        for row, seat in enumerate(self._order):
            if large:
                self._draw_large_seat(canvas, (x, y + 1 + row * step), seat, total)
            else:
                self._draw_seat(canvas, x, y + 1 + row * step, seat, parts, name, part)
            bar, first = x + wide - total - 2, total + 2
            thick = _TILE_ROWS if tiled and not large else max(1, step - 2)
            if tiled:
                first = x + wide * _TILED_PART // 100
                bar = x + wide - first
                top = y + 1 + row * step
                reasons.draw_cards(canvas, (x + _PLACE, top, first - x - _PLACE - 2), seat, HALF.height if large else 1)
                why = fitted(reasons.write_sum(seat), max(0, first - total - 4)).rstrip()
                canvas.put(total + 2, top + (1 if large else 0), why, "muted")
            elif step > 1:
                why = reasons.write_reason(seat, wide - _PLACE)
                canvas.put(x + _PLACE, y + row * step + 1 + thick, why, "muted")
            if bar >= _LEAST_BAR and course:
                style = "heat4" if self._result.places[seat] == 1 else "muted"
                draw_sparkline(canvas, total + 2, y + 1 + row * step, bar, self.course, seat, style)
            elif bar >= _LEAST_BAR:
                for offset in range(thick):
                    place = (first, y + 1 + row * step + offset, bar)
                    sums = self.finale.sum_up(seat, self._beat)
                    _draw_bar(canvas, place, sums, self.finale.sums, won=self._result.places[seat] == 1)
        return y + 1 + len(self._order) * step

    def _find_parts(self) -> Parts:
        """Find the points of the parts of the game; a game of a single part needs none."""
        parts = find_board_of(self._at).list_parts(self._at.view)
        return parts if len(parts.points) > 1 else Parts(parts.heading, ())

    def _draw_seat(self, canvas: Canvas, x: int, y: int, seat: int, parts: Parts, name: int, part: int) -> None:
        place, won = self._result.places[seat], self._result.places[seat] == 1
        canvas.put(x, y, "▸" if won else " ", "target")
        canvas.put(x + 2, y, f"{place}.", "target" if won else "muted")
        style = "you" if seat == self._at.seat else "strong" if won else "text"
        column = canvas.put(x + _PLACE, y, fitted(self._at.names[seat], name), style)
        for points in parts.points:
            column += part
            canvas.put_right(column, y, self._write_points(points[seat]), "muted")
        canvas.put_right(
            column + _TOTAL,
            y,
            self._write_points(self.finale.count(seat, self._beat).points),
            "target" if won else "strong",
        )

    def _draw_large_seat(self, canvas: Canvas, place: tuple[int, int], seat: int, total: int) -> None:
        """Draw the place, the name and the points of a seat in large letters, the points up to column `total`."""
        (x, y), won = place, self._result.places[seat] == 1
        canvas.put(x, y + 1, "▸" if won else " ", "target")
        canvas.put(x + 2, y + 1, f"{self._result.places[seat]}.", "target" if won else "muted")
        style = "you" if seat == self._at.seat else "strong" if won else "text"
        draw_text(canvas, x + _PLACE, y, self._at.names[seat], HALF, style)
        points = self._write_points(self.finale.count(seat, self._beat).points)
        draw_text(canvas, total - width_of(points, HALF), y, points, HALF, "target" if won else "strong")

    def _write_points(self, number: int) -> str:
        """Write points, with their sign where there are minus points."""
        return with_sign(number) if not self._fewest and min(self._result.scores) < 0 else str(number)

    @property
    def _verdict(self) -> str:
        """The verdict on the deal with its notes; empty until there is one."""
        verdict = self._at.deal.verdict
        return "" if verdict is None else " ".join(render(phrase, self._at.names) for phrase in verdict.phrases)


def _choose_rows(steps: Sequence[int], least: int, seats: int, room: int, *, both: bool) -> int:
    """Return the rows of each seat: of `steps`, the most that have room, with the course of the game below if `both`.

    A course of one row says little: curves come before more than `least` rows of a seat.
    """
    for curve in _CURVES if both else ():
        if fitting := [step for step in steps if least <= step and step * seats + seats * (curve + 1) + 4 <= room]:
            return fitting[0]
    return next((step for step in steps if room >= step * seats + (seats + 4 if both else 2)), 1)


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


def _draw_headings(canvas: Canvas, x: int, y: int, parts: Parts, total: int, part: int) -> None:
    """Write the headings of the parts' points and of the sums."""
    if parts.points:
        canvas.put(x + _PLACE, y, render(parts.heading), "faint")
        for number in range(len(parts.points)):
            canvas.put_right(total - _TOTAL - part * (len(parts.points) - 1 - number), y, str(number + 1), "faint")
    canvas.put_right(total, y, tr("points"), "faint")


class Sums(NamedTuple):
    """What makes the points of a seat: the sum of its gains above zero, and of those below it, without its sign."""

    plus: int
    minus: int


def _draw_bar(canvas: Canvas, place: tuple[int, int, int], sums: Sums, every: Sequence[Sums], *, won: bool) -> None:
    """Draw points as a bar from zero, what was taken off to the left of it, to the same scale for all seats.

    `place` is the first column, the row, and how many columns there are; `every` are the sums of all seats.
    """
    x, y, wide = place
    least, most = -max(each.minus for each in every), max(each.plus for each in every)
    zero = x + round(-least * wide / max(1, most - least))
    plus, minus = (round(each * wide / max(1, most - least)) for each in sums)
    canvas.put(zero - minus, y, "▒" * minus, "muted" if won else "faint")
    canvas.put(zero, y, "█" * plus, "heat4" if won else "muted")
    if least < 0 < most and not plus:
        canvas.put(zero, y, "│", "faint")


def _draw_text(canvas: Canvas, x: int, y: int, wide: int, text: str, style: str) -> int:
    """Draw text over as many rows as it takes; returns the row below."""
    for row in wrap_lines(text, wide):
        canvas.put(x, y, row, style)
        y += 1
    return y


_LEAST_BEATS, _MOST_BEATS = 4, 8
"""Steps in which the points of one seat are counted: of more gains several are counted in a step."""
REVEAL_BEATS = 8
"""Steps in which the winners' names appear: all of them at once would be too many bytes for one frame."""


class Count(NamedTuple):
    """What is counted of a seat: its points so far, and how many of its gains these are."""

    points: int
    gains: int


class Finale:
    """The order of a count: `order` are the seats by their places, of which the last one is counted first.

    `gains` are those of each seat, or none at all of a game that does not tell why the seats have their points.
    """

    def __init__(self, order: Sequence[int], scores: Sequence[int], gains: Sequence[Sequence[Gain]]) -> None:
        self.order = order
        self.scores = scores
        self.gains = gains

    @property
    def beats(self) -> int:
        """The steps of the whole finale."""
        return sum(map(self._beats_of, self.order)) + REVEAL_BEATS

    def gains_of(self, seat: int) -> Sequence[Gain]:
        """Return the gains of a seat."""
        return self.gains[seat] if self.gains else ()

    def _beats_of(self, seat: int) -> int:
        return min(max(len(self.gains_of(seat)), _LEAST_BEATS), _MOST_BEATS)

    def count(self, seat: int, beat: float) -> Count:
        """Return what is counted of a seat after so many steps."""
        own = self._beats_of(seat)
        gains = self.gains_of(seat)
        done = min(own, max(0.0, beat - self._find_first_beat(seat)))
        if not gains:
            return Count(number_between(0, self.scores[seat], done / own), 0)
        counted = int(len(gains) * done / own)
        return Count(sum(gain.points for gain in gains[:counted]), counted)

    @cached_property
    def sums(self) -> Sequence[Sums]:
        """The sums of all seats once everything is counted."""
        return [self.sum_up(seat, self.beats) for seat in range(len(self.scores))]

    def sum_up(self, seat: int, beat: float) -> Sums:
        """Return what makes the points that are counted of a seat after so many steps."""
        counted = self.count(seat, beat)
        gains = self.gains_of(seat)[: counted.gains]
        points = [gain.points for gain in gains] if self.gains_of(seat) else [counted.points]
        return Sums(sum(each for each in points if each > 0), -sum(each for each in points if each < 0))

    def is_counting(self, seat: int, beat: float) -> bool:
        """Whether the points of a seat are counted just now."""
        return 0 < beat - self._find_first_beat(seat) < self._beats_of(seat)

    def revealed(self, beat: float) -> float:
        """Return how much of the winners' names is to be seen, from 0 to 1."""
        return min(1.0, max(0.0, 1 - (self.beats - beat) / REVEAL_BEATS))

    def _find_first_beat(self, seat: int) -> int:
        after = self.order[self.order.index(seat) + 1 :]
        return sum(map(self._beats_of, after))


class Reasons(NamedTuple):
    """Why each seat has its points, as far as they are counted; `others` are the reasons of games without gains."""

    names: Sequence[str]
    finale: Finale
    beat: float
    others: Sequence[Phrase]

    def draw_cards(self, canvas: Canvas, place: tuple[int, int, int], seat: int, below: int) -> None:
        """Draw the gains of a seat that are counted as small cards, so many rows below a place: what, and the points.

        Those that have no room are a row of text.
        """
        (x, y, room), gains = place, self.finale.gains_of(seat)
        whats = [render(gain.what, self.names) for gain in gains]
        each = [
            max(cell_len(what), cell_len(with_sign(gain.points))) + 4 for what, gain in zip(whats, gains, strict=True)
        ]
        if sum(each) > room:
            canvas.put(x, y + below + 1, self.write_reason(seat, room), "muted")
            return
        for what, gain, width in list(zip(whats, gains, each, strict=True))[: self.finale.count(seat, self.beat).gains]:
            draw_frame(canvas, (x, y + below, width, _TILE_ROWS), Edge.PLAIN, "muted")
            canvas.put_centred(x, width, y + below, what, "text")
            canvas.put_centred(x, width, y + below + 1, with_sign(gain.points), "strong")
            x += width

    def write_sum(self, seat: int) -> str:
        """Write the sums of a seat's gains once they are counted."""
        gains = self.finale.gains_of(seat)
        reason = explain_points(gains) if self.finale.count(seat, self.beat).gains == len(gains) else None
        return "" if reason is None else render(reason, self.names)

    def write_reason(self, seat: int, room: int) -> str:
        """Write why a seat has its points: while it is counted, the gains so far; then their sums, or both."""
        names, gains = self.names, self.finale.gains_of(seat)
        counted = self.finale.count(seat, self.beat)
        pieces = [f"{render(gain.what, names)} {with_sign(gain.points)}" for gain in gains[: counted.gains]]
        if counted.gains < len(gains):
            while len(pieces) > 1 and cell_len(_APART.join(pieces)) > room:
                pieces.pop(0)
            return fitted(_APART.join(pieces), room).rstrip()
        reason = explain_points(gains)
        if reason is None:
            reason = self.others[seat] if self.others else Phrase("")
        why = render(reason, names)
        both = f"{why}: {_APART.join(pieces)}"
        if len(pieces) > 1 and cell_len(both) <= room:
            return both
        return why if cell_len(why) <= room else fitted(why, room)
