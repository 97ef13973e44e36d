"""The contracts of every implementation of `GameStore` and `AuditStore`."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server.events import Damage
from scoville_server.journal.base import Deposed, JournalError
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.messages import escape_token
from scoville_server.journal.jetstream.stores import AUDIT, SUFFIX, AuditStream
from scoville_server.journal.stores import AuditStore, GameFile, GameStore
from scoville_server.moderation.audit import AuditInMemory
from scoville_server.moderation.audit_file import AuditFile
from scoville_server.tables.archive.game_folder import GameFolder
from scoville_shared.protocol.messages import AuditEntry
from tests.server.journal.test_jetstream import remove_message
from tests.support.nats_server import BINARY, MISSING, NatsServer, jetstream_journal

Serve = Callable[[], Awaitable[JetStreamJournal]]
GamesAgain = Callable[[], Awaitable[GameStore]]
AuditAgain = Callable[[], Awaitable[AuditStore]]


@pytest.fixture
async def serve(request: pytest.FixtureRequest) -> AsyncIterator[Serve]:
    """Returns the journal of a node that begins to serve."""
    made: list[JetStreamJournal] = []

    async def begin() -> JetStreamJournal:
        journal = jetstream_journal(request.getfixturevalue("nats_place"))
        made.append(journal)
        await journal.open()
        await journal.take_epoch()
        return journal

    yield begin
    for each in made:
        await each.close()


@pytest.fixture(params=["folder", "jetstream"])
def games_again(request: pytest.FixtureRequest, tmp_path: Path, serve: Serve) -> GamesAgain:
    """Returns the store of the next run."""

    async def again() -> GameStore:
        return GameFolder(tmp_path / "games") if request.param == "folder" else (await serve()).games

    return again


@pytest.fixture(params=["memory", "file", "jetstream"])
def audit_again(request: pytest.FixtureRequest, tmp_path: Path, serve: Serve) -> AuditAgain:
    """Returns the store of the next run, loaded; that in memory is the same one."""
    memory = AuditInMemory(1_000)

    async def again() -> AuditStore:
        stores: dict[str, Callable[[], AuditStore]] = {
            "memory": lambda: memory,
            "file": lambda: AuditFile(tmp_path / "audit.jsonl"),
        }
        store = stores[request.param]() if request.param in stores else (await serve()).audit
        await store.load_entries()
        return store

    return again


def noisy(size: int) -> bytes:
    """Return bytes that hardly get smaller when they are compressed."""
    return Random(size).randbytes(size)


# --- finished games -------------------------------------------------------------------------------------


async def test_game_is_read_as_it_was_written(games_again: GamesAgain) -> None:
    games = await games_again()
    contents = {"t1.jsonl": b"a game\n", "t1-2.jsonl": noisy(1_500_000), "t-ü 3.jsonl": b""}
    for name, content in contents.items():
        assert await games.write_game(name, content)
    later = await games_again()
    for name, content in contents.items():
        assert await later.read_game(name) == content
    noted = {name: len(content) for name, content in contents.items()}
    assert {*await later.find_games(noted)} == {GameFile(name, size) for name, size in noted.items()}
    assert not later.is_missing()


async def test_same_game_may_be_written_again_and_another_not(games_again: GamesAgain) -> None:
    games = await games_again()
    for store in (games, await games_again()):
        assert await store.write_game("t1.jsonl", b"one")
        assert not await store.write_game("t1.jsonl", b"other")
        assert await store.read_game("t1.jsonl") == b"one"


async def test_removed_game_is_gone_and_its_name_free(games_again: GamesAgain) -> None:
    games = await games_again()
    for name in ("t1.jsonl", "t2.jsonl"):
        await games.write_game(name, b"one")
    await games.remove_games(["t1.jsonl", "unknown.jsonl"])
    assert await games.write_game("t1.jsonl", b"other")
    assert await games.read_game("t1.jsonl") == b"other"
    assert await games.read_game("t2.jsonl") == b"one"


async def test_former_node_removes_no_games(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    former = await serve()
    await former.games.write_game("t1.jsonl", b"one")
    later = await serve()
    await former.games.remove_games(["t1.jsonl"])
    assert await later.games.read_game("t1.jsonl") == b"one"
    assert "Another server process serves now" in caplog.text


async def test_game_that_the_engine_has_damaged_is_not_returned(serve: Serve) -> None:
    journal = await serve()
    for name in ("t1.jsonl", "t2.jsonl"):
        await journal.games.write_game(name, noisy(1_500_000))
    engine = Engine(files_of(journal))
    await engine.connect()
    parts = [message async for message in engine.read_from(1, f"p.{escape_token('t1.jsonl')}.>")]
    headers = [message async for message in engine.read_from(1, f"g.{escape_token('t2.jsonl')}")]
    await engine.close()
    assert len(parts) > 1
    for message in (parts[1], headers[0]):
        await remove_message(files_of(journal), message.sequence)
    for name in ("t1.jsonl", "t2.jsonl"):
        assert await journal.games.read_game(name) == b""


def files_of(journal: JetStreamJournal) -> Place:
    place = journal._engine.place
    return Place(servers=place.servers, name=place.name + SUFFIX, replicas=1)


# --- the audit log --------------------------------------------------------------------------------------


def entry(at_ms: int = 1, why: str = "spam") -> AuditEntry:
    return AuditEntry(number=0, at_ms=at_ms, by="Anna", action="ban", target="Zed", reason=why)


async def numbers(store: AuditStore, since: int = 0, most: int = 200) -> list[int]:
    return [each.number for each in await store.entries_since(since, most)]


async def test_entries_are_numbered_over_runs(audit_again: AuditAgain) -> None:
    first = await audit_again()
    assert await numbers(first) == []
    for n in range(130):
        assert (await first.add_entry(entry(n, str(n)))).number == n + 1
    again = await audit_again()
    assert again.latest_number == 130
    assert (await again.add_entry(entry(why="new"))).number == 131
    assert await numbers(again, 63, 3) == [64, 65, 66]
    assert await numbers(again, 128) == [129, 130, 131]
    assert await numbers(again, 131) == []
    assert [each.reason for each in await again.entries_since(130, 9)] == ["new"]


async def test_noted_numbers_are_not_used_again(audit_again: AuditAgain) -> None:
    store = await audit_again()
    await store.add_entry(entry())
    if isinstance(store, AuditInMemory):
        return  # it starts empty with every run, and so does what is noted
    store.continue_after(7)
    assert (await store.add_entry(entry())).number == 8


async def test_old_entries_are_deleted_but_not_the_newest(audit_again: AuditAgain) -> None:
    store = await audit_again()
    for at_ms in range(200):
        await store.add_entry(entry(at_ms))
    await store.delete_older(150)
    assert await numbers(store, 0, 3) == [151, 152, 153]
    await store.delete_older(1_000)
    assert await numbers(store, 0, 3) == [200]
    again = await audit_again()
    assert (await again.add_entry(entry(5))).number == 201


async def test_entry_of_a_former_node_keeps_its_number(serve: Serve) -> None:
    former = await serve()
    await former.audit.load_entries()
    later = await serve()
    await later.audit.load_entries()
    assert (await former.audit.add_entry(entry(why="former"))).number == 1
    assert (await later.audit.add_entry(entry(why="later"))).number == 2
    with pytest.raises(Deposed):
        await former.audit.add_entry(entry(why="refused"))
    with pytest.raises(Deposed):
        await former.audit.delete_older(1_000)
    assert [each.reason for each in await later.audit.entries_since(0, 9)] == ["former", "later"]


async def test_hole_in_the_audit_log_is_reported_once(serve: Serve) -> None:
    journal = await serve()
    reported: list[Damage] = []
    audit = AuditStream(
        journal._files, Insistence(journal._files, SYSTEM), journal.confirm_epoch, reported.append, SYSTEM
    )
    for n in range(5):
        await audit.add_entry(entry(why=str(n)))
    messages = [message async for message in journal._files.read_from(1, AUDIT)]
    await remove_message(files_of(journal), messages[2].sequence)
    for _ in range(2):
        assert await numbers(audit) == [1, 2, 4, 5]
    assert [damage.reason for damage in reported] == ["Entries before number 4 of the audit log are missing."]


async def test_engine_that_is_gone_refuses_an_entry(tmp_path: Path) -> None:
    if not BINARY.exists():
        pytest.skip(MISSING)
    server = NatsServer(tmp_path)
    journal: Any = JetStreamJournal(
        Engine(server.place()), jetstream_journal(server.place())._terms._replace(insist_seconds=0.1)
    )
    await journal.open()
    await journal.take_epoch()
    await journal.audit.load_entries()
    server.kill()
    with pytest.raises(JournalError):
        await journal.audit.add_entry(entry())
    with pytest.raises(JournalError, match="try again in a moment"):
        await journal.games.read_game("t1.jsonl")
    await journal.close()
