"""The chat writer: batches of messages, numbered without gaps and kept before they are sent."""

import logging
from collections.abc import Callable, Sequence

from scoville_server.background.eventual import Eventual
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.model.channels import Channels
from scoville_server.chat.model.messages import ChatMessage, Place, Saying
from scoville_server.journal.base import JournalError
from scoville_server.journal.books import Book

_log = logging.getLogger(__name__)

Job = tuple[Saying, Eventual[ChatMessage]]


class ChatWriter:
    """Adds messages to `rooms` and to their book; `tell` is called with each message once it is kept.

    `holder` returns the address on which a whisper channel counts: the one with the most loses some first.

    Messages that arrive while a batch is being written form the next one, so none waits for more than two.
    """

    def __init__(
        self,
        rooms: Channels,
        book: Book[ChatMessage],
        background: BackgroundTasks,
        tell: Callable[[ChatMessage], None],
        holder: Callable[[Place], str] = lambda _: "",
    ) -> None:
        self._rooms = rooms
        self._book = book
        self._background = background
        self._tell = tell
        self._holder = holder
        self._said: list[Job] = []
        self._cleared: list[Place] = []
        self._writing = False

    def write(self, saying: Saying) -> Eventual[ChatMessage]:
        """Write a message; the result is the message of its first channel, or the journal's error."""
        answer: Eventual[ChatMessage] = Eventual()
        self._said.append((saying, answer))
        self._begin()
        return answer

    def clear(self, place: Place) -> None:
        """Delete a channel and its messages so far."""
        self._cleared.append(place)
        self._begin()

    def _begin(self) -> None:
        if not self._writing:
            self._writing = True
            self._background.do(self._run())

    async def _run(self) -> None:
        while self._said or self._cleared:
            said, self._said = self._said, []
            cleared, self._cleared = self._cleared, []
            if said:
                await self._write(said)
            for place in [*cleared, *self._rooms.crowded_out(self._holder)]:
                await self._forget(place)
        self._writing = False

    async def _write(self, jobs: Sequence[Job]) -> None:
        plan = self._rooms.plan([saying for saying, _ in jobs])
        try:
            await self._book.write(plan.changes)
        except Exception as error:  # noqa: BLE001 - whoever waits must hear of it, and the next batch be written
            _fail(jobs, error)
            return
        for (_, answer), lines in zip(jobs, plan.lines, strict=True):
            self._rooms.take(lines)
            for line in lines:
                self._tell(line)
            answer.set_result(lines[0])

    async def _forget(self, place: Place) -> None:
        changes = self._rooms.clear(place)
        if changes:
            try:
                await self._book.write(changes)
            except JournalError as error:  # the next start deletes it
                _log.info("%s", error.message)


def _fail(jobs: Sequence[Job], error: Exception) -> None:
    for _, answer in jobs:
        answer.set_exception(error)
