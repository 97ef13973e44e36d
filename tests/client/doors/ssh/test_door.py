"""The SSH door, with asyncssh as the user's ssh."""

import asyncio
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from scoville_client.doors.hosting.process import share_process
from scoville_client.doors.ssh.connection import HANDSHAKES_PER_ADDRESS, Environment, SshConnection
from scoville_client.doors.ssh.server import DoorOptions, SshDoor, host_key
from scoville_client.doors.upstream import ServerAddresses, Upstream, parse_upstream
from scoville_client.transport.address import Address
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support import frames as frames  # Textual without waits
from tests.support.idle import eventually
from tests.support.process import CROWD, connect_at_once

KINDS = ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256"]


class Keyless(asyncssh.SSHClient):
    """Answers the keyboard-interactive log-in like OpenSSH: no questions, no answers."""

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: Any) -> list[str]:
        assert not prompts
        return []


class Open:
    """A door with its server."""

    def __init__(self, door: SshDoor, server: Server) -> None:
        self.door = door
        self.server = server

    def connect(self, user: str = "jan", key: asyncssh.SSHKey | None = None, **more: Any) -> Any:
        """Connect like ssh does, with a key or without."""
        return asyncssh.connect(
            "127.0.0.1",
            self.door.port,
            username=user,
            client_keys=[key] if key else [],
            agent_path=None,
            known_hosts=None,
            config=[],
            client_factory=Keyless,
            **more,
        )


@asynccontextmanager
async def a_door(folder: Path, idle_seconds: float = 600) -> AsyncIterator[Open]:
    share_process()
    server = Server(Settings(data=folder / "data", port=0, host="127.0.0.1", doors=DoorSettings(enabled=True)))
    await server.start()
    assert server.door_socket is not None
    upstream = Upstream(server.door_socket, server.door_credential_file)
    door = SshDoor(upstream, host_key(folder / "host_key"), DoorOptions("127.0.0.1", 0, idle_seconds=idle_seconds))
    await door.open()
    try:
        yield Open(door, server)
    finally:
        await door.close()
        await server.close()


