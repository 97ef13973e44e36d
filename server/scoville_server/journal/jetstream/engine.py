"""The engine: one stream of NATS JetStream."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.client import CLOSE_SECONDS, CONNECT_SECONDS, Unreached, connect_client
from scoville_server.journal.jetstream.messages import BARRIER
from scoville_shared.errors import Code

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_log = logging.getLogger(__name__)

ANSWER_SECONDS: Final = 2.0
"""How long to wait for one answer before the request is sent again."""
AGAIN_SECONDS: Final = 0.5
"""How long to wait before a request is sent again to an engine that was silent: it elects, and has lost the request."""
RETRY_SECONDS: Final = 0.05
READ_SECONDS: Final = 0.5
"""How long to wait for the next message of a read before another replica is asked."""
_READ_ATTEMPTS: Final = 4
AT_ONCE: Final = 1_000
"""Messages read by one request."""
MOST_IN_BATCH: Final = 900
"""Messages of one atomic batch; the engine takes a thousand."""
KEEP_DELETED_SECONDS: Final = 86_400
"""How long the engine remembers that something was deleted. A node that follows has to hear of it before."""

_EXPECTED: Final = "Nats-Expected-Last-Subject-Sequence"
_HEADER_BYTES: Final = 1024
"""More than the headers of any message need."""
_IN_FLIGHT: Final = 10164
"""Another write with the same condition is under way; the engine judges neither before that is done."""
_STALE: Final = 10071
_ELECTS: Final = 10008
"""The servers of the engine elect a leader at the moment."""
_ELECTION_SECONDS: Final = 12.0
"""How long to wait for one: an election takes 4 to 9 s, and begins again when another server is lost."""
_SILENCES: Final = 5
"""Requests without an answer after which the engine counts as unreached."""
_NOT_CLUSTERED: Final = 10074
"""A single server was asked for replicas."""


class NoAnswer(Unreached):
    """The engine has not answered in time, or cannot be reached: whether it has kept a write is unknown."""

    def __init__(self) -> None:
        super().__init__("The engine of the cluster does not answer; nothing can be saved until it does.")


class NotKept(JournalError):
    """The engine has kept nothing: a condition of the write is not met."""


class InFlight(NotKept):
    """The engine has kept nothing, since another write with the same condition is under way."""


class Outgoing(NamedTuple):
    """A message to keep.

    Attributes:
        subject: Its subject, without the prefix of the cluster.
        payload: Its bytes.
        expected: The sequence that the newest message of the subject must have, 0 for none; None for no condition.
        guard: The subject that `expected` is about, where that is another one.
        replaces: Whether it replaces all earlier messages of its subject.
        expires: Whether the engine drops it after KEEP_DELETED_SECONDS.
    """

    subject: str
    payload: bytes
    expected: int | None = None
    guard: str = ""
    replaces: bool = False
    expires: bool = False


class Incoming(NamedTuple):
    """A message that the engine has kept."""

    subject: str
    sequence: int
    payload: bytes


class Place(Struct, frozen=True, kw_only=True):
    """Where a cluster keeps its journal.

    Attributes:
        servers: The addresses of the NATS servers.
        name: The name of the cluster: that of the stream, and the first token of its subjects.
        replicas: On how many servers each message is kept before it counts.
        system: Addresses with the credentials of the system account, to read the servers' settings; none if empty.
        ca_file: The certificate authority that has signed the servers' certificates, empty for the system's.
    """

    servers: tuple[str, ...]
    name: str = "scoville"
    replicas: int = 3
    system: tuple[str, ...] = ()
    ca_file: str = ""


class _Failure(Struct):
    err_code: int = 0
    description: str = ""


class _Answer(Struct):
    seq: int = 0
    count: int = 0
    error: _Failure | None = None


class _StreamConfig(Struct):
    num_replicas: int = 1
    storage: str = ""
    allow_atomic: bool = False
    allow_direct: bool = False
    allow_rollup_hdrs: bool = False
    allow_msg_ttl: bool = False

    @property
    def lacks_features(self) -> bool:
        """Whether the stream was made by a server of NATS that does not know what a node relies on."""
        return not (self.allow_atomic and self.allow_direct and self.allow_rollup_hdrs and self.allow_msg_ttl)


class _StreamState(Struct):
    subjects: dict[str, int] | None = None


class _StreamInfo(Struct):
    config: _StreamConfig | None = None
    state: _StreamState | None = None
    created: str = ""
    total: int = 0
    success: bool = False
    error: _Failure | None = None


def _too_large(size: int) -> JournalError:
    return JournalError(f"A write of {size} bytes is more than the engine takes at once; nothing was saved.")


def find_too_large(messages: Iterable[Outgoing], most_bytes: int) -> JournalError | None:
    """Return why an engine would not take one of some messages; None if it would, or is away (0 bytes)."""
    size = max(len(message.payload) for message in messages)
    # The engine does not refuse larger messages, but hangs up.
    return _too_large(size) if 0 < most_bytes < size else None


class _Batch:
    """Messages of one read, as they arrive.

    Attributes:
        found: The messages.
        end: The engine's last word, or NoAnswer after READ_SECONDS without any.
    """

    def __init__(self, prefix: str, clock: Clock) -> None:
        self._prefix, self._clock = prefix, clock
        self._heard = clock.seconds()
        self._alarm: Alarm | None = None
        self.found: list[Incoming] = []
        self.end: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def note_message(self, message: "Msg") -> None:
        """Note a message."""
        self._heard = self._clock.seconds()
        if not _status_of(message):
            headers = message.headers or {}
            subject = headers["Nats-Subject"].removeprefix(self._prefix)
            self.found.append(Incoming(subject, int(headers["Nats-Sequence"]), message.data))
        elif not self.end.done():
            self.end.set_result(message)

    def check_silence(self) -> None:
        """Check at intervals that something has arrived."""
        # Since the latest message, not the request: a thousand of them may take longer.
        left = self._heard + READ_SECONDS - self._clock.seconds()
        if left > 0:
            self._alarm = self._clock.call_later(left, self.check_silence)
        else:
            _fail_answer(self.end)

    def close(self) -> None:
        """Look no more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self.end.cancel()


