"""Algorithms of the SSH door: modern ones only, as ssh-audit and clients with old ones see them."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from scoville_client.doors.ssh.connection import SshConnection
from tests.client.doors.ssh.test_door import a_door
from tests.support import frames as frames  # Textual without waits

OLD: list[dict[str, Any]] = [
    {"kex_algs": ["diffie-hellman-group18-sha512"]},
    {"kex_algs": ["diffie-hellman-group-exchange-sha256"]},
    {"kex_algs": ["diffie-hellman-group14-sha256"]},
    {"kex_algs": ["rsa2048-sha256"]},
    {"encryption_algs": ["aes128-cbc"]},
    {"encryption_algs": ["aes128-ctr"], "mac_algs": ["umac-64@openssh.com", "hmac-sha1"]},
]


async def audit(port: int) -> dict[str, Any]:
    """Return the report of ssh-audit about a server on this machine."""
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("ssh-audit")),
        *("--json", "--skip-rate-test", "--port", str(port), "127.0.0.1"),
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    report: dict[str, Any] = json.loads(output)
    return report


def faults_of(notes: dict[str, list[str]]) -> list[str]:
    """Return what ssh-audit finds wrong; older clients have no key exchange yet that resists quantum computers."""
    faults = [*notes.get("fail", ()), *notes.get("warn", ())]
    return [fault for fault in faults if "post-quantum" not in fault]


async def test_ssh_audit_finds_no_fault(tmp_path: Path) -> None:
    async with a_door(tmp_path) as at:
        report = await audit(at.door.port)
    found = [each for kind in ("kex", "key", "enc", "mac") for each in report[kind]]
    assert len(found) >= 8
    assert [(each["algorithm"], faults) for each in found if (faults := faults_of(each["notes"]))] == []
    assert report["cves"] == []


@pytest.mark.parametrize("options", OLD)
async def test_old_algorithms_are_refused(options: dict[str, Any], tmp_path: Path) -> None:
    async with a_door(tmp_path) as at:
        with pytest.raises(asyncssh.KeyExchangeFailed):
            await at.connect(**options)


@pytest.mark.parametrize(("bits", "taken"), [(2048, False), (3072, True)])
def test_a_short_rsa_key_is_no_identity(bits: int, taken: bool) -> None:
    connection = SshConnection(door=None)  # type: ignore[arg-type]
    key = asyncssh.generate_private_key("ssh-rsa", key_size=bits).convert_to_public()
    assert connection.validate_public_key("jan", key) is taken
    assert bool(connection.key) is taken
