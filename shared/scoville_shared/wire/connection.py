"""A MessagePack-RPC connection without I/O: bytes in, typed messages out; messages in, bytes out.

`feed` what arrives, however the network cut it, iterate `incoming()`, and send what `take()` hands over. Reading
never raises: what a peer gets wrong is answered where there is a request to answer, and a Fault where there is
none. A Fault is the last thing that a connection reads.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire.decoding import (
    MALFORMED,
    MSGIDS,
    NOTIFICATION,
    REQUEST,
    RESPONSE,
    ResponseFrame,
    kind_and_msgid,
    read_from_server,
    read_notice,
    read_params,
    read_reply,
    read_request,
)
from scoville_shared.wire.framing import Bytes, Fault, Framer
from scoville_shared.wire.messages import METHOD_OF, NOTICE_OF, Notice, Params, Reply

__all__ = ["FROM_CLIENT", "FROM_SERVER", "Answer", "ClientConnection", "Fault", "Request", "ServerConnection"]

FROM_CLIENT = 64 * 1024
"""The largest message that a server reads, in bytes: a table's options and a move are far smaller."""
FROM_SERVER = 16 * 1024 * 1024
"""The largest message that a client reads, in bytes: a whole exported game fits many times."""

_encode = msgspec.msgpack.Encoder().encode


class Request(NamedTuple):
    """A request whose params are valid; their type names the method. Answer it with `reply` or `refuse`."""

    msgid: int
    params: Params


class Answer(NamedTuple):
    """What became of the call that `msgid` numbers."""

    msgid: int
    result: Reply | ScovilleError


class _Connection:
    """What both ends share: a stream that comes in, and a queue of bytes that go out."""

    __slots__ = ("_framer", "_out")

    def __init__(self, limit: int) -> None:
        self._framer: Framer | None = Framer(limit)
        self._out = bytearray()

    def feed(self, data: bytes) -> None:
        """Take bytes that arrived."""
        if self._framer is not None:
            self._framer.feed(data)

    @property
    def queued(self) -> int:
        """How many bytes wait to be taken."""
        return len(self._out)

    def take(self) -> bytes:
        """Hand over everything that is to be sent, in order."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def _frames(self) -> Iterator[Bytes | Fault]:
        return self._framer.frames() if self._framer is not None else iter(())

    def _fail(self, fault: Fault) -> Fault:
        self._framer = None
        return fault


class ServerConnection(_Connection):
    """The server's end: reads requests, writes responses and notices.

    Requests that no service needs to see are answered here: unknown methods, and params that do not fit.
    Notifications from a client mean nothing and are passed over.
    """

    __slots__ = ()

    def __init__(self, limit: int = FROM_CLIENT) -> None:
        super().__init__(limit)

    def incoming(self) -> Iterator[Request | Fault]:
        """Read what has arrived, one request each time it is asked; the rest stays for the next call."""
        for frame in self._frames():
            if isinstance(frame, Fault):
                yield self._fail(frame)
                return
            try:
                request = read_request(frame)
            except MALFORMED as error:
                fault = self._judge(frame, error)
                if fault is not None:
                    yield self._fail(fault)
                    return
                continue
            try:
                params = read_params(request.method, request.params)
            except ScovilleError as refusal:
                self.refuse(request.msgid, refusal)
                continue
            yield Request(request.msgid, params)

    def reply(self, msgid: int, reply: Reply) -> None:
        """Answer a request."""
        self._out += _encode((RESPONSE, msgid, None, reply))

    def refuse(self, msgid: int, error: ScovilleError) -> None:
        """Answer a request with an error."""
        told = {"code": error.code, "message": error.message, "data": error.data}
        self._out += _encode((RESPONSE, msgid, told, None))

    def notify(self, notice: Notice) -> None:
        """Tell something unasked."""
        self._out += _encode((NOTIFICATION, NOTICE_OF[type(notice)], (notice,)))

    def _judge(self, frame: Bytes, error: Exception) -> Fault | None:
        """Answer a message that is no proper request if it has a msgid to answer to; otherwise it is a Fault."""
        kind, msgid = kind_and_msgid(frame)
        if kind == NOTIFICATION:
            return None
        fault = Fault(Code.BAD_FRAME, f"A request is [0, msgid, method, params]; this one is not: {error}")
        if kind != REQUEST or msgid is None:
            return fault
        self.refuse(msgid, ScovilleError(*fault))
        return None


class ClientConnection(_Connection):
    """The client's end: writes requests, reads answers and notices."""

    __slots__ = ("_calls", "_next")

    def __init__(self, limit: int = FROM_SERVER) -> None:
        super().__init__(limit)
        self._calls: dict[int, type[Params]] = {}
        self._next = 0

    def call(self, params: Params) -> int:
        """Call the method that `params` belong to; the Answer will bear the msgid that is returned."""
        msgid, kind = self._free(), type(params)
        self._out += _encode((REQUEST, msgid, METHOD_OF[kind], (params,)))
        self._calls[msgid] = kind
        return msgid

    def incoming(self) -> Iterator[Answer | Notice | Fault]:
        """Read what has arrived: answers to calls of ours, notices that we know, or the Fault that ends it."""
        for frame in self._frames():
            found = frame if isinstance(frame, Fault) else self._read(frame)
            if isinstance(found, Fault):
                yield self._fail(found)
                return
            if found is not None:
                yield found

    def _free(self) -> int:
        while self._next in self._calls:
            self._next = (self._next + 1) % MSGIDS
        msgid, self._next = self._next, (self._next + 1) % MSGIDS
        return msgid

    def _read(self, frame: Bytes) -> Answer | Notice | Fault | None:
        try:
            message = read_from_server(frame)
            return self._answer(message) if isinstance(message, ResponseFrame) else read_notice(message)
        except MALFORMED as error:
            return Fault(Code.BAD_FRAME, f"The server sent something that makes no sense: {error}")

    def _answer(self, frame: ResponseFrame) -> Answer | None:
        kind = self._calls.pop(frame.msgid, None)
        return Answer(frame.msgid, read_reply(kind, frame)) if kind is not None else None
