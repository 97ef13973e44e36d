"""Exports of a server: everything is text, an import serves the same, and damage is named."""

import json
import math
import re
import struct
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_runtime.clock import SYSTEM
from scoville_server.events import Damage
from scoville_server.exports.server_export import NotPacked, export_server, import_server, pack_json, read_packed
from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.journal.files import key_file
from scoville_server.journal.snapshots import read_folder
from tests.server.cluster.test_copies import Played, alone
from tests.support.core import connect_user


def ignore(_: Damage) -> None:
    pass


def _list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
async def left(tmp_path: Path) -> Played:
    left = Played()
    await left.play_at(alone(tmp_path / "data"))
    export_server(tmp_path / "data", tmp_path / "export", ignore)
    return left


async def test_imported_server_has_everything(left: Played, tmp_path: Path) -> None:
    imported = await import_server(tmp_path / "export", tmp_path / "new", ignore)
    assert (imported.users, imported.tables, imported.games) == (2, 1, 1)
    assert key_file.load_key(tmp_path / "new").pin == key_file.load_key(tmp_path / "data").pin
    former, new = [read_folder(tmp_path / name, ignore, SYSTEM) for name in ("data", "new")]
    assert not former.find_differences(new)
    assert new.alive_ms is None
    await left.find_at(alone(tmp_path / "new"))


async def test_running_server_is_exported(tmp_path: Path) -> None:
    left = Played()
    await left.play_at(alone(tmp_path / "data"))
    server = alone(tmp_path / "data")
    await server.start()
    exported = export_server(tmp_path / "data", tmp_path / "export", ignore)
    await server.close()
    assert (exported.users, exported.tables, exported.games) == (2, 1, 1)


@pytest.mark.usefixtures("left")
async def test_nothing_is_opaque_and_nothing_is_for_others(tmp_path: Path) -> None:
    export = tmp_path / "export"
    lines = [line for path in export.rglob("*.jsonl") for line in path.read_bytes().splitlines()]
    assert len(lines) > 20
    for line in lines:
        assert b'"packed"' not in line
        json.loads(line)
    assert [path.name for path in export.rglob("*") if path.stat().st_mode & 0o077] == []
    assert not [path for path in export.rglob("*") if path.suffix not in {".jsonl", ".json", ".txt", ".key", ""}]


@pytest.mark.usefixtures("left")
async def test_summary_tells_who_played(tmp_path: Path) -> None:
    summary = (tmp_path / "export" / "summary.txt").read_text()
    assert "Anna, name claimed 20" in summary
    assert re.search(r"heap: 1\. \w+ \d+, [12]\. \w+ \d+ \(\w+\.jsonl\)", summary)
    assert "high_card: Ben, Anna (4 records)" in summary
    assert "Acts of admins in the audit log: 2" in summary


@pytest.mark.usefixtures("left")
async def test_summary_names_a_game_that_has_changed(tmp_path: Path) -> None:
    [game] = (tmp_path / "data" / "games").iterdir()
    game.write_bytes(game.read_bytes().replace(b'"Anna"', b'"Hans"'))
    export_server(tmp_path / "data", tmp_path / "again", ignore)
    summary = (tmp_path / "again" / "summary.txt").read_text()
    assert f"{game.name} is damaged: it has changed since it was written." in summary
    assert "Hans" not in summary


