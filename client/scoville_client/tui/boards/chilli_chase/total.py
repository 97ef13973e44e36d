"""The running total in large or as an equation of cards, and the number line: Chilli Scores, and what cards reach."""

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.picker import list_columns
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.motion import number_between
from scoville_client.tui.boards.number_line import Label, Scale, draw_labels, draw_scale, scale_of
from scoville_client.tui.drawing import digits
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.digits import Block, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of
from scoville_shared.engine.phrases import Phrase, write_signed

HEIGHT = digits.ROWS + 1
"""Rows of the total with its formula."""
LINE_HEIGHT = 3
"""Rows of the number line: whose scores, the line, and what can be reached."""
LEAST_LINE_HEIGHT = 2
"""The same with all labels in one row."""
_TOTAL = "▼"
_FURTHEST = 4
"""Most columns between a result and its label."""
_NAMED = 70
"""Columns of a line that has room for the names of those who get a point."""


_BLOCKS = (2, 1)
"""Cells that a block of the figures is wide, the largest first."""


def width_of_total(scene: Scene, room: int) -> int:
    """Return how many of `room` columns the total takes."""
    return max(
        digits.width_of_number(scene.board.total, _choose_block(scene, room)),
        cell_len(_how_text(scene, room)),
    )


def draw_total(canvas: Canvas, x: int, y: int, room: int, scene: Scene) -> None:
    """Draw the total in `room` x HEIGHT cells; nothing while the dice are rolled."""
    if scene.frame is not None and scene.frame.rolled is not None and len(scene.frame.rolled) < len(scene.names):
        return
    style = "caption" if scene.frame is None or scene.frame.hit is None else "selected"
    wide = _choose_block(scene, room)
    canvas.marks["total"] = (x, y, digits.width_of_number(scene.board.total, wide), HEIGHT)
    digits.draw_number(canvas, x, y, scene.board.total, wide, style)
    how = _how_text(scene, room)
    canvas.put(x, y + digits.ROWS, how if cell_len(how) <= room else fit_text(how, room), "strong")


def _choose_block(scene: Scene, room: int) -> int:
    fitting = (wide for wide in _BLOCKS if digits.width_of_number(scene.board.total, wide) <= room)
    return next(fitting, _BLOCKS[-1])


def _how_text(scene: Scene, room: int) -> str:
    """Write how the total came about; that it is the Hot Pile's if there is room."""
    if scene.how is None and len(scene.board.hot) > 1:
        return ""
    plain = scene.say(words.name_opening(scene.board)) if scene.how is None else scene.how.formula
    explained = scene.say(words.explain_total(plain))
    return explained if cell_len(explained) <= room else plain


def draw_line(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene, thick: int = 1) -> None:
    """Draw the number line in `width` x `height` cells: the total, the Chilli Scores, and what my cards reach.

    The line itself is `thick` rows high: from two on a body of blocks.
    """
    board, reached = scene.board, _reached_numbers(scene)
    scale = scale_of(sorted({board.total, *board.scores, *reached}), width)
    for row in range(y + 1, y + 1 + thick):
        draw_scale(canvas, x, row, width, scale, body=thick > 1)
        for number, style in reached.items():
            canvas.put(x + scale.columns[number], row, "┃" if thick > 1 else "┬", style)
        for score in board.scores:
            canvas.put(x + scale.columns[score], row, *scene.mark_of_holder(board.find_holder(score)))
        # A score at the same number stays visible, once the total has slid there.
        if board.find_holder(board.total) is None or scene.progress < 1:
            canvas.put(x + _column_of_total(scene, scale), row, "█", "caption")
    held, made = list(_held_labels(scene, scale)), list(_reached_labels(scene, scale, reached, named=width >= _NAMED))
    if height >= LINE_HEIGHT:
        draw_labels(canvas, x, y, width, 1, held)
        draw_labels(canvas, x, y + 1 + thick, width, 1, made, _FURTHEST)
        return
    # In one row what can be reached has the room that the others leave.
    numbers = {label.number for label in held}
    others = [label for label in made if label.number not in numbers]
    firsts = [label._replace(first=True) for label in sorted(held, key=lambda label: not label.first)]
    draw_labels(canvas, x, y, width, 1, [*firsts, *others], _FURTHEST)


