"""SSH keys in line mode: claiming, logging in, and confirming changes by a key of this user."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.listener import listen_as, serve_cheaply

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed here")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with one SSH key, and no agent."""
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    make(tmp_path / ".ssh" / "id_ed25519", "zoe@desk")
    return tmp_path


def make(file: Path, comment: str) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(file)], check=True)


async def test_a_name_is_claimed_and_proved_by_a_key_alone() -> None:
    async with serve_cheaply() as server, listen_as(server, "Zoe") as zoe:
        await zoe.ask("claim", "^Type a password of at least 8 characters, or an empty line to use an SSH key")
        await zoe.ask("", r"^1\. zoe@desk, from id_ed25519\.pub")
        await zoe.ask("1", "^You have claimed the name Zoe")
        await zoe.ask("logout", "^You are (?!Zoe)")
        await zoe.ask("login Zoe", "^Type the password of Zoe, or an empty line to use an SSH key")
        await zoe.ask("", "^Type the number of an SSH key")
        await zoe.ask("1", "^You are Zoe")
        await zoe.ask("account", "^You can log in with the SSH key SHA256:.* zoe@desk")
        await zoe.ask("release", "^Confirm with an SSH key that it is you")
        await zoe.hear("^Type the number of an SSH key")
        await zoe.ask("1", "^You have given up your name")


async def test_keys_are_added_and_removed_after_a_proof(home: Path) -> None:
    make(home / "other", "zoe@work")
    async with serve_cheaply() as server, listen_as(server, "Zoe") as zoe:
        await zoe.ask("claim", "^Type a password")
        await zoe.ask("seven habaneros", "^You have claimed the name Zoe")
        await zoe.ask("addkey", "^Type your password to add an SSH key")
        await zoe.ask("seven habaneros", "^Type the number of an SSH key")
        key = await zoe.ask(str(home / "other"), "^You can log in with the SSH key (SHA256:[^ ]+) zoe@work")
        await zoe.ask("removekey", r"^The fingerprint is missing; .* Type removekey FINGERPRINT")
        await zoe.ask(f"removekey {key.group(1)}", "^Type your password to remove an SSH key")
        await zoe.ask("seven habaneros", "^The SSH key has been removed")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "^Nothing entered; nothing was changed"),
        ("7", "^There is no SSH key 7"),
        ("0", "^There is no SSH key 0"),
        ("nowhere/key", r"^There is no public key nowhere/key\.pub"),
    ],
)
async def test_a_choice_that_is_none_changes_nothing(typed: str, sentence: str) -> None:
    async with serve_cheaply() as server, listen_as(server, "Zoe") as zoe:
        await zoe.ask("login Anna", "^Type the password of Anna")
        await zoe.ask("", "^Type the number of an SSH key")
        await zoe.ask(typed, sentence)
        await zoe.ask("account", "^You are Zoe, a guest")


async def test_a_key_that_the_account_does_not_have_is_refused() -> None:
    async with serve_cheaply() as server, listen_as(server, "Zoe") as zoe:
        await zoe.ask("login Anna", "^Type the password of Anna")
        await zoe.ask("", "^Type the number of an SSH key")
        await zoe.ask("1", r"^Wrong name, password or key\.$")
