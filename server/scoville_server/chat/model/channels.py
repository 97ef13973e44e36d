"""The newest messages of every channel: numbered from 1 without gaps, and visible once they are kept."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.chat.model.messages import (
    LOBBY,
    WHISPERS,
    ChannelId,
    ChatMessage,
    NewMessage,
    at_table,
    key_of,
    of_club,
    whispers_of,
)
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.ids import UserId

Changes = dict[str, ChatMessage | None]
"""Changes to the book of messages."""


class Plan(NamedTuple):
    """Messages to add, one list per new message, and the changes to write for it; `surplus` are those for afterwards.

    They delete messages of the plan itself, for which there is no space: each is a row first, which nodes follow.
    """

    messages: list[list[ChatMessage]]
    changes: Changes
    surplus: Changes


class Channels:
    """The messages by channel. Changes are planned first and applied when the plan has been written."""

    def __init__(self, limits: Adjustable[ChatLimits]) -> None:
        self._limits = as_live(limits)
        self._messages: dict[ChannelId, deque[ChatMessage]] = {}
        self._emptied: dict[ChannelId, int] = {}
        """The last numbers of channels whose messages were all too old: connected clients count on."""

    def __contains__(self, channel: ChannelId) -> bool:
        return channel in self._messages

    @property
    def ids(self) -> list[ChannelId]:
        """The channels that have messages; the one with the latest message comes last."""
        return [*self._messages]

    def messages_since(self, channel: ChannelId, n: int = 0) -> list[ChatMessage]:
        """List the messages after number `n`, oldest first; all of them for a number that does not exist."""
        messages = self._messages.get(channel, ())
        known = n if n <= self.last_number(channel) else 0
        return [message for message in messages if message.n > known]

    def messages_of(self, user: UserId) -> list[ChatMessage]:
        """List the messages of a user in all channels, and the whispers to them; a whisper of theirs comes once."""
        own = whispers_of(user)
        return [
            message
            for channel, messages in self._messages.items()
            for message in messages
            if channel == own or (message.by == user and not channel.startswith(WHISPERS))
        ]

    def list_messages(self) -> Iterator[ChatMessage]:
        """List all messages, channel by channel."""
        return (message for messages in self._messages.values() for message in messages)

    def plan_messages(self, messages: Sequence[NewMessage]) -> Plan:
        """Number new messages, and make space for them."""
        plan = Plan([], {}, {})
        last: dict[ChannelId, int] = {}
        for new in messages:
            numbered = [self._number_message(new, channel, last) for channel in new.channels]
            plan.messages.append(numbered)
            for message in numbered:
                plan.changes[message.key] = message
                self._drop_oldest(message, plan)
        return plan

    def add_message(self, message: ChatMessage) -> bool:
        """Apply a message that was written, by any node; returns whether it is new."""
        # Where all were deleted the numbers may begin again.
        if message.channel in self._messages and message.n <= self.last_number(message.channel):
            return False
        self._append_message(message)
        self._drop_surplus(message.channel)
        return True

    def note_deleted(self, key: str) -> None:
        """Apply that a message was deleted, by any node; one that is not there any more is fine."""
        channel, _, n = key.rpartition("/")
        kept, number = self._messages.get(channel), int(n)
        # This node has already applied its own deletions: then the oldest message left is newer.
        if kept is None or number < kept[0].n:
            return
        last = kept[-1].n
        if number == kept[0].n:
            kept.popleft()
        else:
            kept = deque(message for message in kept if message.n != number)
            self._messages[channel] = kept
        if not kept:
            del self._messages[channel]
            self._emptied[channel] = last

    def restore_messages(self, messages: Iterable[ChatMessage]) -> Changes:
        """Load the messages of an earlier run, which may have kept more; returns the changes to write."""
        for message in messages:
            self._append_message(message)
        return self.trim_messages()

    def trim_messages(self) -> Changes:
        """Drop the oldest messages where there are more than are kept now; returns the changes to write."""
        return {message.key: None for channel in self.ids for message in self._drop_surplus(channel)}

    def _append_message(self, message: ChatMessage) -> None:
        # Taken out and put back, so that the channels stay in the order of their latest messages.
        kept = self._messages.pop(message.channel, None) or deque()
        kept.append(message)
        self._messages[message.channel] = kept

    def _drop_surplus(self, channel: ChannelId) -> list[ChatMessage]:
        kept = self._messages[channel]
        return [kept.popleft() for _ in range(len(kept) - self._most_in(channel))]

    def crowded_out(self, holder: Callable[[ChannelId], str] = lambda _: "") -> list[ChannelId]:
        """Find whisper channels to drop, least recently used first: those of the address with the most."""
        boxes = [channel for channel in self._messages if channel.startswith(WHISPERS)]
        too_many = len(boxes) - self._limits.value.whisper_users
        if too_many <= 0:
            return []
        held = Counter(map(holder, boxes))
        return sorted(boxes, key=lambda channel: -held[holder(channel)])[:too_many]

    def drop_older(self, at_ms: int) -> Changes:
        """Drop the messages before a time; returns the changes to write."""
        changes: Changes = {}
        for channel, kept in [*self._messages.items()]:
            last = kept[-1].n if kept else 0
            while kept and kept[0].at_ms < at_ms:
                changes[kept.popleft().key] = None
            if not kept:
                del self._messages[channel]
                self._emptied[channel] = last
        return changes

    def anonymize_user(self, user: UserId, name: str, ghost: str) -> Changes:
        """Give the messages of a user, and whispers to them, the name of a ghost; returns the changes to write."""
        changes: Changes = {}
        for kept in self._messages.values():
            for n, message in enumerate(kept):
                if message.by == user:
                    kept[n] = replace(message, by=UserId(""), name=ghost, claimed=False, moderator=False)
                elif message.to == name:
                    kept[n] = replace(message, to=ghost)
                else:
                    continue
                changes[message.key] = kept[n]
        return changes

    def clear_channel(self, channel: ChannelId) -> Changes:
        """Delete a channel; returns the changes to write."""
        self._emptied.pop(channel, None)
        return {message.key: None for message in self._messages.pop(channel, ())}

    def _number_message(self, message: NewMessage, channel: ChannelId, last: dict[ChannelId, int]) -> ChatMessage:
        last[channel] = last.get(channel, self.last_number(channel)) + 1
        return message.as_numbered(channel, last[channel])

    def _drop_oldest(self, message: ChatMessage, plan: Plan) -> None:
        # Numbers have no gaps, so the newest one tells which is too old.
        oldest = message.n - self._most_in(message.channel)
        if oldest > 0:
            key = key_of(message.channel, oldest)
            (plan.surplus if key in plan.changes else plan.changes)[key] = None

    def last_number(self, channel: ChannelId) -> int:
        """Return the number of the newest message of a channel, also of one that is not kept any more; 0 for none."""
        messages = self._messages.get(channel)
        return messages[-1].n if messages else self._emptied.get(channel, 0)

    def _most_in(self, channel: ChannelId) -> int:
        if channel == LOBBY:
            return self._limits.value.lobby
        if channel.startswith(of_club("")):
            return self._limits.value.club
        return self._limits.value.table if channel.startswith(at_table("")) else self._limits.value.whispers
