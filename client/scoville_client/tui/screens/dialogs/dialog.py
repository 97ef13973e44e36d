"""Dialogs: modal boxes over a screen, typed by what they return, around a request, a menu or a text that scrolls."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from scoville_client.i18n.language import tr
from scoville_client.tui import STYLES
from scoville_client.tui.request import Request, Submission
from scoville_client.tui.screens.base import BaseScreen, TooSmall
from scoville_client.tui.widgets.fitted_box import FittedBox, fit_box_around
from scoville_client.tui.widgets.key_hints import Hint, KeyHints, rows_of
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice

if TYPE_CHECKING:
    from scoville_client.tui.widgets.text_view import TextView

SCROLLING: Final = (
    Binding("up,k", "scroll(-1)", show=False),
    Binding("down,j", "scroll(1)", show=False),
    Binding("pageup,b", "scroll_page(-1)", show=False),
    Binding("pagedown,space", "scroll_page(1)", show=False),
    Binding("home", "first", show=False),
    Binding("end", "last", show=False),
)
"""The keys of a `ScrollingDialog`."""


_BOX: Final = 70
"""Columns of a wide box."""
_EDGES: Final = 6
"""Columns of its edges and margins."""
_HIGHEST: Final = 40
"""Rows of a box at most."""
_AROUND: Final = 7
"""Rows of its edges and margins and its heading; those of the keys are counted."""


def columns_of_box(width: int) -> int:
    """Return the columns for the content of a wide box in a terminal of `width` columns."""
    return min(_BOX, width) - _EDGES


class ScrollingDialog(BaseScreen[Any]):
    """Second base of dialogs with one `TextView`; their bindings include `SCROLLING`.

    Textual takes styles from the first base.
    """

    @property
    def text_view(self) -> "TextView":
        """The text that is scrolled."""
        from scoville_client.tui.widgets.text_view import TextView  # late: the first screen has none

        return self.query_one(TextView)

    def fit_text(self) -> None:
        """Give the text of a box its rows, as far as the terminal has them: what is below stays in sight."""
        rows = len(self.text_view.write_rows(self.text_columns))
        self.text_view.styles.height = max(1, min(rows, self.rows_within))

    @property
    def text_columns(self) -> int:
        """The columns of the text of a wide box."""
        return columns_of_box(self.size.width)

    @property
    def rows_within(self) -> int:
        """The rows that a box has at most for its content."""
        keys = len(list(rows_of(self.query_one(KeyHints).hints, self.text_columns)))
        return min(self.size.height, _HIGHEST) - _AROUND - keys

    def action_scroll(self, rows: int) -> None:
        self.text_view.scroll_rows(rows)

    def action_first(self) -> None:
        self.text_view.to_start()

    def action_last(self) -> None:
        self.text_view.to_end()

    def action_scroll_page(self, pages: int) -> None:
        self.text_view.scroll_pages(pages)


T = TypeVar("T")


class Dialog(ModalScreen[T], BaseScreen[T]):
    """A modal box that is dismissed once with a T; later results are ignored."""

    CSS_PATH = STYLES / "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("colon,ctrl+p", "do('palette')", show=False, id="palette"),
        # For its list, if it has one; dialogs that give these keys another meaning bind them again.
        Binding("j", "mark(1)", show=False),
        Binding("k", "mark(-1)", show=False),
        Binding("g", "mark_end(0)", show=False),
        Binding("G", "mark_end(-1)", show=False),
    ]
    _is_answered = False
    _late_result: T | None = None

    @property
    def answered(self) -> bool:
        """Whether it has been dismissed."""
        return self._is_answered

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Return a result and close; a dialog below another one closes once that one has closed."""
        if self._is_answered:
            return AwaitComplete()
        self._is_answered = True
        # Textual dismisses nothing but the screen in front; the rest waits for `on_screen_resume`.
        if self.in_front:
            return super().dismiss(result)
        self._late_result = result
        return AwaitComplete()

    def action_close(self) -> None:
        self.dismiss(None)

    def action_mark(self, steps: int) -> None:
        """Mark the item of the list so many further down."""
        for menu in self.query(Menu):
            (menu.action_down if steps > 0 else menu.action_up)()

    def action_mark_end(self, index: int) -> None:
        """Mark the first item of the list (0) or the last one (-1)."""
        for menu in self.query(Menu):
            menu.action_mark_end(index)

    def on_screen_resume(self) -> None:
        if self._is_answered and self.in_front:
            super().dismiss(self._late_result)


