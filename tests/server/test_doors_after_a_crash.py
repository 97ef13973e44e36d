"""Users of doors after the server was killed: keys and resume codes still lead to their guests and seats."""

from pathlib import Path

from tests.support.accounts import ed25519_keys
from tests.support.core import DoorClient
from tests.support.process import ServerProcess

OPTIONS = ("--no-default-tables", "--doors")


def door(server: ServerProcess, **said: str) -> DoorClient:
    return DoorClient(server.data / "door.sock", server.data / "door.credential", **said)


def kept(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in data.glob("journal*"))


async def seated(client: DoorClient, name: str) -> str:
    await client.come(name)
    table: str = (await client.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
    await client.call("table.join", table=table)
    return table


async def test_after_kill_9_keys_and_codes_keep_their_seats(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, *OPTIONS)
    key = ed25519_keys().line
    await server.start()
    try:
        async with door(server, key=key) as keyed, door(server, address="192.0.2.8") as keyless:
            tables = {"Anna": await seated(keyed, "Anna"), "Ben": await seated(keyless, "Ben")}
            await keyed.call("account.save_settings", client_settings={"theme": "light"})
            code = keyless.welcome["resume_code"]
            await server.kill()
        await server.start()
        async with door(server, key=key) as anna, door(server, address="192.0.2.9", resume=code) as ben:
            for client, name in ((anna, "Anna"), (ben, "Ben")):
                await client.come()
                assert client.name == name
                listed = {table["table"]: table for table in (await client.call("table.list"))["tables"]}
                assert listed[tables[name]]["seats"][0]["name"] == name
            assert anna.welcome["client_settings"] == {"theme": "light"}
            assert ben.welcome["resume_code"] == code
    finally:
        await server.kill()


async def test_the_journal_does_not_have_the_code(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, *OPTIONS)
    await server.start()
    try:
        async with door(server) as ben:
            await seated(ben, "Ben")
            code = ben.welcome["resume_code"]
    finally:
        await server.kill()
    assert len(kept(tmp_path)) > 1000
    assert code.encode() not in kept(tmp_path)


async def test_the_credential_is_made_once_and_is_its_owners(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, *OPTIONS)
    await server.start()
    path = tmp_path / "door.credential"
    first = path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    await server.kill()
    await server.start()
    await server.kill()
    assert path.read_text() == first
    assert len(first.strip()) == 44
