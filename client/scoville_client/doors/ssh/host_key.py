"""Host key of the door: made at the first start, kept, and readable by nobody else."""

import os
from pathlib import Path

import asyncssh

_KIND = "ssh-ed25519"


def host_key(file: Path) -> asyncssh.SSHKey:
    """Read the host key, or make it. Raises OSError, and ValueError for a file that holds no key."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return _new_key(file)
    try:
        return asyncssh.import_private_key(content)
    except asyncssh.KeyImportError as error:
        raise ValueError(f"{file}: {error}") from error


def _new_key(file: Path) -> asyncssh.SSHKey:
    """Make a key. Of several doors that start at the same time, all use the key that was there first."""
    key = asyncssh.generate_private_key(_KIND, comment="scoville")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(handle, key.export_private_key())
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        os.link(part, file)
    except FileExistsError:
        return host_key(file)
    finally:
        part.unlink()
    return key
