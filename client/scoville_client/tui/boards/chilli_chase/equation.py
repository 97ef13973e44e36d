"""The equation: the running total, a card and what they make, as cards with signs between them."""

from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import Block, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.arithmetic import write_signed

LEAST_HEIGHT = 7
_TOTAL = Phrase("total")
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
        holder = board.holder(chosen.total)
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
        return _formula_terms(scene.how.formula.split(" "), "", "muted", (scene.say(_TOTAL), style))
    return [Term(now, scene.say(_TOTAL), "caption", Edge.HEAVY)]


def _formula_terms(parts: list[str], total: str, style: str, result: tuple[str, str]) -> list[Term]:
    """Make the terms of a formula; the number that is the `total` is named, the card has `style`."""
    # Not two numbers with a sign: no row of cards shows it, so only what it makes is drawn.
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
    block = fit_block([term.text for term in numbers], each - 2, height - 2)
    if block is None:
        formula = " ".join(term.text for term in terms) if len(terms) > 1 else ""
        _draw_number(canvas, area, terms[-1], None, formula or _how_text(scene, width))
        return
    left = x
    for term in terms:
        if term.is_sign:
            draw_figure(canvas, (left, y + 1, sign, height - 2), term.text, "strong")
            left += sign
        else:
            foot = _how_text(scene, each) if len(terms) == 1 or (term is terms[-1] and scene.how is not None) else ""
            _draw_number(canvas, (left, y, each, height), term, block, "" if scene.choosing else foot)
            left += each


def _draw_number(canvas: Canvas, area: Area, term: Term, block: Block | None, foot: str) -> None:
    draw_frame(canvas, area, term.edge, term.style, term.head, foot)
    inside = inside_of(area)
    draw_shade(canvas, inside, term.style)
    draw_figure(canvas, inside, term.text, term.style, block)


def _how_text(scene: Scene, room: int) -> str:
    """Write how the total came about; that it is the Hot Pile's if there is room."""
    if scene.selects and scene.picker.chosen is not None:
        return ""
    if scene.how is None and len(scene.board.hot) > 1:
        return ""
    plain = scene.say(words.opening(scene.board)) if scene.how is None else scene.how.formula
    explained = scene.say(words.hot_pile(plain))
    return next((text for text in (explained, plain) if cell_len(text) <= room - _CORNERS), "")
