"""A request of every kind about one table, for tests that must hold whatever is asked."""

from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from scoville_shared.protocol.messages import METHODS, Params

P = TypeVar("P", bound=Params)

KINDS = [method.params for method in METHODS.values() if "table" in method.params.__struct_fields__]
"""The kinds of request that name a table."""

SENSIBLE = {
    "name": "Anna",
    "text": "Hello!",
    "reaction": "hello",
    "seat": 0,
    "against": 0,
    "move": {"card": 1},
    "channel": "table",
    "nonce": "00" * 32,
}
"""Values that reach further than the least ones, by the name of the field."""


def request_about(kind: type[P], table: str, **fields: Any) -> P:
    """Return a request about a table, with the `fields` that it has; every other required one has its least value."""
    known = {name: value for name, value in {**SENSIBLE, **fields}.items() if name in kind.__struct_fields__}
    least = {field.name: _least_value(field.type) for field in msgspec.structs.fields(kind) if field.required}
    return msgspec.convert({**least, **known, "table": table}, kind)


def _least_value(kind: Any) -> Any:
    match inspect.type_info(kind):
        case inspect.IntType(ge=least):
            return least or 0
        case inspect.BoolType():
            return False
        case inspect.ListType():
            return []
        case _:
            return "x"
