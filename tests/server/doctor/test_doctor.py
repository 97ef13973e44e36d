"""The doctor names each prepared defect by its code, mends what can be mended, and says nothing of a healthy folder."""

import asyncio
import grp
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from scoville_runtime.clock import SYSTEM
from scoville_server.doctor.doctor import CHECKS
from scoville_server.doctor.findings import KINDS
from scoville_server.doctor.patient import meet_patient
from scoville_server.doctor.storage import check_storage
from scoville_server.journal.backups.copying import back_up, restore_backup
from scoville_server.journal.backups.note import note_backup, note_failed_backup
from scoville_server.journal.backups.series import time_name
from scoville_server.journal.base import Change, FolderTaken
from scoville_server.journal.contents import KnownTime
from scoville_server.journal.files.generations import AUDIT, JOURNAL, UNFINISHED
from scoville_server.journal.files.key_file import KEY
from scoville_server.journal.files.lock import FolderLock
from scoville_server.journal.store import Store
from scoville_server.settings.model import Settings
from scoville_server.tables.archive.archive import Creator, checksum_of
from scoville_server.tables.stopped_games import FOLDER, HungGame
from scoville_shared.games.registry import package_of
from scoville_shared.ids import TableId
from tests.support.process import first_line, port_of, run_server
from tests.support.rpc import RpcClient
from tests.support.warm_start import SERVER, WarmPopen, find_start_variables

OWNER = 54_321
_SITE = Path(msgspec.__file__).parents[1]
AS_OWNER = f"import site; site.addsitedir({str(_SITE)!r})\n{SERVER}"
"""The command for a Python that is not that of this environment."""


