"""From one message's bytes to a typed value: the frames of MessagePack-RPC, then what is inside them.

And the answer of a server to a client with another version of the protocol.
"""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, final

import msgspec
from msgspec import Meta, Raw, Struct

from scoville_shared import __version__
from scoville_shared.decoders import DataFault, OwnFault, describe_fault
from scoville_shared.errors import Code, RemoteError, ScovilleError
from scoville_shared.protocol.consistency import check_consistency
from scoville_shared.protocol.framing import Bytes, Fault, Run
from scoville_shared.protocol.messages import (
    METHOD_OF,
    METHODS,
    NOTICES,
    PROTOCOL,
    AnyTableEvent,
    ExportReply,
    HelloRequest,
    Notice,
    Params,
    Reply,
)
from scoville_shared.untrusted import LONGEST_TEXT, clean_plain, is_harmless
from scoville_shared.values import Plain


def version_error(spoken: int) -> ScovilleError | None:
    """Return the error for a client that speaks the version `spoken`, or None for the present one.

    It comes before everything else that may be wrong with a `hello`: a later version may have other params.
    """
    data = {"client": spoken, "server": PROTOCOL, "server_version": __version__}
    if spoken < PROTOCOL:
        sentence = f"Your client is too old for this server; install scoville {__version__} or newer."
        return ScovilleError(Code.UPGRADE_CLIENT, sentence, data)
    if spoken > PROTOCOL:
        sentence = f"This server is too old for your client: it is scoville {__version__} and must be updated."
        return ScovilleError(Code.UPGRADE_SERVER, sentence, data)
    return None


S = TypeVar("S", bound=Struct)
T = TypeVar("T")

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2
MSGIDS = 2**32
MALFORMED = (ValueError, RecursionError)
"""Exceptions of a decoder over bytes from outside: msgspec's errors and bad UTF-8 are ValueErrors."""

MAX_LINE = 65_536
"""Most characters of a line of an exported game, the only text that may be long."""

OPEN_PARAMS = 8_192
"""Most bytes of params in which a map has any content: a move, options or a client's settings."""

_ARRAY = b"\xdc"
"""The first byte of an array, before the number of its items in two bytes."""
_Msgid = Annotated[int, Meta(ge=0, lt=MSGIDS)]

Request = tuple[int, Params]
"""A request's msgid, for its answer, and its valid params, whose type names the method."""


# `gc=False`: a frame holds numbers and bytes alone, so that no cycle can lead through it.
class RequestFrame(Struct, array_like=True, tag=REQUEST, forbid_unknown_fields=True, gc=False):
    """`[0, msgid, method, params]`."""

    msgid: _Msgid
    method: str
    params: Raw


class UsualRequestFrame(Struct, array_like=True, tag=REQUEST, forbid_unknown_fields=True, gc=False):
    """A `RequestFrame` of a known method: its name is one of ours, which takes no time to make and to look up."""

    msgid: _Msgid
    method: Literal[tuple(METHODS)]  # type: ignore[valid-type]
    params: Raw


class ResponseFrame(Struct, array_like=True, tag=RESPONSE, forbid_unknown_fields=True, gc=False):
    """`[1, msgid, error, result]`."""

    msgid: _Msgid
    error: Raw
    result: Raw


class NotificationFrame(Struct, array_like=True, tag=NOTIFICATION, forbid_unknown_fields=True, gc=False):
    """`[2, method, params]`."""

    method: str
    params: Raw


class _Head(Struct, array_like=True, gc=False):
    """The first two items of any array; the rest is passed over."""

    kind: Raw
    msgid: Raw = Raw()


_NOTIFICATION = NotificationFrame("", Raw())


@final
class Malformed(NamedTuple):
    """A request that makes no sense, and the error to refuse it with."""

    msgid: int
    error: ScovilleError


class ErrorMap(Struct, frozen=True):
    """How an error crosses the wire."""

    code: str
    message: str
    data: dict[str, Any] = {}


def _reader_of_args(kind: type[Params]) -> Callable[[Raw], Any]:
    """Make a reader of the array that holds exactly one map of `kind`, as the `params` of a struct.

    A list or a tuple would take a third longer.
    """
    args = msgspec.defstruct("Args", [("params", kind)], array_like=True, forbid_unknown_fields=True, gc=False)
    return _reader_within_bounds(kind, msgspec.msgpack.Decoder(args).decode)


