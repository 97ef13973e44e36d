"""docs/protocol.md lists the refusals that handlers can raise, as far as their source shows.

Beside this, every refusal that a test meets is looked up there: see `tests.support.server.Caller` and `tests/fuzz`.
"""

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import pytest

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    METHODS,
    BanRequest,
    JoinRequest,
    KickRequest,
    ListTablesRequest,
    MuteRequest,
    PingRequest,
)
from tests.server.net.doubles import connected, say
from tests.support.core import code_of, connect_user, seat_users
from tests.support.server import Caller, core_of, toy_server
from tests.support.wire_page import errors_of, is_documented

PACED = {Code.SLOW_DOWN}
REACHED: dict[str, set[Code]] = {
    **dict.fromkeys(("action", "opening", "invitation", "check_pace", "guess"), PACED),
    **dict.fromkeys(("count_message", "count_reaction"), PACED),
    **dict.fromkeys(("claim", "change_password", "add_key", "remove_key", "release", "by_password", "by_key"), PACED),
    "check_may_play": {Code.BANNED},
    "open_table": {Code.BANNED, Code.SLOW_DOWN},
    "enter": {Code.WRONG_PASSWORD, Code.KICKED, Code.SLOW_DOWN},
    "check_may_talk": {Code.MUTED},
    "welcome": {Code.BANNED},
    "find_table": {Code.UNKNOWN_TABLE},
    "visit_table": {Code.UNKNOWN_TABLE},
    "visit_to_act": {Code.UNKNOWN_TABLE, Code.SLOW_DOWN},
}
"""What the server's services refuse with, by the name of the method that a handler calls."""


def names_called_by(function: Callable[..., object], seen: set[object]) -> Iterator[str]:
    """List the functions and methods that a handler calls, also indirectly within the packages of handlers."""
    seen.add(function)
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Attribute | ast.Name):
            yield node.attr if isinstance(node, ast.Attribute) else node.id
            inner = called_in_handlers(function, ast.unparse(node).split("."))
            if inner is not None and inner not in seen:
                yield from names_called_by(inner, seen)


def called_in_handlers(function: Callable[..., object], path: list[str]) -> Callable[..., object] | None:
    """Find what a dotted name in a function means, if it is a function or a method of handlers."""
    found: Any = getattr(function, "__self__", None) if path[0] == "self" else None
    if path[0] != "self":
        found = vars(sys.modules[function.__module__]).get(path[0])
    for name in path[1:]:
        found = getattr(found, name, None)
    code = isinstance(found, FunctionType | MethodType)
    return found if code and "handlers" in found.__module__ else None


@pytest.mark.parametrize("method", METHODS)
async def test_refusals_of_a_handler_are_documented(method: str) -> None:
    server = toy_server()
    handler = core_of(server).handlers[METHODS[method].params]
    handler = handler.func if isinstance(handler, partial) else handler
    names = set(names_called_by(handler, set()))
    await server.close()
    reached = set().union(*(codes for name, codes in REACHED.items() if name in names))
    assert reached - {code for code in reached if is_documented(method, code)} == set()


def test_no_method_promises_a_missing_reply() -> None:
    assert all(errors_of(method) <= set(Code) for method in METHODS)
    assert {method for method in METHODS if Code.SLOW_DOWN in errors_of(method)} >= {"table.join", "lobby.quick_match"}


async def test_before_hello_only_ping_is_answered() -> None:
    server = toy_server()
    caller = Caller(server)
    assert (await caller.call(PingRequest(payload="there?"))).payload == "there?"
    assert await code_of(caller, ListTablesRequest()) == "hello_first"
    await server.close()


async def test_before_hello_unreadable_input_is_refused_as_usual() -> None:
    server = toy_server()
    line = connected(server, greeted=False)  # type: ignore[arg-type]
    say(line, [0, 1, "table.list", []], [0, 2, "table.dance", []], [0, 3, "table.join", [{"tabel": "x"}]])
    answers = [(message[1], message[2]["code"]) for message in line.messages()]
    assert answers == [(1, "hello_first"), (2, "unknown_method"), (3, "bad_params")]
    methods = next(message[2]["data"]["methods"] for message in line.messages() if message[1] == 2)
    assert methods == [*METHODS]
    await server.close()


@pytest.mark.parametrize(
    "params",
    [
        {"protocol": 2, "colour": "red"},
        {"protocol": 2, "name": {"given": "Anna"}},
        {"protocol": 2, "client": "x" * 1_000},
    ],
)
async def test_a_newer_client_learns_the_version(params: dict[str, Any]) -> None:
    server = toy_server()
    line = connected(server, greeted=False)  # type: ignore[arg-type]
    say(line, [0, 1, "hello", [params]], [0, 2, "hello", [{**params, "protocol": 0}]])
    assert [message[2]["code"] for message in line.messages()] == ["upgrade_server", "upgrade_client"]
    say(line, [0, 3, "hello", [{"protocol": 1, "colour": "red"}]], [0, 4, "hello", [{"colour": "red"}]])
    assert [message[2]["code"] for message in line.messages()[-2:]] == ["bad_params", "bad_params"]
    await server.close()


async def test_user_without_a_seat_learns_no_presence() -> None:
    server = toy_server()
    table, (_, ben) = await seat_users(server, "Anna", "Ben")
    zoe = await connect_user(server, "Zoe")
    for name in ("Anna", "Ben", "Zoe", "Nobody"):
        assert await code_of(zoe, KickRequest(table=table, name=name)) == "not_seated"
        assert await code_of(zoe, MuteRequest(table=table, name=name)) == "not_seated"
        assert await code_of(ben, KickRequest(table=table, name=name)) == "not_host"
        assert await code_of(ben, MuteRequest(table=table, name=name)) == "not_host"
    await server.close()


@pytest.mark.parametrize("reason", ["", "spam"])
async def test_a_ban_states_its_reason_and_end(reason: str) -> None:
    server = toy_server()
    table, _ = await seat_users(server, "Anna")
    zoe = await connect_user(server, "Zoe")
    admin = core_of(server).sessions.find_by_name("Anna")
    assert admin is not None
    await core_of(server).moderation.add_ban(admin, BanRequest(target="Zoe", scope="tables", reason=reason))
    with pytest.raises(ScovilleError) as refused:
        await zoe.call(JoinRequest(table=table))
    data = {"why": "tables", "reason": reason or None, "until_ms": None}
    assert (refused.value.code, refused.value.data) == ("banned", data)
    await server.close()
