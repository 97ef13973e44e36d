"""docs/protocol.md and its pages describe the whole protocol, with valid examples."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgpack
import msgspec
import pytest

from scoville_server.accounts.model.account_limits import AccountLimits
from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games import registry
from scoville_shared.protocol import messages
from scoville_shared.protocol.connection import FROM_CLIENT, Answer, ClientConnection, ServerConnection
from scoville_shared.protocol.decoding import OPEN_PARAMS
from scoville_shared.protocol.messages import (
    METHODS,
    NOTICES,
    PROTOCOL,
    AnyTableEvent,
    ByeNotice,
    EventNotice,
    LobbyChangedNotice,
    TableSnapshot,
    UnknownEvent,
)
from tests.shared.protocol.page import PAGES, find_lacking
from tests.shared.protocol.schema import make_schema
from tests.support.wire_page import PAGE, PATHS, code_block, example_of, read_section

GAMES = {"Dicht dran": "dicht_dran", "No Thanks!": "no_thanks", "Chilli Chase": "chilli_chase"}
TYPED_FORMULAS = {
    "score_unreadable", "unreadable", "two_operations", "incomplete", "total_missing", "wrong_sum",
}  # fmt: skip
"""Refusals of formulas that a user types into our client; no move on the wire meets them."""
TYPES = make_schema()["types"]
HEADINGS = set(re.findall(r"^### (\w+)$", PAGE, re.MULTILINE))


def names(kind: type[Any]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(kind)}


def table_of(heading: str, column: str) -> set[str]:
    """The names in the first column of a table of a section."""
    _, _, rest = read_section(heading).partition(f"| {column} |")
    rows, _, _ = rest.partition("\n\n")
    return set(re.findall(r"^\| `([^`]+)` \|", rows, re.MULTILINE))


def encoded(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_row_of_a_table_has_a_meaning(path: Path) -> None:
    assert find_lacking(path) == []


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_tables_of_its_params_and_its_reply(method: str) -> None:
    assert table_of(method, "param") == names(METHODS[method].params)
    reply = METHODS[method].reply
    assert table_of(method, "reply") == (set() if reply is TableSnapshot else names(reply))
    assert reply is not TableSnapshot or "TableSnapshot" in read_section(method)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_an_example_that_both_ends_read(method: str) -> None:
    example = example_of(method)
    params = msgspec.convert(example["params"], METHODS[method].params)
    reply = msgspec.convert(example["reply"], METHODS[method].reply)

    assert example["params"].keys() <= names(METHODS[method].params)
    assert msgspec.convert(encoded(params), METHODS[method].params) == params, (
        "without the defaults, which are not sent"
    )
    assert encoded(reply) == example["reply"], "every field of the reply, as it is sent"


@pytest.mark.parametrize("name", [name for name in TYPES if name in HEADINGS])
def test_every_type_has_an_example_with_every_field(name: str) -> None:
    example = example_of(name)
    assert encoded(msgspec.convert(example, getattr(messages, name))) == example


def test_every_type_of_a_reply_has_a_section() -> None:
    own = {kind.__name__ for method in METHODS.values() for kind in method}
    own |= {kind.__name__ for kind in (*NOTICES.values(), *get_args(AnyTableEvent))}
    own |= {"ClockParams", "NightParams", "PlanLineParams", "TableSettingsParams"}
    assert {name for name in TYPES if name not in own} <= HEADINGS


@pytest.mark.parametrize("event", [kind for kind in get_args(AnyTableEvent) if kind is not UnknownEvent])
def test_every_event_has_a_table_and_an_example(event: type[Any]) -> None:
    kind = event.__struct_config__.tag
    assert table_of(kind, "field") == names(event) - {"seq"}
    assert encoded(msgspec.convert(example_of(kind), AnyTableEvent)) == example_of(kind)
    assert example_of(kind)["kind"] == kind


@pytest.mark.parametrize("notice", NOTICES)
def test_every_notice_has_a_table_and_an_example(notice: str) -> None:
    assert table_of(notice, "param") == names(NOTICES[notice])
    assert encoded(msgspec.convert(example_of(notice), NOTICES[notice])) == example_of(notice)


@pytest.mark.parametrize("code", Code)
def test_every_error_code_has_its_meaning(code: Code) -> None:
    [row] = [line for line in read_section("Errors").splitlines() if line.startswith(f"| `{code}` |")]
    assert len(row.split("|")[3]) > 12


def test_the_page_has_no_code_that_there_is_not() -> None:
    codes = re.findall(r"^\| `(\w+)` \|", read_section("Errors"), re.MULTILINE)

    assert codes == list(Code)


@pytest.mark.parametrize(("title", "slug"), GAMES.items())
def test_every_game_documents_all_its_parts(title: str, slug: str) -> None:
    game = make_schema()["games"][slug]
    types = game["types"]

    assert table_of(f"{title}: options", "option") == types["Options"]["properties"].keys()
    assert table_of(f"{title}: moves", "move") == {move["$ref"].rpartition("/")[2] for move in game["moves"]}
    assert table_of(f"{title}: View", "field") == types["View"]["properties"].keys()
    assert table_of(f"{title}: Board", "field") == types["Board"]["properties"].keys()
    assert table_of(f"{title}: facts", "fact") == game["fact"]["discriminator"]["mapping"].keys()
    assert table_of(f"{title}: endings", "reason") == set(game["endings"])
    assert table_of(f"{title}: refusals", "code") == set(game["refusals"]) - TYPED_FORMULAS


@pytest.mark.parametrize(("title", "slug"), GAMES.items())
def test_the_example_of_a_view_is_one(title: str, slug: str) -> None:
    [block] = re.findall(r"^```view\n(.*?)^```$", read_section(f"{title}: Board"), re.MULTILINE | re.DOTALL)
    codec = registry.load_game(slug).codec
    view = codec.decode_view(json.loads(block))

    assert encoded(codec.encode_plain(view)) == json.loads(block)
    assert list(registry.load_game(slug).moves(view))


def test_every_page_is_listed_and_every_link_works() -> None:
    index = PATHS[0].read_text(encoding="utf-8")
    anchors = {path.name: {_anchor(heading) for heading in headings(path)} for path in PATHS}
    for target in re.findall(r"\]\(protocol/(\w+\.md#[\w-]+)\)", index):
        name, _, anchor = target.partition("#")
        assert anchor in anchors[name], target
    linked = set(re.findall(r"\(protocol/\w+\.md#([\w-]+)\)", index))
    assert {_anchor(name) for name in (*METHODS, *NOTICES)} <= linked
    assert all(f"protocol/{path.name}" in index for path in PATHS[1:])


def headings(path: Path) -> list[str]:
    return re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_the_bytes_of_the_conversation_are_the_messages() -> None:
    exchanges = re.findall(r"^[<>] ((?:[0-9a-f]{2}\s+)+)= (.*)$", code_block("conversation"), re.MULTILINE)

    assert len(exchanges) == code_block("conversation").count("  = ")
    for data, message in exchanges:
        assert msgpack.unpackb(bytes.fromhex(data)) == json.loads(message)


def test_the_bytes_of_the_conversation_are_understood_at_both_ends() -> None:
    server, client = ServerConnection(), ClientConnection()
    heard: list[Any] = []
    for way, data in re.findall(r"^([<>]) ((?:[0-9a-f]{2}\s+)+)= ", code_block("conversation"), re.MULTILINE):
        if way == ">":
            server.feed_bytes(bytes.fromhex(data))
            [(_, params)] = [*server.read_incoming()]
            client._next_msgid = msgpack.unpackb(bytes.fromhex(data))[1]
            client.call_method(params)
        else:
            client.feed_bytes(bytes.fromhex(data))
            heard += client.read_incoming()

    answers = [answer.result for answer in heard if isinstance(answer, Answer)]
    refusals = [answer.code for answer in answers if isinstance(answer, ScovilleError)]
    assert [type(answer).__name__ for answer in answers if not isinstance(answer, ScovilleError)] == [
        "HelloReply",
        "ListTablesReply",
        "SayReply",
    ]
    assert refusals == [Code.UNKNOWN_TABLE, Code.WRONG_PASSWORD]
    assert [type(notice) for notice in heard if not isinstance(notice, Answer)] == [
        EventNotice,
        LobbyChangedNotice,
        ByeNotice,
    ]


LINES, CHAT, ACCOUNTS, SETTINGS = ConnectionLimits(), ChatLimits(), AccountLimits(), Settings()


@pytest.mark.parametrize(
    ("what", "how_much"),
    [
        ("one message to the server", [LINES.message_bytes]),
        ("time for `hello`", [LINES.hello_seconds]),
        ("pending requests of one connection, such as polls", [LINES.pending_requests]),
        ("unread replies and notices", [LINES.unsent_pause // 1024, LINES.unsent_drop // 1024]),
        ("stored messages", [CHAT.lobby, CHAT.table, CHAT.whispers]),
        ("time to read the last bytes of a connection that the server closes", [LINES.closing_seconds]),
        ("a session", [ACCOUNTS.guest_token_days, ACCOUNTS.token_days, ACCOUNTS.tokens]),
        ("wrong passwords for one name from one address", [ACCOUNTS.failures, ACCOUNTS.first_wait]),
        ("log-ins from one address", [ACCOUNTS.failures_per_hour, ACCOUNTS.claims_per_hour]),
        ("SSH keys of one user", [ACCOUNTS.keys]),
        (
            "wrong codes and passwords of tables",
            [SETTINGS.guesses.per_user, SETTINGS.guesses.per_address, SETTINGS.guesses.per_table],
        ),
        (
            "tables opened by one user",
            [SETTINGS.tables_hosted, SETTINGS.table_creations, SETTINGS.table_creations_per_address],
        ),
        ("seats of one user, at games that are not over", [SETTINGS.tables_seated]),
        ("tables watched on one connection", [SETTINGS.tables_watched]),
        (
            "joining, leaving, being ready, pausing, resuming, kicking, transferring the host",
            [
                *(SETTINGS.table_actions, SETTINGS.table_actions_per_address),
                *(SETTINGS.table_actions_at_table_per_address, SETTINGS.table_actions_at_table),
            ],
        ),
        (
            "invitations",
            [
                *(SETTINGS.invitations.sent, SETTINGS.invitations.sent_per_address),
                *(SETTINGS.invitations.received_per_address, SETTINGS.invitations.received),
            ],
        ),
        ("an idle host while others wait", [SETTINGS.host_idle_seconds / 60]),
        (
            "a table is removed: nobody joins, nobody does anything, the game is over",
            [SETTINGS.unseated_seconds / 60, SETTINGS.idle_seconds / 60, SETTINGS.finished_seconds / 60],
        ),
        ("connections to one server", [LINES.total]),
    ],
)
def test_the_limits_are_the_ones_that_hold(what: str, how_much: list[float]) -> None:
    [row] = [line for line in read_section("Limits").splitlines() if line.startswith(f"| {what} |")]
    numbers = [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", row)]

    assert [number for number in numbers if number in how_much][: len(how_much)] == how_much


def test_the_paces_of_talk_are_the_ones_that_hold() -> None:
    [row] = [line for line in read_section("Limits").splitlines() if line.startswith("| chat |")]
    for what, (brief, long), (brief_there, long_there) in (
        ("messages", CHAT.messages, CHAT.messages_per_address),
        ("reactions", CHAT.reactions, CHAT.reactions_per_address),
    ):
        pace = (
            f"{brief.allowed} {what} in {brief.seconds:g} seconds and {long.allowed} in {long.seconds / 60:g} minutes"
        )
        assert f"{pace}, from one address {brief_there.allowed} and {long_there.allowed};" in row


def test_the_versions_and_limits_are_the_ones_that_hold() -> None:
    assert f"network protocol, version **{PROTOCOL}**" in PAGE
    assert f"| one message to the server | {FROM_CLIENT:,} bytes" in PAGE
    assert f"`client_settings` | {OPEN_PARAMS:,} bytes" in PAGE
