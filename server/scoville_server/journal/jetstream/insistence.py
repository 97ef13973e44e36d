"""Writes and reads of the engine, repeated until their outcome is certain."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeVar

from scoville_runtime.clock import Clock
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.engine import (
    RETRY_SECONDS,
    Engine,
    Incoming,
    InFlight,
    NoAnswer,
    NotKept,
    Outgoing,
)
from scoville_server.journal.jetstream.messages import read_row_message, row_of, table_of
from scoville_shared.errors import Code

T = TypeVar("T")

INSIST_SECONDS: Final = 12.0
"""How long a write waits for the engine. When a server of NATS dies, its streams elect another leader in 4 to 9 s."""


class Insistence:
    """Repeats unanswered requests to the engine, for at most so many seconds."""

    def __init__(self, engine: Engine, clock: Clock, seconds: float = INSIST_SECONDS) -> None:
        self._engine = engine
        self._clock = clock
        self._seconds = seconds
        self._is_over = False

    def give_up(self) -> None:
        """Stop all repetitions and waits: another node serves, and nobody needs the answers."""
        self._is_over = True
        self._engine.give_up_answers()

    def deadline(self) -> float:
        """Return until when something that begins now is repeated, in monotonic seconds."""
        return self._clock.seconds() + self._seconds

    async def publish_message(self, message: Outgoing, refusal: JournalError) -> int:
        """Publish a message, repeatedly until it is certain whether the engine has kept it; returns its sequence.

        Raises `refusal` for a condition that is not met, and JournalError.
        """
        until = self.deadline()
        was_silent = False
        while True:
            try:
                # Only with a condition: a copy that comes late must change nothing.
                return await self._engine.publish(message, repeats=was_silent and message.expected is not None)
            except InFlight:
                pass
            except NotKept:
                # Perhaps by this message itself, whose first answer was lost.
                last = await self.read_last([message.subject], until)
                found = last.get(message.subject)
                if found is not None and found.payload == message.payload:
                    return found.sequence
                if message.expected == 0 and found is not None and is_deleted(found):
                    message = message._replace(expected=found.sequence)
                    continue
                raise refusal from None
            except NoAnswer:
                was_silent = True
            await self.wait_to_retry(until)

    async def publish_together(self, messages: Sequence[Outgoing], refusal: JournalError) -> list[int]:
        """Keep messages, all or none; returns their sequences. The last one differs from what others write.

        Raises `refusal` for a condition that is not met, and JournalError.
        """
        until = self.deadline()
        while True:
            try:
                return await self._engine.publish_batch(messages)
            # The engine is still at work on an earlier attempt.
            except InFlight:
                pass
            except NotKept:
                # Perhaps by these messages themselves, whose first answer was lost.
                last = messages[-1]
                found = (await self.read_last([last.subject], until)).get(last.subject)
                if found is None or found.payload != last.payload:
                    raise refusal from None
                return [*range(found.sequence - len(messages) + 1, found.sequence + 1)]
            # It may have been kept: `NotKept` at the next attempt says so.
            except NoAnswer:
                pass
            await self.wait_to_retry(until)

    async def insist_on_read(self, read: Callable[[], Awaitable[T]]) -> T:
        """Read something again until the engine answers. Raises JournalError."""
        until = self.deadline()
        while True:
            try:
                return await read()
            except NoAnswer:
                await self.wait_to_retry(until)

    async def read_last(self, subjects: Sequence[str], until: float) -> Mapping[str, Incoming]:
        while True:
            try:
                return await self._engine.read_last(subjects)
            except (NoAnswer, InFlight):
                await self.wait_to_retry(until)

    async def wait_to_retry(self, until: float) -> None:
        """Wait before the next attempt. Raises JournalError when it is too late for one."""
        if self._is_over or self._clock.seconds() >= until:
            raise outcome_unknown()
        await self._clock.sleep(RETRY_SECONDS)


def outcome_unknown() -> JournalError:
    """Return the error of a write of which nobody knows whether it was kept."""
    return JournalError(
        "The engine of the cluster did not answer; whether this was saved is unknown.", Code.OUTCOME_UNKNOWN
    )


def is_deleted(message: Incoming) -> bool:
    """Whether a message says that something was deleted."""
    if table_of(message.subject) is not None:
        return not message.payload
    row = row_of(message.subject)
    return row is not None and read_row_message(*row, message.payload).value is None
