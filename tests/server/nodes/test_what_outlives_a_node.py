"""What a node leaves to the next one beside tables and rows: finished games, and the audit log."""

from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.engine import Place
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.archive.index import GameLimits
from scoville_shared.protocol import messages as m
from tests.server.tables.test_archive import export_of, played
from tests.support.core import code_of, connect_user
from tests.support.nats_server import jetstream_journal
from tests.support.server import Caller, core_of, toy_server, until


async def node(place: Place, name: str, **settings: object) -> Server:
    """Start a node, which has no folder of its own: what it finds comes from the others."""
    chosen = Settings(admins=("Anna",), table_creations=0, **settings)  # type: ignore[arg-type]
    server: Server = toy_server(chosen, jetstream_journal(place, name))
    await server.start()
    return server


async def back(server: Server, *users: Caller) -> list[Caller]:
    return [await connect_user(server, token=user.welcome.token) for user in users if user.welcome]


async def test_game_and_audit_log_are_found_at_the_next_node(nats_place: Place) -> None:
    first = await node(nats_place, "a")
    anna, ben = [await connect_user(first, name) for name in ("Anna", "Ben")]
    await anna.call(m.ClaimNameRequest(password="green or red?"))
    await anna.call(m.BecomeAdminRequest(code=first.admin_codes["Anna"]))
    await anna.call(m.BanRequest(target="Zed"))
    table = await played(first, anna, ben)
    await until(lambda: table not in core_of(first).tables)
    whole = await export_of(ben, table)
    await first.close()
    second = await node(nats_place, "b")
    anna, ben = await back(second, anna, ben)
    assert await export_of(ben, table) == whole
    assert [entry.action for entry in (await anna.call(m.AuditRequest())).entries] == [
        "become_admin",
        "ban name from server",
    ]
    await anna.call(m.BanRequest(target="Yve"))
    assert [entry.number for entry in (await anna.call(m.AuditRequest())).entries] == [1, 2, 3]
    assert core_of(second).archive is not None
    await second.close()


async def test_bounds_of_the_archive_hold_over_nodes(nats_place: Place) -> None:
    first = await node(nats_place, "a")
    users = [await connect_user(first, name) for name in ("Anna", "Ben")]
    tables = [await played(first, *users) for _ in range(3)]
    await until(lambda: not any(table in core_of(first).tables for table in tables))
    await first.close()
    second = await node(nats_place, "b", games=GameLimits(files=2))
    await core_of(second).background.finish_tasks()
    anna, _ = await back(second, *users)
    assert await code_of(anna, m.ExportRequest(table=tables[0])) == "unknown_table"
    for table in tables[1:]:
        assert await export_of(anna, table)
    await second.close()


async def test_lost_game_of_the_engine_is_reported_as_damaged(nats_place: Place) -> None:
    server = await node(nats_place, "a")
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    table = await played(server, *users)
    await until(lambda: table not in core_of(server).tables)
    games = core_of(server).journal.games  # type: ignore[attr-defined]
    await games.remove_games([f"{table}.jsonl"])
    assert await code_of(users[0], m.ExportRequest(table=table)) == "damaged_game"

    async def fail(_: str) -> bytes:
        raise JournalError("The engine of the cluster does not answer; try again in a moment.")

    games.read_game = fail
    assert await code_of(users[0], m.ExportRequest(table=table)) == "not_saved"
    await server.close()
