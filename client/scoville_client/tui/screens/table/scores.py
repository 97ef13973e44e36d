"""Score table of a result: places, points and why each seat has them, as bars and small cards, and the course."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import render, tr, with_sign
from scoville_client.session.table.points import explain_points
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards import find_board_of
from scoville_client.tui.boards.board import Parts
from scoville_client.tui.boards.course import Course
from scoville_client.tui.boards.motion import number_between
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.digits import ROWS, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of
from scoville_client.tui.drawing.letters import HALF, draw_text, width_of
from scoville_client.tui.screens.table.course import draw_course, draw_curve, draw_sparkline
from scoville_shared.engine.contract import Gain
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Finished

_NAME, _SHORT_NAME = 16, 10
_PLACE = 5
_PART, _TOTAL = 5, 7
_LEAST_BAR = 8
_LARGE_PART = 4
"""The part of the columns that large names may take."""
_THICKEST = 5
"""Rows of a seat without cards at most: its name and bar, and below why it has its points."""
_CURVES = (4, 2)
"""Rows of a seat's curve that are worth more than thicker bars."""
TILED_FROM: Final = 84
"""Columns from which on the gains of a seat are cards, its bar and its course beside them."""
_TILED_PART = 75
"""The part of the columns, in percent, that names and cards take."""
_THICKEST_BAR = 4
_TILED_STEPS = range(13, 3, -1)
"""Rows of a seat with cards."""
_LARGE_TILED = 8
"""Rows of a seat with cards from which on its name is large."""
_LEAST_CARD, _LARGE_CARD = 3, 5
"""Rows of the smallest card, and of one with large points."""
_SHADED_CARD = 7
"""Rows inside of a card from which on its face is shaded."""
_WIDEST_CARD = 34
"""Columns of a card at most; the cards of a seat share its columns."""
_TALLEST_CARD = 10
_APART = "  "
"""Cells between two gains of a row."""


class Tiling(NamedTuple):
    """How the seats have their gains as cards: rows of a seat, columns of its cards, and whether names are large."""

    step: int
    room: int
    large: bool

    @property
    def name_rows(self) -> int:
        """Rows of a name."""
        return HALF.height if self.large else 1

    @property
    def card_rows(self) -> int:
        """Rows of a card; there is a blank row below, unless the points on the card are larger without it."""
        rows = self.step - self.name_rows
        return rows if rows in (_LEAST_CARD, _LARGE_CARD) else min(rows - 1, _TALLEST_CARD)


