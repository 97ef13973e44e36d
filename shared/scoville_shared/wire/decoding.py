"""From one message's bytes to a typed value: the frames of MessagePack-RPC, then what is inside them."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire.framing import Bytes
from scoville_shared.wire.messages import METHODS, NOTICES, Notice, Params, Reply

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2
MSGIDS = 2**32
MALFORMED = (ValueError, RecursionError)
"""What a decoder raises over bytes from outside: msgspec's errors and bad UTF-8 are ValueErrors."""

_Msgid = Annotated[int, Meta(ge=0, lt=MSGIDS)]


class RequestFrame(Struct, array_like=True, tag=REQUEST, forbid_unknown_fields=True, gc=False):
    """`[0, msgid, method, params]`."""

    msgid: _Msgid
    method: str
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


class ErrorMap(Struct, frozen=True):
    """How an error crosses the wire."""

    code: str
    message: str
    data: dict[str, Any] = {}


def _args_of(kind: type[Struct]) -> Any:
    """Describe the array that holds at most one map of `kind`; nil stands for the empty array."""
    args = msgspec.defstruct(
        "Args", [("map", kind | None, None)], array_like=True, forbid_unknown_fields=True, gc=False
    )
    return args | None


read_request = msgspec.msgpack.Decoder(RequestFrame).decode
read_from_server = msgspec.msgpack.Decoder(ResponseFrame | NotificationFrame).decode
_read_error = msgspec.msgpack.Decoder(ErrorMap | None).decode
_read_head = msgspec.msgpack.Decoder(list[Raw]).decode
_READ_ARGS = {name: msgspec.msgpack.Decoder(_args_of(method.params)).decode for name, method in METHODS.items()}
_READ_REPLY = {method.params: msgspec.msgpack.Decoder(method.reply).decode for method in METHODS.values()}
_READ_NOTICE = {name: msgspec.msgpack.Decoder(_args_of(kind)).decode for name, kind in NOTICES.items()}


def read_params(method: str, params: Raw) -> Params:
    """Read a method's params. Raises ScovilleError `unknown_method` or `bad_params`."""
    read = _READ_ARGS.get(method)
    if read is None:
        known = ", ".join(METHODS)
        raise ScovilleError(Code.UNKNOWN_METHOD, f"There is no method {method[:64]!r}; there is {known}.")
    try:
        args = read(params)
        found: Params | None = args and args.map
        return msgspec.convert({}, METHODS[method].params) if found is None else found
    except MALFORMED as error:
        raise ScovilleError(Code.BAD_PARAMS, f"{method}: {_explained(error)}", {"method": method}) from error


def read_reply(kind: type[Params], frame: ResponseFrame) -> Reply | ScovilleError:
    """Read what a call with params of `kind` was answered with; an answer we can't read is an error of its own."""
    try:
        error = _read_error(frame.error)
        return (
            _READ_REPLY[kind](frame.result) if error is None else ScovilleError(error.code, error.message, error.data)
        )
    except MALFORMED as broken:
        return ScovilleError(Code.BAD_FRAME, f"The server's answer makes no sense: {_explained(broken)}")


def read_notice(frame: NotificationFrame) -> Notice | None:
    """Read a notice; None for one that this client does not know. Raises what is MALFORMED."""
    read = _READ_NOTICE.get(frame.method)
    args = read(frame.params) if read is not None else None
    return args.map if args is not None else None


def kind_and_msgid(frame: Bytes) -> tuple[int, int | None]:
    """Make out as much as there is of a message that did not decode: its kind, -1 for none, and its msgid, if any."""
    try:
        head = _read_head(frame)
        kind = msgspec.msgpack.decode(head[0], type=int)
    except (*MALFORMED, IndexError):
        return -1, None
    try:
        return kind, msgspec.msgpack.decode(head[1], type=_Msgid)
    except (*MALFORMED, IndexError):
        return kind, None


def _explained(error: Exception) -> str:
    """Say what a decoder found wrong, and where, in the words of the page that describes the messages."""
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error).replace("`$", "`params")
