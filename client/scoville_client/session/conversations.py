"""Conversations of the chat: the lobby, the table, clubs and whispers, with unread counts and drafts."""

from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Change, ChatReceived
from scoville_client.session.chat_channels import CLUB, LOBBY, WHISPERS, channel_of, channel_of_club
from scoville_client.session.session import Session
from scoville_shared.protocol.messages import MessageInfo


class Conversation(NamedTuple):
    """One conversation: its `channel` in the chat and, for whispers, `with_whom`."""

    channel: str
    with_whom: str = ""

    @property
    def table(self) -> str:
        """The id of the table; empty elsewhere."""
        return "" if self.channel in (LOBBY, WHISPERS) or self.club else self.channel

    @property
    def club(self) -> str:
        """The id of the club; empty elsewhere."""
        return self.channel.removeprefix(CLUB) if self.channel.startswith(CLUB) else ""


class Conversations:
    """The conversations of a session. `drafts` is unsent text by conversation."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.room = Conversation(LOBBY)
        self.drafts: dict[Conversation, str] = {}
        self._whispers: dict[str, int] = {}
        self._partners: list[str] = []
        self._looking = False

    # --- rooms ------------------------------------------------------------------------------------------

    @property
    def rooms(self) -> list[Conversation]:
        """The conversations: lobby, current table, clubs, and one per whisper partner in the order they began."""
        at = self.session.table
        tables = [] if at is None else [Conversation(at.id)]
        clubs = [Conversation(channel_of_club(club.club)) for club in self.session.clubs.own_clubs]
        return [
            Conversation(LOBBY),
            *tables,
            *clubs,
            *(Conversation(WHISPERS, name) for name in self._known_partners()),
        ]

    def name_of(self, room: Conversation) -> str:
        """Return the title of a conversation."""
        if room.channel == LOBBY:
            return tr("Lobby")
        if room.club:
            return self.session.clubs.name_of(room.club)
        return room.with_whom if room.channel == WHISPERS else tr("This table")

    def start_reading(self, room: Conversation | None = None) -> None:
        """Open a conversation: the given one, else one with unread messages, else the table or the lobby."""
        self._looking = True
        # New messages come first: nobody looks for them in the other conversations.
        fresh = [each for each in self.rooms if self.count_unread(each)]
        here = [each for each in self.rooms if each.table]
        self.open_room(room or (fresh or here or [Conversation(LOBBY)])[0])

    def open_room(self, room: Conversation) -> None:
        """Switch to another conversation and mark it as read."""
        if room.channel == WHISPERS and room.with_whom not in self._partners:
            self._partners.append(room.with_whom)
        self.session.chat.close_channel(self.room.channel)
        self.room = room
        self.session.chat.open_channel(room.channel)
        self._whispers.pop(room.with_whom, None)

    def open_next_room(self, by: int) -> None:
        """Switch to the next or previous conversation."""
        rooms = self.rooms
        # A table that was left has no conversation any more.
        here = rooms.index(self.room) if self.room in rooms else 0
        self.open_room(rooms[(here + by) % len(rooms)])

    def stop_reading(self) -> None:
        """Close the open conversation."""
        self._looking = False
        self.session.chat.close_channel(self.room.channel)

    # --- lines ------------------------------------------------------------------------------------------

    def open_lines(self) -> list[MessageInfo]:
        """Return the messages of the open conversation, oldest first."""
        lines = self.session.chat.lines_of(self.room.channel)
        # Whispers are one channel of the protocol, and a conversation for each partner here.
        if self.room.channel != WHISPERS:
            return lines
        return [line for line in lines if self._partner_in(line) == self.room.with_whom]

    async def read_room(self) -> None:
        """Fetch the messages of the open conversation. Raises as `Request` does."""
        await self.session.chat.read_channel(self.room.channel)

    async def send_message(self, text: str) -> None:
        """Send a message to the open conversation. Raises as `Request` does."""
        await self.session.chat.send_message(text, table=self.room.table, club=self.room.club, to=self.room.with_whom)

    def is_mine(self, line: MessageInfo) -> bool:
        """Whether this user wrote a message."""
        return line.name == self.session.name

    # --- unread -----------------------------------------------------------------------------------------

    def on_change(self, change: Change) -> MessageInfo | None:
        """Receive a change, and return another user's message that is not visible in the open conversation."""
        if not isinstance(change, ChatReceived) or self.is_mine(change.line):
            return None
        room = self.room_of(change.line)
        if self._looking and room == self.room:
            return None
        if room.channel == WHISPERS:
            self._whispers[room.with_whom] = self._whispers.get(room.with_whom, 0) + 1
        return change.line

    def count_unread(self, room: Conversation) -> int:
        """Return the number of unread messages of a conversation."""
        if room.channel == WHISPERS:
            return self._whispers.get(room.with_whom, 0)
        return self.session.chat.unread.get(room.channel, 0)

    @property
    def all_unread(self) -> int:
        """The number of unread messages in all conversations."""
        return sum(map(self.count_unread, self.rooms))

    def room_of(self, line: MessageInfo) -> Conversation:
        """Return the conversation of a message."""
        channel = channel_of(line)
        return Conversation(channel, self._partner_in(line) if channel == WHISPERS else "")

    # --- who may talk -----------------------------------------------------------------------------------

    @property
    def forbidden_reason(self) -> str:
        """Return why the user may not write in the open conversation; empty if they may."""
        at = self.session.table
        if at is None or self.room.table != at.id or at.seat is not None or at.info.settings.spectators_talk:
            return ""
        return tr("Only players can chat at this table; you can read.")

    def _known_partners(self) -> list[str]:
        # Noted as they come: the rooms stay in the order in which they began.
        for line in self.session.chat.lines_of(WHISPERS):
            if self._partner_in(line) not in self._partners:
                self._partners.append(self._partner_in(line))
        ignored = self.session.chat.ignored
        for name in ignored:  # their messages are hidden, and stay so when they are no longer ignored
            self._whispers.pop(name, None)
        return [name for name in self._partners if name not in ignored]

    def _partner_in(self, line: MessageInfo) -> str:
        return (line.to or "") if self.is_mine(line) else line.name
