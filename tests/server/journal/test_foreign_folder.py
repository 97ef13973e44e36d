"""What root does to a folder of another user leaves it to that user."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scoville_runtime.log_setup import _open_file
from scoville_server.journal.backups.copying import back_up, restore_backup
from scoville_server.journal.backups.note import note_backup
from scoville_server.journal.key_rotation import rotate_key
from scoville_server.journal.store import Store
from scoville_server.moderation.admin_codes import FILE, CodeFile
from scoville_server.tables.archive.game_folder import GameFolder
from tests.server.journal.test_backup import data_folder, keep

pytestmark = pytest.mark.skipif(
    os.name == "nt" or os.geteuid() != 0, reason="only root can work in folders of other users; run the tests as root"
)
OWNER, GROUP = 54_321, 54_322


def start_server(data: Path, _: Path) -> None:
    """Do what a start that root makes by mistake does."""
    store = Store(data)
    keep(store, "t2", b"2")
    store.close()


def restore(data: Path, copy: Path) -> None:
    restore_backup(copy, data, force=True)


def back_up_and_note(data: Path, copy: Path) -> None:
    note_backup(data, copy, back_up(data, copy.with_name("another")), 1)


def write_files(data: Path, _: Path) -> None:
    assert asyncio.run(GameFolder(data / "games").write_game("table.jsonl", b"a game"))
    CodeFile(data / FILE).write_codes({"Anna": "1234"})
    _open_file(data / "server.log").close()


def rotate_signed(data: Path, _: Path) -> None:
    rotate_key(data, signed=True)


def rotate_unsigned(data: Path, _: Path) -> None:
    rotate_key(data, signed=False)


Act = Callable[[Path, Path], None]
ON_NOTHING: list[Act] = [start_server, restore, write_files]
ON_DATA: list[Act] = [*ON_NOTHING, back_up_and_note, rotate_signed, rotate_unsigned]


@pytest.mark.parametrize(("act", "fresh"), [*((act, True) for act in ON_NOTHING), *((act, False) for act in ON_DATA)])
def test_root_leaves_a_folder_to_its_owner(tmp_path: Path, act: Act, fresh: bool) -> None:
    back_up(data_folder(tmp_path / "other", t1=b"1"), tmp_path / "copy")
    data = tmp_path / "data"
    data.mkdir()
    if not fresh:
        restore_backup(tmp_path / "copy", data, force=False)
    for path in [data, *data.rglob("*")]:
        os.chown(path, OWNER, GROUP)
    act(data, tmp_path / "copy")
    owners = {path.relative_to(data).as_posix(): path.lstat().st_uid for path in [data, *data.rglob("*")]}
    assert {name: owner for name, owner in owners.items() if owner != OWNER} == {}
    assert len(owners) > 1
