"""A MessagePack-RPC connection without I/O: bytes in, typed messages out; messages in, bytes out.

`feed_bytes` takes what arrives, however the network cut it; iterate `read_incoming()`, and send what `take_bytes()`
hands over. Reading never raises: what a peer gets wrong comes as an error to answer with where there is a request to
answer, and as a Fault where there is none. A Fault is the last thing that a connection reads.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.decoding import (
    MALFORMED,
    MSGIDS,
    NOTIFICATION,
    READ_ARGS,
    REQUEST,
    RESPONSE,
    Malformed,
    NotificationFrame,
    Request,
    RequestFrame,
    ResponseFrame,
    UsualRequestFrame,
    bare_params,
    read_from_server,
    read_notice,
    read_params,
    read_reply,
    read_request,
    read_requests,
    read_usual_request,
    refusal_of,
)
from scoville_shared.protocol.framing import Bytes, Fault, Framer
from scoville_shared.protocol.messages import METHOD_OF, NOTICE_OF, Notice, Params, Reply
from scoville_shared.protocol.outline import MOST_VALUES, has_few_values
from scoville_shared.protocol.state import ConnectionState, check_transition

__all__ = [
    "FROM_CLIENT",
    "FROM_SERVER",
    "Answer",
    "ClientConnection",
    "ConnectionState",
    "Fault",
    "Malformed",
    "Notification",
    "Request",
    "ServerConnection",
    "notice_bytes",
]

FROM_CLIENT = 64 * 1024
"""The largest message that a server reads, in bytes: a table's options and a move are far smaller."""
FROM_SERVER = 2 * 1024 * 1024
"""The largest message that a client reads, in bytes; the largest that a server of ours sends has some 500 KiB."""

_ONE_REQUEST = 512
"""Size in bytes up to which arrived data is tried as one whole request: moves and nearly all others are shorter."""

_encoder = msgspec.msgpack.Encoder()
_encode, _encode_into = _encoder.encode, _encoder.encode_into


ClientFrame = Request | UsualRequestFrame | NotificationFrame | Bytes | Fault
"""A message from a client that is decoded, or not any further yet."""


class Notification(msgspec.Struct, frozen=True):
    """A notification from a client: nothing is done about it, but a reader counts it like any other message."""


_PASSED_OVER = Notification()


class Answer(NamedTuple):
    """The result of the call with this `msgid`."""

    msgid: int
    result: Reply | ScovilleError


class _NoticeBytes:
    """Notices as bytes: one that goes to many lines in a row is encoded once."""

    def __init__(self) -> None:
        self._latest: tuple[Notice | None, bytes] = (None, b"")

    def __call__(self, notice: Notice) -> bytes:
        latest = self._latest
        if latest[0] is not notice:
            latest = self._latest = (notice, _encode((NOTIFICATION, NOTICE_OF[type(notice)], (notice,))))
        return latest[1]


notice_bytes = _NoticeBytes()
"""Returns a notice as a client gets it."""


class _Connection:
    """The part that both ends share: bytes that arrive, bytes to send, and the state, which the driver moves."""

    __slots__ = ("_fault", "_framer", "out", "state")

    def __init__(self, limit: int) -> None:
        self.state = ConnectionState.CONNECTING
        self._framer = Framer(limit)
        self._fault: Fault | None = None
        self.out = bytearray()
        """Bytes to send that were not taken yet."""

    def move_to(self, state: ConnectionState) -> None:
        """Enter another state. Raises IllegalTransition when it cannot follow the present one."""
        self.state = check_transition(self.state, state)

    def feed_bytes(self, data: bytes) -> None:
        """Take bytes that arrived; not while `read_incoming` runs."""
        if self._fault is None:
            self._framer.feed_bytes(data)

    def take_bytes(self) -> bytes:
        """Hand over everything that is to be sent, in order."""
        out = bytes(self.out)
        self.out.clear()
        return out

    def _queue_message(self, message: tuple[object, ...]) -> None:
        self.out += _encode(message)

    def _fail_reading(self, fault: Fault) -> Fault:
        self._fault = fault
        self._framer = Framer(0)  # frees the bytes of the former one
        return fault