def find_python_for_all() -> str | None:
    """Find a Python of this version that other users may run: that of a developer may be in a closed folder."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (Path(sys.executable).resolve(), Path("/usr/bin", name), Path("/usr/local/bin", name)):
        if path.exists() and all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents, *_SITE.parents)):
            return str(path)
    return None


IS_ROOT = os.name != "nt" and os.geteuid() == 0
DAY_MS = 86_400_000
GAME = b"a finished game\n"

needs_owner = pytest.mark.skipif(
    not IS_ROOT or find_python_for_all() is None, reason="needs root, and a Python that other users may run"
)
needs_root = pytest.mark.skipif(not IS_ROOT, reason="needs files of other users, or a disk of its own; run as root")


class Case:
    """A server's folder with a game, an audit log and a backup, and a settings file; a defect is prepared in it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.data = place / "data"
        self.settings = ["port = 0", 'host = "127.0.0.1"', "default_tables = []"]
        self.code = SERVER
        self.arguments: list[str] = []
        store = Store(self.data)
        creator = msgspec.msgpack.encode(Creator(checksum=checksum_of(GAME)))
        now = msgspec.msgpack.encode(KnownTime(SYSTEM.date_ms()))
        store.commit_writes(
            [lambda s: s.write_changes([Change("games", "old.jsonl", creator), Change("clock", "trusted", now)])]
        )
        store.close()
        (self.data / "games").mkdir(mode=0o700)
        self.write_file("games/old.jsonl", GAME)
        self.write_file(AUDIT, b"")
        self.backup = place / "backups" / time_name(SYSTEM.date_ms())
        note_backup(self.data, self.backup, back_up(self.data, self.backup), SYSTEM.date_ms())

    def write_file(self, name: str, content: bytes) -> None:
        (self.data / name).write_bytes(content)
        (self.data / name).chmod(0o600)

    def change_rows(self, *changes: Change) -> None:
        store = Store(self.data)
        store.commit_writes([lambda s: s.write_changes([*changes])])
        store.close()

    def give_to_owner(self) -> None:
        for path in [self.data, *self.data.rglob("*")]:
            os.chown(path, OWNER, OWNER)

    async def start_command(self, *arguments: str, code: str = "") -> Process:
        config = self.place / "server.toml"
        config.write_text("\n".join(self.settings))
        config.chmod(0o644)
        arguments = (*arguments, "--config", str(config), "--data", str(self.data))
        if code != AS_OWNER:
            return await run_server(*arguments, code=code or self.code)
        python = find_python_for_all()
        assert python is not None
        command = [python, "-S", "-c", code]
        environment = {"HOME": "/"}
        if subprocess.Popen is WarmPopen:  # a fork has what it needs of this environment
            command = [sys.executable, "-c", SERVER]
            environment |= find_start_variables(os.environ)
        return await asyncio.create_subprocess_exec(
            *command, *arguments,
            stdout=PIPE, stderr=PIPE, user=OWNER, group=OWNER, extra_groups=[], cwd="/", env=environment,
        )  # fmt: skip

    async def ask_doctor(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        process = await self.start_command("doctor", "--json", *self.arguments, *arguments)
        out, err = await process.communicate()
        assert process.returncode is not None
        assert err == b"", err.decode()
        return process.returncode, json.loads(out)

    async def start_and_stop(self, code: str = SERVER) -> str:
        """Start the server; returns its first line, empty if it gives up."""
        process = await self.start_command(code=code)
        line = await first_line(process)
        if line:
            process.terminate()
        _, err = await process.communicate()
        return line or err.decode()


@pytest.fixture
def case() -> Iterator[Case]:
    # Not in pytest's folder, which other users cannot enter.
    place = Path(tempfile.mkdtemp(prefix="scoville-doctor-"))
    place.chmod(0o755)
    try:
        yield Case(place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


async def test_a_healthy_folder_yields_nothing(case: Case) -> None:
    process = await case.start_command("doctor")
    out, err = await process.communicate()
    assert (process.returncode, out.decode(), err) == (0, f"Nothing is wrong with {case.data}.\n", b"")


async def test_a_running_server_is_healthy_and_gets_no_guest(case: Case) -> None:
    server = await case.start_command()
    assert await first_line(server)
    before = {path.name for path in case.data.iterdir()}
    status, found = await case.ask_doctor()
    assert (status, found["findings"]) == (0, [])
    assert {path.name for path in case.data.iterdir()} == before
    server.terminate()
    await server.communicate()


async def test_a_crowd_from_one_private_address_is_named(case: Case) -> None:
    case.settings += ["[limits]", "per_address = 0"]
    server = await case.start_command()
    port = port_of(await first_line(server))
    async with AsyncExitStack() as stack:
        for number in range(10):
            client = await stack.enter_async_context(RpcClient(port))
            await client.hello(f"Guest {number}")
        status, found = await case.ask_doctor()
    assert (status, [each["code"] for each in found["findings"]]) == (1, ["proxy_hides_users"])
    server.terminate()
    await server.communicate()


# --- prepared defects -----------------------------------------------------------------------------------


def damage_journal(case: Case) -> None:
    content = bytearray((case.data / JOURNAL).read_bytes())
    content[4096 : 4096 + 512] = b"\xff" * 512
    case.write_file(JOURNAL, bytes(content))


def lose_the_log(case: Case) -> None:
    running = case.place / "running"
    store = Store(running)
    store.commit_writes([lambda s: s.appends.add_records(TableId("t2"), [b"2"])])
    shutil.rmtree(case.data)
    shutil.copytree(running, case.data, ignore=shutil.ignore_patterns("*-wal", "*-shm", "server.lock"))
    store.close()


def enable_doors(case: Case, mode: int, content: bytes = b"A" * 43 + b"=\n") -> Path:
    case.settings += ["[doors]", "enabled = true"]
    path = case.data / "door.credential"
    path.write_bytes(content)
    path.chmod(mode)
    return path


def share_credential(case: Case) -> None:
    enable_doors(case, 0o600)
    case.settings += ['group = "nogroup"', f'socket = "{case.place}/door.sock"']


def expire_certificate(case: Case) -> None:
    key, name = generate_private_key(SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.fromtimestamp(SYSTEM.date_ms() / 1000, UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=80))
        .not_valid_after(now + timedelta(days=3, hours=1))
        .sign(key, SHA256())
    )
    (case.place / "cert.pem").write_bytes(made.public_bytes(Encoding.PEM))
    case.arguments = ["--cert", str(case.place / "cert.pem")]


def interrupt_backup(case: Case) -> None:
    half = case.backup.with_name(time_name(SYSTEM.date_ms() - 2 * DAY_MS))
    half.mkdir()
    (half / UNFINISHED).touch()


def flip_backup(case: Case) -> None:
    path = case.backup / "games" / "old.jsonl"
    path.write_bytes(b"b" + GAME[1:])


def leave_generation(case: Case) -> None:
    folder = case.data / "generations" / "1"
    folder.mkdir(parents=True)
    (folder / JOURNAL).touch(mode=0o600)


def age_copy(case: Case) -> None:
    folder = case.data / "before-schema-9"
    folder.mkdir(mode=0o700)
    os.utime(folder, (0, 0))


def age_key(case: Case) -> None:
    (case.data / "LAST_BACKUP").unlink()
    os.utime(case.data / KEY, (0, 0))


def limit_files(case: Case) -> None:
    case.code = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))\n{SERVER}"


