"""JSON Schema of the protocol: methods with params, reply and errors, notices, and the maps of each game.

`python -m tests.shared.protocol.schema` writes `docs/protocol/schema.json`; a test checks that it is current.
"""

import json
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from scoville_shared.errors import Code
from scoville_shared.games import registry
from scoville_shared.protocol.messages import METHODS, NOTICES, PROTOCOL
from tests.support.tree import ROOT
from tests.support.wire_page import data_fields, errors_of, errors_of_every_method

FILE = ROOT / "docs/protocol/schema.json"
GAMES = ("chilli_chase", "dicht_dran", "no_thanks")


@cache
def schema() -> dict[str, Any]:
    """Describe the protocol; every `$ref` points into this document. It is made once, and nobody changes it."""
    kinds = [kind for method in METHODS.values() for kind in method]
    _, types = msgspec.json.schema_components([*kinds, *NOTICES.values()], ref_template="#/types/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The Scoville protocol",
        "protocol": PROTOCOL,
        "methods": {name: _method(name) for name in METHODS},
        "errors": {
            "codes": list(Code),
            "data": {code: sorted(data_fields(code)) for code in Code},
            "of_every_method": sorted(errors_of_every_method()),
        },
        "notices": {name: _ref(kind) for name, kind in NOTICES.items()},
        "types": types,
        "games": {slug: _game(slug) for slug in GAMES},
    }


def written() -> str:
    """Write the schema as the text of the file."""
    return json.dumps(schema(), indent=1, ensure_ascii=False, default=str) + "\n"


def _method(name: str) -> dict[str, Any]:
    method = METHODS[name]
    return {"params": _ref(method.params), "reply": _ref(method.reply), "errors": sorted(errors_of(name))}


def _game(slug: str) -> dict[str, Any]:
    codec = registry.load(slug).codec
    kinds = [codec.options_type, codec.view_type, codec.fact_type, *codec.move_types]
    (options, view, fact, *moves), types = msgspec.json.schema_components(
        kinds, ref_template=f"#/games/{slug}/types/{{name}}"
    )
    rules = import_module(f"scoville_shared.games.{slug}.state")
    return {
        "options": options,
        "view": view,
        "fact": fact,
        "moves": moves,
        "refusals": list(rules.Reason),
        "endings": list(rules.Ending),
        "types": types,
    }


def _ref(kind: type[Any]) -> dict[str, str]:
    return {"$ref": f"#/types/{kind.__name__}"}


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
