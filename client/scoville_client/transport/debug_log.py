"""Debug log of the client's connections, as `scoville_runtime.connection_log` describes it, each line with its time."""

import logging
from pathlib import Path
from typing import Final

from scoville_runtime.connection_log import RECEIVED, ConnectionLog, ConnectionLogs
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import Answer
from scoville_shared.protocol.messages import NOTICE_OF, Notice

LOGS: Final = ConnectionLogs("scoville.connection")
_LONGEST_CODE = 40
"""Characters of an error's code that are written: it comes from the server."""


def write_debug_log(file: Path) -> None:
    """Append the debug log of all connections of this process to a file, which only its owner may read.

    Raises OSError when the file cannot be written.
    """
    # Before logging opens it, which makes files that others may read.
    file.touch(mode=0o600)
    handler = logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%H:%M:%S"))
    LOGS.logger.addHandler(handler)
    LOGS.logger.setLevel(logging.DEBUG)
    LOGS.logger.propagate = False


def log_message(log: ConnectionLog, message: Answer | Notice) -> None:
    """Write an answer by its call's number and kind or error code, a notice by its name."""
    if not log.on:
        return
    if not isinstance(message, Answer):
        log.log_notice(RECEIVED, NOTICE_OF[type(message)])
    elif isinstance(message.result, ScovilleError):
        log.log_refusal(message.msgid, _printable_code(message.result.code))
    else:
        log.log_message(RECEIVED, message.msgid, type(message.result).__name__)


def _printable_code(code: str) -> str:
    known = (sign.isascii() and (sign.isalnum() or sign == "_") for sign in code)
    return "".join(sign if kept else "?" for sign, kept in zip(code[:_LONGEST_CODE], known, strict=False))