def _column_of_total(scene: Scene, scale: Scale) -> int:
    """Return the column of the total; after a card it slides there from where the total was before."""
    here, before = scale.columns[scene.board.total], scene.frame.before if scene.frame else None
    if before is None:
        return here
    nearest = min(scale.columns, key=lambda number: abs(number - before))
    return number_between(scale.columns[nearest], here, scene.progress)


def _reached_numbers(scene: Scene) -> dict[int, str]:
    """Find the totals that the hand can make, each in the style of its number: the selected card's are bright."""
    styles: dict[int, str] = {}
    for column in list_columns(scene.board, scene.hand):
        bright = not scene.selects or column.card == scene.picker.card
        for way in column.ways:
            if bright or way.total not in styles:
                styles[way.total] = "strong" if bright else "faint"
    chosen = scene.picker.chosen if scene.selects else None
    return styles if chosen is None else {**styles, chosen.total: "selected-pin"}


def _held_labels(scene: Scene, scale: Scale) -> Iterator[Label]:
    """Label the total and the Chilli Scores, the total and the own one first."""
    board = scene.board
    for number in {*board.scores, board.total}:
        sign, style = scene.mark_of_holder(board.find_holder(number))
        here = number == board.total
        text = f"{_TOTAL if here else ''}{sign.strip()}{write_signed(number)}"
        first = here or board.find_holder(number) == scene.place
        yield Label(number, scale.columns[number], text, "caption" if here else style, first)


def _reached_labels(scene: Scene, scale: Scale, reached: dict[int, str], *, named: bool) -> Iterator[Label]:
    """Label the reachable totals: first what is chosen and what makes a point, then what the selected card makes."""
    for number, style in sorted(reached.items(), key=lambda each: each[1] == "faint"):
        holder = scene.board.find_holder(number)
        sign, hit = scene.mark_of_holder(holder)
        look = style if style == "selected-pin" or holder is None else hit
        first = holder is not None or style == "selected-pin"
        name = f" {scene.name_of_holder(holder)}" if named and holder is not None and style != "faint" else ""
        yield Label(number, scale.columns[number], f"{sign.strip()}{write_signed(number)}{name}", look, first)


LEAST_EQUATION = 7
_TOTAL_HEAD = Phrase("total")
_SIGN = 7
"""Columns between two cards for a sign in blocks; fewer have it as a letter."""
_NARROW_SIGN = 3
_CORNERS = 6
"""Columns of an edge that its text leaves free."""
_ROOMY = 60
"""Columns of an equation from which on its signs are in blocks."""


class Term(NamedTuple):
    """A number of an equation with what it is, or a sign; `style` is that of its card."""

    text: str
    head: str = ""
    style: str = ""
    edge: Edge = Edge.PLAIN

    @property
    def is_sign(self) -> bool:
        """Whether it stands between two numbers."""
        return not self.style


def list_terms(scene: Scene) -> list[Term]:
    """Return the equation of the moment: what is chosen, a new Chilli Score, or how the total came about."""
    board = scene.board
    if scene.choosing:
        return _score_terms(scene)
    now = write_signed(board.total)
    chosen = scene.picker.chosen if scene.selects else None
    if chosen is not None:
        formula = chosen.write_formulas(board.total)[0].split(" ")
        holder = board.find_holder(chosen.total)
        style = "strong" if holder is None else scene.mark_of_holder(holder)[1]
        result = "" if holder is None else f"+1 {scene.name_of_holder(holder)}"
        return _formula_terms(formula, now, "selected", (result, style))
    if scene.selects and scene.picker.columns:
        # The same picture as with the first result: the key that chooses it changes little.
        first = scene.picker.columns[scene.picker.column].ways[0].write_formulas(board.total)[0].split(" ")
        parts = [first[0], " ", first[2], "=", "?"] if len(first) == 5 else first
        return _formula_terms(parts, now, "selected", ("", "strong"))
    if scene.how is not None:
        style = "caption" if scene.frame is None or scene.frame.hit is None else "selected"
        return _formula_terms(scene.how.formula.split(" "), "", "muted", (scene.say(_TOTAL_HEAD), style))
    return [Term(now, scene.say(_TOTAL_HEAD), "caption", Edge.HEAVY)]