def _reader_of_one(kind: type[S]) -> Callable[[Raw], list[S] | None]:
    """Make a reader of the array that holds at most one map of `kind`; nil stands for the empty array."""
    array = Annotated[list[kind], Meta(max_length=1)]  # type: ignore[valid-type]
    return _reader_within_bounds(kind, msgspec.msgpack.Decoder(array | None).decode)


def _reader_within_bounds(kind: type[Struct], read: Callable[[Raw], T]) -> Callable[[Raw], T]:
    """Refuse params larger than OPEN_PARAMS before anything of them is built, if `kind` takes a map of any content.

    With other types a decoder stops at the first wrong value; only such a map can hold sixty thousand empty ones.
    """
    if Plain not in (field.type for field in msgspec.structs.fields(kind)):
        return read

    def read_bounded(params: Raw) -> T:
        if len(params) > OPEN_PARAMS:
            raise OwnFault(f"the params are larger than {OPEN_PARAMS:,} bytes")
        return read(params)

    return read_bounded


_read_request: Callable[[Bytes], RequestFrame | NotificationFrame]
_read_request = msgspec.msgpack.Decoder(RequestFrame | NotificationFrame).decode
read_usual_request = msgspec.msgpack.Decoder(UsualRequestFrame).decode
_read_requests: Callable[[bytes], list[Any]]
_read_requests = msgspec.msgpack.Decoder(list[UsualRequestFrame | NotificationFrame]).decode
read_from_server = msgspec.msgpack.Decoder(ResponseFrame | NotificationFrame).decode
_read_head = msgspec.msgpack.Decoder(_Head).decode


class _Readers(dict[str, Callable[[Raw], Any]]):
    """Readers of the usual form of params by method, each made when its method is first called."""

    def __missing__(self, method: str) -> Callable[[Raw], Any]:
        reader = self[method] = _reader_of_args(METHODS[method].params)
        return reader


READ_ARGS = _Readers()
_DECODERS: dict[Any, msgspec.msgpack.Decoder[Any]] = {}
"""One for each type that a server sends, made when it first comes."""


@cache
def read_params(method: str) -> Callable[[Raw], list[Params] | None]:
    """Return the reader of a method's params; most servers never see params in an unusual form."""
    return _reader_of_one(METHODS[method].params)


def bare_params(method: str) -> Params:
    """Make the params of a call without any. Raises an exception of MALFORMED when the method needs some."""
    return msgspec.convert({}, METHODS[method].params)


def read_requests(run: Run) -> list[Request] | list[UsualRequestFrame | NotificationFrame] | list[Bytes]:
    """Read messages from a client, all in one go if they are all in order: requests with their params.

    Otherwise all of them are decoded to frames, or none is decoded. An invalid message costs an exception or two, so
    the reader then decodes one at a time and can stop in between.
    """
    try:
        # Headed as one array: a burst of requests costs one call of the decoder.
        frames = _read_requests(_ARRAY + run.number.to_bytes(2) + run.data)
    except MALFORMED:
        return [*run.list_messages()]
    try:
        return [(frame.msgid, READ_ARGS[frame.method](frame.params).params) for frame in frames]
    except (*MALFORMED, KeyError, AttributeError):  # the last two: a notification has any method, and no msgid
        return frames


def refusal_of(request: RequestFrame | UsualRequestFrame) -> ScovilleError:
    """Return the error for a request whose method or params are invalid: `unknown_method` or `bad_params`.

    A `hello` of another version of the protocol gets `upgrade_client` or `upgrade_server`, whatever else it has.
    """
    method = request.method
    if method not in METHODS:
        return ScovilleError(Code.UNKNOWN_METHOD, f"There is no method {method[:64]!r}.", {"methods": list(METHODS)})
    try:
        read_params(method)(request.params) or bare_params(method)
    except MALFORMED as error:
        other = _other_version(request.params) if method == METHOD_OF[HelloRequest] else None
        return other or _bad_params(method, describe_fault(error))
    raise AssertionError("this request is valid")


def _bad_params(method: str, fault: DataFault) -> ScovilleError:
    """Return the error for invalid params, which names the one that is missing, unknown or wrong."""
    data: dict[str, Any] = {"method": method, "field": fault.field} if fault.field else {"method": method}
    if fault.is_unknown:
        data["unknown"] = True
    return ScovilleError(Code.BAD_PARAMS, f"{method}: {fault.sentence}.", data)


