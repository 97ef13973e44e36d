"""The SSH key with which a user has come: it claims a name, and is added to an account, on screens and in lines."""

from pathlib import Path

import asyncssh
import pyte
import pytest

from tests.client.doors.ssh.test_door import TERMINAL, Open, Typed, a_door, opened
from tests.support.idle import eventually
from tests.support.terminal_screen import TerminalScreen

PASSWORD = "seven habaneros"


@pytest.fixture
def key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


async def in_lines(at: Open, key: asyncssh.SSHKey | None = None) -> Typed:
    jan = await opened(await at.connect("plain", key))
    await jan.sees("Type ? for help.")
    return jan


def screen(jan: Typed) -> str:
    terminal = TerminalScreen(*TERMINAL["term_size"])
    pyte.Stream(terminal).feed(jan.text)
    return "\n".join(terminal.display)


async def shows(jan: Typed, words: str) -> None:
    await eventually(lambda: words in screen(jan), lambda: screen(jan))


def name_of(jan: Typed) -> str:
    return jan.text.split("You are ")[1].split(".")[0]


async def obey(jan: Typed, line: str, answer: str) -> None:
    """Type a line, and wait for an answer that was not there before."""
    seen = len(jan.text)
    jan.type(f"{line}\n")
    await jan.sees(answer, after=seen)


async def test_a_guest_claims_a_name_with_their_key(tmp_path: Path, key: asyncssh.SSHKey) -> None:
    async with a_door(tmp_path) as at:
        jan = await in_lines(at, key)
        await obey(jan, "claim", "or an empty line for the SSH key you came with")
        await obey(jan, "", "You have claimed the name")
        await obey(jan, "account", f"You can log in with the SSH key {key.get_fingerprint()}")
        again = await in_lines(at, key)
        assert name_of(again) == name_of(jan)
        await obey(again, "account", "have claimed that name")
        other = await in_lines(at, asyncssh.generate_private_key("ssh-ed25519"))
        assert name_of(other) != name_of(jan)


async def test_an_owner_adds_the_key_they_came_with(tmp_path: Path, key: asyncssh.SSHKey) -> None:
    async with a_door(tmp_path) as at:
        owner = await in_lines(at)
        await obey(owner, "claim", "Type a password of at least 8 characters.")
        await obey(owner, PASSWORD, "You have claimed the name")
        await obey(owner, "addkey", "You came without an SSH key.")
        name = name_of(owner)
        jan = await in_lines(at, key)
        await obey(jan, f"login {name}", f"Type the password of {name}.")
        await obey(jan, PASSWORD, f"You are {name}.")
        await obey(jan, "addkey", "Type your password to add an SSH key.")
        await obey(jan, PASSWORD, f"You can log in with the SSH key {key.get_fingerprint()}")
        assert name_of(await in_lines(at, key)) == name


async def test_no_key_of_the_servers_computer_is_listed(
    tmp_path: Path, key: asyncssh.SSHKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of hosted users once listed the comments of the keys in the home folder of the door."""
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id.pub").write_bytes(key.export_public_key() + b" the-door-itself\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    async with a_door(tmp_path) as at:
        jan = await in_lines(at)
        for line in ("claim", "", "login Anna", "", "addkey", "removekey SHA256:x", "release"):
            jan.type(f"{line}\n")
        await obey(jan, "account", ", a guest.")
        assert "the-door-itself" not in jan.text


async def test_the_account_screen_offers_the_key_once(tmp_path: Path, key: asyncssh.SSHKey) -> None:
    async with a_door(tmp_path) as at, at.connect("jan", key) as connection:
        jan = await opened(connection, **TERMINAL)
        await shows(jan, "There are no tables yet")
        jan.type("m")
        await shows(jan, "with the SSH key you came with")
        jan.type("\x1b[B\x1b[B")
        await shows(jan, "▸ Claim the name    with the SSH key")
        jan.type("\r")
        await shows(jan, "logs you in")
        jan.type("y")
        await shows(jan, "you can log in with a key")
        await shows(jan, key.get_fingerprint()[:30])
        assert "you came with" not in screen(jan)
