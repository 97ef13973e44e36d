"""Keys of SSH that prove who I am: in files and in the agent; `ssh-keygen` signs with them, a process of its own."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scoville_client.clock import REAL, Clock
from scoville_client.i18n.exceptions import Fault
from scoville_client.i18n.language import words

NAMESPACE = "scoville"
"""What signatures are made for: one made for something else is worth nothing to a server, and ours nowhere else."""
PATIENCE = 60.0
"""Seconds that a signature may take: a key in a device waits to be touched."""
_LONGEST = 8_192
_ALONE = {"SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
"""What keeps the programs of SSH from asking for anything in the middle of our screen."""


class KeyTrouble(Fault):
    """A key cannot be used; the text is the sentence for the person."""


class PublicKey(NamedTuple):
    """A public key as its one line; `file` is where it lies, None when the agent holds it."""

    line: str
    file: Path | None

    @property
    def label(self) -> str:
        """What it is called: its comment, or its kind."""
        kind, _, rest = self.line.partition(" ")
        return rest.partition(" ")[2] or kind

    @property
    def origin(self) -> str:
        """Where it is from: the name of its file, or the agent."""
        return words("agent") if self.file is None else self.file.name


async def find_keys(folder: Path | None = None, clock: Clock = REAL) -> list[PublicKey]:
    """List the keys of the agent and of `~/.ssh`, each once."""
    keys = [*await _of_agent(clock), *_of_files(folder)]
    return list({key.line.split(" ")[1]: key for key in reversed(keys)}.values())[::-1]


def read_key(path: Path) -> PublicKey:
    """Read a public key; of a private one, the public one beside it. Raises KeyTrouble."""
    path = path.expanduser()
    public = path if path.suffix == ".pub" else path.with_name(f"{path.name}.pub")
    try:
        with public.open(encoding="utf-8") as file:
            line = file.read(_LONGEST).strip()
    except (OSError, UnicodeDecodeError):
        raise KeyTrouble(words("There is no public key {file}.", file=str(public))) from None
    if not _is_key(line):
        raise KeyTrouble(words("{file} holds no public key of SSH.", file=str(public)))
    return PublicKey(line, public)


async def sign(key: PublicKey, challenge: str, clock: Clock = REAL) -> str:
    """Sign a challenge, as `ssh-keygen -Y sign -n scoville` does. Raises KeyTrouble."""
    with TemporaryDirectory(prefix="scoville-") as folder:
        file = key.file
        if file is None:
            file = Path(folder) / "key.pub"
            file.write_text(f"{key.line}\n", encoding="utf-8")
        elif file.with_suffix("").exists():
            file = file.with_suffix("")
        command = ["ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", str(file)]
        status, out, err = await _run(command, challenge.encode(), clock)
    if status != 0 or not out:
        raise KeyTrouble(_why(key, err))
    return out.decode("ascii", "replace")


def _why(key: PublicKey, err: str) -> str:
    """Say why a key has not signed."""
    if "passphrase" in err or "incorrect" in err:
        return words("The key {key} has a passphrase. Type ssh-add in a shell first, then it signs.", key=key.origin)
    last = (err.strip().splitlines() or [""])[-1]
    return words("ssh-keygen could not sign with {key}. It says: {message}", key=key.origin, message=last)


async def _of_agent(clock: Clock) -> list[PublicKey]:
    try:
        status, out, _ = await _run(["ssh-add", "-L"], b"", clock)
    except KeyTrouble:
        return []
    lines = out.decode("utf-8", "replace").splitlines() if status == 0 else []
    return [PublicKey(line, None) for line in lines if _is_key(line)]


def _of_files(folder: Path | None) -> list[PublicKey]:
    found = []
    for path in sorted((folder or Path("~/.ssh").expanduser()).glob("*.pub")):
        try:
            found.append(read_key(path))
        except KeyTrouble:
            continue
    return found


def _is_key(line: str) -> bool:
    parts = line.split(" ")
    return len(parts) > 1 and "\n" not in line and parts[0].startswith(("ssh-", "ecdsa-", "sk-"))


async def _run(command: Sequence[str], given: bytes, clock: Clock) -> tuple[int, bytes, str]:
    """Run a program in a session of its own, so that it cannot ask at our terminal. Raises KeyTrouble."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env={**os.environ, **_ALONE}
        )
    except OSError:
        raise KeyTrouble(words("{program} is not installed here; it comes with OpenSSH.", program=command[0])) from None
    try:
        async with clock.limit(PATIENCE):
            out, err = await process.communicate(given)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise KeyTrouble(words("The key did not answer in time.")) from None
    return process.returncode or 0, out, err.decode("utf-8", "replace")