A = TypeVar("A")


class RequestDialog(Dialog[T]):
    """A dialog with a Notice. It reads by `send_request`, and changes something by `submit_change`."""

    def __init__(self) -> None:
        super().__init__()
        self._submission = Submission()

    def send_request(self, awaited: Awaitable[A], on_answer: Callable[[A], object] = lambda _: None) -> None:
        """Await a request in the background, and pass its answer to `on_answer` unless the dialog is closed by then."""
        Request(awaited, self._only_while_open(on_answer), self._show_error).start_worker(self)

    def submit_change(self, act: Callable[[], Awaitable[A]], on_answer: Callable[[A], object] = lambda _: None) -> None:
        """Do an act as `send_request` awaits; does nothing while the change before it is under way."""
        self._submission.start_request(self, act, self._only_while_open(on_answer), self._show_error)

    def _only_while_open(self, on_answer: Callable[[A], object]) -> Callable[[A], None]:
        def pass_on(answer: A) -> None:
            if self.is_open:
                on_answer(answer)

        return pass_on

    def _show_error(self, sentence: str) -> None:
        self.show_notice(sentence, error=True)

    def show_notice(self, sentence: str, *, error: bool = False) -> None:
        """Show a sentence in the dialog; does nothing once it is closed."""
        for notice in self.query(Notice):
            notice.show_sentence(sentence, error=error)


class AnswerDialog(RequestDialog[T]):
    """A tall box with a list that the server has answered: a heading, what there is to say about it, and a `Menu`.

    Subclasses define its contents; `fill_menu` writes it after an answer, another language or another size.
    """

    LABEL_WIDTH: ClassVar[int]

    def compose(self) -> ComposeResult:
        with FittedBox(classes="box wide fitted"):
            yield LiveText(self.heading_text, classes="heading")
            yield LiveText(self.about_text, classes="about", id="about")
            yield Menu([], label_width=self.LABEL_WIDTH)
            yield Notice()
            yield KeyHints(self._list_offered)
        yield TooSmall()

    def _list_offered(self) -> Sequence[Hint]:
        """Leave Enter out as long as the list is empty."""
        is_empty = self.query_one(Menu).marked is None
        return [(key, word) for key, word in self.list_hints() if not (is_empty and key == tr("Enter"))]

    def heading_text(self) -> str:
        raise NotImplementedError

    def about_text(self) -> str:
        """Return the text below the heading; an empty one takes no row."""
        raise NotImplementedError

    def list_items(self) -> list[Item]:
        raise NotImplementedError

    def list_hints(self) -> Sequence[Hint]:
        raise NotImplementedError

    def fill_menu(self) -> None:
        for text in self.query(LiveText):
            text.retranslate()
        self.query_one("#about").display = bool(self.about_text())
        menu = self.query_one(Menu)
        menu.show_items(self.list_items())
        fit_box_around(menu)
        self.query_one(KeyHints).rewrite_hints()

    def retranslate(self) -> None:
        super().retranslate()
        self.fill_menu()

    def on_resize(self) -> None:
        self.fill_menu()


class ListDialog(Dialog[T]):
    """A dialog with one `Menu`; `AROUND` are the rows of the terminal around the menu."""

    AROUND: ClassVar[int] = 10

    @property
    def meaning(self) -> Hashable:
        """The item that Enter chooses; it changes when other users change the list."""
        return tuple(menu.jumps for menu in self.query(Menu))

    def on_resize(self) -> None:
        """Give the menu the rows it needs, as far as the terminal has them."""
        self.fit_menu()

    def fit_menu(self) -> None:
        """Fit the height of the menu to its items and the terminal."""
        self.query_one(Menu).fit_height(self.size.height - self.AROUND)
