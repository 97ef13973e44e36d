"""Admin dialog: users, open reports, bans and the audit log of a server."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from scoville_client.i18n.language import render, tr
from scoville_client.session.commands.admin import list_audit, list_bans, list_clubs, list_reports, list_users
from scoville_client.session.identity.admin import AdminActions
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, RequestDialog, ScrollingDialog
from scoville_client.tui.widgets.fitted_box import FittedBox
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.text_view import TextView
from scoville_shared.engine.phrases import Phrase

Fetch = Callable[[AdminActions], Awaitable[Sequence[str]]]


_PAGES: Final[tuple[tuple[Phrase, Fetch, str], ...]] = (
    (Phrase("Users"), list_users, "/admin kick "),
    (Phrase("Reports"), list_reports, "/admin resolve "),
    (Phrase("Bans"), list_bans, "/admin unban "),
    (Phrase("Clubs"), list_clubs, "/admin close club "),
    (Phrase("Audit log"), list_audit, "/admin"),
)
"""Each page: its title, how it is fetched, and the command that admins most often use after reading it."""


class AdminDialog(RequestDialog[None], ScrollingDialog):
    """Shows a page at a time; a slash opens the chat with the command that fits the page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("left", "page(-1)", show=False),
        Binding("right,tab", "page(1)", show=False),
        *SCROLLING,
        Binding("slash,enter", "command", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._page = 0
        self._lines: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        with FittedBox(classes="box wide fitted"):
            yield LiveText(self._title_text, id="title", classes="heading")
            yield TextView(lambda: self._lines)
            yield Notice()
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self.action_page(0)

    def action_page(self, step: int) -> None:
        self._page = (self._page + step) % len(_PAGES)
        self.query_one("#title", LiveText).retranslate()
        lines = _PAGES[self._page][1](self.shell.session.admin)
        self.send_request(lines, partial(self._show_page, self._page))

    def action_command(self) -> None:
        self.dismiss(None)
        # Once this dialog is gone, over which the chat would open.
        self.shell.call_later(self.shell.navigation.open_chat, None, _PAGES[self._page][2])

    def retranslate(self) -> None:
        super().retranslate()
        self.action_page(0)

    def _show_page(self, page: int, lines: Sequence[str]) -> None:
        if page == self._page:
            self._lines = lines
            self.text_view.stay_at_start()

    def _title_text(self) -> str:
        return f"{render(_PAGES[self._page][0])} {self._page + 1}/{len(_PAGES)}"

    @staticmethod
    def _list_hints() -> Sequence[Hint]:
        return (("← →", tr("page")), ("/", tr("command")), (tr("Esc"), tr("close")))
