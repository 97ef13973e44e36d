"""Servers that change every message: one with control characters in every free text, one of a later version."""

import asyncio
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgpack
import msgspec
from msgspec import inspect

from scoville_client.session.start_options import Start
from tests.support.proxy import Proxy

PAYLOADS = (
    "\x1b]0;owned\x07\x1b[2J\x1b[?1049l",
    "\x1b]52;c;b3duZWQ=\x07\x1b]9;owned\x1b\\",
    "\x9b2J\x9d0;owned\x9c\x90q\x85\x84",
    "\r\nowned\x08\x08\x7f\x00\x0e",
    "abc\u202edef\u2066ghi\u2069\u200e\u061c",
    "zero\u200bwidth\u200d\ufeff\u2060\u00ad\U000e0041",
    "\u2800\u3164\u115f\u2028\u2029\ue000\ufff9",
    "[bold red]markup[/] [link=file:///etc]x[/link] [@click=app.quit]y[/]",
    "\\[b]{0}{name}{",
    "Z" + "\u0301" * 3_000,
    "한" + "\u1161" * 2_000,
)
EVERYTHING = "".join(PAYLOADS)
MACHINE_READ = frozenset(
    {
        *("table", "game", "slug", "token", "commitment", "nonces", "nonce_hashes", "server_seed", "rematch", "lines"),
        *(
            "server_key",
            "features",
            "code",
            "kind",
            "status",
            "reason",
            "fact",
            "mover",
            "start",
            "channel",
            "reaction",
            "level",
            "levels",
            "absent_level",
            "bot_level",
            "bot_levels",
        ),
    }
)
"""Fields with which a client goes on: a server that spoils them has no client whose screen it could reach."""


def list_disturbances(text: str) -> list[str]:
    """List the characters of a text that act on a terminal or hide, and marks that are piled up."""
    found = [char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")]
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char)[0] == "M" or "\u1161" <= char <= "\u11ff" else 0
        if marks > 4:
            found.append(char)
    return found


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in a decoded message."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (*texts_in(key), *texts_in(item))
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from texts_in(getattr(value, field))


def fill_type(kind: Any, payload: str) -> Any:
    """Make plain data of a type, with the payload as every text."""
    return _fill_value(inspect.type_info(kind), payload)


def _fill_value(kind: inspect.Type, payload: str) -> Any:
    match kind:
        case inspect.StructType():
            tag = {} if kind.tag_field is None else {kind.tag_field: kind.tag}
            return {**tag, **{field.encode_name: _fill_field(field, payload) for field in kind.fields}}
        case inspect.ListType() | inspect.VarTupleType():
            return [_fill_value(kind.item_type, payload)]
        case inspect.TupleType():
            return [_fill_value(item, payload) for item in kind.item_types]
        case inspect.DictType():
            return {_fill_value(kind.key_type, payload): _fill_value(kind.value_type, payload)}
        case inspect.UnionType():
            return _fill_value(next(each for each in kind.types if not isinstance(each, inspect.NoneType)), payload)
    return _fill_scalar(kind, payload)


def _fill_scalar(kind: inspect.Type, payload: str) -> Any:
    match kind:
        case inspect.StrType():
            return payload if kind.pattern is None else "0" * (kind.min_length or 64)
        case inspect.AnyType():
            return {payload: [payload, {"deep": payload}]}
        case inspect.LiteralType():
            return kind.values[0]
        case inspect.BoolType():
            return False
        case inspect.IntType():
            return kind.ge or 0
        case inspect.FloatType():
            return 0
    raise TypeError(f"say in tests/support/hostile.py how to fill a {type(kind).__name__}")


def _fill_field(field: inspect.Field, payload: str) -> Any:
    """Fill a field; events are numbered from 1, and one place is the first."""
    return {"places": [1], "seq": 1}.get(field.name) or _fill_value(field.type, payload)


def spoil_texts(plain: Any, payload: str, key: str = "") -> Any:
    """Add the payload to every text of a message but those that a client goes on with, in Views and facts too."""
    if isinstance(plain, str):
        fixed = key in MACHINE_READ or plain in _CLOSED_LISTS or _HEX.fullmatch(plain)
        return plain if fixed or not plain else plain + payload
    if isinstance(plain, list):
        return [spoil_texts(item, payload, key) for item in plain]
    if isinstance(plain, dict):
        return {name: spoil_texts(item, payload, name) for name, item in plain.items()}
    return plain


_HEX = re.compile("[0-9a-f]{32,}")
"""Keys, hashes and signatures, whose form a client checks."""
_CLOSED_LISTS = frozenset({"anybody", "nobody", "rounds"})
"""Values that are machine-read under a name that texts have elsewhere."""

Corrupt = Callable[[Any], Iterable[bytes]]
"""What a hostile server sends in place of one message of an honest one."""


def spoil_messages(payload: str) -> Corrupt:
    """Spoil the texts of replies, errors and notices."""

    def corrupt(message: Any) -> Iterable[bytes]:
        kind, name, *parts = message
        yield msgpack.packb([kind, name, *(spoil_texts(part, payload) for part in parts)])

    return corrupt


