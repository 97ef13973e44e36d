"""SSH keys: found in a folder, and used by the real ssh-keygen if there is one; the server accepts its signatures."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from scoville_client.session.identity.ssh_keys import TIMEOUT, KeyTrouble, PublicKey, find_keys, read_key, sign_text
from scoville_server.accounts.model.ssh_keys import check_signature
from scoville_server.accounts.model.ssh_keys import read_key as key_of
from tests.support.clock import FakeClock
from tests.support.idle import eventually

CHALLENGE = "scoville log-in x7"
needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed here")


@pytest.fixture(autouse=True)
def no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)


def make(folder: Path, passphrase: str = "") -> Path:
    file = folder / "id_ed25519"
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "anna@laptop", "-f", str(file)]
    subprocess.run(command, check=True)
    return file


@needs_ssh_keygen
async def test_a_key_in_a_file_signs_what_the_server_believes(tmp_path: Path) -> None:
    make(tmp_path)
    (key,) = await find_keys(tmp_path)
    assert (key.label, key.origin) == ("anna@laptop", "id_ed25519.pub")
    check_signature(key_of(key.line), await sign_text(key, CHALLENGE), CHALLENGE)


@needs_ssh_keygen
async def test_a_key_with_passphrase_explains_what_to_do(tmp_path: Path) -> None:
    key = read_key(make(tmp_path, "seven habaneros"))
    with pytest.raises(KeyTrouble, match="ssh-add"):
        await sign_text(key, CHALLENGE)


@needs_ssh_keygen
async def test_a_key_without_its_private_half_does_not_sign(tmp_path: Path) -> None:
    file = make(tmp_path)
    file.unlink()
    with pytest.raises(KeyTrouble, match=r"could not sign with id_ed25519\.pub"):
        await sign_text(read_key(file), CHALLENGE)


async def test_where_openssh_is_missing_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await find_keys(tmp_path) == []
    with pytest.raises(KeyTrouble, match="ssh-keygen is not installed on this computer"):
        await sign_text(PublicKey("ssh-ed25519 AAAA anna", None), CHALLENGE)


async def test_a_key_that_is_never_touched_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "ssh-keygen"
    slow.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    clock = FakeClock()
    signing = asyncio.ensure_future(sign_text(PublicKey("ssh-ed25519 AAAA anna", None), CHALLENGE, clock.clock))
    await eventually(lambda: clock.alarms)
    clock.advance(TIMEOUT)
    with pytest.raises(KeyTrouble, match="did not sign in time"):
        await signing


def test_invalid_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyTrouble, match=r"There is no public key .*id_rsa\.pub"):
        read_key(tmp_path / "id_rsa")
    (tmp_path / "notes.pub").write_text("buy chilies\n")
    with pytest.raises(KeyTrouble, match=r"notes\.pub does not contain a public SSH key"):
        read_key(tmp_path / "notes.pub")