class ServerConnection(_Connection):
    """The server's end: reads requests, writes responses and notices.

    Every message comes out of `read_incoming`, also those to pass over: the reader decides when it has read enough.
    """

    __slots__ = ("_frame_bytes", "_frames", "_single_limit", "may_cut_more")

    def __init__(self, limit: int = FROM_CLIENT) -> None:
        super().__init__(limit)
        self._single_limit = min(limit, _ONE_REQUEST)
        self._frames: list[ClientFrame] = []
        """Messages that were cut off and not read yet, the last first."""
        self._frame_bytes = 0
        """How many bytes the messages in `_frames` were cut off from."""
        self.may_cut_more = False
        """Whether there may be messages that `read_frames` has not returned yet."""

    def feed_bytes(self, data: bytes) -> None:
        self.feed_whole(data)

    def feed_whole(self, data: bytes) -> bool:
        """Take bytes that arrived, and return whether they are one whole request and nothing else is unread.

        Usually they are. Such a request is decoded right here: to find its end first would double the cost.
        """
        if (
            len(data) <= self._single_limit
            and not self.may_cut_more
            and not self._frames
            and self._framer.empty
            and self._fault is None
        ):
            try:
                self._frames.append(read_usual_request(data))
            except MALFORMED:
                pass  # less than a message, or several, or a malformed one
            else:
                return True
        super().feed_bytes(data)
        self.may_cut_more = True
        return False

    def read_incoming(self) -> Iterator[Request | Malformed | Notification | Fault]:
        """Read arrived messages, one each time it is asked; the rest stays for the next call."""
        while frames := self.read_frames():
            while frames:
                yield self.decode_frame(frames.pop())

    def read_frames(self) -> list[ClientFrame]:
        """Return messages that have arrived, the last first; none when nothing is left to read.

        The reader pops a message from the list, passes it to `decode_frame` unless it is a request's tuple, and asks
        again when the list is empty. It costs 0.1 µs a message less than the generator `read_incoming`.
        """
        if self.may_cut_more and not self._frames and self._fault is None:
            run = self._framer.cut_messages()
            if run.number:
                self._frames = [*reversed(read_requests(run))]
                self._frame_bytes = len(run.data)
            else:
                self.may_cut_more = False
                if self._framer.fault is not None:
                    self._frames = [self._framer.fault]
        return self._frames

    def decode_frame(self, frame: ClientFrame) -> Request | Malformed | Notification | Fault:
        """Decode the latest message that was popped from `read_frames()`."""
        if type(frame) is UsualRequestFrame:
            try:
                return frame.msgid, READ_ARGS[frame.method](frame.params).params
            except (*MALFORMED, KeyError):
                return _params_of(frame)
        if isinstance(frame, NotificationFrame):
            return _PASSED_OVER
        if isinstance(frame, Fault):
            return self._fail_reading(frame)
        return self._read_alone(frame) if isinstance(frame, Bytes) else frame  # type: ignore[return-value]

    @property
    def unread(self) -> bool:
        """Whether `read_incoming` has anything left to look at."""
        return bool(self._frames) or self._framer.rest > 0

    @property
    def buffered_bytes(self) -> int:
        """Bytes of memory that arrived messages take, beyond those of an idle connection."""
        return self._framer.buffered_bytes + (self._frame_bytes if self._frames else 0)

    def copy_unread(self, unanswered: Iterable[Request] = ()) -> bytes | None:
        """Return the unread messages, as bytes that mean the same; None if it cannot be read.

        The `unanswered` requests come first: those that were read, and that another end is to answer.
        """
        if self._fault is not None or self._framer.fault is not None:
            return None
        unread = bytearray()
        for frame in (*unanswered, *reversed(self._frames)):
            if isinstance(frame, Bytes):
                unread += frame
            elif isinstance(frame, Fault):
                return None
            elif isinstance(frame, tuple):
                msgid, params = frame
                unread += _encode((REQUEST, msgid, METHOD_OF[type(params)], (params,)))
            else:
                unread += _encode(frame)
        return bytes(unread) + self._framer.rest_bytes

    def stop_reading(self) -> None:
        """Free the arrived bytes: none of it will be read."""
        self._frames.clear()
        self._framer = Framer(0)
        self.may_cut_more = False

    def _read_alone(self, frame: Bytes) -> Request | Malformed | Notification | Fault:
        """Read a message that came beside one that is not in order; after a Fault nothing is read any more."""
        found = read_request(frame)
        if isinstance(found, Fault):
            self._frames.clear()
            return self._fail_reading(found)
        if isinstance(found, NotificationFrame):
            return _PASSED_OVER
        return _params_of(found) if isinstance(found, RequestFrame) else found

    def reply(self, msgid: int, reply: Reply) -> None:
        """Answer a request. Raises TypeError, and queues nothing, when the reply cannot be encoded."""
        size = len(self.out)
        try:
            _encode_into((RESPONSE, msgid, None, reply), self.out, size)
        except BaseException:
            # A part of the reply may have been written before it failed.
            del self.out[size:]
            raise

    def refuse(self, msgid: int, error: ScovilleError) -> None:
        """Answer a request with an error."""
        fields = {"code": error.code, "message": error.message, "data": error.data}
        self._queue_message((RESPONSE, msgid, fields, None))

    def notify(self, notice: Notice) -> None:
        """Send a notice, to which there is no reply."""
        self.out += notice_bytes(notice)

    def pass_on_notice(self, notice: bytes) -> None:
        """Send a notice that comes as its bytes."""
        self.out += notice


