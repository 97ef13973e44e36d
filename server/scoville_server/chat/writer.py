"""The chat writer: batches of messages, numbered without gaps and kept before they are sent."""

import logging
from collections.abc import Callable, Sequence

from scoville_server.background.eventual import Eventual
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.model.channels import Channels
from scoville_server.chat.model.messages import ChannelId, ChatMessage, NewMessage
from scoville_server.journal.base import JournalError
from scoville_server.journal.books import WrittenBook

_log = logging.getLogger(__name__)

Job = tuple[NewMessage, Eventual[ChatMessage]]


class ChatWriter:
    """Adds messages to `channels` and to their book; `notify` is called with each message once it is kept.

    `holder` returns the address on which a whisper channel counts: the one with the most loses some first.

    Messages that arrive while a batch is being written form the next one, so none waits for more than two.
    """

    def __init__(
        self,
        channels: Channels,
        book: WrittenBook[ChatMessage],
        background: BackgroundTasks,
        notify: Callable[[ChatMessage], None],
        holder: Callable[[ChannelId], str] = lambda _: "",
    ) -> None:
        self._channels = channels
        self._book = book
        self._background = background
        self._notify = notify
        self._holder = holder
        self._queue: list[Job] = []
        self._cleared: list[ChannelId] = []
        self._writing = False

    def write_message(self, message: NewMessage) -> Eventual[ChatMessage]:
        """Write a message; the result is the message of its first channel, or the journal's error."""
        answer: Eventual[ChatMessage] = Eventual()
        self._queue.append((message, answer))
        self._write_soon()
        return answer

    def clear_channel(self, channel: ChannelId) -> None:
        """Delete a channel and its messages so far."""
        self._cleared.append(channel)
        self._write_soon()

    def _write_soon(self) -> None:
        if not self._writing:
            self._writing = True
            self._background.start_task(self._write_batches())

    # One batch after the other, since numbers must have no gaps although a write can fail; a flood costs one sync.
    async def _write_batches(self) -> None:
        while self._queue or self._cleared:
            sent, self._queue = self._queue, []
            cleared, self._cleared = self._cleared, []
            if sent:
                await self._write_batch(sent)
            for channel in [*cleared, *self._channels.crowded_out(self._holder)]:
                await self._delete_channel(channel)
        self._writing = False

    async def _write_batch(self, jobs: Sequence[Job]) -> None:
        plan = self._channels.plan_messages([message for message, _ in jobs])
        try:
            await self._book.write_rows(plan.changes)
        except Exception as error:  # noqa: BLE001 - the senders get the error, and the next batch is written
            _fail_all(jobs, error)
            return
        for (_, answer), messages in zip(jobs, plan.messages, strict=True):
            self._channels.add_messages(messages)
            for message in messages:
                self._notify(message)
            answer.set_result(messages[0])

    async def _delete_channel(self, channel: ChannelId) -> None:
        changes = self._channels.clear_channel(channel)
        if changes:
            try:
                await self._book.write_rows(changes)
            except JournalError as error:  # the next start deletes it
                _log.info("%s", error.message)


def _fail_all(jobs: Sequence[Job], error: Exception) -> None:
    for _, answer in jobs:
        answer.set_exception(error)
