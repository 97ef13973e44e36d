"""What an earlier run has left behind is deleted by the node that serves, and by no start."""

import asyncio
from pathlib import Path

from msgspec import msgpack

from scoville_server.accounts.doors.client_settings import SavedSettings
from scoville_server.accounts.model.account import UserSession
from scoville_server.accounts.users import UserWarnings
from scoville_server.chat.model.messages import ChatMessage, at_table, whispers_of
from scoville_server.chat.silence import Muted
from scoville_server.journal.base import Change
from scoville_server.journal.memory import MemoryJournal
from scoville_server.moderation.admins import ConfiguredAdmin, WarningsOfUser
from scoville_server.players.model.career import Career
from scoville_server.puzzles.model import PuzzlePlayer
from scoville_server.settings.model import Settings
from scoville_server.tables.archive.archive import BOOK, Creator
from scoville_server.tables.calendars import Calendar
from scoville_server.tables.digests import Digest
from scoville_server.tables.model.vacation import Vacations
from scoville_shared.ids import UserId
from tests.support import virtual_time
from tests.support.server import CHEAP_HASHING, core_of, toy_server
from tests.support.virtual_time import in_virtual_time

GONE = UserId("gone")


def left_behind() -> list[Change]:
    """Rows of a table, a user, a configured name and a file that do not exist any more."""
    times = {"created_ms": 0, "used_ms": 0, "expires_ms": 0}
    session = UserSession(user=GONE, id="1", client="", origin="guest", secret=b"", step=0, mark=b"", **times)
    rows = {
        ("mutes", f"table/{GONE}"): Muted(),
        ("admins.named", "carla"): ConfiguredAdmin(GONE),
        ("sessions", "key"): session,
        (BOOK, "gone.jsonl"): Creator("user"),
        ("calendars", "hash"): Calendar(user=GONE, language="en", since_ms=0),
        ("digests", GONE): Digest(url="https://hooks.example/gone", signing_key="k", since_ms=0),
        ("vacations", GONE): Vacations(),
        ("client_settings", GONE): SavedSettings(packed=b""),
        ("puzzles.players", GONE): PuzzlePlayer(),
        ("moderation.warnings", GONE): WarningsOfUser(),
        ("warnings", GONE): UserWarnings(),
        ("careers", GONE): Career(since_ms=0),
    }
    for channel in (at_table("gone"), whispers_of(GONE)):
        message = ChatMessage(n=1, channel=channel, at_ms=0, by=GONE, name="Gone", text="hi")
        rows["chat", message.key] = message
    return [Change(book, key, msgpack.encode(value)) for (book, key), value in rows.items()]


def keys_in(journal: MemoryJournal) -> set[tuple[str, str]]:
    books = {change.book for change in left_behind()}
    return {(book, key) for book in books for key in journal._books.get(book, {})}


def folder_of_games(path: Path) -> Path:
    (path / "games").mkdir(parents=True)
    return path


@in_virtual_time
async def test_start_deletes_nothing_before_it_serves(tmp_path: Path) -> None:
    journal = MemoryJournal()
    await journal.write(left_behind())
    before = keys_in(journal)
    settings = Settings(accounts=CHEAP_HASHING, data=folder_of_games(tmp_path))
    server = toy_server(settings, journal=journal, clock=virtual_time.make_clock())
    await core_of(server).open_journal()
    await core_of(server).restore_services()
    await asyncio.sleep(5)
    assert keys_in(journal) == before
    await core_of(server).prepare_folder()
    core_of(server).start_activity(0)
    await asyncio.sleep(5)
    assert keys_in(journal) == set()
