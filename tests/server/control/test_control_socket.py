"""The control socket: who may use it, and what hostile or broken clients can do there."""

import asyncio
import errno
import json
import os
import socket
import stat
import struct
from pathlib import Path

import pytest

from scoville_runtime.control_client import CONTROL_SOCKET
from scoville_server.control import service
from scoville_server.control.commands import COMMAND_OF
from scoville_server.control.wire import LONGEST_REQUEST
from tests.server.control.controlled_server import ControlLine, call_as, controlled_server
from tests.support.core import connect_user

BANS = json.dumps({"command": "bans"}).encode()
STRANGER, GROUP = 54_321, 54_322

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A folder that everybody may enter, so that only its socket decides."""
    tmp_path.chmod(0o711)
    return tmp_path


def describe_socket(folder: Path) -> tuple[bool, int, bool]:
    """Whether there is a socket, its mode, and whether it has the owner and the group of its folder."""
    above, found = folder.stat(), (folder / CONTROL_SOCKET).stat()
    same = (found.st_uid, found.st_gid) == (above.st_uid, above.st_gid)
    return stat.S_ISSOCK(found.st_mode), stat.S_IMODE(found.st_mode), same


async def test_socket_is_for_owner_and_group(tmp_path: Path) -> None:
    async with controlled_server(tmp_path):
        assert describe_socket(tmp_path) == (True, 0o660, True)
    assert not (tmp_path / CONTROL_SOCKET).exists()


@as_root
async def test_other_users_cannot_open_it(open_folder: Path) -> None:
    async with controlled_server(open_folder):
        reply = await asyncio.to_thread(call_as, STRANGER, [STRANGER], str(open_folder / CONTROL_SOCKET), BANS)
        assert struct.unpack("i", reply) == (errno.EACCES,)


@as_root
async def test_other_users_are_refused_by_uid(open_folder: Path) -> None:
    async with controlled_server(open_folder):
        (open_folder / CONTROL_SOCKET).chmod(0o666)
        reply = await asyncio.to_thread(call_as, STRANGER, [STRANGER], str(open_folder / CONTROL_SOCKET), BANS)
        refused = json.loads(reply)["error"]
        assert refused["code"] == "not_allowed"
        assert refused["message"].startswith("Only root, the user root and members of the group")


@as_root
@pytest.mark.parametrize("gids", [[GROUP], [STRANGER, GROUP]], ids=["primary", "supplementary"])
async def test_group_of_the_folder_may(open_folder: Path, gids: list[int]) -> None:
    os.chown(open_folder, -1, GROUP)
    async with controlled_server(open_folder):
        request = json.dumps({"command": "announce", "arguments": {"text": "Hello."}}).encode()
        reply = await asyncio.to_thread(call_as, STRANGER, gids, str(open_folder / CONTROL_SOCKET), request)
        assert json.loads(reply) == {"result": {}}
        line = await ControlLine.open(open_folder)
        [entry] = (await line.call("audit"))["result"]["entries"]
        assert (entry["by"], entry["action"], entry["reason"]) == (
            f"user (uid {STRANGER}, control socket)", "announce", "Hello.",
        )  # fmt: skip
        line.close()


@pytest.mark.parametrize(
    ("request_bytes", "code"),
    [
        (b"\xff\xfe\x00", "bad_frame"),
        (b"", "bad_frame"),
        (b"[]", "bad_frame"),
        (b"[" * 60_000, "bad_frame"),
        (b'{"command": "bans", "more": 1}', "bad_frame"),
        (b'{"command": "no such"}', "unknown_method"),
        (b'{"command": "kick", "arguments": {"name": 7}, "reason": "x"}', "bad_params"),
        (b'{"command": "kick", "arguments": {"name": "Ben", "cards": 1}, "reason": "x"}', "bad_params"),
        (b'{"command": "kick", "arguments": {"name": "Ben"}}', "bad_params"),
        (b'{"command": "kick", "arguments": {"name": "Ben"}, "reason": "  \\u202e "}', "bad_params"),
        (b'{"command": "kick", "arguments": {"name": "Ben"}, "reason": "%s"}' % (b"x" * 300), "bad_params"),
        (b'{"command": "kick", "arguments": {"name": "Ben"}, "reason": "x"}', "unknown_user"),
    ],
)
async def test_broken_requests_are_refused_one_by_one(tmp_path: Path, request_bytes: bytes, code: str) -> None:
    async with controlled_server(tmp_path):
        line = await ControlLine.open(tmp_path)
        error = (await line.send(request_bytes))["error"]
        assert (error["code"], "`" in error["message"]) == (code, False), "no sentence of the decoder"
        assert (await line.send(BANS)) == {"result": {"bans": []}}
        line.close()


async def test_too_long_request_ends_the_client(tmp_path: Path) -> None:
    async with controlled_server(tmp_path):
        line, other = await ControlLine.open(tmp_path), await ControlLine.open(tmp_path)
        line.writer.write(b"x" * 1_000_000)
        reply = json.loads(await line.reader.readline())
        assert (reply["error"]["code"], str(LONGEST_REQUEST) in reply["error"]["message"]) == ("frame_too_large", True)
        assert await other.send(BANS) == {"result": {"bans": []}}
        line.close()
        other.close()


async def test_client_that_never_reads_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "READING_SECONDS", 0.05)
    async with controlled_server(tmp_path):
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.setblocking(False)
            deaf.connect(str(tmp_path / CONTROL_SOCKET))
            with pytest.raises(OSError):  # noqa: PT011 - a reset or a broken pipe, as the system likes
                await send_for_ever(deaf, b'{"command": "no such"}\n' * 100)
        line = await ControlLine.open(tmp_path)
        assert await line.send(BANS) == {"result": {"bans": []}}
        line.close()


async def send_for_ever(line: socket.socket, request_bytes: bytes) -> None:
    while True:
        await asyncio.get_running_loop().sock_sendall(line, request_bytes)


async def test_silent_clients_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "IDLE_SECONDS", 0.05)
    async with controlled_server(tmp_path):
        line = await ControlLine.open(tmp_path)
        line.writer.write(b'{"comm')
        assert await line.reader.read() == b""
        line.close()


async def test_too_many_clients_are_refused(tmp_path: Path) -> None:
    async with controlled_server(tmp_path):
        lines = [await ControlLine.open(tmp_path) for _ in range(service.MOST_CLIENTS)]
        for line in lines:
            assert "result" in await line.send(BANS)
        late = await ControlLine.open(tmp_path)
        assert (await late.send(BANS))["error"]["code"] == "too_many"
        for line in (late, *lines):
            line.close()


async def test_two_clients_are_served_in_turn(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        await connect_user(server, "Anna")
        lines = [await ControlLine.open(tmp_path) for _ in range(2)]
        for _ in range(3):
            replies = await asyncio.gather(*(line.call("users") for line in lines))
            assert [[user["name"] for user in reply["result"]["users"]] for reply in replies] == [["Anna"]] * 2
        for line in lines:
            line.close()


async def test_folder_with_a_long_path_works(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 6)
    deep.mkdir(parents=True)
    assert len(str(deep)) > 108
    async with controlled_server(deep):
        line = await ControlLine.open(deep)
        assert await line.send(BANS) == {"result": {"bans": []}}
        line.close()


async def test_socket_of_a_killed_server_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / CONTROL_SOCKET))
    async with controlled_server(tmp_path):
        line = await ControlLine.open(tmp_path)
        assert await line.send(BANS) == {"result": {"bans": []}}
        line.close()


async def test_every_act_needs_a_reason(tmp_path: Path) -> None:
    acts = [command for command in COMMAND_OF.values() if command.acts and not command.internal]
    without = {command.name for command in acts if command.reason != "needed"}
    # The text is the reason; SIGHUP asks for none; and nobody notices that a table moves.
    assert without == {"announce", "reload", "restart", "move-table"}
    assert all(command.reason == "none" for command in COMMAND_OF.values() if not command.acts)
    async with controlled_server(tmp_path):
        line = await ControlLine.open(tmp_path)
        for command in acts:
            if command.reason == "needed":
                assert (await line.call(command.name))["error"]["code"] == "bad_params"
        assert (await line.call("audit"))["result"]["entries"] == []
        line.close()