class _Inbox:
    """The answers that are waited for, each at a subject of its own.

    One inbox for all of them, and not the library's publishing to JetStream: with that a quarter fewer writes were kept
    in a second, and the future of a write whose condition is not met never ends.

    Attributes:
        lacks_rights: Rights that the engine has refused to its user since the last answer.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._numbers = count(1)
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._subject = ""
        self.lacks_rights = ""

    async def open(self, client: "Client") -> None:
        """Receive the answers to requests of a connection."""
        self._subject = client.new_inbox()
        await client.subscribe(f"{self._subject}.*", cb=self._note_answer)

    def expect_answer(self) -> tuple[str, "asyncio.Future[Any]"]:
        """Return a subject for the answer to a request, and the answer: NoAnswer after ANSWER_SECONDS."""
        reply = f"{self._subject}.{next(self._numbers)}"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[reply] = answer
        alarm = self._clock.call_later(ANSWER_SECONDS, lambda: _fail_answer(answer))
        answer.add_done_callback(lambda _: alarm.cancel())
        return reply, answer

    def forget_answer(self, reply: str, answer: "asyncio.Future[Any]") -> None:
        """Stop waiting for an answer, whose loss nobody would notice."""
        self._answers.pop(reply, None)
        answer.cancel()

    def give_up_answers(self) -> None:
        """Let all that are waited for end with NoAnswer."""
        for answer in self._answers.values():
            _fail_answer(answer)

    def note_lacking_rights(self, sentence: str) -> None:
        self.lacks_rights = sentence

    async def _note_answer(self, message: "Msg") -> None:
        self.lacks_rights = ""
        answer = self._answers.get(message.subject)
        if answer is not None and not answer.done():
            answer.set_result(message)


_read_answer = msgspec.json.Decoder(_Answer).decode
_read_stream = msgspec.json.Decoder(_StreamInfo).decode


class Engine:
    """A connection to the stream of a cluster, which is made again by itself when it is lost.

    `on_message` is called for what others publish on a subject, also for what the engine refuses: it is only a hint.

    Attributes:
        made_at: When the stream was made, as the engine says it.
    """

    def __init__(self, place: Place, clock: Clock = SYSTEM) -> None:
        self.place = place
        self.clock = clock
        self.made_at = ""
        self._prefix = f"{place.name}."
        self._client: Client | None = None
        self._inbox = _Inbox(clock)

    @property
    def is_closed(self) -> bool:
        """Whether it was never connected, or disconnected for good."""
        return self._client is None

    @property
    def is_connected(self) -> bool:
        """Whether a server of the engine is reached."""
        return self._client is not None and self._client.is_connected

    async def connect(self, *, makes_stream: bool = True) -> None:
        """Connect, and make the stream if it is not there. Raises JournalError."""
        self._client = await connect_client(
            self.place.servers, self.place.ca_file, self.clock, self._inbox.note_lacking_rights
        )
        await self._inbox.open(self._client)
        await self._find_stream(makes_stream=makes_stream)
        await self._wait_until_readable()

    async def _wait_until_readable(self) -> None:
        """Wait for a stream that was just made, or whose servers have just started. Raises JournalError."""
        until = self.clock.seconds() + CONNECT_SECONDS
        body = {"seq": 1, "next_by_subj": self._prefix + BARRIER, "batch": 1}
        while True:
            try:
                await self._read_batch(body)
            except NoAnswer:
                if self.clock.seconds() >= until:
                    raise
                await self.clock.sleep(RETRY_SECONDS)
            else:
                return

    async def close(self) -> None:
        """Disconnect."""
        client, self._client = self._client, None
        if client is not None:
            # It flushes first, which an engine that is away makes endless.
            closing = asyncio.ensure_future(client.close())
            await self.clock.wait(closing, seconds=CLOSE_SECONDS)
            closing.cancel()

    # --- writing ----------------------------------------------------------------------------------------

    @property
    def most_bytes(self) -> int:
        """Most bytes of a message without its headers, which the engine counts as well; 0 while it is away."""
        return 0 if self._client is None else self._client.max_payload - _HEADER_BYTES

    async def publish(self, message: Outgoing, *, repeats: bool = False) -> int:
        """Keep a message, perhaps by sending it several times; returns its sequence. Raises NoAnswer, NotKept."""
        return (await self._publish(message, {}, repeats=repeats)).seq

    async def publish_batch(self, messages: Sequence[Outgoing]) -> list[int]:
        """Keep messages, all or none; returns their sequences. Raises NoAnswer, NotKept."""
        batch = {"Nats-Batch-Id": secrets.token_hex(8)}
        for n, message in enumerate(messages[:-1], 1):
            await self._send(message, {**batch, "Nats-Batch-Sequence": str(n)})
        last = {**batch, "Nats-Batch-Sequence": str(len(messages)), "Nats-Batch-Commit": "1"}
        answer = await self._publish(messages[-1], last)
        # The answer is that to the last message; a batch is kept in one piece, so its sequences follow each other.
        return [*range(answer.seq - len(messages) + 1, answer.seq + 1)]

    async def _publish(self, message: Outgoing, headers: Mapping[str, str], *, repeats: bool = False) -> _Answer:
        reply, answer = self._inbox.expect_answer()
        try:
            await self._send(message, headers, reply)
            while repeats and not answer.done():
                await self.clock.wait(answer, seconds=AGAIN_SECONDS)
                if not answer.done():
                    await self._send(message, headers, reply)
            received: Msg = await answer
        except NoAnswer as error:
            raise self._explain_silence(error) from None
        finally:
            self._inbox.forget_answer(reply, answer)
        # 503: no server of the stream listens at the moment.
        if _status_of(received):
            raise NoAnswer
        try:
            read = _read_answer(received.data)
        except msgspec.MsgspecError:
            # An unreadable answer does not say that nothing was kept.
            raise NoAnswer from None
        if read.error is not None:
            raise _refusal_of(read.error)
        return read

    async def _send(self, message: Outgoing, headers: Mapping[str, str], reply: str = "") -> None:
        every = {**headers}
        if message.expected is not None:
            every[_EXPECTED] = str(message.expected)
        if message.guard:
            every[f"{_EXPECTED}-Subject"] = self._prefix + message.guard
        if message.replaces:
            every["Nats-Rollup"] = "sub"
        if message.expires:
            every["Nats-TTL"] = f"{KEEP_DELETED_SECONDS}s"
        await self._publish_raw(self._prefix + message.subject, message.payload, reply, every)

    async def _publish_raw(
        self, subject: str, payload: bytes, reply: str, headers: Mapping[str, str] | None = None
    ) -> None:
        from nats import errors

        client = self._client
        if client is None:
            raise NoAnswer
        try:
            await client.publish(subject, payload, reply, dict(headers) if headers else None)
        except errors.MaxPayloadError:
            raise _too_large(len(payload)) from None
        except (errors.Error, OSError) as error:
            raise NoAnswer from error

    def give_up_answers(self) -> None:
        """Wait no longer for answers of the engine: its askers get NoAnswer."""
        self._inbox.give_up_answers()

    def _explain_silence(self, error: NoAnswer) -> JournalError:
        """Return why there was no answer, if the engine has said that it would not give one."""
        # Perhaps to another request: whether this one was kept is as unknown as before.
        lacks_rights = self._inbox.lacks_rights
        return JournalError(lacks_rights, Code.OUTCOME_UNKNOWN) if lacks_rights else error

    # --- reading ----------------------------------------------------------------------------------------

    async def read_from(self, sequence: int, subject: str = ">", at_once: int = AT_ONCE) -> AsyncIterator[Incoming]:
        """Read one replica's messages of a subject from a sequence on, in order. Raises NoAnswer."""
        while True:
            body = {"seq": sequence, "next_by_subj": self._prefix + subject, "batch": at_once}
            found, rest = await self._read_batch(body)
            for message in found:
                yield message
            if not found or not rest:
                return
            sequence = found[-1].sequence + 1

    async def read_last(self, subjects: Sequence[str]) -> dict[str, Incoming]:
        """Read the newest message of each subject, as it is now and never as it was earlier. Raises NoAnswer."""
        # A replica may be behind. One that has a message which was kept just now has all that was kept before.
        barrier = await self.publish(Outgoing(BARRIER, b"", replaces=True))
        body = {"multi_last": [self._prefix + subject for subject in (BARRIER, *subjects)], "batch": AT_ONCE}
        for _ in range(int(ANSWER_SECONDS / RETRY_SECONDS)):
            found, _ = await self._read_batch(body)
            last = {message.subject: message for message in found}
            if BARRIER in last and last[BARRIER].sequence >= barrier:
                return last
            await self.clock.sleep(RETRY_SECONDS)
        raise NoAnswer

    async def read_epoch_hint(self, subject: str, on_message: Callable[[], object]) -> None:
        """Call a function for each message on a subject."""

        async def note(_: "Msg") -> None:
            on_message()

        assert self._client is not None, "it connects first"
        await self._client.subscribe(self._prefix + subject, cb=note)

    async def _read_batch(self, body: Mapping[str, Any]) -> tuple[list[Incoming], int]:
        """Read messages; returns them, and how many more there are. Raises NoAnswer."""
        # Any replica may be asked, also one on a machine that has vanished, until the others notice that.
        for _ in range(_READ_ATTEMPTS - 1):
            with suppress(NoAnswer):
                return await self._read_once(body)
        return await self._read_once(body)

    async def _read_once(self, body: Mapping[str, Any]) -> tuple[list[Incoming], int]:
        from nats import errors

        client = self._client
        if client is None:
            raise NoAnswer
        inbox = client.new_inbox()
        batch = _Batch(self._prefix, self.clock)
        try:
            subscription = await client.subscribe(inbox, cb=batch.note_message)
        except errors.Error as error:
            raise NoAnswer from error
        batch.check_silence()
        try:
            await self._publish_raw(f"$JS.API.DIRECT.GET.{self.place.name}", msgspec.json.encode(body), inbox)
            end: Msg = await batch.end
        except NoAnswer as error:
            raise self._explain_silence(error) from None
        finally:
            batch.close()
            with suppress(errors.Error, OSError):  # the connection was lost meanwhile, and the subscription with it
                await subscription.unsubscribe()
        # 404: the replica has nothing of it; 204: the end of the batch.
        status = _status_of(end)
        if status == "404":
            return [], 0
        if status != "204":
            raise NoAnswer
        return batch.found, int((end.headers or {}).get("Nats-Num-Pending", "0"))

    async def count_messages(self, subject: str) -> dict[str, int]:
        """Return how many messages the leader has of each subject that matches. Raises NoAnswer, JournalError."""
        counts: dict[str, int] = {}
        # In portions, since the engine names 100,000 subjects at a time.
        while True:
            body = {"subjects_filter": self._prefix + subject, "offset": len(counts)}
            found = await self._ask_stream(f"INFO.{self.place.name}", body)
            if found.state is None:
                raise NoAnswer if found.error is None else _refusal_of(found.error)
            portion = found.state.subjects or {}
            counts.update({name.removeprefix(self._prefix): n for name, n in portion.items()})
            if not portion or len(counts) >= found.total:
                return counts

    async def purge(self, subject: str, before: int = 0) -> None:
        """Remove the messages of a subject, or only those before a sequence. Raises NoAnswer, JournalError."""
        body = {"filter": self._prefix + subject, **({"seq": before} if before else {})}
        found = await self._ask_stream(f"PURGE.{self.place.name}", body)
        if not found.success:
            raise NoAnswer if found.error is None else _refusal_of(found.error)

    # --- the stream and the servers' settings -------------------------------------------------------------

    async def _find_stream(self, *, makes_stream: bool) -> None:
        name, config = self.place.name, _describe_stream(self.place)
        found = await self._ask_stream(f"INFO.{name}", {})
        if found.config is None and makes_stream:
            found = await self._ask_stream(f"CREATE.{name}", config)
            if found.error is not None and found.error.err_code == _NOT_CLUSTERED:
                # A single server is enough to look at it; what that means is among the doubts.
                found = await self._ask_stream(f"CREATE.{name}", {**config, "num_replicas": 1})
            if found.config is None and found.error is not None:
                # Another node that starts now was perhaps faster: the engine refuses a stream that it is making.
                refused, found = found, await self._ask_stream(f"INFO.{name}", {})
                if found.config is None:
                    found = refused
        if found.config is None:
            why = "it does not answer" if found.error is None else found.error.description
            passes = found.error is None or found.error.err_code == _ELECTS
            raise (Unreached if passes else JournalError)(
                f"The engine cannot make the stream {name}: {why}. It needs JetStream on {self.place.replicas} "
                "servers; see docs/scaling.md."
            )
        if found.config.lacks_features:
            # It would keep a part of a batch whose condition is not met.
            raise JournalError(
                f"The stream {name} takes no atomic batches: nodes need nats-server 2.12 or newer. Install it on all "
                f"machines, delete the stream {name}, and start the nodes again."
            )
        if found.config.storage != "file":
            raise JournalError(f"The stream {name} keeps nothing on a disk; delete it, and start the nodes again.")
        self.replicas, self.made_at = found.config.num_replicas, found.created

    async def _ask_stream(self, what: str, body: Mapping[str, Any]) -> _StreamInfo:
        last = _StreamInfo()
        silences, until = 0, self.clock.seconds() + _ELECTION_SECONDS
        # A cluster that has just started, or has lost a server, elects its leader first.
        while silences < _SILENCES and self.clock.seconds() < until:
            reply, answer = self._inbox.expect_answer()
            try:
                await self._publish_raw(f"$JS.API.STREAM.{what}", msgspec.json.encode(body), reply)
                received = await answer
            except NoAnswer as error:
                if self._inbox.lacks_rights:
                    raise self._explain_silence(error) from None
                silences += 1
                continue
            finally:
                self._inbox.forget_answer(reply, answer)
            if _status_of(received):
                silences += 1
                await self.clock.sleep(0.5)
                continue
            last = _read_stream(received.data)
            if last.config is not None or last.success or (last.error is not None and last.error.err_code != _ELECTS):
                return last
            await self.clock.sleep(0.5)
        return last


def _describe_stream(place: Place) -> dict[str, Any]:
    """Describe the stream as the engine is to make it."""
    return {
        "name": place.name,
        "subjects": [f"{place.name}.>"],
        "storage": "file",
        "retention": "limits",
        "discard": "new",  # a record without room is refused; the default drops the oldest ones
        "num_replicas": place.replicas,
        "allow_direct": True,  # any replica answers reads, also while the servers elect a leader
        "allow_atomic": True,
        "allow_rollup_hdrs": True,
        "allow_msg_ttl": True,
    }


def _fail_answer(answer: "asyncio.Future[Any]") -> None:
    if not answer.done():
        answer.set_exception(NoAnswer())


def _status_of(message: "Msg") -> str:
    return (message.headers or {}).get("Status", "")


def _refusal_of(error: _Failure) -> JournalError:
    if error.err_code == _IN_FLIGHT:
        return InFlight(error.description)
    if error.err_code == _STALE:
        return NotKept(error.description)
    return JournalError(f"The engine of the cluster keeps nothing: {error.description}.")