def hide_zeroconf(case: Case) -> None:
    case.settings.insert(0, "announce = true")
    case.code = f"import sys; sys.modules['zeroconf'] = None\n{SERVER}"


def move_backup(case: Case) -> None:
    case.backup.rename(case.place / "elsewhere")


def damage_row(case: Case) -> None:
    case.change_rows(Change("reports", "1", msgspec.msgpack.encode("a report")))
    with closing(sqlite3.connect(case.data / JOURNAL)) as db:
        db.execute("UPDATE books SET value = x'00' WHERE book = 'reports'")
        db.commit()


def interrupt_restore(case: Case) -> None:
    """Restore, and leave a game where a killed restore leaves it."""
    restore_backup(case.backup, case.data, force=True)
    left = case.data / "generations" / "1" / "games"
    left.mkdir(mode=0o700, exist_ok=True)
    (left / "new.jsonl").write_bytes(b"another game\n")
    (left / "new.jsonl").chmod(0o600)


def install_broken_game(case: Case) -> None:
    """Install a package whose game cannot be loaded."""
    package = case.place / "packages" / "broken_game-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-game\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[scoville.games]\nbroken = broken_game:game\n")
    case.code = f"import sys; sys.path.insert(0, {str(package.parent)!r})\n{SERVER}"


def stop_a_game(case: Case) -> None:
    """Note that a game has hung, of the package that is installed."""
    (case.data / FOLDER).mkdir(mode=0o700)
    hung = HungGame(game="no_thanks", package=str(package_of("no_thanks")), at_ms=1, where="game.py, line 3 in apply")
    case.write_file(f"{FOLDER}/STOPPED", msgspec.json.encode(hung))


def slow_the_disk(case: Case) -> None:
    """Let each synced write count as 0.3 s slower: no test can slow a disk down."""
    case.code = f"""
from scoville_server.doctor import doctor
time_sync = doctor._time_sync
doctor._time_sync = lambda file, clock: time_sync(file, clock) + 0.3
{SERVER}"""


def fail_the_unit(case: Case) -> None:
    """Let a systemctl say that the unit has failed, as on a machine with systemd."""
    program = case.place / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho LoadState=loaded; echo ActiveState=failed; echo Result=start-limit-hit\n")
    program.chmod(0o755)
    case.code = f"""
import os
os.environ["PATH"] = {str(program.parent)!r} + ":" + os.environ["PATH"]
from scoville_server.doctor import doctor
path = doctor.Path
doctor.Path = lambda name: path({str(case.place)!r} if name == "/run/systemd/system" else name)
{SERVER}"""


def spoil_certificate(case: Case) -> None:
    (case.place / "cert.pem").write_text("no certificate")
    case.arguments = ["--cert", str(case.place / "cert.pem")]


class Defect(NamedTuple):
    """How to prepare a defect, and whether --fix mends it."""

    prepare: Callable[[Case], object]
    mended: bool = False