@pytest.mark.usefixtures("left")
async def test_changed_export_is_taken_on_purpose_only(tmp_path: Path) -> None:
    users = tmp_path / "export" / "users.jsonl"
    users.write_text(users.read_text().replace("Ben", "Bea"))
    with pytest.raises(JournalError, match=r"has changed .*: users\.jsonl\. .* use --changed"):
        await import_server(tmp_path / "export", tmp_path / "new", ignore)
    assert not (tmp_path / "new").exists()
    await import_server(tmp_path / "export", tmp_path / "new", ignore, changed=True)
    assert sorted(user.name for user in read_folder(tmp_path / "new", ignore, SYSTEM).users) == ["Anna", "Bea"]


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize("name", ["users.jsonl", "tables.jsonl", "books/accounts.jsonl", "audit.jsonl", "server.key"])
async def test_lost_file_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "export" / name).unlink()
    with pytest.raises(JournalError, match=name):
        await import_server(tmp_path / "export", tmp_path / "new", ignore)
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize(
    ("name", "line", "complaint"),
    [
        ("users.jsonl", "{", r"users\.jsonl, line 3 is damaged: Input data was truncated"),
        ("users.jsonl", '{"user": 7, "name": "Zed"}', r"users\.jsonl, line 3 is damaged: Expected `str`, got `int`"),
        (
            "tables.jsonl",
            '{"table": "t", "record": {"base64": 5}}',
            r"line 5 is damaged: bytes must be written",
        ),
        ("tables.jsonl", '{"table": "t", "record": {"base64": "é"}}', r"line 5 is damaged: base64 cannot be read"),
        ("tables.jsonl", '{"table": "t", "record": {"map": 5}}', r"line 5 is damaged: .map. must be a list of keys"),
        ("books/clock.jsonl", '{"key": "trusted", "value": 1}', r"clock\.jsonl has 'trusted' twice"),
        ("books/new.jsonl", f'{{"key": "k", "value": {2**70}}}', r"new\.jsonl, line 1 is damaged: it cannot be packed"),
    ],
)
async def test_wrong_line_is_named(tmp_path: Path, name: str, line: str, complaint: str) -> None:
    with (tmp_path / "export" / name).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(JournalError, match=complaint):
        await import_server(tmp_path / "export", tmp_path / "new", ignore, changed=True)
    assert _list_names(tmp_path) == ["data", "export"]


@pytest.mark.usefixtures("left")
async def test_folders_that_are_not_empty_stay(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="is in the data folder"):
        export_server(tmp_path / "data", tmp_path / "data", ignore)
    with pytest.raises(JournalError, match="is not empty, and stays as it is"):
        export_server(tmp_path / "data", tmp_path / "export", ignore)
    with pytest.raises(JournalError, match="already has tables or games; use --force"):
        await import_server(tmp_path / "export", tmp_path / "data", ignore)
    assert "import.part" not in _list_names(tmp_path / "data")


@pytest.mark.usefixtures("left")
async def test_second_export_leaves_the_first_alone(tmp_path: Path) -> None:
    refusals: list[str] = []

    def export_again(*_: int) -> None:
        with pytest.raises(FolderTaken) as refused:
            export_server(tmp_path / "data", tmp_path / "again", ignore)
        refusals.append(refused.value.message)

    exported = export_server(tmp_path / "data", tmp_path / "again", ignore, export_again)
    assert refusals == [f"Another copy is being written to {tmp_path / 'again'}; it is not disturbed."]
    assert (exported.users, exported.tables, exported.games) == (2, 1, 1)
    await import_server(tmp_path / "again", tmp_path / "new", ignore)
    assert _list_names(tmp_path) == ["again", "data", "export", "new"]


@pytest.mark.usefixtures("left")
async def test_second_import_leaves_the_first_alone(tmp_path: Path) -> None:
    def import_again(*_: int) -> None:
        again = import_server(tmp_path / "export", tmp_path / "new", ignore)
        with pytest.raises(FolderTaken, match="Another copy is being written"):
            again.send(None)

    imported = await import_server(tmp_path / "export", tmp_path / "new", ignore, import_again)
    assert imported.games == 1
    assert not read_folder(tmp_path / "new", ignore, SYSTEM).find_differences(
        read_folder(tmp_path / "data", ignore, SYSTEM)
    )


@pytest.mark.usefixtures("left")
async def test_folder_of_another_owner_stays(tmp_path: Path) -> None:
    for part in ("again.part", "new/import.part"):
        (tmp_path / part).mkdir(parents=True)
        (tmp_path / part / "mine").write_text("x")
    with pytest.raises(JournalError, match="is not from a copy that was interrupted; move it away"):
        export_server(tmp_path / "data", tmp_path / "again", ignore)
    with pytest.raises(JournalError, match="is not from a copy that was interrupted; move it away"):
        await import_server(tmp_path / "export", tmp_path / "new", ignore)
    for part in ("again.part", "new/import.part"):
        assert _list_names(tmp_path / part) == ["mine"]


@pytest.mark.usefixtures("left")
async def test_export_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "again.part").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalError, match="is not from a copy that was interrupted"):
        export_server(tmp_path / "data", tmp_path / "again", ignore)
    assert _list_names(tmp_path / "elsewhere") == []


