"""docs/protocol/schema.json is current and complete, and describes what the server sends."""

import json
import re
from typing import Any

from scoville_shared.errors import Code
from scoville_shared.games import registry
from scoville_shared.protocol.error_data import error_data_type
from scoville_shared.protocol.messages import METHODS, NOTICES
from tests.shared.protocol.schema import FILE, GAMES
from tests.support.wire_page import data_fields, read_section

TEXT = FILE.read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads(TEXT)


def test_it_has_every_method_and_every_notice() -> None:
    assert list(SCHEMA["methods"]) == [*METHODS]
    assert list(SCHEMA["notices"]) == [*NOTICES]
    assert "stale_move" in SCHEMA["methods"]["table.play"]["errors"]


def test_every_reference_leads_to_a_type() -> None:
    references = set(re.findall(r'"\$ref": "#/([^"]+)"', TEXT))
    assert {reference.split("/")[0] for reference in references} == {"types", "games", "errors"}
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


def test_fields_that_are_always_sent_are_required() -> None:
    for name in ("TableInfo", "HelloReply", "TableSnapshot", "Left", "SeatInfo"):
        kind = SCHEMA["types"][name]
        asked_for = {"sentences"}
        always = set(kind["properties"]) - asked_for - {"kind"} | ({"kind"} & set(kind["required"]))
        assert set(kind["required"]) == always
    assert "absence_ms" not in SCHEMA["types"]["TableClock"]["required"]
    assert SCHEMA["types"]["JoinRequest"]["required"] == ["table"]
    assert not SCHEMA["types"]["TableSettingsParams"].get("required"), "a client may leave them out"


def test_the_data_of_errors_are_those_of_the_pages() -> None:
    for code in Code:
        kind = SCHEMA["errors"]["types"][error_data_type(code).__name__]
        assert set(kind["properties"]) == data_fields(code), code


def test_the_data_of_refusals_are_those_of_the_pages() -> None:
    for slug in GAMES:
        title = registry.load_game(slug).info.title
        rows = re.findall(r"^\| `(\w+)` \| .*? \| (.*) \|$", read_section(f"{title}: refusals"), re.MULTILINE)
        assert rows
        for code, data in rows:
            assert set(SCHEMA["games"][slug]["refusal_data"][code]["properties"]) == set(re.findall(r"`(\w+)`", data))


def test_patterns_are_those_of_ecma_262() -> None:
    patterns = set(re.findall(r'"pattern": "([^"]+)"', TEXT))
    assert patterns
    assert not [pattern for pattern in patterns if re.search(r"\\\\[AZz]|\(\?P", pattern)]
