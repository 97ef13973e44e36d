"""JSON Schema of the protocol: methods with params, reply and errors, notices, and the maps of each game.

`scripts/pages` writes `docs/protocol/schema.json`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from scoville_shared.errors import Code
from scoville_shared.games import registry
from scoville_shared.protocol.error_data import error_data_type
from scoville_shared.protocol.messages import METHODS, NOTICES, PROTOCOL
from tests.support.tree import ROOT
from tests.support.wire_page import errors_of, errors_of_every_method

FILE = ROOT / "docs/protocol/schema.json"
_REFERENCE = re.compile(r'"\$ref": "#/[^"]*?(\w+)"')
GAMES = ("chilli_chase", "dicht_dran", "no_thanks")


@cache
def make_schema() -> dict[str, Any]:
    """Describe the protocol; every `$ref` points into this document. It is made once, and nobody changes it."""
    kinds = [kind for method in METHODS.values() for kind in method]
    _, types = msgspec.json.schema_components([*kinds, *NOTICES.values()], ref_template="#/types/{name}")
    data = [*dict.fromkeys(map(error_data_type, Code))]
    _, data_types = msgspec.json.schema_components(data, ref_template="#/errors/types/{name}")
    sent = [method.reply.__name__ for method in METHODS.values()] + [kind.__name__ for kind in NOTICES.values()]
    _require_fields_always_sent(types, sent, [method.params.__name__ for method in METHODS.values()])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The Scoville protocol",
        "protocol": PROTOCOL,
        "methods": {name: _describe_method(name) for name in METHODS},
        "errors": {
            "codes": list(Code),
            "data": {code: {"$ref": f"#/errors/types/{error_data_type(code).__name__}"} for code in Code},
            "types": data_types,
            "of_every_method": sorted(errors_of_every_method()),
        },
        "notices": {name: _refer_to(kind) for name, kind in NOTICES.items()},
        "types": types,
        "games": {slug: _describe_game(slug) for slug in GAMES},
    }


def _require_fields_always_sent(types: dict[str, Any], sent: Iterable[str], taken: Iterable[str]) -> None:
    """Require all fields of the types that are sent and never taken, since their sender leaves out none.

    A struct requires the fields without a default only, which is right for what clients may leave out. A field that a
    sender may leave out as well has no default in the schema either, or a default of its own kind: `UNSET`.
    """
    for name in find_reachable(types, sent) - find_reachable(types, taken):
        fields = types[name].get("properties", {})
        defaults = {field for field, shape in fields.items() if "default" in shape}
        required = {*types[name].get("required", ()), *defaults}
        types[name]["required"] = [field for field in fields if field in required]


def find_reachable(types: dict[str, Any], roots: Iterable[str]) -> set[str]:
    """Return the names of types with all those that they consist of."""
    found: set[str] = set()
    waiting = [*roots]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _REFERENCE.findall(json.dumps(types[name], default=str))
    return found


def write_pages() -> dict[Path, str]:
    """Write the schema as the text of the file."""
    return {FILE: json.dumps(make_schema(), indent=1, ensure_ascii=False, default=str) + "\n"}


def _describe_method(name: str) -> dict[str, Any]:
    method = METHODS[name]
    return {"params": _refer_to(method.params), "reply": _refer_to(method.reply), "errors": sorted(errors_of(name))}


def _describe_game(slug: str) -> dict[str, Any]:
    codec = registry.load_game(slug).codec
    kinds = [codec.options_type, codec.view_type, codec.fact_type, *codec.move_types]
    (options, view, fact, *moves), types = msgspec.json.schema_components(
        kinds, ref_template=f"#/games/{slug}/types/{{name}}"
    )
    names = [_REFERENCE.findall(json.dumps(each)) for each in (view, fact, options, moves)]
    _require_fields_always_sent(types, [*names[0], *names[1]], [*names[2], *names[3]])
    rules = import_module(f"scoville_shared.games.{slug}.state")
    return {
        "options": options,
        "view": view,
        "fact": fact,
        "moves": moves,
        "refusals": list(rules.Reason),
        "refusal_data": {reason: _describe_values(rules.REFUSAL_DATA.get(reason, {})) for reason in rules.Reason},
        "endings": list(rules.Ending),
        "types": types,
    }


def _describe_values(fields: Mapping[str, type[int | str]]) -> dict[str, Any]:
    names = {int: "integer", str: "string"}
    shapes = {name: {"type": names[kind]} for name, kind in fields.items()}
    return {"type": "object", "properties": shapes, "required": [*fields]}


def _refer_to(kind: type[Any]) -> dict[str, str]:
    return {"$ref": f"#/types/{kind.__name__}"}
