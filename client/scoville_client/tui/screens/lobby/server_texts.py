"""Dialog with the host's texts about the server: the message of the day and the rules."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from scoville_client.i18n.language import tr
from scoville_client.session.community import rules_lines
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, RequestDialog, ScrollingDialog
from scoville_client.tui.widgets.fitted_box import FittedBox
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.text_view import Row, TextView, wrapped_line
from scoville_shared.protocol.messages import DescribeServerReply


class Paragraphs(TextView):
    """A text without a dot before each line; empty lines stay."""

    def write_rows(self, width: int) -> list[Row]:
        return [((row, "text"),) for line in self._lines() for row in wrapped_line(line, width) or [""]]


class ServerTextsDialog(RequestDialog[None], ScrollingDialog):
    """Shows the message of the day at once, and the rules below it once the server has sent them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,i", "close", show=False),
        *SCROLLING,
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._texts: DescribeServerReply | None = None

    def compose(self) -> ComposeResult:
        with FittedBox(classes="box wide fitted"):
            yield LiveText(self._heading_text, classes="heading", id="title")
            yield Paragraphs(self._list_lines)
            yield Notice()
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self.text_view.stay_at_start()
        self.send_request(self.shell.session.community.read_texts(), self._show_texts)

    def retranslate(self) -> None:
        super().retranslate()
        self.text_view.stay_at_start()

    def _show_texts(self, texts: DescribeServerReply) -> None:
        self._texts = texts
        self.query_one("#title", LiveText).retranslate()
        self.text_view.stay_at_start()

    def _heading_text(self) -> str:
        return self.shell.session.community.name or tr("About this server")

    def _list_lines(self) -> Sequence[str]:
        community = self.shell.session.community
        lines = [*(community.motd or [tr("This server has no message of the day.")])]
        rules = [] if self._texts is None else rules_lines(self._texts)
        if rules:
            lines += ["", tr("Rules of this server"), "", *rules]
        elif self._texts is not None:
            lines += ["", tr("This server has no rules of its own.")]
        return lines

    @staticmethod
    def _list_hints() -> Sequence[Hint]:
        return (("↑ ↓", tr("scroll")), (tr("Esc"), tr("close")))
