"""The messages of docs/protocol/bytes.md, written as the server sends them, with every field.

`python -m tests.shared.protocol.examples` writes the page again: what stands there is read as a client reads it, and
encoded as the server does. To change an example, change its JSON and its bytes are made anew.
"""

import json
import re
import textwrap
from typing import Any

import msgpack

from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import Answer, ClientConnection, ServerConnection
from scoville_shared.protocol.messages import METHODS, Params
from tests.support.wire_page import BYTES_PAGE, BYTES_PATH

_BLOCK = re.compile(r"^```(conversation|requests|notices|refusal)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MESSAGE = re.compile(r"^([<>]) (?:[0-9a-f]{2}\s+)+= (.*)$", re.MULTILINE)
_WIDTH = 100


def rewritten(page: str) -> str:
    """Write the page with the server's messages as it sends them."""
    return _BLOCK.sub(_block, page)


def _block(block: re.Match[str]) -> str:
    client = ClientConnection()

    def message(found: re.Match[str]) -> str:
        plain = json.loads(found[2])
        if found[1] == ">":
            if block[1] == "conversation":  # the client decodes its replies by what it has asked
                client._next = plain[1]
                client.call_method(_params(plain))
            return _written(">", msgpack.packb(plain))
        if block[1] == "refusal":  # what was asked does not matter
            client._next = plain[1]
            client.call_method(METHODS["ping"].params())
        client.feed_bytes(msgpack.packb(plain))
        [heard] = client.read_incoming()
        return _written("<", _sent(heard))

    return f"```{block[1]}\n{_MESSAGE.sub(message, block[2])}```"


def _params(plain: list[Any]) -> Params:
    server = ServerConnection()
    server.feed_bytes(msgpack.packb(plain))
    [(_, params)] = server.read_incoming()  # type: ignore[misc]
    return params


def _sent(heard: Any) -> bytes:
    """Encode received messages as the server does."""
    server = ServerConnection()
    if not isinstance(heard, Answer):
        server.notify(heard)
    elif isinstance(heard.result, ScovilleError):
        server.refuse(heard.msgid, heard.result)
    else:
        server.reply(heard.msgid, heard.result)
    return server.take_bytes()


def _written(way: str, data: bytes) -> str:
    rows = "\n  ".join(textwrap.wrap(data.hex(" "), _WIDTH - 2))
    text = json.dumps(msgpack.unpackb(data), ensure_ascii=False)
    return f"{way} {rows}\n  = {text}"


if __name__ == "__main__":
    BYTES_PATH.write_text(rewritten(BYTES_PAGE), encoding="utf-8")
