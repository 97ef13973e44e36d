"""A MessagePack-RPC connection without I/O: bytes in, typed messages out; messages in, bytes out.

`feed` what arrives, however the network cut it, iterate `incoming()`, and send what `take()` hands over. Reading
never raises: what a peer gets wrong comes as an error to answer with where there is a request to answer, and as a
Fault where there is none. A Fault is the last thing that a connection reads.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.decoding import (
    MALFORMED,
    MSGIDS,
    NOTIFICATION,
    READ_ARGS,
    READ_PARAMS,
    REQUEST,
    RESPONSE,
    Malformed,
    NotificationFrame,
    RequestFrame,
    ResponseFrame,
    UsualRequestFrame,
    bare_params,
    read_from_server,
    read_notice,
    read_reply,
    read_request,
    read_requests,
    read_usual_request,
    refusal,
)
from scoville_shared.protocol.framing import Bytes, Fault, Framer
from scoville_shared.protocol.messages import METHOD_OF, NOTICE_OF, Notice, Params, Reply

__all__ = [
    "FROM_CLIENT",
    "FROM_SERVER",
    "Answer",
    "ClientConnection",
    "Fault",
    "Malformed",
    "Notification",
    "Request",
    "ServerConnection",
]

FROM_CLIENT = 64 * 1024
"""The largest message that a server reads, in bytes: a table's options and a move are far smaller."""
FROM_SERVER = 16 * 1024 * 1024
"""The largest message that a client reads, in bytes: a whole exported game fits many times."""

_ONE_REQUEST = 512
"""Bytes up to which what arrives is tried as one whole request: moves and nearly all others are shorter."""

_encode = msgspec.msgpack.Encoder().encode


Request = tuple[int, Params]
"""A request's msgid, for `reply` or `refuse`, and its valid params, whose type names the method."""


class Notification(msgspec.Struct, frozen=True):
    """A notification from a client: nothing is done about it, but a reader counts it like any other message."""


_PASSED_OVER = Notification()


class Answer(NamedTuple):
    """What became of the call that `msgid` numbers."""

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


_notice_bytes = _NoticeBytes()


class _Connection:
    """What both ends share: a stream that comes in, and bytes that are to go out."""

    __slots__ = ("_fault", "_framer", "out")

    def __init__(self, limit: int) -> None:
        self._framer = Framer(limit)
        self._fault: Fault | None = None
        self.out = bytearray()
        """What is to be sent and was not taken yet."""

    def feed(self, data: bytes) -> None:
        """Take bytes that arrived; not while `incoming` runs."""
        if self._fault is None:
            self._framer.feed(data)

    def take(self) -> bytes:
        """Hand over everything that is to be sent, in order."""
        out = bytes(self.out)
        self.out.clear()
        return out

    def _send(self, message: tuple[object, ...]) -> None:
        self.out += _encode(message)

    def _fail(self, fault: Fault) -> Fault:
        self._fault = fault
        self._framer = Framer(0)
        return fault


