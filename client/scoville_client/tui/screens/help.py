"""Help and rules dialogs: the keys of a screen, and the rules of each game, a page at a time."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content

from scoville_client.i18n.language import current_language, render, spell_text, tr
from scoville_client.i18n.name_text import OWNED
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import Page, games_with_rules, rules_pages
from scoville_client.tui.actions import Action, Keys, list_actions
from scoville_client.tui.boards.actions import USUAL
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.reading import DRAWING, colour_drawing, wrap_page
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.fitted_box import FittedBox
from scoville_client.tui.widgets.key_hints import Hint, KeyHints, put_hints, width_of_keys
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.text_view import Row, TextView
from scoville_outside import guard
from scoville_shared.engine.phrases import Phrase


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
        before = self.rows_above
        self.scroll_pages(1)
        if self.rows_above == before:
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
        rows = self.write_rows(width)
        self.draw_rows(canvas, rows)
        self._draw_more(canvas, len(rows))
        return canvas

    def _draw_more(self, canvas: Canvas, rows: int) -> None:
        """Mark at the edge that there is text above or below."""
        if self.rows_above:
            canvas.put_right(canvas.width, self.HEAD - 1, "▲", "muted")
        if self.rows_above + canvas.height - self.HEAD < rows:
            canvas.put_right(canvas.width, canvas.height - 1, "▼", "muted")

    def write_rows(self, width: int) -> list[Row]:
        """Write the page as rows of at most `width` cells."""
        rows = wrap_page(self.pages[self.number], width - 2) if self.pages else ()
        return [
            tuple((piece, each) for each, piece in (colour_drawing(text) if style == DRAWING else ((style, text),)))
            for style, text in rows
        ]


class RulesDialog(Dialog[None], ScrollingDialog):
    """Left and right change the page, Tab changes the game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,r,f3,q", "close", show=False),
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
        Binding("space", "read_on", show=False),  # before the keys that scroll, of which it is one
        *SCROLLING,
        Binding("tab", "other_game", show=False, priority=True),  # else Textual would move the focus
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


_CONTEXTS = {
    "start": Phrase("On the start screen"),
    "lobby": Phrase("In the lobby"),
    "waiting": Phrase("Before the game"),
    "guest": Phrase("Before a game with another host"),
    "play": Phrase("In the game"),
    "paused": Phrase("While the game is paused"),
    "watching": Phrase("While you watch"),
    "big": Phrase("On a television"),
    "result": Phrase("After the game"),
    "replay": Phrase("In a replay"),
    "puzzle": Phrase("At a puzzle"),
    "chat": Phrase("In the chat"),
    "everywhere": Phrase("Everywhere"),
}
_KEY = 12
"""Cells for a key."""
_WIDEST, _EDGES = 70, 9
"""Cells of the box at most, and cells of its edges, indentation and scroll bar."""


class HelpDialog(Dialog[None]):
    """Lists all keys, those of the context `context` first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,question_mark,f1,q", "close", "close", show=False),
        Binding("up,k", "scroll(-3)", show=False),
        Binding("down,j", "scroll(3)", show=False),
        Binding("home,g", "end(False)", show=False),
        Binding("end,G", "end(True)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown,space", "scroll(10)", show=False),
        Binding("r,f3", "rules", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, context: str, own: Sequence[Action] = USUAL) -> None:
        super().__init__()
        self._first = context
        self._own = own

    def compose(self) -> ComposeResult:
        with FittedBox(classes="box wide fitted"):
            yield LiveText(lambda: tr("Keys"), classes="heading")
            with VerticalScroll(can_focus=False):
                yield LiveText(self._help_text, classes="list")
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_resize(self) -> None:
        self.query_one(".list", LiveText).retranslate()

    @staticmethod
    def _list_hints() -> Sequence[Hint]:
        return (("↑ ↓", tr("scroll")), ("r", tr("rules")), (tr("Esc"), tr("close")))

    def action_rules(self) -> None:
        self.dismiss(None)
        self.shell.call_later(self.shell.navigation.open_rules)

    def action_scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_end(self, last: bool) -> None:
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_end(animate=False) if last else scroll.scroll_home(animate=False)

    def _help_text(self) -> Content:
        return Content("\n").join(list(self._write_lines()))

    def _write_lines(self) -> Iterator[Content]:
        contexts = sorted(_CONTEXTS, key=lambda context: context != self._first)
        for number, context in enumerate(contexts):
            if number:
                yield Content("")
            yield Content.assemble((render(_CONTEXTS[context]), "bold"))
            if context == "everywhere":
                yield from self._explain_key(OWNED, tr("Behind a name: it is claimed, so nobody else can use it."))
            for key, sentence in _list_explanations(
                context, self._own if context == "play" else (), self.shell.preferences.keys
            ):
                yield from self._explain_key(tr(key), tr(sentence))

    def _explain_key(self, key: str, sentence: str) -> Iterator[Content]:
        """Write a key and its effect, wrapped below itself."""
        room = min(self.app.size.width, _WIDEST) - _EDGES - _KEY
        for number, row in enumerate(wrap_lines(sentence, room)):
            yield Content(f"  {key if number == 0 else '':<{_KEY}}{row}")


def _list_explanations(context: str, own: Sequence[Action], keys: Keys) -> Iterator[tuple[str, str]]:
    """List the keys of a context with their effects, except those that are explained beside their opposite.

    Enter comes first, then arrows and what is typed: with them a game can be played.
    """
    beside: set[str] = set()
    for action in sorted(list_actions(context, own, keys), key=_rank_action):
        if action.written not in beside:
            yield action.written, action.explain()
        beside.update(action.written.split()[1:])


def _rank_action(action: Action) -> int:
    """Place an action: Enter, then arrows, then typed text, then the others."""
    if action.written == "Enter":
        return 0
    if any(arrow in action.written for arrow in "←→↑↓"):
        return 1
    return 2 if not action.keys else 3