class ScoreTable:
    """Draws the seats of a finished table by their places, as far as their points are counted."""

    def __init__(self, at: AtTable, result: Finished, finale: "Finale", course: Course) -> None:
        self._at = at
        self._result = result
        self._finale = finale
        self._course = course
        self.fewest_win = max(result.scores) not in {
            result.scores[seat] for seat, place in enumerate(result.places) if place == 1
        }

    def write_points(self, number: int) -> str:
        """Write points, with their sign where there are minus points."""
        return with_sign(number) if not self.fewest_win and min(self._result.scores) < 0 else str(number)

    def has_room_for_reasons(self, room: int) -> bool:
        """Whether so many rows have room for why each seat has its points, or there is nothing to say about that."""
        return room >= 2 * len(self._result.scores) + 2 or not (self._finale.gains or self._course.reasons)

    def draw(self, canvas: Canvas, area: Area, beat: float) -> int:
        """Draw the scores and the course of the game as they are after `beat` steps; returns the row below.

        Without the rows for both, and for why each seat has its points, the course takes the place of the bars.
        """
        x, y, wide, room = area
        seats = len(self._result.scores)
        if not self._course.points:
            return self._draw_rows(canvas, (x, y, wide), 2 if room > 2 * seats + 2 else 1, beat) + 1
        tiling = self._choose_tiling(wide, room)
        if tiling is not None:
            return self._draw_tiled(canvas, (x, y, wide), tiling, beat) + 1
        has_reasons = bool(self._finale.gains or self._course.reasons)
        both = room >= (3 if has_reasons else 2) * seats + 4
        step = _choose_rows(3 if has_reasons else 2, seats, room, both=both)
        first = y
        y = self._draw_rows(canvas, (x, y, wide), step, beat, course=not both) + 1
        if both:
            beneath = (x, y, wide, max(seats + 1, room - (y - first) - 2))
            y = draw_course(canvas, beneath, self._course, self._at.names, self._finale.order, _NAME) + 1
        return y

    # --- seats with cards -------------------------------------------------------------------------------

    def _choose_tiling(self, wide: int, room: int) -> Tiling | None:
        """Return how the gains are cards: the most rows of a seat that have room; None where they have none."""
        gains = self._finale.gains
        if not gains or wide < TILED_FROM or self._find_parts().points:
            return None
        cards = wide * _TILED_PART // 100 - _PLACE
        needed = max(len(each) * max(map(self._columns_of_gain, each), default=0) for each in gains)
        seats = len(self._result.scores)
        step = next((step for step in _TILED_STEPS if step * seats + 2 <= room), 0)
        if not step or cards < needed:
            return None
        large = step >= _LARGE_TILED and max(width_of(each, HALF) for each in self._at.names) < wide // _LARGE_PART
        return Tiling(step, cards, large)

    def _columns_of_gain(self, gain: Gain) -> int:
        return max(cell_len(render(gain.what, self._at.names)), cell_len(with_sign(gain.points))) + 2

    def _draw_tiled(self, canvas: Canvas, place: tuple[int, int, int], tiling: Tiling, beat: float) -> int:
        """Draw each seat with its gains as cards, and beside them its bar above its course; returns the row below."""
        x, y, wide = place
        name = wide // _LARGE_PART if tiling.large else _NAME
        points = max(width_of(self.write_points(each), HALF) for each in self._result.scores) + 2
        total = x + _PLACE + name + (points if tiling.large else _TOTAL)
        first = x + wide * _TILED_PART // 100 + 2
        canvas.put_right(total, y, tr("points"), "faint")
        canvas.put(first, y, tr("course"), "faint")
        for row, seat in enumerate(self._finale.order):
            top = y + 1 + row * tiling.step
            if tiling.large:
                self._draw_large_seat(canvas, (x, top), seat, total, beat)
            else:
                self._draw_seat(canvas, x, top, seat, Parts(Phrase(""), ()), name, 0, beat)
            why = fit_text(self._reasons(beat).write_sum(seat), max(0, first - total - 4)).rstrip()
            canvas.put(total + 2, top + tiling.name_rows // 2, why, "muted")
            cards = (x + _PLACE, top + tiling.name_rows, tiling.room, tiling.card_rows)
            self._reasons(beat).draw_cards(canvas, cards, seat)
            thick = min(_THICKEST_BAR, tiling.step - (tiling.step - 1) // 2 - (tiling.step > _LARGE_TILED))
            # The curve has the rest of the rows, but for the one between two seats.
            curve = tiling.step - thick - (tiling.step >= _LARGE_TILED)
            self._draw_track_of(canvas, (first, top, x + wide - first, thick), seat, beat)
            style = "heat4" if self._result.places[seat] == 1 else "muted"
            if curve > 1:
                draw_curve(canvas, (first, top + thick, x + wide - first, curve), self._course, seat, style)
            else:
                draw_sparkline(canvas, first, top + thick, x + wide - first, self._course, seat, style)
        return y + 1 + len(self._finale.order) * tiling.step

    # --- seats in rows ----------------------------------------------------------------------------------

    def _draw_rows(
        self, canvas: Canvas, place: tuple[int, int, int], step: int, beat: float, *, course: bool = False
    ) -> int:
        """Draw the places, each part's points, the sum and a bar, or the course instead; returns the row below."""
        x, y, wide = place
        parts = self._find_parts()
        count, room = len(parts.points), wide - _PLACE - _TOTAL
        # Rather narrow columns than names that nobody can read.
        part = _PART if room - _PART * count >= _SHORT_NAME else _PART - 1
        name = min(_NAME, room - part * count)
        longest = max(width_of(each, HALF) for each in self._at.names)

        # Names as tall as their rows, on a television: only where there is nothing else in a row.
        large = not count and step >= _THICKEST and longest < wide // _LARGE_PART
        if large:
            name = wide // _LARGE_PART
        points = (
            _TOTAL if not large else max(width_of(self.write_points(each), HALF) for each in self._result.scores) + 2
        )

        total = x + _PLACE + name + part * count + points
        _draw_headings(canvas, x, y, parts, total, part)
        bar = x + wide - total - 2
        if course and bar >= _LEAST_BAR:
            canvas.put(total + 2, y, tr("course"), "faint")

        thick = max(1, step - 2)
        for row, seat in enumerate(self._finale.order):
            top = y + 1 + row * step
            if large:
                self._draw_large_seat(canvas, (x, top), seat, total, beat)
            else:
                self._draw_seat(canvas, x, top, seat, parts, name, part, beat)
            if step > 1:
                why = self._reasons(beat).write_reason(seat, wide - _PLACE)
                canvas.put(x + _PLACE, top + thick, why, "muted")
            if bar >= _LEAST_BAR and course:
                style = "heat4" if self._result.places[seat] == 1 else "muted"
                draw_sparkline(canvas, total + 2, top, bar, self._course, seat, style)
            elif bar >= _LEAST_BAR:
                self._draw_track_of(canvas, (total + 2, top, bar, thick), seat, beat)
        return y + 1 + len(self._finale.order) * step

    def _draw_track_of(self, canvas: Canvas, area: Area, seat: int, beat: float) -> None:
        """Draw the bar of a seat on a track, which shows how long the longest one is."""
        x, y, wide, thick = area
        for row in range(y, y + thick):
            canvas.put(x, row, "░" * wide, "faint")
        self._draw_bar_of(canvas, area, seat, beat)

    def _draw_bar_of(self, canvas: Canvas, area: Area, seat: int, beat: float) -> None:
        x, y, wide, thick = area
        sums, won = self._finale.sum_up(seat, beat), self._result.places[seat] == 1
        for offset in range(thick):
            _draw_bar(canvas, (x, y + offset, wide), sums, self._finale.sums, won=won)

    def _reasons(self, beat: float) -> "Reasons":
        return Reasons(self._at.names, self._finale, beat, self._course.reasons)

    def _find_parts(self) -> Parts:
        """Find the points of the parts of the game; a game of a single part needs none."""
        parts = find_board_of(self._at).list_parts(self._at.view)
        return parts if len(parts.points) > 1 else Parts(parts.heading, ())

    def _draw_seat(
        self, canvas: Canvas, x: int, y: int, seat: int, parts: Parts, name: int, part: int, beat: float
    ) -> None:
        place, won = self._result.places[seat], self._result.places[seat] == 1
        canvas.put(x, y, "▸" if won else " ", "target")
        canvas.put(x + 2, y, f"{place}.", "target" if won else "muted")
        style = "you" if seat == self._at.seat else "strong" if won else "text"
        column = canvas.put(x + _PLACE, y, fit_text(self._at.names[seat], name), style)
        for points in parts.points:
            column += part
            canvas.put_right(column, y, self.write_points(points[seat]), "muted")
        canvas.put_right(
            column + _TOTAL,
            y,
            self.write_points(self._finale.count(seat, beat).points),
            "target" if won else "strong",
        )

    def _draw_large_seat(self, canvas: Canvas, place: tuple[int, int], seat: int, total: int, beat: float) -> None:
        """Draw the place, the name and the points of a seat in large letters, the points up to column `total`."""
        (x, y), won = place, self._result.places[seat] == 1
        canvas.put(x, y + 1, "▸" if won else " ", "target")
        canvas.put(x + 2, y + 1, f"{self._result.places[seat]}.", "target" if won else "muted")
        style = "you" if seat == self._at.seat else "strong" if won else "text"
        draw_text(canvas, x + _PLACE, y, self._at.names[seat], HALF, style)
        points = self.write_points(self._finale.count(seat, beat).points)
        draw_text(canvas, total - width_of(points, HALF), y, points, HALF, "target" if won else "strong")


def _choose_rows(least: int, seats: int, room: int, *, both: bool) -> int:
    """Return the rows of each seat without cards: the most that have room, with the course below if `both`.

    A course of one row says little: curves come before more than `least` rows of a seat.
    """
    for curve in _CURVES if both else ():
        for step in range(_THICKEST, least - 1, -1):
            if step * seats + seats * (curve + 1) + 4 <= room:
                return step
    steps = range(_THICKEST, 1, -1)
    return next((step for step in steps if room >= step * seats + (seats + 4 if both else 2)), 1)


def _draw_headings(canvas: Canvas, x: int, y: int, parts: Parts, total: int, part: int) -> None:
    """Write the headings of the parts' points and of the sums."""
    if parts.points:
        canvas.put(x + _PLACE, y, render(parts.heading), "faint")
        for number in range(len(parts.points)):
            canvas.put_right(total - _TOTAL - part * (len(parts.points) - 1 - number), y, str(number + 1), "faint")
    canvas.put_right(total, y, tr("points"), "faint")


class Sums(NamedTuple):
    """Parts of the points of a seat: the sum of its gains above zero, and of those below it, without its sign."""

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


_LEAST_BEATS, _MOST_BEATS = 4, 8
"""Steps in which the points of one seat are counted: of more gains several are counted in a step."""
REVEAL_BEATS = 8
"""Steps in which the winners' names appear: all of them at once would be too many bytes for one frame."""


class Count(NamedTuple):
    """Count of a seat: its points so far, and how many of its gains these are."""

    points: int
    gains: int


class Finale:
    """The order of a count: `order` are the seats by their places; the last one is counted first.

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
        """Return the count of a seat after so many steps."""
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
        """Return the parts of a seat's points after so many steps."""
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

    def draw_cards(self, canvas: Canvas, area: Area, seat: int) -> None:
        """Draw the gains of a seat as cards side by side; those that are not yet counted are blank."""
        x, y, room, height = area
        gains = self.finale.gains_of(seat)
        width = min(_WIDEST_CARD, room // max(1, len(gains)))
        counted, inside = self.finale.count(seat, self.beat).gains, height - 2
        # One size for all of them: a large figure beside a small one would look like more points.
        written = [with_sign(gain.points) for gain in gains]
        block = fit_block(written, width - 2, inside) if inside >= ROWS else None
        are_letters = inside >= HALF.height and all(width_of(points, HALF) <= width - 2 for points in written)
        for number, (gain, points) in enumerate(zip(gains, written, strict=True)):
            # All frames from the beginning: with its frame a card would be too many bytes for one step.
            draw_frame(canvas, (x + number * width, y, width, height), Edge.PLAIN, "muted")
            draw_shade(canvas, inside_of((x + number * width, y, width, height)), "faint", _SHADED_CARD)
            if number >= counted:
                continue
            left = x + number * width
            canvas.put_centred(left, width, y, render(gain.what, self.names), "text")
            if block:
                draw_figure(canvas, (left + 1, y + 1, width - 2, inside), points, "strong", block)
            elif are_letters:
                indent = (width - width_of(points, HALF)) // 2
                draw_text(canvas, left + indent, y + 1 + (inside - HALF.height) // 2, points, HALF, "strong")
            else:
                canvas.put_centred(left, width, y + 1 + (inside - 1) // 2, points, "strong")

    def write_sum(self, seat: int) -> str:
        """Write the sums of a seat's gains once they are counted."""
        gains = self.finale.gains_of(seat)
        reason = explain_points(gains) if self.finale.count(seat, self.beat).gains == len(gains) else None
        return "" if reason is None else render(reason, self.names)

    def write_reason(self, seat: int, room: int) -> str:
        """Write why a seat has its points: while it is counted, the gains so far; then these and their sums.

        Without the room for both it is the gains, which say more, or else the sums.
        """
        names, gains = self.names, self.finale.gains_of(seat)
        counted = self.finale.count(seat, self.beat)
        pieces = [f"{render(gain.what, names)} {with_sign(gain.points)}" for gain in gains[: counted.gains]]
        if counted.gains < len(gains):
            while len(pieces) > 1 and cell_len(_APART.join(pieces)) > room:
                pieces.pop(0)
            return fit_text(_APART.join(pieces), room).rstrip()
        reason = explain_points(gains)
        if reason is None:
            reason = self.others[seat] if self.others else Phrase("")
        why = render(reason, names)
        listed = _APART.join(pieces)
        texts = (f"{why}: {listed}", listed, why) if len(pieces) > 1 else (why,)
        return next((each for each in texts if cell_len(each) <= room), fit_text(why, room))
