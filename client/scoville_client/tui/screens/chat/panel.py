"""Chat panel: conversations over the lower part of a page, or over all of a small terminal."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Input, Static

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Change, Connected
from scoville_client.session.commands.registry import SlashCommands, is_command
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.session.table.table import AtTable
from scoville_client.tui import STYLES
from scoville_client.tui.actions import screen_bindings
from scoville_client.tui.drawing.canvas import Canvas, Target, fit_text
from scoville_client.tui.screens.base import WITH_COLUMN, KeyActions, TooSmall
from scoville_client.tui.screens.chat.chat_log import ChatEntry, ChatLog
from scoville_client.tui.screens.dialogs.dialog import RequestDialog
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_bar import line_of_keys
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.protocol.messages import MESSAGE_CHARACTERS

_LONGEST = 14


class ChannelTabs(CanvasWidget):
    """Shows conversations with their unread counts, and at the right whether it is the user's turn.

    `go` switches to the conversation that was clicked.
    """

    def __init__(
        self, conversations: Conversations, my_turn: Callable[[], bool], go: Callable[[Conversation], None]
    ) -> None:
        super().__init__()
        self._conversations = conversations
        self._my_turn = my_turn
        self._go = go

    def draw(self, width: int, height: int) -> Canvas:
        """Draw as many conversations as fit around the current one."""
        canvas = Canvas(width, height)
        note = f"● {tr('Your turn')} " if self._my_turn() else ""
        canvas.put_right(width, 0, note, "target")
        column = 1
        for room in self._in_sight(width - cell_len(note) - 2):
            here = room == self._conversations.room
            canvas.link(column, 0, cell_len(self._tab_text(room)), 1, room)
            column = canvas.put(column, 0, self._tab_text(room), "selected" if here else "muted") + 1
        return canvas

    def handle_click(self, target: Target) -> None:
        if isinstance(target, Conversation):
            self._go(target)

    def _in_sight(self, room_for: int) -> list[Conversation]:
        rooms = self._conversations.rooms
        # From the end, but never the one that is open.
        while len(rooms) > 1 and sum(cell_len(self._tab_text(room)) + 1 for room in rooms) > room_for:
            rooms.remove(rooms[-1] if rooms[-1] != self._conversations.room else rooms[0])
        return rooms

    def _tab_text(self, room: Conversation) -> str:
        name = self._conversations.name_of(room)
        name = fit_text(name, _LONGEST) if cell_len(name) > _LONGEST else name
        unread = self._conversations.count_unread(room)
        return f"[{name}]" if room == self._conversations.room else f" {name}{f' ({unread})' if unread else ''} "


_WHOLE = 22
"""Terminals with fewer rows are covered completely."""


class ChatPanel(RequestDialog[None]):
    """Shows one conversation at a time and keeps unsent drafts; `draft` is put into the input."""

    CSS_PATH = STYLES / "chat.tcss"
    KEY_CONTEXT = "chat"
    HORIZONTAL_BREAKPOINTS = WITH_COLUMN
    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("chat")]

    def __init__(self, commands: SlashCommands, conversation: Conversation | None = None, draft: str = "") -> None:
        super().__init__()
        self._commands = commands
        self._completion = commands.name_completion()
        self._conversations = conversations = commands.conversations
        conversations.start_reading(conversation)
        if draft:
            conversations.drafts[conversations.room] = draft

    def compose(self) -> ComposeResult:
        with Vertical(id="talk"):
            yield ChannelTabs(self._conversations, self._my_turn, self._switch_to)
            yield ChatLog(self._list_entries)
            yield Static(id="forbidden")
            yield Input(max_length=MESSAGE_CHARACTERS, select_on_focus=False)
            yield Notice()
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self._open_conversation()

    def on_unmount(self) -> None:
        self._conversations.stop_reading()

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.height < _WHOLE, "-whole")

    def session_changed(self, change: Change) -> None:
        """Show new messages, and whether it is the user's turn."""
        if isinstance(change, Connected):
            self._fetch_messages()
        self._repaint_all()

    def retranslate(self) -> None:
        super().retranslate()
        self._show_conversation()

    # --- typing -----------------------------------------------------------------------------------------

    def on_input_changed(self, message: Input.Changed) -> None:
        self._conversations.drafts[self._conversations.room] = message.value
        self.query_one(Notice).dismiss_sentence()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Send the message or run the command. The line is empty at once: Enter pressed twice sends it once."""
        room = self._conversations.room
        if message.value.strip():
            self._write_draft(room, "")
            shown = partial(self._show_sent, room, self._conversations.session.table)
            self.send_request(self._send_or_put_back(room, message.value), shown)

    async def _send_or_put_back(self, room: Conversation, typed: str) -> Sequence[str]:
        try:
            return await self._send_text(typed.strip())
        except BaseException:  # refused, or the panel was closed before an answer
            self._write_draft(room, typed + self._conversations.drafts.get(room, ""))
            raise

    def _write_draft(self, room: Conversation, draft: str) -> None:
        self._conversations.drafts[room] = draft
        for line in self.query(Input) if room == self._conversations.room else ():
            with line.prevent(Input.Changed):  # it would dismiss the sentence that says why a text is put back
                line.value = draft
            line.cursor_position = len(draft)

    async def _send_text(self, text: str) -> Sequence[str]:
        if is_command(text):
            return await self._commands.run_command(text)
        # Two slashes begin a message that begins with one.
        await self._conversations.send_message(text.removeprefix("/") if text.startswith("//") else text)
        return ()

    def _show_sent(self, conversation: Conversation, before: AtTable | None, output: Sequence[str]) -> None:
        at, navigation = self._conversations.session.table, self.shell.navigation
        if (at and at.id) != (before and before.id):
            # A command has led to another table or to the lobby: the page below is no longer where the user is.
            self.dismiss(None)
            self.shell.send_request(navigation.open_lobby(" ".join(output)) if at is None else navigation.open_table())
            return
        if self._conversations.room != conversation:
            self._open_conversation()
        else:
            self._show_conversation()
            self._fetch_messages()
        self._log.show_output(output)

    # --- keys -------------------------------------------------------------------------------------------

    def key_actions(self) -> KeyActions:
        return {
            **super().key_actions(),
            "back": self.action_close,
            "down": lambda: self._log.scroll_rows(1),
            "next_conversation": self._show_next_conversation,
            "page_down": lambda: self._log.scroll_pages(1),
            "page_up": lambda: self._log.scroll_pages(-1),
            "previous_conversation": lambda: self._show_next_conversation(-1),
            "up": lambda: self._log.scroll_rows(-1),
        }

    def _show_next_conversation(self, step: int = 1) -> None:
        """Complete a name after a command, such as /w; elsewhere go to the next conversation, or the previous one."""
        line = self.query_one(Input)
        completed = self._completion.complete_line(line.value, step) if line.display else None
        if completed is not None:
            line.value = completed
            line.cursor_position = len(completed)
            return
        self._conversations.open_next_room(step)
        self._log.show_output(())
        self._open_conversation()

    def _switch_to(self, conversation: Conversation) -> None:
        """Go to a conversation."""
        self._conversations.open_room(conversation)
        self._log.show_output(())
        self._open_conversation()

    # --- showing ----------------------------------------------------------------------------------------

    @property
    def _log(self) -> ChatLog:
        return self.query_one(ChatLog)

    def _open_conversation(self) -> None:
        """Show the current conversation and its draft."""
        line = self.query_one(Input)
        draft = self._conversations.drafts.get(self._conversations.room, "")
        if line.value != draft:
            line.value = draft
            line.cursor_position = len(draft)
        self._show_conversation()
        self._fetch_messages()

    def _show_conversation(self) -> None:
        forbidden = self._conversations.forbidden_reason
        self.query_one("#forbidden", Static).update(forbidden)
        self.query_one("#forbidden").display = bool(forbidden)
        line = self.query_one(Input)
        line.display = not forbidden
        line.placeholder = self._placeholder_text()
        if not forbidden:
            self.set_focus(line)
        self._repaint_all()

    def _placeholder_text(self) -> str:
        name = self._conversations.room.with_whom
        if name:
            return tr("Private message to {name}", name=name)
        return tr("Type a message, or /help")

    def _fetch_messages(self) -> None:
        self.send_request(self._conversations.read_room(), lambda _: self._repaint_all())

    def _repaint_all(self) -> None:
        self.query_one(ChannelTabs).repaint()
        self._log.repaint()

    def _list_entries(self) -> list[ChatEntry]:
        conversations = self._conversations
        at_table = bool(conversations.room.table)
        return [
            ChatEntry(line, conversations.is_mine(line), at_table and line.seat is None)
            for line in conversations.open_lines()
        ]

    def _my_turn(self) -> bool:
        at = self._conversations.session.table
        return at is not None and at.my_turn

    def _list_hints(self) -> Sequence[Hint]:
        # Before its first layout the widget has no width.
        return line_of_keys("chat", self.query_one(KeyHints).size.width or self.size.width)
