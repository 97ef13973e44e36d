"""Rules dialog: the rules of each game, a page at a time."""

from collections.abc import Iterator
from itertools import groupby
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import current_language, spell_text, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import Page, games_with_rules, rules_pages
from scoville_client.tui.actions import width_of_keys
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_hints import put_hints
from scoville_client.tui.widgets.text_view import Row, TextView
from scoville_outside import guard

_DRAWING: Final = "drawing"
_COLOURS: Final = {
    **dict.fromkeys("◆▼█", "target"),
    **dict.fromkeys("●", "pepper2"),
    **dict.fromkeys("┣━┫", "gap"),
    **dict.fromkeys("╭╮╰╯│─", "muted"),
}
"""The styles of the signs of a drawing; numbers are strong."""


class RulesView(TextView):
    """One page of the rules of `game`, below the titles of the game and of the page."""

    HEAD = 3

    def __init__(self, game: str, page: str) -> None:
        super().__init__(lambda: ())
        self.game = game
        self._page = page
        self._above = 0

    @property
    def pages(self) -> tuple[Page, ...]:
        """All pages in the current language."""
        return rules_pages(self.game, current_language())

    @property
    def number(self) -> int:
        """The index of the shown page; 0 if no page has the wanted id."""
        return next((number for number, page in enumerate(self.pages) if page.id == self._page), 0)

    def turn_pages(self, pages: int) -> None:
        """Go forward or back by some pages."""
        if self.pages:
            self._page = self.pages[(self.number + pages) % len(self.pages)].id
        self.stay_at_start()

    def open_game(self, game: str) -> None:
        """Open the rules of another game."""
        self.game = game
        self.stay_at_start()

    def read_on(self) -> None:
        """Scroll forward; at the end of a page go to the next one."""
        before = self.above
        self.scroll_pages(1)
        if self.above == before:
            self.turn_pages(1)

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the heading and the visible part of the text."""
        canvas = Canvas(width, height)
        canvas.put(0, 0, guard.load_game(self.game).info.title, "title")
        if not self.pages:
            for y, row in enumerate(wrap_lines(tr("This game comes without rules pages; ask its author."), width)):
                canvas.put(0, self.HEAD + y, row, "text")
            return canvas
        canvas.put_right(width, 0, f"{self.number + 1}/{len(self.pages)}", "muted")
        canvas.put(0, 1, spell_text(self.pages[self.number].title), "caption")
        rows = self.rows(width)
        self.draw_rows(canvas, rows)
        self._draw_more(canvas, len(rows))
        return canvas

    def _draw_more(self, canvas: Canvas, rows: int) -> None:
        """Mark at the edge that there is text above or below."""
        if self.above:
            canvas.put_right(canvas.width, self.HEAD - 1, "▲", "muted")
        if self.above + canvas.height - self.HEAD < rows:
            canvas.put_right(canvas.width, canvas.height - 1, "▼", "muted")

    def rows(self, width: int) -> list[Row]:
        """Write the page as rows of at most `width` cells."""
        rows = _wrap_page(self.pages[self.number], width - 2) if self.pages else ()
        return [tuple(_colour_drawing(text)) if style == _DRAWING else ((text, style),) for text, style in rows]


class RulesDialog(Dialog[None], ScrollingDialog):
    """Left and right change the page, Tab changes the game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,r,f3,q", "close", show=False),
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
        Binding("space", "read_on", show=False),  # before the keys that scroll, of which it is one
        *SCROLLING,
        Binding("tab", "other_game", show=False, priority=True),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, game: str, page: str) -> None:
        super().__init__()
        self._game = game
        self._first = page

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide tall"):
            yield RulesView(self._game, self._first)
            yield RulesKeys()
        yield TooSmall()

    @property
    def view(self) -> RulesView:
        """The page that is shown."""
        return self.query_one(RulesView)

    def action_turn(self, pages: int) -> None:
        self.view.turn_pages(pages)

    def action_read_on(self) -> None:
        """Scroll forward; at the end of a page go to the next one."""
        self.view.read_on()

    def action_other_game(self) -> None:
        known = games_with_rules()
        after = [game for game in known if game > self.view.game] or known
        self.view.open_game(after[0])


class RulesKeys(CanvasWidget):
    """The keys of the dialog."""

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        hints = [("← →", tr("page")), ("↑ ↓", tr("scroll")), (tr("Esc"), tr("close"))]
        more = [*hints, ("Tab", tr("other game"))]
        put_hints(canvas, 0, height - 1, more if width_of_keys(more) <= width else hints)
        return canvas


def _wrap_page(page: Page, width: int) -> Iterator[tuple[str, str]]:
    """Wrap a page into rows of `width` cells, each with its style: items and examples are indented."""
    before = None
    for block in page.blocks:
        if before is not None and (before, block.kind) != ("item", "item"):
            yield "", "text"
        before = block.kind
        if block.kind == "drawing":
            yield from ((row, _DRAWING) for row in block.text.splitlines())
            continue
        sign = {"item": "· ", "example": "  ", "text": ""}[block.kind]
        for number, row in enumerate(wrap_lines(spell_text(block.text), width - len(sign))):
            yield (sign if number == 0 else " " * len(sign)) + row, "muted" if block.kind == "example" else "text"


def _colour_drawing(drawing: str) -> Iterator[tuple[str, str]]:
    """Split a row of a drawing into pieces in the colours of the boards."""
    for style, signs in groupby(drawing, lambda sign: _COLOURS.get(sign, "strong" if sign.isdigit() else "text")):
        yield "".join(signs), style
