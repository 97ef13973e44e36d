"""docs/protocol/schema.json is current and complete, and describes what the server sends."""

import json
import re
from typing import Any

from scoville_shared.protocol.messages import METHODS, NOTICES
from tests.shared.protocol.schema import FILE, GAMES, written

TEXT = FILE.read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads(TEXT)


def test_the_file_is_current() -> None:
    assert written() == TEXT, "write it again: python -m tests.shared.protocol.schema"


def test_it_has_every_method_and_every_notice() -> None:
    assert list(SCHEMA["methods"]) == [*METHODS]
    assert list(SCHEMA["notices"]) == [*NOTICES]
    assert "stale_move" in SCHEMA["methods"]["table.play"]["errors"]


def test_every_reference_leads_to_a_type() -> None:
    references = set(re.findall(r'"\$ref": "#/([^"]+)"', TEXT))
    assert {reference.split("/")[0] for reference in references} == {"types", "games"}
    for reference in references:
        found: Any = SCHEMA
        for step in reference.split("/"):
            found = found[step]
        assert found


def test_each_game_has_its_options_moves_view_and_facts() -> None:
    for slug in GAMES:
        game = SCHEMA["games"][slug]
        assert game["moves"]
        assert game["fact"]
        assert game["types"][game["view"]["$ref"].rpartition("/")[2]]["properties"]