class HostileProxy(Proxy):
    """A server that is hostile: `corrupt` makes of each message of the honest one at `port` what it sends."""

    def __init__(self, port: int, corrupt: Corrupt) -> None:
        super().__init__(port)
        self.corrupt = corrupt

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        if sink.get_extra_info("sockname")[1] != self.port:
            await super()._carry(source, sink)
            return
        unpacker = msgpack.Unpacker(strict_map_key=False)
        try:
            while data := await source.read(65536):
                unpacker.feed(data)
                for message in unpacker:
                    for sent in self.corrupt(message):
                        sink.write(sent)
        except ConnectionError:
            pass
        finally:
            sink.close()

    def way(self, name: str = "Paul") -> Start:
        """Start options of a client: without encryption, so that messages can be changed."""
        return Start(kind="join", host="127.0.0.1", port=self.port, name=name, plain_text=True)


FROZEN = frozenset({"options", "moves", "move", "settings"})
"""What holds maps that the version of the rules, or the user, determines."""
LATER_EVENTS = frozenset({"paused", "resumed", "ready_changed", "warned", "countdown_started"})
"""Events that this client is made not to know."""
LATER_FACT = {"fact": "later_fact", "seat": 1, "cards": [1, 2], "later": None}


_OF_EVENTS = frozenset({"table.watch", "table.poll", "table.look_back"})
"""Methods whose param `since` is the number of an event."""


class LaterServer(HostileProxy):
    """The server at `port` as it may be in a year: all that it says has grown, and each event is followed by a new one.

    So the event that is number n there has the number 2n - 1 here, and 2n is an event that no client knows.
    """

    def __init__(self, port: int) -> None:
        super().__init__(port, self._grow_message)
        self._methods: dict[int, str] = {}

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        if sink.get_extra_info("sockname")[1] == self.port:
            await super()._carry(source, sink)
            return
        unpacker = msgpack.Unpacker(strict_map_key=False)
        try:
            while data := await source.read(65536):
                unpacker.feed(data)
                for message in unpacker:
                    sink.write(msgpack.packb(self._read_request(message)))
        except ConnectionError:
            pass
        finally:
            sink.close()

    def _read_request(self, message: Any) -> Any:
        if message[0] == 0:
            _, msgid, method, *params = message
            self._methods[msgid] = method
            if method in _OF_EVENTS and params:
                params[0][0]["since"] = (params[0][0].get("since", 0) + 1) // 2
        return message

    def _grow_message(self, message: Any) -> Iterable[bytes]:
        kind, name, *parts = message
        if kind == 1 and isinstance(parts[1], dict):
            _renumber_reply(self._methods.pop(name, ""), parts[1])
        later = []
        if kind == 2 and name == "table.event":
            notice = parts[0][0]
            notice["event"]["seq"] = 2 * notice["event"]["seq"] - 1
            if notice["event"]["kind"] != "closed":
                later.append([2, name, [{**notice, "event": _make_event(notice["event"]["seq"] + 1)}]])
        for each in (message, *later):
            yield from _grow_value(each)


def _make_event(seq: int) -> dict[str, Any]:
    return {"kind": "later_event", "seq": seq, "seat": 0, "facts": [], "pending": []}


def _renumber_reply(method: str, reply: dict[str, Any]) -> None:
    """Renumber the events of a reply, and insert those of a later server; a snapshot ends with one of them."""
    if method == "table.play":
        reply["seq"] = 2 * reply["seq"] - 1
    for past in reply["views"] if method == "table.look_back" else ():
        past["seq"] = 2 * past["seq"] - 1
    if method in _OF_EVENTS and reply.get("latest") is not None:
        reply["latest"] *= 2
    if method in ("table.watch", "table.poll"):
        reply["seq"] *= 2
        numbered = [{**event, "seq": 2 * event["seq"] - 1} for event in reply["events"]]
        reply["events"] = [each for event in numbered for each in (event, _make_event(event["seq"] + 1))]


def _grow_value(message: Any) -> Iterable[bytes]:
    kind, name, *parts = message
    if kind == 2:
        yield msgpack.packb([2, "table.later", [{"table": "t", "later": [1]}]])
    if kind == 1 and isinstance(parts[0], dict):
        parts[0] = {**parts[0], "code": f"later_{parts[0]['code']}"}
    parts = [_grow_deep(part) for part in parts]
    if kind == 1 and isinstance(parts[1], dict) and "features" in parts[1]:
        parts[1]["features"] = [*parts[1]["features"], "later_feature"]
    yield msgpack.packb([kind, name, *parts])


def _grow_deep(plain: Any, key: str = "") -> Any:
    """Add a field to every map, facts to every move, and rename the later events."""
    if isinstance(plain, list):
        items = [_grow_deep(item, key) for item in plain]
        return [LATER_FACT, *items, LATER_FACT] if key == "facts" else items
    if not isinstance(plain, dict) or key in FROZEN:
        return plain
    grown = {name: _grow_deep(item, name) for name, item in plain.items()}
    if grown.get("kind") in LATER_EVENTS and "seq" in grown:
        grown["kind"] = f"later_{grown['kind']}"
    return {**grown, "later": {"x": [1, None, "later"]}}