DEFECTS: dict[str, Defect] = {
    "settings_fault": Defect(lambda case: case.settings.append("tabels = 3")),
    "setting_gone": Defect(lambda case: case.settings.insert(0, "chat.lobby = 7")),
    "extra_missing": Defect(hide_zeroconf),
    "owner_locked_out": Defect(lambda case: (case.data / AUDIT).chmod(0o000), mended=True),
    "folder_open": Defect(lambda case: case.data.chmod(0o777), mended=True),
    "file_open": Defect(lambda case: (case.data / KEY).chmod(0o644), mended=True),
    "clock_wrong": Defect(
        lambda case: case.change_rows(
            Change("clock", "trusted", msgspec.msgpack.encode(KnownTime(SYSTEM.date_ms() + DAY_MS)))
        )
    ),
    "files_limit": Defect(limit_files),
    "memory_bound": Defect(
        lambda case: case.settings.extend(["connections.total = 99", "[limits]", "memory_mib = 9_999_999"])
    ),
    "socket_unusable": Defect(lambda case: (enable_doors(case, 0o600), case.write_file("door.sock", b"in the way"))),
    "group_missing": Defect(lambda case: (enable_doors(case, 0o600), case.settings.append('group = "no such group"'))),
    "credential_open": Defect(lambda case: enable_doors(case, 0o644), mended=True),
    "credential_unreadable": Defect(share_credential, mended=True),
    "credential_damaged": Defect(lambda case: enable_doors(case, 0o600, b"short\n")),
    "certificate_ends": Defect(expire_certificate),
    "half_copy": Defect(lose_the_log),
    "journal_unusable": Defect(damage_journal),
    "backup_unfinished": Defect(lambda case: case.write_file(UNFINISHED, b"")),
    "key_unusable": Defect(lambda case: (case.data / KEY).unlink()),
    "restore_leftover": Defect(leave_generation, mended=True),
    "old_copies": Defect(age_copy),
    "games_missing": Defect(lambda case: shutil.rmtree(case.data / "games")),
    "game_damaged": Defect(lambda case: case.write_file("games/old.jsonl", b"another game\n")),
    "audit_damaged": Defect(lambda case: case.write_file(AUDIT, b'{"number":1}\n')),
    "no_backup": Defect(age_key),
    "backup_old": Defect(
        lambda case: note_backup(
            case.data, case.backup, back_up(case.data, case.place / "again"), SYSTEM.date_ms() - 5 * DAY_MS
        )
    ),
    "backup_failed": Defect(lambda case: note_failed_backup(case.data, "The disk is full.", SYSTEM.date_ms())),
    "backup_missing": Defect(move_backup),
    "backup_damaged": Defect(flip_backup),
    "backup_interrupted": Defect(interrupt_backup, mended=True),
    "rows_damaged": Defect(damage_row),
    "restore_unfinished": Defect(interrupt_restore),
    "game_left_out": Defect(install_broken_game),
    "game_stopped": Defect(stop_a_game),
    "slow_sync": Defect(slow_the_disk),
    "unit_failed": Defect(fail_the_unit),
    "certificate_unusable": Defect(spoil_certificate),
}
NEEDS_A_GROUP = {"credential_unreadable"}
ELSEWHERE = {
    "foreign_owner": "test_a_file_of_root_is_named_and_given_back",
    "file_denied": "test_a_file_of_the_settings_for_root_alone_is_named",
    "folder_unreachable": "test_a_closed_folder_above_is_named",
    "disk_low": "test_a_full_disk_is_named",
    "disk_full": "test_a_full_disk_is_named",
    "inodes_low": "test_a_disk_without_inodes_is_named",
    "port_busy": "test_a_busy_port_is_named_by_doctor_and_start",
    "proxy_hides_users": "test_a_crowd_from_one_private_address_is_named",
    "group_foreign": "test_a_server_outside_the_group_of_its_doors_is_named",
}
"""Defects that need more than a folder, with the tests that prepare them."""
OF_CLUSTERS = {"engine_unreachable", "engine_not_durable", "node_alone", "links_lost"}
"""Those of tests/server/cluster/test_waiting_host.py."""
OF_UNITS = {"unit_differs"}
"""Those of test_machine.py."""


