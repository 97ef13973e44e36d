"""docs/protocol.md says everything that the wire says, and its examples are true."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgpack
import msgspec
import pytest

from scoville_shared.errors import Code
from scoville_shared.games import registry
from scoville_shared.games.dicht_dran.facts import AnyFact
from scoville_shared.games.dicht_dran.options import Options
from scoville_shared.games.dicht_dran.state import Reason
from scoville_shared.games.dicht_dran.view import Board, View
from scoville_shared.wire.connection import FROM_CLIENT
from scoville_shared.wire.messages import (
    METHODS,
    NOTICES,
    PROTOCOL,
    AnyTableEvent,
    BanInfo,
    ChatLine,
    GameInfo,
    KeyInfo,
    Manners,
    PastGame,
    PersonInfo,
    Rating,
    SeatInfo,
    TableClock,
    TableInfo,
    TableSnapshot,
    TokenInfo,
    UnknownEvent,
)

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """Everything from a heading to the next of the same rank or a higher one."""
    [start] = list(re.finditer(rf"^(#+) {re.escape(heading)}$", PAGE, re.MULTILINE))
    rest = PAGE[start.end() :]
    end = re.search(rf"^#{{2,{len(start[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def code_block(kind: str) -> str:
    [block] = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(block)


def row(table: str, name: str) -> str:
    """The row of a table that begins with `name`."""
    [found] = [line for line in table.splitlines() if line.startswith(f"| `{name}` |")]
    return found


def fields(kind: type[Any]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind)]


def missing(names: list[str], text: str) -> list[str]:
    return [name for name in names if f"`{name}`" not in text]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_its_params_and_its_reply(method: str) -> None:
    told = section(method)

    assert missing(fields(METHODS[method].params), told) == []
    if METHODS[method].reply is TableSnapshot:
        assert "TableSnapshot" in told
    else:
        assert missing(fields(METHODS[method].reply), told) == []


@pytest.mark.parametrize(
    "kind",
    [
        GameInfo,
        PersonInfo,
        TableInfo,
        Manners,
        TableClock,
        SeatInfo,
        TableSnapshot,
        KeyInfo,
        TokenInfo,
        ChatLine,
        Rating,
        PastGame,
        BanInfo,
    ],
)
def test_every_part_of_a_reply_has_a_table_of_its_fields(kind: type[Any]) -> None:
    told = section(kind.__name__)

    assert [name for name in fields(kind) if row(told, name).count("|") != 4] == []


@pytest.mark.parametrize("event", [kind for kind in get_args(AnyTableEvent) if kind is not UnknownEvent])
def test_every_event_has_a_row_with_its_fields(event: type[Any]) -> None:
    told = section("Events")

    assert missing([name for name in fields(event) if name != "seq"], row(told, event.__struct_config__.tag)) == []


@pytest.mark.parametrize("notice", NOTICES)
def test_every_notice_has_a_row_with_its_fields(notice: str) -> None:
    assert missing(fields(NOTICES[notice]), row(section("Notices"), notice)) == []


@pytest.mark.parametrize("code", Code)
def test_every_error_code_has_its_meaning(code: Code) -> None:
    assert len(row(section("Errors"), code)) > len(f"| `{code}` | |") + 10


def test_the_page_tells_of_no_code_that_there_is_not() -> None:
    told = re.findall(r"^\| `(\w+)` \|", section("Errors"), re.MULTILINE)

    assert told == list(Code)


@pytest.mark.parametrize("fact", get_args(AnyFact))
def test_every_fact_of_dicht_dran_has_a_row_with_its_fields(fact: type[Any]) -> None:
    assert missing(fields(fact), row(section("The facts"), fact.__struct_config__.tag)) == []


@pytest.mark.parametrize("kind", [View, Board, Options])
def test_every_field_of_dicht_drans_view_and_options_is_told(kind: type[Any]) -> None:
    assert missing(fields(kind), section("Dicht dran as maps")) == []


def test_every_reason_of_dicht_dran_is_told() -> None:
    assert missing(list(Reason), section("Dicht dran as maps")) == []


def test_the_example_view_is_one() -> None:
    view = registry.load("dicht_dran").codec.view(json.loads(code_block("view")))

    assert view.board.target_card == 100
    assert view.board.gap == (21, 33)


def test_the_bytes_of_the_conversation_are_the_messages() -> None:
    exchanges = re.findall(r"^[<>] ((?:[0-9a-f]{2}\s+)+)= (.*)$", code_block("conversation"), re.MULTILINE)

    assert len(exchanges) == code_block("conversation").count("  = ")
    for data, message in exchanges:
        assert msgpack.unpackb(bytes.fromhex(data)) == json.loads(message)


def test_the_versions_and_limits_are_the_ones_that_hold() -> None:
    assert f"`protocol` is **{PROTOCOL}**" in PAGE
    assert f"| one message to the server | {FROM_CLIENT:,} bytes" in PAGE


def test_the_example_program_is_a_program() -> None:
    compile(code_block("python"), "docs/protocol.md", "exec")
