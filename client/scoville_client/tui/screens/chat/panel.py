"""Where one talks: over the lower part of what is there, or over all of a small window."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Input, Static

from scoville_client.i18n.language import words
from scoville_client.session.changes import Change, Connected
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.session.slash import is_command, run_command
from scoville_client.tui import STYLES
from scoville_client.tui.actions import bindings, line_of_keys
from scoville_client.tui.screens.chat.channel_tabs import Rooms
from scoville_client.tui.screens.chat.chat_log import Said, TalkLog
from scoville_client.tui.screens.dialogs.request_dialog import AskingDialog
from scoville_client.tui.screens.page import TooSmall, keys
from scoville_client.tui.widgets.notice import Notice

LONGEST = 500
"""Characters of a line, as the server takes them."""
_WHOLE = 22
"""Windows with fewer rows are covered wholly."""


class ChatPanel(AskingDialog[None]):
    """Talk in one room at a time; what was typed and not said is kept. `begun` is put into an empty line."""

    CSS_PATH = STYLES / "chat.tcss"
    WHERE = "chat"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("chat")]

    def __init__(self, talk: Conversations, room: Conversation | None = None, begun: str = "") -> None:
        super().__init__()
        self._talk = talk
        talk.begin(room)
        if begun:
            talk.drafts[talk.room] = begun

    def compose(self) -> ComposeResult:
        """Arrange the rooms, the talk, a line to type on, and the keys."""
        with Vertical(id="talk"):
            yield Rooms(self._talk, self._my_turn)
            yield TalkLog(self._said)
            yield Static(id="forbidden")
            yield Input(max_length=LONGEST, select_on_focus=False)
            yield Notice()
            yield Static(self._keys(), classes="keys")
        yield TooSmall()

    def on_mount(self) -> None:
        """Show the room, and fetch what was said there."""
        self._enter()

    def on_unmount(self) -> None:
        """Look away, and keep what was typed."""
        self._talk.end()

    def on_resize(self, event: Resize) -> None:
        """Cover a small window wholly."""
        super().on_resize(event)
        self.set_class(event.size.height < _WHOLE, "-whole")
        self.query_one(".keys", Static).update(self._keys())

    def heard(self, change: Change) -> None:
        """Show what is said, and who is to move."""
        if isinstance(change, Connected):
            self._read()
        self._repaint()

    def reword(self) -> None:
        """Say everything again, in another language."""
        self.query_one(".keys", Static).update(self._keys())
        self._show_room()

    # --- typing -----------------------------------------------------------------------------------------

    def on_input_changed(self, message: Input.Changed) -> None:
        """Keep what is typed, in its room."""
        self._talk.drafts[self._talk.room] = message.value
        self.query_one(Notice).forget()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Say it, or do what it commands; what cannot be said stays to be changed."""
        text = message.value.strip()
        if text:
            self.fetch(self._send(text), partial(self._show_sent, self._talk.room))

    async def _send(self, text: str) -> Sequence[str]:
        if is_command(text):
            return await run_command(self._talk, text)
        await self._talk.say(text.removeprefix("/") if text.startswith("//") else text)
        return ()

    def _show_sent(self, room: Conversation, told: Sequence[str]) -> None:
        self._talk.drafts.pop(room, None)
        self._enter()
        self._log.tell(told)

    # --- keys -------------------------------------------------------------------------------------------

    def action_back(self) -> None:
        """Go back to what lies beneath."""
        self.dismiss(None)

    def action_room(self, step: int = 1) -> None:
        """Look at the next room, or the one before."""
        self._talk.step(step)
        self._log.tell(())
        self._enter()

    def action_room_before(self) -> None:
        """Look at the room before."""
        self.action_room(-1)

    def action_up(self) -> None:
        """Read one row back."""
        self._log.scroll_rows(-1)

    def action_down(self) -> None:
        """Read one row on."""
        self._log.scroll_rows(1)

    def action_page_up(self) -> None:
        """Read a page back."""
        self._log.scroll_pages(-1)

    def action_page_down(self) -> None:
        """Read a page on."""
        self._log.scroll_pages(1)

    # --- showing ----------------------------------------------------------------------------------------

    @property
    def _log(self) -> TalkLog:
        return self.query_one(TalkLog)

    def _enter(self) -> None:
        """Show the room that is looked at, with what was begun there."""
        line = self.query_one(Input)
        draft = self._talk.drafts.get(self._talk.room, "")
        if line.value != draft:
            line.value = draft
            line.cursor_position = len(draft)
        self._show_room()
        self._read()

    def _show_room(self) -> None:
        forbidden = self._talk.forbidden
        self.query_one("#forbidden", Static).update(forbidden)
        self.query_one("#forbidden").display = bool(forbidden)
        line = self.query_one(Input)
        line.display = not forbidden
        line.placeholder = self._invitation()
        if not forbidden:
            self.set_focus(line)
        self._repaint()

    def _invitation(self) -> str:
        whom = self._talk.room.with_whom
        if whom:
            return words("Say it to {name} alone", name=whom)
        return words("Say something, or type /help")

    def _read(self) -> None:
        self.fetch(self._talk.read(), lambda _: self._repaint())

    def _repaint(self) -> None:
        self.query_one(Rooms).repaint()
        self._log.repaint()

    def _said(self) -> list[Said]:
        talk = self._talk
        at_table = bool(talk.room.table)
        return [Said(line, talk.is_mine(line), at_table and line.seat is None) for line in talk.lines()]

    def _my_turn(self) -> bool:
        at = self._talk.session.table
        return at is not None and at.my_turn

    def _keys(self) -> Content:
        return keys(*line_of_keys("chat", self.size.width or 80))
