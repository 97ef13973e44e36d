"""Copies between a data folder and a cluster: everything arrives, nothing is mixed, an interruption harms nothing."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_server.cluster.copies import Copied, copy_from_cluster, copy_to_cluster
from scoville_server.events import Damage
from scoville_server.identity import ServerKey
from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.journal.files import key_file
from scoville_server.journal.jetstream.copying import ClusterCopy
from scoville_server.journal.jetstream.engine import Place
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.server.tables.test_archive import export_of, played
from tests.support.core import connect_user
from tests.support.nats_server import jetstream_journal
from tests.support.server import Caller, core_of, toy_server, until

SETTINGS = Settings(admins=("Anna",), table_creations=0)


class Played:
    """What users have left at a server: a finished game, an open table, an account, a ban, a message."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.finished = self.open = ""
        self.lines: list[str] = []

    async def play_at(self, server: Server) -> None:
        await server.start()
        anna, ben = [await connect_user(server, name) for name in ("Anna", "Ben")]
        await anna.call(m.ClaimNameRequest(password="green or red?"))
        await anna.call(m.BecomeAdminRequest(code=server.admin_codes["Anna"]))
        await anna.call(m.BanRequest(target="Zed"))
        await ben.call(m.SayRequest(text="hello"))
        self.finished = await played(server, anna, ben)
        await until(lambda: self.finished not in core_of(server).tables)
        self.lines = await export_of(ben, self.finished)
        self.open = await ben.create("high_card", 2)
        for user in (ben, anna):
            await user.call(m.JoinRequest(table=self.open))
        await ben.call(m.StartRequest(table=self.open))
        self.tokens = [user.welcome.token for user in (anna, ben) if user.welcome]
        await server.close()

    async def find_at(self, server: Server) -> None:
        await server.start()
        anna, ben = [await connect_user(server, token=token) for token in self.tokens]
        assert await export_of(ben, self.finished) == self.lines
        # A node adopts its tables behind its start, and refuses what comes before with `busy`.
        await until(lambda: not core_of(server).tables.find_table(self.open).watched.awaits_adoption)
        assert (await ben.call(m.PollRequest(table=self.open))).info.status == "playing"
        assert [entry.number for entry in (await anna.call(m.AuditRequest())).entries] == [1, 2]
        assert [ban.target for ban in (await anna.call(m.BansRequest())).bans] == ["Zed"]
        await anna.call(m.BanRequest(target="Yve"))
        assert [entry.number for entry in (await anna.call(m.AuditRequest())).entries] == [1, 2, 3]
        self.tokens = [user.welcome.token for user in (anna, ben) if user.welcome]
        await server.close()


def alone(folder: Path) -> Server:
    return toy_server(replace(SETTINGS, data=folder))


def node(place: Place, key: ServerKey) -> Server:
    return toy_server(SETTINGS, jetstream_journal(place, key=key))


def ignore(_: Damage) -> None:
    pass


async def test_server_moves_into_a_cluster_and_back(nats_place: Place, tmp_path: Path) -> None:
    left = Played()
    await left.play_at(alone(tmp_path / "data"))
    shown: list[tuple[int, int]] = []
    copied = await copy_to_cluster(tmp_path / "data", nats_place, ignore, lambda *done: shown.append(done))
    assert (copied.tables, copied.games, copied.entries) == (1, 1, 2)
    assert copied.records > 3
    assert shown[-1][0] == shown[-1][1] == len(shown)
    key = key_file.load_key(tmp_path / "data")
    await left.find_at(node(nats_place, key))
    shown.clear()
    back = await copy_from_cluster(nats_place, key, tmp_path / "back", ignore, lambda *done: shown.append(done))
    assert (back.tables, back.games, back.entries) == (1, 1, 3)
    assert shown[-1][0] == shown[-1][1] == len(shown)
    assert key_file.load_key(tmp_path / "back").pin == key.pin
    again = alone(tmp_path / "back")
    await again.start()
    anna, ben = [await connect_user(again, token=token) for token in left.tokens]
    assert await export_of(ben, left.finished) == left.lines
    assert [entry.number for entry in (await anna.call(m.AuditRequest())).entries] == [1, 2, 3]
    await again.close()


