"""One's own data: all of them in an export, and none of them left where an account was deleted."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest

from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.journal.backups.copying import back_up
from scoville_server.journal.base import StoredUser
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.journal.store import Store
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import (
    ClaimNameRequest,
    DeleteAccountRequest,
    ExportAccountReply,
    ExportAccountRequest,
    IgnoreRequest,
    ReportRequest,
    SaveSettingsRequest,
    SayRequest,
)
from tests.support.server import Caller, toy_shelf

SECRET, WHISPER, SAID = "correct horse battery", "the safe is behind the picture", "good evening to all"
ADDRESS = "203.0.113.77"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    cheap = AccountLimits(hashing=Hashing(memory_kib=8, passes=1))
    server = Server(Settings(data=tmp_path / "data", accounts=cheap), toy_shelf())
    await server.start()
    yield server
    await server.close()


async def active_user(server: Server) -> Caller:
    """Return a user who does everything of which something is kept."""
    anna = Caller(server, f"{ADDRESS}:5000")
    anna.peer.secure = True
    await anna.hello("Annegret")
    ben = await Caller(server).hello("Ben")
    await anna.call(ClaimNameRequest(password=SECRET))
    await anna.call(SaveSettingsRequest(client_settings={"theme": "sunset-of-anna"}))
    await anna.call(SayRequest(text=SAID))
    await ben.call(SayRequest(text=WHISPER, to="Annegret"))
    await anna.call(IgnoreRequest(name="Ben"))
    await anna.call(ReportRequest(name="Ben", text="He is rude."))
    return anna


async def test_export_has_everything(server: Server) -> None:
    anna = await active_user(server)
    export: ExportAccountReply = await anna.call(ExportAccountRequest())
    assert export.claimed
    assert export.client_settings == {"theme": "sunset-of-anna"}
    assert {message.text for message in export.messages} == {SAID, WHISPER}
    assert (export.ignored_names, [report.text for report in export.reports]) == (["Ben"], ["He is rude."])


async def test_export_has_no_secret(server: Server) -> None:
    anna = await active_user(server)
    assert anna.welcome is not None
    text = msgspec.json.encode(await anna.call(ExportAccountRequest())).decode()
    for secret in (SECRET, anna.welcome.token, "argon2", ADDRESS):
        assert secret not in text


async def test_export_has_nothing_of_others(server: Server) -> None:
    await active_user(server)
    ben = Caller(server)
    await ben.hello("Berta")
    export: ExportAccountReply = await ben.call(ExportAccountRequest())
    assert (export.messages, export.reports, export.ignored_names) == ([], [], [])


async def test_deleted_account_leaves_only_what_the_page_lists(server: Server, tmp_path: Path) -> None:
    anna = await active_user(server)
    journal = server._services.journal
    user = server._services.sessions.find_by_name("Annegret")
    assert user is not None
    hashed = server._services.users.claims.known_account(user.id).password
    gone = [each.encode() for each in (SECRET, hashed, "sunset-of-anna", ADDRESS)]
    assert isinstance(journal, SqliteJournal)
    await anna.call(DeleteAccountRequest())
    await server._services.background.finish_tasks()  # the last deletions, which nobody waits for
    back_up(tmp_path / "data", tmp_path / "backup")
    await server.close()
    for folder in ("data", "backup"):
        found = {
            (path.name, trace) for path, content in contents(tmp_path / folder) for trace in gone if trace in content
        }
        assert found == set()
    rows = list(rows_with(tmp_path / "data", "Annegret", user.id))
    # docs/accounts.md, Deletion: the name is kept for a while, and what others have of the user.
    assert {book for book, _ in rows} <= {"chat", "claims", "names.retired", "reports"}


def test_quiet_journal_has_no_trace_of_a_deleted_user(tmp_path: Path) -> None:
    store = Store(tmp_path / "data")
    store.load_rows()
    known = StoredUser(user=UserId("u-traceable-id"), name="Annegret")
    store.commit_writes([lambda statements: statements.put_user(known)])
    store.commit_writes([lambda statements: statements.delete_user(known.user)])
    store.fold_log()
    files = dict(contents(tmp_path / "data"))
    assert [path.name for path, content in files.items() if b"Annegret" in content] == []
    store.close()


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield every file of a folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()


def rows_with(folder: Path, *texts: str) -> Iterator[tuple[str, bytes]]:
    """Yield the rows of the journal in which a text is, by the name of their book or table."""
    import sqlite3

    [path] = folder.rglob("journal.sqlite3")
    with sqlite3.connect(path) as db:
        for table in ("users", "records", "books"):
            for row in db.execute(f"SELECT * FROM {table}"):
                packed = b"\n".join(each if isinstance(each, bytes) else str(each).encode() for each in row)
                if any(text.encode() in packed for text in texts):
                    yield str(row[0]) if table == "books" else table, packed