@pytest.mark.usefixtures("left")
async def test_killed_copies_begin_anew(tmp_path: Path) -> None:
    for part in ("again.part", "new/import.part"):
        (tmp_path / part / "copy").mkdir(parents=True)
        (tmp_path / part / "copy" / "users.jsonl").write_text("half")
        (tmp_path / part / "UNFINISHED").write_text("")
    export_server(tmp_path / "data", tmp_path / "again", ignore)
    await import_server(tmp_path / "again", tmp_path / "new", ignore)
    assert _list_names(tmp_path) == ["again", "data", "export", "new"]
    assert "import.part" not in _list_names(tmp_path / "new")


@pytest.mark.usefixtures("left")
async def test_forced_import_replaces_another_server(tmp_path: Path) -> None:
    other = alone(tmp_path / "other")
    await other.start()
    await connect_user(other, "Zed")
    await other.close()
    former = key_file.load_key(tmp_path / "other").pin
    await import_server(tmp_path / "export", tmp_path / "other", ignore, force=True)
    assert sorted(user.name for user in read_folder(tmp_path / "other", ignore, SYSTEM).users) == ["Anna", "Ben"]
    assert key_file.load_key(tmp_path / "other").pin != former


@pytest.mark.usefixtures("left")
async def test_empty_folder_may_belong_to_a_mount(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir(mode=0o700)
    (tmp_path / "new" / "lost+found").mkdir()
    (tmp_path / "new" / "import.part").mkdir()  # of an import that was killed
    await import_server(tmp_path / "export", tmp_path / "new", ignore)
    assert "import.part" not in _list_names(tmp_path / "new")
    assert not read_folder(tmp_path / "new", ignore, SYSTEM).find_differences(
        read_folder(tmp_path / "data", ignore, SYSTEM)
    )


async def test_folder_in_use_is_not_replaced(left: Played, tmp_path: Path) -> None:
    server = alone(tmp_path / "data")
    await server.start()
    with pytest.raises(FolderTaken):
        await import_server(tmp_path / "export", tmp_path / "data", ignore, force=True)
    await server.close()
    await left.find_at(alone(tmp_path / "data"))


async def test_other_folders_are_no_exports(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="There is no export"):
        await import_server(tmp_path, tmp_path / "new", ignore)
    (tmp_path / "export.json").write_text('{"scoville_export": 2}')
    with pytest.raises(JournalError, match="newer version of Scoville"):
        await import_server(tmp_path, tmp_path / "new", ignore)
    (tmp_path / "export.json").write_text('{"scoville_export": 1, "version": 5}')
    with pytest.raises(JournalError, match="is damaged"):
        await import_server(tmp_path, tmp_path / "new", ignore)
    with pytest.raises(JournalError, match="There is no Scoville journal"):
        export_server(tmp_path, tmp_path / "new", ignore)
    assert _list_names(tmp_path) == ["export.json"]


packable = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(["base64", "map", "packed"]), inner, max_size=3)
        | st.dictionaries(st.integers(-5, 300), inner, max_size=3)
    ),
)


@given(packable)
def test_packed_value_comes_back_from_its_json(value: Any) -> None:
    packed = msgspec.msgpack.encode(value)
    written = msgspec.json.encode(read_packed(packed))
    assert pack_json(msgspec.json.decode(written)) == packed


@given(st.binary(max_size=40))
def test_other_bytes_come_back_from_their_json(packed: bytes) -> None:
    assert pack_json(msgspec.json.decode(msgspec.json.encode(read_packed(packed)))) == packed


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.0, 1e300])
def test_odd_numbers_come_back_from_their_json(value: float) -> None:
    packed = msgspec.msgpack.encode(value)
    assert pack_json(msgspec.json.decode(msgspec.json.encode(read_packed(packed)))) == packed
    assert packed == b"\xcb" + struct.pack(">d", value)


@pytest.mark.parametrize(
    "value", [{"packed": 5}, {"packed": "%"}, {"base64": None}, {"map": [[1]]}, {"map": [[[], 1]]}]
)
def test_json_of_no_value_is_refused(value: Any) -> None:
    with pytest.raises(NotPacked):
        pack_json(value)