class _Spoken(Struct, frozen=True):
    """The one param of `hello` that every version has."""

    protocol: int


_read_spoken = _reader_of_one(_Spoken)


def _other_version(params: Raw) -> ScovilleError | None:
    """Return the error for a `hello` of another version, None for one of this version or of none."""
    try:
        [spoken] = _read_spoken(params) or [_Spoken(PROTOCOL)]
    except MALFORMED:
        return None
    return version_error(spoken.protocol)


def read_reply(kind: type[Params], frame: ResponseFrame) -> Reply | ScovilleError:
    """Decode the reply to a call with params of `kind`; an invalid reply is an error of its own."""
    try:
        error: ErrorMap | None = _read_tolerantly(ErrorMap | None, frame.error)
        if error is not None:
            return RemoteError(error.code, error.message, error.data)
        reply: Reply = _read_tolerantly(METHODS[METHOD_OF[kind]].reply, frame.result)
    except MALFORMED as broken:
        return ScovilleError(Code.BAD_FRAME, f"The server sent an invalid reply: {describe_fault(broken).sentence}.")
    return reply


def read_notice(frame: NotificationFrame) -> Notice | None:
    """Read a notice; None for one that this client does not know, or cannot make anything of."""
    kind = NOTICES.get(frame.method)
    if kind is None:
        return None
    try:
        args = _read_tolerantly(list[kind], frame.params)  # type: ignore[valid-type]
    except MALFORMED:
        return None
    return args[0] if args else None


def _read_tolerantly(kind: Any, data: Raw) -> Any:
    """Read a server's message, with every text cleaned. Raises an exception of MALFORMED.

    Of an event that only a newer server knows, the number is left.
    """
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgspec.msgpack.Decoder(kind)
    longest = MAX_LINE if kind is ExportReply else LONGEST_TEXT
    try:
        found = decoder.decode(data)
        if not is_harmless(found, longest):
            found = msgspec.convert(clean_plain(msgspec.msgpack.decode(data), longest), kind)
    except msgspec.ValidationError:
        # One event that a newer server has added must not cost the whole reply.
        found = msgspec.convert(_replace_unreadable_events(clean_plain(msgspec.msgpack.decode(data), longest)), kind)
    check_consistency(found)
    return found


def _replace_unreadable_events(plain: Any) -> Any:
    """Put an `unknown` one in place of every event that cannot be read, wherever plain data hold events."""
    if isinstance(plain, list):
        return [_replace_unreadable_events(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    if isinstance(plain.get("seq"), int) and "kind" in plain:
        return _known_or_not(plain)
    held = {key: _replace_unreadable_events(plain[key]) for key in ("event", "events") if key in plain}
    return {**plain, **held}


def _known_or_not(event: dict[str, Any]) -> dict[str, Any]:
    try:
        msgspec.convert(event, AnyTableEvent)
    # Of a newer version: its number alone is kept, so that the events stay without a gap.
    except msgspec.ValidationError:
        return {"kind": "unknown", "seq": event["seq"]}
    return event


def read_request(frame: Bytes) -> RequestFrame | NotificationFrame | Malformed | Fault:
    """Read one message; what is no proper request is malformed if it has a msgid to answer to, a Fault otherwise.

    Any array that begins with the type of a notification is one, since nobody reads the rest.
    """
    try:
        return _read_request(frame)
    except MALFORMED as error:
        sentence = f"A request must be [0, msgid, method, params]: {describe_fault(error).sentence}."
    kind, msgid = _kind_and_msgid(frame)
    if kind == NOTIFICATION:
        return _NOTIFICATION
    if kind == REQUEST and msgid is not None:
        return Malformed(msgid, ScovilleError(Code.BAD_FRAME, sentence))
    return Fault(Code.BAD_FRAME, sentence)


def _kind_and_msgid(frame: Bytes) -> tuple[int, int | None]:
    """Return the kind of a message that did not decode, -1 for none, and its msgid, if it has one."""
    try:
        head = _read_head(frame)
        kind = msgspec.msgpack.decode(head.kind, type=int)
    except MALFORMED:
        return -1, None
    try:
        return kind, msgspec.msgpack.decode(head.msgid, type=_Msgid)
    except MALFORMED:
        return kind, None