class ServerConnection(_Connection):
    """The server's end: reads requests, writes responses and notices.

    Every message comes out of `incoming`, the ones to pass over as well: the reader decides when it has read enough.
    """

    __slots__ = ("_alone", "_cut", "_read")

    def __init__(self, limit: int = FROM_CLIENT) -> None:
        super().__init__(limit)
        self._alone = min(limit, _ONE_REQUEST)
        self._read: list[UsualRequestFrame | NotificationFrame | Bytes] = []
        """What was cut off and not asked for yet, the last first."""
        self._cut = 0
        """How many bytes the messages in `_read` were cut off from."""

    def feed(self, data: bytes) -> None:
        """Take bytes that arrived; not while `incoming` runs.

        Usually they are one whole request. It is read right here: to find its end first would double the cost.
        """
        if len(data) <= self._alone and not self._read and self._framer.empty and self._fault is None:
            try:
                self._read.append(read_usual_request(data))
                return
            except MALFORMED:
                pass  # less than a message, or several, or one that is not in order
        super().feed(data)

    def incoming(self) -> Iterator[Request | Malformed | Notification | Fault]:
        """Read what has arrived, one message each time it is asked; the rest stays for the next call."""
        read_args = READ_ARGS
        while self._fault is None and self._read_on():
            read = self._read
            while read:
                found = read.pop()
                if isinstance(found, UsualRequestFrame):
                    try:
                        yield found.msgid, read_args[found.method](found.params).params
                    except (*MALFORMED, KeyError):
                        yield _params_of(found)
                elif isinstance(found, NotificationFrame):
                    yield _PASSED_OVER
                else:
                    yield self._read_alone(found)
        if self._fault is None and self._framer.fault is not None:
            yield self._fail(self._framer.fault)

    @property
    def unread(self) -> bool:
        """Whether `incoming` has anything left to look at."""
        return bool(self._read) or self._framer.rest > 0

    @property
    def held(self) -> int:
        """Bytes of memory that arrived messages take, beyond those of an idle connection."""
        return self._framer.held + (self._cut if self._read else 0)

    def stop_reading(self) -> None:
        """Free what has arrived: none of it will be read."""
        self._read.clear()
        self._framer = Framer(0)

    def _read_alone(self, frame: Bytes) -> Request | Malformed | Notification | Fault:
        """Read a message that came beside one that is not in order; after a Fault nothing is read any more."""
        found = read_request(frame)
        if isinstance(found, Fault):
            self._read.clear()
            return self._fail(found)
        if isinstance(found, NotificationFrame):
            return _PASSED_OVER
        return _params_of(found) if isinstance(found, RequestFrame) else found

    def _read_on(self) -> bool:
        """Cut off the next messages if those at hand have all been asked for; return whether there are any."""
        if not self._read and (run := self._framer.cut()).number:
            self._read = read_requests(run)[::-1]
            self._cut = len(run.data)
        return bool(self._read)

    def reply(self, msgid: int, reply: Reply) -> None:
        """Answer a request. Raises TypeError, and queues nothing, when the reply cannot be encoded."""
        self.out += _encode((RESPONSE, msgid, None, reply))

    def refuse(self, msgid: int, error: ScovilleError) -> None:
        """Answer a request with an error."""
        told = {"code": error.code, "message": error.message, "data": error.data}
        self._send((RESPONSE, msgid, told, None))

    def notify(self, notice: Notice) -> None:
        """Tell something unasked."""
        self.out += _notice_bytes(notice)


def _params_of(frame: RequestFrame | UsualRequestFrame) -> Request | Malformed:
    """Read the params of a request that is not of the usual form: it may have none, or be malformed."""
    try:
        args = READ_PARAMS[frame.method](frame.params)
        return frame.msgid, args[0] if args else bare_params(frame.method)
    except (*MALFORMED, KeyError):
        return Malformed(frame.msgid, refusal(frame))


class ClientConnection(_Connection):
    """The client's end: writes requests, reads answers and notices."""

    __slots__ = ("_calls", "_frames", "_next")

    def __init__(self, limit: int = FROM_SERVER) -> None:
        super().__init__(limit)
        self._calls: dict[int, type[Params]] = {}
        self._next = 0
        self._frames: list[Bytes] = []
        """What was cut off and not asked for yet, the last first."""

    def call(self, params: Params) -> int:
        """Call the method that `params` belong to; the Answer will bear the msgid that is returned."""
        msgid, kind = self._free(), type(params)
        self._send((REQUEST, msgid, METHOD_OF[kind], (params,)))
        self._calls[msgid] = kind
        return msgid

    def incoming(self) -> Iterator[Answer | Notice | Fault]:
        """Read what has arrived: answers to calls of ours, notices that we know, or the Fault that ends it."""
        while self._fault is None and self._read_on():
            found = self._read(self._frames.pop())
            if found is not None:
                yield self._fail(found) if isinstance(found, Fault) else found
        if self._fault is None and self._framer.fault is not None:
            yield self._fail(self._framer.fault)

    def _free(self) -> int:
        while self._next in self._calls:
            self._next = (self._next + 1) % MSGIDS
        msgid, self._next = self._next, (self._next + 1) % MSGIDS
        return msgid

    def _read_on(self) -> bool:
        if not self._frames:
            self._frames = [*self._framer.cut().messages()][::-1]
        return bool(self._frames)

    def _read(self, frame: Bytes) -> Answer | Notice | Fault | None:
        try:
            message = read_from_server(frame)
            return self._answer(message) if isinstance(message, ResponseFrame) else read_notice(message)
        except MALFORMED as error:
            return Fault(Code.BAD_FRAME, f"The server sent something that makes no sense: {error}")

    def _answer(self, frame: ResponseFrame) -> Answer | None:
        kind = self._calls.pop(frame.msgid, None)
        return Answer(frame.msgid, read_reply(kind, frame)) if kind is not None else None