class Typed:
    """What a process at the other end of an ssh connection has written."""

    def __init__(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        self.process = process
        self.text = ""
        self._task = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        while data := await self.process.stdout.read(65_536):
            self.text += data.decode()

    async def sees(self, words: str, after: int = 0) -> None:
        await eventually(lambda: words in self.text[after:], lambda: self.text)

    def type(self, text: str) -> None:
        self.process.stdin.write(text.encode())

    async def ends(self) -> int | None:
        await self.process.wait_closed()
        await self._task
        return self.process.exit_status


async def opened(connection: asyncssh.SSHClientConnection, command: str | None = None, **more: Any) -> Typed:
    return Typed(await connection.create_process(command, encoding=None, **more))


TERMINAL = {"term_type": "xterm-256color", "term_size": (80, 24)}


async def test_a_crowd_waits_until_it_is_accepted(tmp_path: Path) -> None:
    async with a_door(tmp_path) as opened:
        assert connect_at_once(opened.door.port) == CROWD


async def test_the_lobby_on_a_terminal(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect() as connection:
        jan = await opened(connection, **TERMINAL)
        await jan.sees("resume-")
        jan.process.send_signal("INT")
        jan.process.change_terminal_size(100, 30)
        await jan.sees("\x1b[30;")
        jan.type("q")
        assert await jan.ends() == 0
        assert "\x1b[?1049l" in jan.text
        assert "\x1b[?1000h" not in jan.text
        assert "resume-" in jan.text.rpartition("\x1b[?1049l")[2]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_key_brings_the_same_user_back(tmp_path: Path, kind: str) -> None:
    key = asyncssh.generate_private_key(kind, **({"key_size": 3072} if kind == "ssh-rsa" else {}))
    names = []
    async with a_door(tmp_path) as at:
        for _ in range(2):
            async with at.connect("plain", key) as connection:
                jan = await opened(connection)
                await jan.sees("Type ? for help.")
                names.append(jan.text.split("You are ")[1].split(".")[0])
                assert "resume-" not in jan.text
                jan.process.stdin.write_eof()
                assert await jan.ends() == 0
    assert names[0] == names[1]


async def test_who_asks_all_programs_for_lines_gets_them(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect() as connection:
        jan = await opened(connection, **TERMINAL, env={"ACCESSIBLE": "1"})
        await jan.sees("Type ? for help.")


async def test_a_resume_code_brings_the_same_user_back(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at:
        async with at.connect("plain") as connection:
            jan = await opened(connection)
            await jan.sees("resume-")
            name = jan.text.split("You are ")[1].split(".")[0]
            code = jan.text.split("the user ")[1].split()[0]
        async with at.connect(code) as connection:
            again = await opened(connection, "plain")
            await again.sees(f"You are {name}.")
            assert "No guest has" not in again.text
        async with at.connect("resume-no-such-code") as connection:
            wrong = await opened(connection, "plain")
            await wrong.sees("You are ")
            await wrong.sees("No guest has this resume code")


async def test_the_key_that_was_only_offered_is_not_the_identity(tmp_path: Path) -> None:
    connection = SshConnection(door=None)  # type: ignore[arg-type]
    key = asyncssh.generate_private_key("ssh-ed25519").convert_to_public()
    assert connection.validate_public_key("jan", key)
    assert connection.key.startswith("ssh-ed25519 ")
    connection.get_kbdint_challenge("jan", "", "")
    assert connection.key == ""
    connection.validate_public_key("jan", key)
    connection.validate_kbdint_response("jan", [])
    assert connection.key == ""


async def test_rules_and_help_need_no_terminal_and_end(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect() as connection:
        shown = await connection.run("rules no_thanks", env={"LANG": "de_DE.UTF-8"})
        assert shown.exit_status == 0
        assert "Karte" in str(shown.stdout)
    async with a_door(tmp_path) as at, at.connect() as connection:
        shown = await connection.run("rm -rf /")
        assert shown.exit_status == 1
        assert "There is no command 'rm' here." in str(shown.stdout)
        assert "ssh" in str(shown.stdout)


async def test_a_dumb_terminal_gets_lines_with_an_echo(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect() as connection:
        jan = await opened(connection, term_type="dumb", term_size=(80, 24))
        await jan.sees("Type ? for help.")
        jan.type("quit")
        await jan.sees("quit")
        jan.type("\r")
        assert await jan.ends() == 0
        assert "\x1b" not in jan.text


async def test_a_table_by_its_code(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect("plain") as connection:
        anna = await opened(connection)
        await anna.sees("Type ? for help.")
        anna.type("create no_thanks 3\nabout\n")
        await anna.sees("Code ")
        code = anna.text.rpartition("ode ")[2].split(".")[0].split()[0]
        async with at.connect(code) as other:
            bert = await opened(other, **TERMINAL)
            await bert.sees(code)
            await anna.sees("takes seat 2")


async def test_everything_else_is_refused(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect() as connection:
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.open_connection("127.0.0.1", 22)
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.forward_remote_port("", 0, "127.0.0.1", 22)
        with pytest.raises((asyncssh.ChannelOpenError, asyncssh.SFTPError)):
            await connection.start_sftp_client()
    async with a_door(tmp_path) as at, at.connect() as connection:
        await opened(connection, **TERMINAL)
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.create_process("plain", encoding=None)


async def test_half_open_handshakes_are_bounded_by_address(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at:
        streams = [await asyncio.open_connection("127.0.0.1", at.door.port) for _ in range(HANDSHAKES_PER_ADDRESS)]
        await eventually(lambda: len(at.door._connections) == HANDSHAKES_PER_ADDRESS)
        reader, writer = await asyncio.open_connection("127.0.0.1", at.door.port)
        while await reader.read(1024):
            pass
        assert len(at.door._connections) == HANDSHAKES_PER_ADDRESS
        for _, other in [*streams, (reader, writer)]:
            other.close()
        await eventually(lambda: not at.door._connections)
        assert at.door._handshakes.total == 0
        async with at.connect() as connection:
            assert (await connection.run("help")).exit_status == 0


async def test_a_lost_connection_ends_the_session(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at:
        connection = await at.connect()
        jan = await opened(connection, **TERMINAL)
        await eventually(lambda: "quit" in jan.text)
        connection.abort()
        await eventually(lambda: not at.door.sessions)


async def test_the_end_of_the_door_restores_terminals(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at:
        connection = await at.connect()
        jan = await opened(connection, **TERMINAL)
        await eventually(lambda: "quit" in jan.text)
        await at.door.close()
        await jan.ends()
        assert "\x1b[?1049l" in jan.text
        assert "Your seat waits" in jan.text
        connection.close()


def test_a_few_known_variables_are_kept() -> None:
    environment = Environment()
    for number in range(1_000):
        environment[f"LC_{number}".encode()] = b"x"
        environment[f"OTHER_{number}".encode()] = b"x"
    environment[b"LANG"] = b"x" * 1_000
    assert len(environment) == 24
    assert all(name.startswith(b"LC_") for name in environment)


async def test_variables_by_the_hundred(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect() as connection:
        shown = await connection.run("help", env={f"A{number}": "x" * 100 for number in range(300)})
        assert shown.exit_status == 0


def test_the_host_key_is_made_once_and_private(tmp_path: Path) -> None:
    file = tmp_path / "new" / "host_key"
    first = host_key(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert host_key(file).get_fingerprint() == first.get_fingerprint()
    assert [each.name for each in file.parent.iterdir()] == ["host_key"]


def test_a_file_that_is_no_key(tmp_path: Path) -> None:
    file = tmp_path / "host_key"
    file.write_text("nothing")
    with pytest.raises(ValueError, match="host_key"):
        host_key(file)


def test_the_server_of_a_door() -> None:
    assert parse_upstream("/run/door.sock") == Path("/run/door.sock")
    pinned = Address("example", 5757, "A" * 20)
    assert parse_upstream(pinned.short) == ServerAddresses(pinned)
    several = ServerAddresses(pinned, (Address("two.example"), Address("::1", 7)))
    assert parse_upstream(several.short) == several
    with pytest.raises(ValueError, match="needs the pin of its server"):
        parse_upstream("example:5757")


def test_a_missing_credential_is_an_empty_one(tmp_path: Path) -> None:
    assert Upstream(tmp_path / "socket", tmp_path / "nothing").read_credential() == ""
    (tmp_path / "file").write_text("abc\n")
    (tmp_path / "file").chmod(0o600)
    assert Upstream(tmp_path / "socket", tmp_path / "file").read_credential() == "abc"


async def test_the_code_to_come_back_stays_above_the_screens(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at, at.connect() as connection:
        jan = await opened(connection, **TERMINAL)
        await jan.sees("quit")
        above, _, _ = jan.text.partition("\x1b[?1049h")
        code = above.split("the user ")[1].split()[0]
        assert code.startswith("resume-")
        jan.type("m")
        await jan.sees("You are a guest.")
        await eventually(lambda: code in jan.text.partition("You are a guest.")[2], lambda: jan.text)


async def test_a_password_only_client_enters_and_is_warned(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at:
        connection = await asyncssh.connect(
            "127.0.0.1",
            at.door.port,
            username="plain",
            password="sesame-1234",
            preferred_auth="password",
            client_keys=[],
            agent_path=None,
            known_hosts=None,
            config=[],
        )
        jan = await opened(connection)
        await jan.sees("No password is needed here; what you typed was ignored.")
        await jan.sees("resume-")
        assert "sesame-1234" not in jan.text
        connection.abort()
