"""Messages of the control socket: one JSON object per line, a request and its reply in turn."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from scoville_server.control.commands import COMMAND_OF, REASON, Command
from scoville_server.net.sanitize import sanitize_params
from scoville_shared.decoders import describe_fault
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Params
from scoville_shared.text import clean_text

LONGEST_REQUEST: Final = 65_536
"""Bytes of a request with its line break."""


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request: a command, its arguments by name, and the reason of an act."""

    command: str
    arguments: Mapping[str, Any] = {}
    reason: str = ""


class Failure(Struct, frozen=True, kw_only=True):
    """Why a command was refused: a stable code for programs, a sentence for people."""

    code: str
    message: str


class Asked(Struct, frozen=True):
    """A checked request."""

    command: Command
    arguments: Params
    reason: str


_decode_request = msgspec.json.Decoder(Request).decode


def read_request(line: bytes) -> Asked:
    """Check a request. Raises ScovilleError `bad_frame`, `unknown_method` or `bad_params`."""
    try:
        request = _decode_request(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        what = describe_fault(error).sentence
        raise ScovilleError(Code.BAD_FRAME, f"A request is one JSON object on one line: {what}.") from error
    command = COMMAND_OF.get(request.command)
    if command is None:
        known = ", ".join(COMMAND_OF)
        raise ScovilleError(Code.UNKNOWN_METHOD, f"There is no command {request.command[:64]!r}; there are {known}.")
    try:
        arguments = sanitize_params(msgspec.convert(request.arguments, command.arguments))
        reason = clean_text(msgspec.convert(request.reason, REASON))
    except msgspec.ValidationError as error:
        what = describe_fault(error).sentence
        raise ScovilleError(Code.BAD_PARAMS, f"The command {command.name} does not take that: {what}.") from error
    if command.reason == "needed" and not reason:
        raise ScovilleError(Code.BAD_PARAMS, f"The command {command.name} needs a reason, for the audit log.")
    return Asked(command, arguments, reason)


def write_result(result: object) -> bytes:
    """Encode the reply to a command that succeeded."""
    return msgspec.json.encode({"result": result}) + b"\n"


def write_failure(error: ScovilleError) -> bytes:
    """Encode the reply to a command that was refused."""
    return msgspec.json.encode({"error": Failure(code=error.code, message=error.message)}) + b"\n"
