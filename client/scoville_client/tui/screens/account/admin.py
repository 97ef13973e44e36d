"""What whoever looks after a server reads: who is here, which reports wait, which bans hold, what was done."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from scoville_client.i18n.language import told, words
from scoville_client.session.identity.admin import AdminActions
from scoville_client.session.slash.lists import format_audit, format_bans, format_reports, format_users
from scoville_client.tui.screens.dialogs.request_dialog import AskingDialog
from scoville_client.tui.screens.page import TooSmall, keys
from scoville_client.tui.widgets.live_text import Live
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.reading import Reading
from scoville_shared.engine.phrases import Phrase

Fetch = Callable[[AdminActions], Awaitable[Sequence[str]]]


async def _people(desk: AdminActions) -> Sequence[str]:
    return format_users(await desk.people())


async def _reports(desk: AdminActions) -> Sequence[str]:
    return format_reports(await desk.reports()) or [words("There are no open reports.")]


async def _bans(desk: AdminActions) -> Sequence[str]:
    return format_bans(await desk.bans()) or [words("There are no bans.")]


async def _audit(desk: AdminActions) -> Sequence[str]:
    return format_audit(await desk.audit()) or [words("The audit log is empty.")]


_PAGES: Final[tuple[tuple[Phrase, Fetch, str], ...]] = (
    (Phrase("Who is here"), _people, "/kick "),
    (Phrase("Reports"), _reports, "/resolve "),
    (Phrase("Bans"), _bans, "/unban "),
    (Phrase("What was done"), _audit, "/"),
)
"""Each page: what it is called, how it is fetched, and the command one most often wants after it."""


class AdminDialog(AskingDialog[None]):
    """Left and right turn the pages; a slash goes on to the command that fits the page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("left", "page(-1)", show=False),
        Binding("right,tab", "page(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown,space", "scroll(10)", show=False),
        Binding("slash,enter", "command", show=False),
        Binding("L,f2", "language", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._page = 0
        self._lines: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        """Arrange the page and the keys."""
        with Vertical(classes="box wide tall"):
            yield Live(self._title, id="title", classes="heading")
            yield Reading(lambda: self._lines)
            yield Notice()
            yield Live(self._keys, classes="keys")
        yield TooSmall()

    def on_mount(self) -> None:
        """Begin with who is here."""
        self.action_page(0)

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_page(self, step: int) -> None:
        """Turn the page."""
        self._page = (self._page + step) % len(_PAGES)
        self.query_one("#title", Live).reword()
        fetched = _PAGES[self._page][1](self.scoville.session.admin)
        self.fetch(fetched, partial(self._show, self._page))

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self.query_one(Reading).scroll_rows(rows)

    def action_command(self) -> None:
        """Type a command, in the place where one talks."""
        self.dismiss(None)
        self.scoville.call_later(self.scoville.others.chat, None, _PAGES[self._page][2])

    def reword(self) -> None:
        """Write everything in another language."""
        super().reword()
        self.action_page(0)

    def _show(self, page: int, lines: Sequence[str]) -> None:
        if page == self._page:
            self._lines = lines
            self.query_one(Reading).begin()

    def _title(self) -> str:
        return f"{told(_PAGES[self._page][0])} {self._page + 1}/{len(_PAGES)}"

    @staticmethod
    def _keys() -> Content:
        return keys(("← →", words("page")), ("/", words("command")), (words("Esc"), words("close")))