def _formula_terms(parts: list[str], total: str, style: str, result: tuple[str, str]) -> list[Term]:
    """Make the terms of a formula; the number that is the `total` is named, the card has `style`."""
    # Not two numbers with a sign: no row of cards shows it, so only its result is drawn.
    if len(parts) != 5:
        return [Term(parts[-1], *result, Edge.HEAVY)]
    left, sign, right, equals, made = parts
    named = total != ""
    first_is_total = left == total
    total_head, card_head = (tr("total"), tr("card")) if named else ("", "")
    as_total = ("caption", Edge.HEAVY) if named else (style, Edge.PLAIN)
    as_card = (style, Edge.DOUBLE if named else Edge.PLAIN)
    first, second = (total_head, *as_total), (card_head, *as_card)
    # The card stands first where the total is taken from it.
    if not first_is_total:
        first, second = second, first
    return [
        Term(left, *first),
        Term(sign),
        Term(right, *second),
        Term(equals),
        Term(made, *result, Edge.DOUBLE if named else Edge.HEAVY),
    ]


def _score_terms(scene: Scene) -> list[Term]:
    mine = write_signed(scene.board.scores[scene.board.mover])
    wanted = "?" if scene.wanted is None else write_signed(scene.wanted)
    return [
        Term(mine, scene.say(words.SCORE), "target"),
        Term("→"),
        Term(wanted, "", "selected", Edge.DOUBLE),
    ]


def draw_equation(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the equation in an area; where its numbers have no room in blocks, only the last one with the formula."""
    x, y, width, height = area
    canvas.marks["total"] = area
    terms = list_terms(scene)
    numbers = [term for term in terms if not term.is_sign]
    sign = _SIGN if width >= _ROOMY else _NARROW_SIGN
    each = (width - sign * (len(terms) - len(numbers))) // len(numbers)
    # One size for all numbers, so that the largest one decides.
    block = fit_block([term.text for term in numbers], each - 2, height - 2)
    if block is None:
        formula = " ".join(term.text for term in terms) if len(terms) > 1 else ""
        _draw_term(canvas, area, terms[-1], None, formula or _explain_total(scene, width))
        return
    left = x
    for term in terms:
        if term.is_sign:
            draw_figure(canvas, (left, y + 1, sign, height - 2), term.text, "strong")
            left += sign
        else:
            foot = (
                _explain_total(scene, each) if len(terms) == 1 or (term is terms[-1] and scene.how is not None) else ""
            )
            _draw_term(canvas, (left, y, each, height), term, block, "" if scene.choosing else foot)
            left += each


def _draw_term(canvas: Canvas, area: Area, term: Term, block: Block | None, foot: str) -> None:
    draw_frame(canvas, area, term.edge, term.style, term.head, foot)
    inside = inside_of(area)
    draw_shade(canvas, inside, term.style)
    draw_figure(canvas, inside, term.text, term.style, block)


def _explain_total(scene: Scene, room: int) -> str:
    """Write how the total came about; that it is the Hot Pile's if there is room."""
    if scene.selects and scene.picker.chosen is not None:
        return ""
    if scene.how is None and len(scene.board.hot) > 1:
        return ""
    plain = scene.say(words.name_opening(scene.board)) if scene.how is None else scene.how.formula
    explained = scene.say(words.explain_total(plain))
    return next((text for text in (explained, plain) if cell_len(text) <= room - _CORNERS), "")