def test_every_code_has_a_prepared_defect() -> None:
    assert {*DEFECTS, *ELSEWHERE} | OF_CLUSTERS | OF_UNITS == KINDS.keys()
    assert not DEFECTS.keys() & ELSEWHERE.keys()
    assert all(name in globals() for name in ELSEWHERE.values())
    assert {code for code, defect in DEFECTS.items() if defect.mended} | {"foreign_owner"} == {
        code for code, kind in KINDS.items() if kind.fixable
    }


@pytest.mark.parametrize("code", DEFECTS)
async def test_a_prepared_defect_is_named_and_mended(case: Case, code: str) -> None:
    if code in NEEDS_A_GROUP and not IS_ROOT:
        pytest.skip("only root can give files to any group")
    defect = DEFECTS[code]
    defect.prepare(case)
    status, found = await case.ask_doctor()
    assert status == 1
    assert [each["code"] for each in found["findings"]] == [code]
    assert found["findings"][0]["text"]
    assert found["findings"][0]["remedy"]
    assert found["findings"][0]["fixable"] == defect.mended == KINDS[code].fixable
    status, after = await case.ask_doctor("--fix")
    assert status == (0 if defect.mended else 1)
    assert [each["code"] for each in after["mended"]] == ([code] if defect.mended else [])
    if defect.mended:
        assert "listens on" in await case.start_and_stop()


@needs_owner
async def test_a_server_outside_the_group_of_its_doors_is_named(case: Case) -> None:
    shared = case.place / "shared"
    shared.mkdir()
    credential = enable_doors(case, 0o600)
    credential.rename(shared / "credential")
    case.settings += [
        f'group = "{grp.getgrgid(0).gr_name}"',
        f'socket = "{shared}/door.sock"',
        f'credential_file = "{shared}/credential"',
    ]
    case.give_to_owner()
    shared.chmod(0o777)
    (shared / "credential").chmod(0o640)
    status, found = await case.ask_doctor()
    assert (status, [each["code"] for each in found["findings"]]) == (1, ["group_foreign"])
    assert "doors.group: the server's user" in await case.start_and_stop(AS_OWNER)
    # Whatever is made in such a folder belongs to its group.
    shared.chmod(0o2777)
    assert (await case.ask_doctor())[1]["findings"] == []
    os.chown(shared / "credential", OWNER, 0)
    assert "listens on" in await case.start_and_stop(AS_OWNER)


async def test_a_restore_after_the_check_is_not_removed(case: Case) -> None:
    leave_generation(case)
    [leftover] = check_storage(meet_patient(Settings(data=case.data), ()))
    restore_backup(case.backup, case.data, force=True)  # it gets the number of the one that was killed
    assert leftover.fix is not None
    leftover.fix()
    assert "listens on" in await case.start_and_stop()


async def test_a_folder_that_is_taken_after_the_check_stays(case: Case) -> None:
    leave_generation(case)
    [leftover] = check_storage(meet_patient(Settings(data=case.data), ()))
    lock = FolderLock(case.data)
    assert leftover.fix is not None
    with pytest.raises(FolderTaken):
        leftover.fix()
    lock.release_folder()
    assert (case.data / "generations" / "1").exists()


@needs_owner
async def test_a_file_of_root_is_named_and_given_back(case: Case) -> None:
    case.give_to_owner()
    (case.data / "lost+found").mkdir(mode=0o700)  # as on a disk of its own
    assert (await case.ask_doctor())[0] == 0
    os.chown(case.data / KEY, 0, 0)
    refusal = await case.start_and_stop(AS_OWNER)
    assert "foreign_owner: " in refusal, "a start that fails prints what the doctor finds"
    assert [each["code"] for each in (await case.ask_doctor())[1]["findings"]] == ["foreign_owner"]
    assert (await case.ask_doctor("--fix"))[0] == 0
    assert "listens on" in await case.start_and_stop(AS_OWNER)


