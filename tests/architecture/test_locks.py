"""No user waits under a lock for another user: an `await` while a lock is held needs a reason here."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "scoville_server"

ALLOWED = {
    "background/keyed_locks.py::_hold_key": "the lock of one key, for which alone others wait",
    "journal/jetstream/stores.py::_add_locked": "acts of admins, as in a file",
    "moderation/audit_file.py::_add_locked": "acts of admins: one follows the other, each with its number, in a file",
    "moderation/audit_file.py::_delete_locked": "one file, rewritten once an hour by nobody's request",
    "moderation/service.py::add_ban": "acts of admins, which are rare and change one list",
    "moderation/service.py::lift_ban": "acts of admins, which are rare and change one list",
    "moderation/service.py::appoint_admin": "acts of admins, which are rare and change one list",
    "moderation/service.py::appoint_moderator": "acts of admins, which are rare and change one list",
    "moderation/service.py::resolve_report": "acts of admins, which are rare and change one list",
    "server.py::reload": "two reloads, which change the same settings one after the other; no user waits for them",
    "server.py::close": "no lock, but a list of what is closed at the end",
    "background/safe_post.py::post_body": "a bound of 16 requests to receivers, five seconds each; moves wait for none",
    "moderation/admin_codes.py::use_code": "a code is for one admin: of two who show it, one gets in",
}
"""Where a lock is held across an await, and why nobody else waits for that."""

NO_LOCK_OF_OTHERS = {"hold_keys", "limit"}
"""The method of `KeyedLocks`, whose lock is that of one user or one table, and that of `Clock`, which limits a time."""


def awaits_under_lock(source: str) -> Iterator[str]:
    """Name the functions that await anything inside an `async with`, which in the server is a lock, or acquire one."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.AsyncWith) and not all(_is_harmless(item.context_expr) for item in node.items):
                if any(_awaits(inner) for statement in node.body for inner in ast.walk(statement)):
                    yield function.name
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "acquire":
                yield function.name


def _is_harmless(context: ast.expr) -> bool:
    called = context.func if isinstance(context, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in NO_LOCK_OF_OTHERS


def _awaits(node: ast.AST) -> bool:
    return isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith | ast.Yield)


def test_no_user_waits_under_a_lock_for_another() -> None:
    found = {
        f"{path.relative_to(SERVER)}::{name}"
        for path in SERVER.rglob("*.py")
        for name in awaits_under_lock(path.read_text(encoding="utf-8"))
    }
    assert found == {*ALLOWED} | {"background/keyed_locks.py::hold_keys"}


def test_an_await_under_a_lock_is_found() -> None:
    held = "async def seat(self):\n    async with self._lock:\n        x = 1\n        await self.save()\n"
    assert [*awaits_under_lock(held)] == ["seat"]
    assert [*awaits_under_lock(held.replace("await self.save()", "self.count()"))] == []
    assert [*awaits_under_lock(held.replace("self._lock", "self._locks.hold_keys([user])"))] == []
    assert [*awaits_under_lock(held.replace("self._lock", "self._clock.limit(9.0)"))] == []
    assert [*awaits_under_lock("async def seat(self):\n    await self._lock.acquire()\n")] == ["seat"]
