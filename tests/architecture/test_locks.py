"""No user waits under a lock for another user: an `await` while a lock is held needs a reason here."""

import ast
from collections.abc import Callable, Iterator
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

SHARED_KEYS = {
    "background/gathered_changes.py::_write_waiting": "all who wait for the row are written together",
    "puzzles/service.py::_note_figures": "the first to hold it writes for all who wait",
    "puzzles/service.py::find_daily": "one write a day, which all wait for",
    "daily/days.py::change_day": "what the server itself does at the times of a day",
    "tables/archive/archive.py::_keep_game": "the file of one table: a retry may meet the first attempt",
    "tournaments/book.py::create_tournament": "rare: 20 tournaments are open at most, one of each user",
    "tournaments/book.py::drop_tournament": "a tournament that is over and goes",
    "tournaments/service.py::_advance_tournament": "what the server itself does when something is due, in a few writes",
    "tournaments/tables.py::is_settled": "no write: the wait for one that runs",
    "clubs/agenda.py::is_settled": "no write: the wait for one that runs",
    "clubs/service.py::create_club": "rare: a user founds two clubs a day, an address ten",
    "clubs/service.py::_make_room": "a club that nobody is in but its founder",
}
"""Where the key of `KeyedLocks` is not that of the user alone, or of the players of a table, and who waits for whom.

A change by users of a row that they share goes through `GatheredChanges`: a hundred who enter a tournament at once
would otherwise wait for a hundred writes.
"""

OWN_KEYS = {"user", "user.id", "owner", "other.id", "opened.user", "players_of(table)"}
"""What the key of one user is called."""

NO_LOCK_OF_OTHERS = {"hold_keys", "limit"}
"""The method of `KeyedLocks`, which is checked by its keys, and that of `Clock`, which limits a time."""


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


def shared_keys(source: str) -> Iterator[str]:
    """Name the functions that hold keys of `KeyedLocks` which are not those of one user."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr == "hold_keys" and isinstance(node, ast.Call):
                [keys] = node.args
                names = [ast.unparse(key) for key in keys.elts] if isinstance(keys, ast.List) else [ast.unparse(keys)]
                if not {*names} <= OWN_KEYS:
                    yield function.name


def find_in_server(search: Callable[[str], Iterator[str]]) -> set[str]:
    """Return the functions of the server that a search finds, by file and name."""
    return {
        f"{path.relative_to(SERVER)}::{name}"
        for path in SERVER.rglob("*.py")
        for name in search(path.read_text(encoding="utf-8"))
    }


def test_no_user_waits_under_a_lock_for_another() -> None:
    assert find_in_server(awaits_under_lock) == {*ALLOWED} | {"background/keyed_locks.py::hold_keys"}


def test_keys_that_users_share_have_a_reason() -> None:
    assert find_in_server(shared_keys) == {*SHARED_KEYS}


def test_keys_that_users_share_are_found() -> None:
    held = "async def enter(self):\n    async with self._locks.hold_keys([user.id]):\n        await self.save()\n"
    assert [*shared_keys(held)] == []
    assert [*shared_keys(held.replace("[user.id]", "[number]"))] == ["enter"]
    assert [*shared_keys(held.replace("[user.id]", "[user.id, club_id]"))] == ["enter"]


def test_an_await_under_a_lock_is_found() -> None:
    held = "async def seat(self):\n    async with self._lock:\n        x = 1\n        await self.save()\n"
    assert [*awaits_under_lock(held)] == ["seat"]
    assert [*awaits_under_lock(held.replace("await self.save()", "self.count()"))] == []
    assert [*awaits_under_lock(held.replace("self._lock", "self._locks.hold_keys([user])"))] == []
    assert [*awaits_under_lock(held.replace("self._lock", "self._clock.limit(9.0)"))] == []
    assert [*awaits_under_lock("async def seat(self):\n    await self._lock.acquire()\n")] == ["seat"]