@needs_root
async def test_a_file_of_the_settings_for_root_alone_is_named(case: Case) -> None:
    secret = case.place / "password"
    secret.write_text("seven habaneros\n")
    secret.chmod(0o600)
    case.settings += ["[community]", f'password = "file:{secret}"']
    case.give_to_owner()
    status, found = await case.ask_doctor()
    assert (status, [each["code"] for each in found["findings"]]) == (1, ["file_denied"])
    assert str(secret) in found["findings"][0]["text"]
    os.chown(secret, -1, OWNER)
    secret.chmod(0o640)
    case.settings += ["[log]", f'file = "{case.place}/server.log"']
    [finding] = (await case.ask_doctor())[1]["findings"]
    assert finding["text"] == f"The user {OWNER} may not make {case.place}/server.log."
    (case.place / "server.log").touch()
    os.chown(case.place / "server.log", OWNER, OWNER)
    assert (await case.ask_doctor())[0] == 0


@needs_root
async def test_a_closed_folder_above_is_named(case: Case) -> None:
    case.give_to_owner()
    case.place.chmod(0o700)
    status, found = await case.ask_doctor()
    # The settings file is in that folder as well.
    assert (status, [each["code"] for each in found["findings"]]) == (1, ["folder_unreachable", "file_denied"])
    assert str(case.place) in found["findings"][0]["text"]


@needs_root
async def test_a_disk_without_inodes_is_named(case: Case) -> None:
    disk = case.place / "disk"
    disk.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=3g,nr_inodes=200", "scoville-test", str(disk))
    if await (await asyncio.create_subprocess_exec(*mount, stderr=DEVNULL)).wait():
        pytest.skip("this system lets its root mount nothing")
    try:
        shutil.copytree(case.data, disk / "data")
        (disk / "data").chmod(0o700)
        case.data = disk / "data"
        for number in range(os.statvfs(disk).f_favail - 5):
            (disk / str(number)).touch()
        status, found = await case.ask_doctor("--only", "disk")
        assert (status, [each["code"] for each in found["findings"]]) == (1, ["inodes_low"])
    finally:
        await (await asyncio.create_subprocess_exec("umount", str(disk))).wait()


@needs_root
@pytest.mark.parametrize(("left", "code"), [(4 << 20, "disk_low"), (1 << 19, "disk_full")])
async def test_a_full_disk_is_named(case: Case, left: int, code: str) -> None:
    disk = case.place / "disk"
    disk.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=16m", "scoville-test", str(disk))
    if await (await asyncio.create_subprocess_exec(*mount, stderr=DEVNULL)).wait():
        pytest.skip("this system lets its root mount nothing")
    try:
        shutil.copytree(case.data, disk / "data")
        (disk / "data").chmod(0o700)
        case.data = disk / "data"
        (disk / "rest").write_bytes(bytes(shutil.disk_usage(disk).free - left))
        status, found = await case.ask_doctor("--only", "disk")
        assert (status, [each["code"] for each in found["findings"]]) == (1, [code])
    finally:
        await (await asyncio.create_subprocess_exec("umount", str(disk))).wait()


async def test_a_busy_port_is_named_by_doctor_and_start(case: Case) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        case.settings[0] = f"port = {port}"
        status, found = await case.ask_doctor()
        refusal = await case.start_and_stop()
    assert (status, [each["code"] for each in found["findings"]]) == (1, ["port_busy"])
    text = found["findings"][0]["text"]
    assert f"Port {port} is in use by another program" in text
    assert refusal.count(f"Port {port} is in use") == 1
    assert f"port_busy: {text}" in refusal


async def test_an_open_folder_is_named_at_the_start(case: Case) -> None:
    case.data.chmod(0o777)
    process = await case.start_command()
    assert await first_line(process)
    process.terminate()
    _, err = await process.communicate()
    assert "folder_open" in err.decode()


async def test_wrong_usage_has_status_two(case: Case) -> None:
    for arguments in (["--only", "nothing"], ["--unknown"]):
        process = await case.start_command("doctor", *arguments)
        await process.communicate()
        assert process.returncode == 2
    case.data = case.place / "mistyped"
    process = await case.start_command("doctor")
    await process.communicate()
    assert process.returncode == 2


async def test_the_list_names_every_check(case: Case) -> None:
    process = await case.start_command("doctor", "--list")
    out, _ = await process.communicate()
    assert [line.split()[0] for line in out.decode().splitlines()] == [check.name for check in CHECKS]
