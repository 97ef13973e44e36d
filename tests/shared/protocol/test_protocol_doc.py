"""docs/protocol.md says everything that the wire says, and its examples are true."""

import json
import re
from typing import Any, get_args

import msgpack
import msgspec
import pytest

from scoville_server.accounts.model.limits import AccountLimits
from scoville_server.chat.model.limits import ChatLimits
from scoville_server.config import Settings
from scoville_server.net.limits import ConnectionLimits
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games import registry
from scoville_shared.games.dicht_dran.facts import AnyFact
from scoville_shared.games.dicht_dran.state import Board, Options, Reason, View
from scoville_shared.protocol.connection import FROM_CLIENT, Answer, ClientConnection, ServerConnection
from scoville_shared.protocol.messages import (
    METHODS,
    NOTICES,
    PROTOCOL,
    AnyTableEvent,
    BanInfo,
    ByeNotice,
    EventNotice,
    GameInfo,
    KeyInfo,
    LobbyChangedNotice,
    MessageInfo,
    PastGame,
    RateLimit,
    Rating,
    SeatInfo,
    ServerLimits,
    SessionInfo,
    TableClock,
    TableInfo,
    TableSettings,
    TableSnapshot,
    UnknownEvent,
    UserInfo,
)
from tests.support.wire_page import PAGE, code_block, section


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
        UserInfo,
        TableInfo,
        TableSettings,
        TableClock,
        SeatInfo,
        TableSnapshot,
        KeyInfo,
        SessionInfo,
        MessageInfo,
        Rating,
        PastGame,
        BanInfo,
        ServerLimits,
        RateLimit,
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


def test_the_bytes_of_the_conversation_are_understood_at_both_ends() -> None:
    server, client = ServerConnection(), ClientConnection()
    heard: list[Any] = []
    for way, data in re.findall(r"^([<>]) ((?:[0-9a-f]{2}\s+)+)= ", code_block("conversation"), re.MULTILINE):
        if way == ">":
            server.feed(bytes.fromhex(data))
            [(_, params)] = [*server.incoming()]
            client._next = msgpack.unpackb(bytes.fromhex(data))[1]
            client.call(params)
        else:
            client.feed(bytes.fromhex(data))
            heard += client.incoming()

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
        ("requests of one connection that wait for something, such as a poll", [LINES.pending_requests]),
        ("unread answers and notices", [LINES.unsent_pause // 1024, LINES.unsent_drop // 1024]),
        ("lines that are kept", [CHAT.lobby, CHAT.table, CHAT.whispers]),
        ("time for reading the last bytes of a connection that the server closes", [LINES.closing_seconds]),
        ("a token", [ACCOUNTS.guest_token_days, ACCOUNTS.token_days, ACCOUNTS.tokens]),
        ("wrong passwords for one name from one address", [ACCOUNTS.failures, ACCOUNTS.first_wait]),
        ("log-ins from one address", [ACCOUNTS.failures_per_hour, ACCOUNTS.claims_per_hour]),
        ("keys of one person", [ACCOUNTS.keys]),
        (
            "wrong codes and passwords of tables",
            [SETTINGS.guesses, SETTINGS.guesses_per_address, SETTINGS.guesses_at_table],
        ),
        (
            "tables opened by one person",
            [SETTINGS.tables_hosted, SETTINGS.table_creations, SETTINGS.table_creations_per_address],
        ),
        ("seats of one person", [SETTINGS.tables_seated]),
        ("tables watched on one connection", [SETTINGS.tables_watched]),
        (
            "sitting down, getting up, being ready, pausing and going on, kicking, making somebody the host",
            [
                *(SETTINGS.table_actions, SETTINGS.table_actions_per_address),
                *(SETTINGS.table_actions_at_table_per_address, SETTINGS.table_actions_at_table),
            ],
        ),
        (
            "invitations",
            [
                *(SETTINGS.invitations, SETTINGS.invitations_per_address),
                *(SETTINGS.invitations_received_per_address, SETTINGS.invitations_received),
            ],
        ),
        ("a host who does nothing while others wait", [SETTINGS.host_idle_seconds / 60]),
        (
            "a table at which nobody sits, nobody does anything, the game is over",
            [SETTINGS.unseated_seconds / 60, SETTINGS.idle_seconds / 60, SETTINGS.finished_seconds / 60],
        ),
        ("connections to one server", [LINES.total]),
    ],
)
def test_the_limits_are_the_ones_that_hold(what: str, how_much: list[float]) -> None:
    [told] = [line for line in section("Limits").splitlines() if line.startswith(f"| {what} |")]
    numbers = [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", told)]

    assert [number for number in numbers if number in how_much][: len(how_much)] == how_much


def test_the_paces_of_talk_are_the_ones_that_hold() -> None:
    [told] = [line for line in section("Limits").splitlines() if line.startswith("| talking |")]
    for what, (brief, long), (brief_there, long_there) in (
        ("lines", CHAT.messages, CHAT.messages_per_address),
        ("reactions", CHAT.reactions, CHAT.reactions_per_address),
    ):
        pace = (
            f"{brief.allowed} {what} in {brief.seconds:g} seconds and {long.allowed} in {long.seconds / 60:g} minutes"
        )
        assert f"{pace}, of one address {brief_there.allowed} and {long_there.allowed};" in told


def test_the_versions_and_limits_are_the_ones_that_hold() -> None:
    assert f"`protocol` is **{PROTOCOL}**" in PAGE
    assert f"| one message to the server | {FROM_CLIENT:,} bytes" in PAGE


def test_the_example_program_is_a_program() -> None:
    compile(code_block("python"), "docs/protocol.md", "exec")
