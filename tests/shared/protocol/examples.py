"""The messages of docs/protocol/bytes.md, written as the server sends them, with every field.

`scripts/pages` writes the page. Requests and notices are the examples of the other pages, in the order of the code. The
conversation and the refusal are read as a client reads them and encoded as the server does: change their JSON, and
their bytes are made again.
"""

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgpack

from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import Answer, ClientConnection, ServerConnection
from scoville_shared.protocol.messages import METHODS, NOTICES, AnyTableEvent, Params, UnknownEvent
from tests.support.wire_page import BYTES_PAGE, BYTES_PATH, example_of

_BLOCK = re.compile(r"^```(conversation|requests|notices|refusal)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MESSAGE = re.compile(r"^([<>]) (?:[0-9a-f]{2}\s+)+= (.*)$", re.MULTILINE)
_WIDTH = 100


def write_pages() -> dict[Path, str]:
    """Write the page with the server's messages as it sends them."""
    return {BYTES_PATH: _BLOCK.sub(_write_block, BYTES_PAGE)}


def _list_requests() -> Iterator[list[Any]]:
    for number, method in enumerate(METHODS, 1):
        params = example_of(method)["params"]
        yield [0, number, method, [params] if params else []]


def _list_notices() -> Iterator[list[Any]]:
    event_notice = example_of("table.event")
    for kind in get_args(AnyTableEvent):
        tag = kind.__struct_config__.tag
        # The placeholder is never sent, so no page has it; a reader must get over it all the same.
        event = {"kind": tag, "seq": 4} if kind is UnknownEvent else example_of(tag)
        yield [2, "table.event", [{**event_notice, "event": event, "view": None}]]
    yield from ([2, name, [example_of(name)]] for name in NOTICES if name != "table.event")


def _write_block(block: re.Match[str]) -> str:
    client = ClientConnection()
    if block[1] == "requests":
        lines = (_write_example(">", msgpack.packb(plain)) for plain in _list_requests())
        return "```requests\n" + "\n".join(lines) + "\n```"
    if block[1] == "notices":
        heard = [*map(msgpack.packb, _list_notices())]
        client.feed_bytes(b"".join(heard))
        return (
            "```notices\n"
            + "\n".join(_write_example("<", _write_sent(each)) for each in client.read_incoming())
            + "\n```"
        )

    def message(found: re.Match[str]) -> str:
        plain = json.loads(found[2])
        if found[1] == ">":
            # The client decodes its replies by what it has asked.
            client._next_msgid = plain[1]
            client.call_method(_write_params(plain))
            return _write_example(">", msgpack.packb(plain))
        if block[1] == "refusal":  # what was asked does not matter
            client._next_msgid = plain[1]
            client.call_method(METHODS["ping"].params())
        client.feed_bytes(msgpack.packb(plain))
        [heard] = client.read_incoming()
        return _write_example("<", _write_sent(heard))

    return f"```{block[1]}\n{_MESSAGE.sub(message, block[2])}```"


def _write_params(plain: list[Any]) -> Params:
    server = ServerConnection()
    server.feed_bytes(msgpack.packb(plain))
    [(_, params)] = server.read_incoming()  # type: ignore[misc]
    return params


def _write_sent(heard: Any) -> bytes:
    """Encode received messages as the server does."""
    server = ServerConnection()
    if not isinstance(heard, Answer):
        server.notify(heard)
    elif isinstance(heard.result, ScovilleError):
        server.refuse(heard.msgid, heard.result)
    else:
        server.reply(heard.msgid, heard.result)
    return server.take_bytes()


def _write_example(way: str, data: bytes) -> str:
    rows = "\n  ".join(textwrap.wrap(data.hex(" "), _WIDTH - 2))
    text = json.dumps(msgpack.unpackb(data), ensure_ascii=False)
    return f"{way} {rows}\n  = {text}"
