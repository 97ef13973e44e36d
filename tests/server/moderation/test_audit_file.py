"""The audit log's file: it grows, survives damage, and is read a page at a time."""

import errno
import os
from pathlib import Path

import msgspec
import pytest

from scoville_runtime.events import Events
from scoville_server.journal.base import Change, JournalError
from scoville_server.journal.files.generations import AUDIT
from scoville_server.journal.memory import MemoryJournal
from scoville_server.moderation.audit import PAGE, AuditInMemory, AuditLog
from scoville_server.moderation.audit_file import AuditFile
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support.core import code_of
from tests.support.server import Caller, toy_server


def line(why: str = "spam") -> m.AuditEntry:
    return m.AuditEntry(number=0, at_ms=1, by="Anna", action="ban", target="Zed", reason=why)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / AUDIT


async def loaded(path: Path) -> AuditFile:
    file = AuditFile(path)
    await file.load_entries()
    return file


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def content(path: Path) -> bytes:
    return path.read_bytes()


def open_to_all(path: Path) -> None:
    path.chmod(0o644)


def move_away(path: Path) -> None:
    path.rename(path.with_suffix(".old"))


def damage(path: Path, end: bytes) -> None:
    path.write_bytes(path.read_bytes() + end)


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def flip(path: Path, whole: bytes, bit: int) -> None:
    changed = bytearray(whole)
    changed[bit // 8] ^= 1 << bit % 8
    path.write_bytes(changed)


async def test_audit_lines_are_numbered_over_restarts(path: Path) -> None:
    first = await loaded(path)
    for n in range(300):
        assert (await first.add_entry(line(str(n)))).number == n + 1
    again = await loaded(path)
    assert (await again.add_entry(line("new"))).number == 301

    for file in (first, again):
        assert [each.reason for each in await file.entries_since(0, PAGE)] == [str(n) for n in range(PAGE)]
        assert [each.number for each in await file.entries_since(298, PAGE)] == [299, 300, 301]
        assert await file.entries_since(301, PAGE) == []
    assert [each.number for each in await again.entries_since(63, 3)] == [64, 65, 66]


async def test_only_the_owner_reads_the_audit_log(path: Path) -> None:
    file = await loaded(path)
    await file.add_entry(line())
    assert mode(path) == 0o600
    open_to_all(path)
    (await loaded(path)).protect_entries()
    assert mode(path) == 0o600


@pytest.mark.parametrize("end", [b'{"n":3,"at_ms":1,"by":"An', b"\xff\xfe", b"{}\n", b"\n"])
async def test_a_damaged_audit_line_harms_no_other(path: Path, end: bytes) -> None:
    file = await loaded(path)
    await file.add_entry(line("one"))
    await file.add_entry(line("two"))
    damage(path, end)

    again = await loaded(path)
    await again.add_entry(line("three"))

    kept = await (await loaded(path)).entries_since(0, PAGE)
    assert [(each.number, each.reason) for each in kept] == [(1, "one"), (2, "two"), (3, "three")]
    assert [each.reason for each in await again.entries_since(2, PAGE)] == ["three"]


async def test_a_start_notices_every_flipped_bit(path: Path) -> None:
    file = await loaded(path)
    for why in ("one", "two"):
        await file.add_entry(line(why))
    whole = content(path)
    first = whole.index(b"\n")
    for bit in range(8 * first):
        flip(path, whole, bit)
        assert [each.reason for each in await (await loaded(path)).entries_since(0, PAGE)] == ["two"], f"bit {bit}"


async def test_damaged_numbers_are_named_and_not_reused(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = await loaded(path)
    for n in range(4):
        await file.add_entry(line(str(n)))
    rows = content(path).splitlines(keepends=True)
    rows[1], rows[3] = (row.replace(b"ban", b"bad") for row in (rows[1], rows[3]))
    write(path, b"".join(rows))

    again = await loaded(path)

    [warning] = [record.getMessage() for record in caplog.records]
    assert warning == (
        f'damage path={path} reason="The audit log {path} has 2 damaged lines (lines 2, 4 of the file). '
        'They are ignored; a backup may have them."'
    )
    assert (await again.add_entry(line("new"))).number == 5
    assert [(each.number, each.reason) for each in await (await loaded(path)).entries_since(0, PAGE)] == [
        (1, "0"),
        (3, "2"),
        (5, "new"),
    ]


async def test_lines_without_checksums_are_read(path: Path) -> None:
    old = m.AuditEntry(number=7, at_ms=1, by="Anna", action="ban", target="Zed", reason=None)
    write(path, msgspec.json.encode(old) + b"\n")
    file = await loaded(path)
    await file.add_entry(line("new"))
    assert [(each.number, each.reason) for each in await file.entries_since(0, PAGE)] == [(7, None), (8, "new")]


async def test_a_refused_audit_line_leaves_its_number_free(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = await loaded(path)
    await file.add_entry(line("one"))
    before, real = content(path), os.write

    def half(descriptor: int, data: memoryview) -> int:
        if len(data) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data[: len(data) // 2])

    monkeypatch.setattr("scoville_server.moderation.audit_file.os.write", half)
    with pytest.raises(JournalError):
        await file.add_entry(line("two"))
    monkeypatch.undo()

    assert content(path) == before
    assert (await file.add_entry(line("three"))).number == 2


async def test_a_file_that_was_moved_away_is_begun_anew(path: Path) -> None:
    file = await loaded(path)
    await file.add_entry(line("one"))
    move_away(path)
    assert (await file.add_entry(line("two"))).number == 2
    assert content(path).count(b"\n") == 1
    assert [each.reason for each in await file.entries_since(0, PAGE)] == ["two"]


async def test_without_a_folder_the_latest_lines_are_kept() -> None:
    log = AuditLog(AuditInMemory(3), MemoryJournal(), Events())
    for n in range(5):
        await log.log_act(1, "Anna", "ban", str(n))
    assert [(each.number, each.target) for each in await log.list_acts(0)] == [(3, "2"), (4, "3"), (5, "4")]


async def test_lines_of_an_older_version_are_taken_over_once(path: Path) -> None:
    old = [m.AuditEntry(number=n, at_ms=1, by="Anna", action="ban", target=str(n), reason=None) for n in (7, 8)]
    journal = MemoryJournal()
    await journal.write([Change("audit", str(each.number), msgspec.msgpack.encode(each)) for each in old])
    for _ in range(2):
        log = AuditLog(AuditFile(path), journal, Events())
        await log.load_entries()
        log.restore_entries()
        await log.prepare_store()
        assert [each.target for each in await log.list_acts(0)] == ["7", "8"]


async def test_an_act_that_cannot_be_written_down_is_not_done(tmp_path: Path) -> None:
    server: Server = toy_server(Settings(admins=("Anna",), data=tmp_path / "data"))
    await server.start()
    anna = await Caller(server).hello("Anna")
    await anna.call(m.ClaimNameRequest(password="green or red?"))
    await anna.call(m.BecomeAdminRequest(code=server.admin_codes["Anna"]))
    log = (tmp_path / "data" / AUDIT).rename(tmp_path / "data" / "aside")
    (tmp_path / "data" / AUDIT).mkdir()

    assert await code_of(anna, m.BanRequest(target="Zed")) == "not_saved"

    (tmp_path / "data" / AUDIT).rmdir()
    log.rename(tmp_path / "data" / AUDIT)
    assert (await anna.call(m.BansRequest())).bans == []
    await anna.call(m.BanRequest(target="Zed"))
    assert [each.action for each in (await anna.call(m.AuditRequest())).entries] == [
        "become_admin",
        "ban name from server",
    ]
    await server.close()


@pytest.mark.parametrize(("left", "said"), [(None, "is missing, with 2 entries"), (1, "The newest 1 of 2 entries")])
async def test_a_start_notices_entries_that_are_missing(
    left: int | None, said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = tmp_path / "data"
    server: Server = toy_server(Settings(admins=("Anna",), data=data))
    await server.start()
    anna = await Caller(server).hello("Anna")
    await anna.call(m.ClaimNameRequest(password="green or red?"))
    await anna.call(m.BecomeAdminRequest(code=server.admin_codes["Anna"]))
    await anna.call(m.BanRequest(target="Zed"))
    await server.close()
    lines = (data / AUDIT).read_bytes().splitlines(keepends=True)
    (data / AUDIT).unlink()
    if left is not None:
        (data / AUDIT).write_bytes(b"".join(lines[:left]))

    again: Server = toy_server(Settings(admins=("Anna",), data=data))
    await again.start()
    assert said in caplog.text
    assert anna.welcome is not None
    back = await Caller(again).hello(token=anna.welcome.token)
    await back.call(m.BanRequest(target="Yve"))
    assert [each.number for each in (await back.call(m.AuditRequest())).entries][-1] == 3, "no number twice"
    await again.close()
