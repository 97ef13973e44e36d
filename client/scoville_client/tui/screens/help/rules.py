"""Rules dialog: the rules of each game, a page at a time."""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import current_language, spelled, tr
from scoville_client.i18n.wrapping import wrap
from scoville_client.rules import Page, games, pages
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_shared.games import registry

Row = tuple[str, str]
"""A row of text, and the style it is drawn in."""

_HEAD = 3
"""Rows of the title of the game and of the page, which do not scroll."""


class RulesView(CanvasWidget):
    """One page of the rules of `game`, from row `top` on."""

    def __init__(self, game: str, page: str) -> None:
        super().__init__()
        self.game = game
        self._page = page
        self.top = 0

    @property
    def pages(self) -> tuple[Page, ...]:
        """All pages in the current language."""
        return pages(self.game, current_language())

    @property
    def number(self) -> int:
        """The index of the shown page; 0 if no page has the wanted id."""
        return next((number for number, page in enumerate(self.pages) if page.id == self._page), 0)

    def turn(self, pages: int) -> None:
        """Go forward or back by some pages."""
        if self.pages:
            self._page = self.pages[(self.number + pages) % len(self.pages)].id
        self.top = 0
        self.repaint()

    def open(self, game: str) -> None:
        """Open the rules of another game."""
        self.game, self.top = game, 0
        self.repaint()

    def scroll_text(self, rows: int) -> bool:
        """Scroll as far as there is text; returns whether it moved."""
        longest = max(0, len(self._rows_of(self.size.width)) - self._room)
        before, self.top = self.top, min(max(0, self.top + rows), longest)
        self.repaint()
        return self.top != before

    @property
    def _room(self) -> int:
        return self.size.height - _HEAD

    def scroll_page(self, pages: int) -> bool:
        """Scroll by the visible rows less one; returns whether it moved."""
        return self.scroll_text(pages * max(1, self._room - 1))

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the heading and the visible part of the text."""
        canvas = Canvas(width, height)
        canvas.put(0, 0, registry.load(self.game).info.title, "title")
        if not self.pages:
            for y, row in enumerate(wrap(tr("This game comes without rules pages; ask its author."), width)):
                canvas.put(0, _HEAD + y, row, "text")
            return canvas
        canvas.put_right(width, 0, f"{self.number + 1}/{len(self.pages)}", "muted")
        canvas.put(0, 1, spelled(self.pages[self.number].title), "caption")
        rows = self._rows_of(width)
        for y, (row, style) in enumerate(rows[self.top : self.top + height - _HEAD]):
            canvas.put(0, _HEAD + y, row, style)
        self._draw_more(canvas, len(rows))
        return canvas

    def _draw_more(self, canvas: Canvas, rows: int) -> None:
        """Mark at the edge that there is text above or below."""
        if self.top:
            canvas.put_right(canvas.width, _HEAD - 1, "▲", "muted")
        if self.top + canvas.height - _HEAD < rows:
            canvas.put_right(canvas.width, canvas.height - 1, "▼", "muted")

    def _rows_of(self, width: int) -> list[Row]:
        return list(_rows(self.pages[self.number], width - 2)) if self.pages else []


class RulesDialog(Dialog[None]):
    """Left and right change the page, Tab changes the game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,r,f3,q", "close", show=False),
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("pageup", "scroll_page(-1)", show=False),
        Binding("pagedown", "scroll_page(1)", show=False),
        Binding("space", "read_on", show=False),
        Binding("tab", "other_game", show=False, priority=True),
        Binding("L,f2", "language", show=False),
    ]

    def __init__(self, game: str, page: str) -> None:
        super().__init__()
        self._game = game
        self._first = page

    def compose(self) -> ComposeResult:
        """Arrange the page and the keys."""
        with Vertical(classes="box wide tall"):
            yield RulesView(self._game, self._first)
            yield RulesKeys()
        yield TooSmall()

    @property
    def view(self) -> RulesView:
        """The page that is shown."""
        return self.query_one(RulesView)

    def action_turn(self, pages: int) -> None:
        """Go to the next or previous page."""
        self.view.turn(pages)

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self.view.scroll_text(rows)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll by the visible rows."""
        self.view.scroll_page(pages)

    def action_read_on(self) -> None:
        """Scroll forward; at the end of a page go to the next one."""
        if not self.view.scroll_page(1):
            self.view.turn(1)

    def action_other_game(self) -> None:
        """Open the rules of the next game."""
        known = games()
        after = [game for game in known if game > self.view.game] or known
        self.view.open(after[0])


class RulesKeys(CanvasWidget):
    """The keys of the dialog."""

    def draw(self, width: int, height: int) -> Canvas:
        """Draw them in one row, as many as fit."""
        canvas = Canvas(width, height)
        column = 0
        for key, word in (("← →", tr("page")), ("↑ ↓", tr("scroll")), (tr("Esc"), tr("close"))):
            column = canvas.put(column, height - 1, key, "strong") + 1
            column = canvas.put(column, height - 1, word, "muted") + 2
        other = tr("other game")
        if column + len(other) + 4 <= width:
            canvas.put(canvas.put(column, height - 1, "Tab", "strong") + 1, height - 1, other, "muted")
        return canvas


def _rows(page: Page, width: int) -> Iterator[Row]:
    """Wrap a page into rows of `width` cells: blank rows between paragraphs, items and examples indented."""
    before = None
    for block in page.blocks:
        if before is not None and (before, block.kind) != ("item", "item"):
            yield "", "text"
        before = block.kind
        sign = {"item": "· ", "example": "  ", "text": ""}[block.kind]
        for number, row in enumerate(wrap(spelled(block.text), width - len(sign))):
            yield (sign if number == 0 else " " * len(sign)) + row, "muted" if block.kind == "example" else "text"