async def test_tables_of_later_epochs_go_on_in_a_new_cluster(nats_place: Place, tmp_path: Path) -> None:
    left, key = Played(), ServerKey.new_key()
    for _ in range(2):
        former = node(nats_place, key)
        await former.start()
        await former.close()
    await left.play_at(node(nats_place, key))
    await copy_from_cluster(nats_place, key, tmp_path / "backup", ignore)
    new = replace(nats_place, name=f"{nats_place.name}new")
    await copy_to_cluster(tmp_path / "backup", new, ignore)
    await left.find_at(node(new, key))


async def test_cluster_that_is_not_empty_stays_as_it_is(nats_place: Place, tmp_path: Path) -> None:
    await Played().play_at(alone(tmp_path / "data"))
    key = ServerKey.new_key()
    left = Played()
    await left.play_at(node(nats_place, key))
    with pytest.raises(JournalError, match="is not empty, and stays as it is"):
        await copy_to_cluster(tmp_path / "data", nats_place, ignore)
    await left.find_at(node(nats_place, key))


async def test_folder_in_use_is_not_copied(nats_place: Place, tmp_path: Path) -> None:
    server = alone(tmp_path / "data")
    await server.start()
    with pytest.raises(FolderTaken):
        await copy_to_cluster(tmp_path / "data", nats_place, ignore)
    await server.close()
    with pytest.raises(JournalError):
        await copy_to_cluster(tmp_path / "nothing", nats_place, ignore)
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("step", ["write_table", "write_rows", "read_snapshot", "end_writing"])
async def test_interrupted_copy_keeps_nodes_out_and_begins_anew(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    left = Played()
    await left.play_at(alone(tmp_path / "data"))
    key = key_file.load_key(tmp_path / "data")

    class Killed(BaseException):
        pass

    async def kill(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(ClusterCopy, step, kill)
        with pytest.raises(Killed):
            await copy_to_cluster(tmp_path / "data", nats_place, ignore)
    early = node(nats_place, key)
    with pytest.raises(JournalError, match="A copy into this cluster is not finished"):
        await early.start()
    await early.close()
    with pytest.raises(JournalError, match="is not finished"):
        await copy_from_cluster(nats_place, key, tmp_path / "back", ignore)
    await copy_to_cluster(tmp_path / "data", nats_place, ignore)
    await left.find_at(node(nats_place, key))


async def test_copy_that_differs_is_not_used(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = Played()
    await left.play_at(alone(tmp_path / "data"))
    write = ClusterCopy.write_table

    async def lose_a_record(self: ClusterCopy, table: Any, records: Any) -> None:
        await write(self, table, records[:-1])

    monkeypatch.setattr(ClusterCopy, "write_table", lose_a_record)
    with pytest.raises(JournalError, match=f"not like its source in table {left.open}"):
        await copy_to_cluster(tmp_path / "data", nats_place, ignore)


async def test_node_that_begins_during_a_copy_spoils_it(
    nats_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await Played().play_at(alone(tmp_path / "data"))
    early = jetstream_journal(nats_place, key=key_file.load_key(tmp_path / "data"))
    await early.open()
    write = ClusterCopy.write_rows

    async def serve_during_copy(self: ClusterCopy, snapshot: Any) -> None:
        await early.take_epoch()
        await write(self, snapshot)

    monkeypatch.setattr(ClusterCopy, "write_rows", serve_during_copy)
    monkeypatch.setattr("scoville_server.journal.jetstream.mirror.Mirror.is_empty", True)
    with pytest.raises(JournalError, match="A node has begun to serve meanwhile"):
        await copy_to_cluster(tmp_path / "data", nats_place, ignore)
    await early.close()


async def test_target_folder_with_anything_in_it_stays(nats_place: Place, tmp_path: Path) -> None:
    key = ServerKey.new_key()
    await Played().play_at(node(nats_place, key))
    (tmp_path / "back").mkdir()
    (tmp_path / "back" / "mine").write_text("x")
    with pytest.raises(JournalError, match="is not empty, and stays as it is"):
        await copy_from_cluster(nats_place, key, tmp_path / "back", ignore)
    with pytest.raises(JournalError, match="The key is not that of the cluster"):
        await copy_from_cluster(nats_place, ServerKey.new_key(), tmp_path / "other", ignore)
    assert not (tmp_path / "other").exists()
    assert not (tmp_path / "other.part").exists()


async def test_unfinished_folder_is_begun_anew(nats_place: Place, tmp_path: Path) -> None:
    key = ServerKey.new_key()
    await Played().play_at(node(nats_place, key))
    (tmp_path / "back.part" / "copy").mkdir(parents=True)
    (tmp_path / "back.part" / "copy" / "journal.sqlite3").write_text("half")
    (tmp_path / "back.part" / "UNFINISHED").write_text("")
    (tmp_path / "back").mkdir()
    copied = await copy_from_cluster(nats_place, key, tmp_path / "back", ignore)
    assert copied.tables == 1
    assert not (tmp_path / "back.part").exists()


async def test_second_copy_leaves_the_first_alone(nats_place: Place, tmp_path: Path) -> None:
    key, refusals = ServerKey.new_key(), list[str]()
    await Played().play_at(node(nats_place, key))

    def copy_again(*_: int) -> None:
        with pytest.raises(JournalError) as refused:
            copy_from_cluster(nats_place, key, tmp_path / "back", ignore).send(None)
        refusals.append(refused.value.message)

    copied = await copy_from_cluster(nats_place, key, tmp_path / "back", ignore, copy_again)
    taken = f"Another copy is being written to {tmp_path / 'back'}; it is not disturbed."
    assert refusals == [taken] * (len(refusals) - 1) + [
        f"{tmp_path / 'back'} is not empty, and stays as it is; name a new folder."
    ]
    assert copied.tables == 1
    assert not (tmp_path / "back.part").exists()


async def test_folder_beside_the_target_stays(nats_place: Place, tmp_path: Path) -> None:
    key = ServerKey.new_key()
    await Played().play_at(node(nats_place, key))
    (tmp_path / "back.part").mkdir()
    (tmp_path / "back.part" / "mine").write_text("x")
    with pytest.raises(JournalError, match="is not from a copy that was interrupted; move it away"):
        await copy_from_cluster(nats_place, key, tmp_path / "back", ignore)
    assert (tmp_path / "back.part" / "mine").read_text() == "x"


async def test_altered_game_is_reported_and_left_out(nats_place: Place, tmp_path: Path) -> None:
    left, found = Played(), list[Damage]()
    await left.play_at(alone(tmp_path / "data"))
    [game] = (tmp_path / "data" / "games").iterdir()
    game.write_bytes(game.read_bytes()[:-40])
    copied = await copy_to_cluster(tmp_path / "data", nats_place, found.append)
    assert copied.games == 0
    assert [damage.reason for damage in found] == [f"The game {game.name} is altered; it is left out."]


async def test_lost_game_is_reported_and_left_out(nats_place: Place, tmp_path: Path) -> None:
    key, left, found = ServerKey.new_key(), Played(), list[Damage]()
    await left.play_at(node(nats_place, key))
    broken = ClusterCopy(nats_place, ignore)
    await broken.connect()
    await broken.games.remove_games([f"{left.finished}.jsonl"])
    await broken.close()
    copied: Copied = await copy_from_cluster(nats_place, key, tmp_path / "back", found.append)
    assert copied.games == 0
    assert [damage.reason for damage in found] == [
        f"The game {left.finished}.jsonl is lost or altered; it is left out."
    ]
    again = alone(tmp_path / "back")
    await again.start()
    assert [user for token in left.tokens for user in [await Caller(again).hello(token=token)]]
    await again.close()
