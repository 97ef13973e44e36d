"""A group of users may open the doors' socket and read their credential where the host says so."""

import os
import stat
from pathlib import Path

import pytest

from scoville_server.journal.base import JournalError
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.net.doors.unix_socket import SocketError, find_group, share_with_group
from scoville_server.server import Server
from scoville_server.settings.model import Settings

grp = pytest.importorskip("grp", reason="this system has no groups of users")


def group_of_another() -> str:
    """Name a group that this user may give files to: root any, others one of theirs."""
    if os.geteuid() == 0:
        return str(next(each.gr_name for each in grp.getgrall() if each.gr_gid))
    return str(grp.getgrgid(os.getgroups()[-1]).gr_name)


def settings(data: Path, group: str) -> Settings:
    return Settings(data=data, default_tables=(), doors=DoorSettings(enabled=True, group=group))


def modes(data: Path) -> dict[str, tuple[int, int]]:
    found = {name: (data / name).stat() for name in ("door.sock", "door.credential")}
    return {name: (stat.S_IMODE(each.st_mode), each.st_gid) for name, each in found.items()}


async def test_a_group_may_use_the_socket_and_the_credential(tmp_path: Path) -> None:
    name = group_of_another()
    number = find_group(name)
    for _ in range(2):  # a second start takes nothing back
        server = Server(settings(tmp_path / "data", name))
        await server.start()
        assert modes(tmp_path / "data") == {"door.sock": (0o660, number), "door.credential": (0o640, number)}
        await server.close()


def test_a_file_of_the_right_group_is_left_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service may be kept from giving files away, also to a group that has them."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    file = tmp_path / "door.credential"
    file.touch(0o600)
    monkeypatch.setattr(os, "chown", refuse)
    share_with_group(file, file.stat().st_gid)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    with pytest.raises(SocketError, match="must be a member"):
        share_with_group(file, file.stat().st_gid + 1)


async def test_without_a_group_others_are_kept_out(tmp_path: Path) -> None:
    for name in (group_of_another(), ""):
        server = Server(settings(tmp_path / "data", name))
        await server.start()
        await server.close()
    assert stat.S_IMODE((tmp_path / "data" / "door.credential").stat().st_mode) == 0o600


async def test_an_unknown_group_is_a_sentence(tmp_path: Path) -> None:
    server = Server(settings(tmp_path / "data", "no-such-group"))
    with pytest.raises((SocketError, JournalError), match="There is no group no-such-group on this machine"):
        await server.start()
    await server.close()
    assert not (tmp_path / "data").exists()
