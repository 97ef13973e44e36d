"""Host key of the door: made at the first start, kept, and readable by nobody else."""

from pathlib import Path

import asyncssh

from scoville_runtime.atomic_files import create_file

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
    try:
        create_file(file, key.export_private_key())
    except FileExistsError:
        return host_key(file)
    return key
