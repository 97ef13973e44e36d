"""The Unix socket for doors: whose it is, what it may replace, and its removal."""

import socket
import stat
from pathlib import Path

import pytest

from scoville_server.net.doors.unix_socket import SocketError, bind_socket, remove_socket


def test_only_its_owner_can_open_it_and_it_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "door.sock"
    with bind_socket(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    remove_socket(path)
    assert not path.exists()


def test_socket_of_a_killed_server_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "door.sock"
    bind_socket(path).close()
    with bind_socket(path) as bound, socket.socket(socket.AF_UNIX) as door:
        bound.listen()
        door.connect(str(path))


def test_another_servers_socket_and_other_files_stay(tmp_path: Path) -> None:
    path, file = tmp_path / "door.sock", tmp_path / "file"
    file.write_text("mine")
    with bind_socket(path) as bound:
        bound.listen()
        with pytest.raises(SocketError, match="Another server listens"):
            bind_socket(path)
    with pytest.raises(SocketError, match="is no socket"):
        bind_socket(file)
    assert file.read_text() == "mine"


def test_a_path_that_no_system_takes_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SocketError, match="too long"):
        bind_socket(tmp_path / ("x" * 100))
    with pytest.raises(SocketError, match="cannot be opened"):
        bind_socket(tmp_path / "missing" / "door.sock")