def _params_of(frame: RequestFrame | UsualRequestFrame) -> Request | Malformed:
    """Read the params of a request that is not of the usual form: it may have none, or be malformed."""
    try:
        args = read_params(frame.method)(frame.params)
        return frame.msgid, args[0] if args else bare_params(frame.method)
    except (*MALFORMED, KeyError):
        return Malformed(frame.msgid, refusal_of(frame))


class ClientConnection(_Connection):
    """The client's end: writes requests, reads answers and notices."""

    __slots__ = ("_calls", "_frames", "_next_msgid")

    def __init__(self, limit: int = FROM_SERVER) -> None:
        super().__init__(limit)
        self._calls: dict[int, type[Params]] = {}
        self._next_msgid = 0
        self._frames: list[Bytes] = []
        """Messages that were cut off and not read yet, the last first."""

    def call_method(self, params: Params) -> int:
        """Call the method that `params` belong to; the Answer has the msgid that is returned."""
        msgid, kind = self._take_msgid(), type(params)
        self._queue_message((REQUEST, msgid, METHOD_OF[kind], (params,)))
        self._calls[msgid] = kind
        return msgid

    def read_incoming(self) -> Iterator[Answer | Notice | Fault]:
        """Read arrived messages: answers to calls of ours, notices that we know, or the Fault that ends it."""
        while self._fault is None and self._cut_frames():
            found = self._read_frame(self._frames.pop())
            if found is not None:
                yield self._fail_reading(found) if isinstance(found, Fault) else found
        if self._fault is None and self._framer.fault is not None:
            yield self._fail_reading(self._framer.fault)

    def _take_msgid(self) -> int:
        # After 2**32 calls an old one may still wait for its answer.
        while self._next_msgid in self._calls:
            self._next_msgid = (self._next_msgid + 1) % MSGIDS
        msgid, self._next_msgid = self._next_msgid, (self._next_msgid + 1) % MSGIDS
        return msgid

    def _cut_frames(self) -> bool:
        if not self._frames:
            self._frames = [*self._framer.cut_messages().list_messages()][::-1]
        return bool(self._frames)

    def _read_frame(self, frame: Bytes) -> Answer | Notice | Fault | None:
        if not has_few_values(frame):
            return Fault(Code.FRAME_TOO_LARGE, f"A message may have at most {MOST_VALUES} values.")
        try:
            message = read_from_server(frame)
            return self._read_answer(message) if isinstance(message, ResponseFrame) else read_notice(message)
        except MALFORMED as error:
            return Fault(Code.BAD_FRAME, f"The server sent an invalid message: {error}")

    def _read_answer(self, frame: ResponseFrame) -> Answer | None:
        kind = self._calls.pop(frame.msgid, None)
        return Answer(frame.msgid, read_reply(kind, frame)) if kind is not None else None
