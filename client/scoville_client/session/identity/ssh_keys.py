"""SSH keys in files and in the agent; `ssh-keygen` signs with them in a process of its own."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scoville_client.i18n.language import InputError, tr
from scoville_runtime.clock import SYSTEM, Clock

NAMESPACE = "scoville"
"""Namespace of signatures: a server accepts no other, and other programs do not accept this one."""
TIMEOUT = 60.0
"""Time limit of a signature, in seconds: a hardware key waits for a touch."""
_LONGEST = 8_192
_ALONE = {"SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
"""Environment that keeps OpenSSH from asking questions in the middle of the screen."""


class KeyTrouble(InputError):
    """An SSH key cannot be used; the text is a sentence for the user."""


class PublicKey(NamedTuple):
    """A public key as its one line; `file` is its path, None for a key of the agent."""

    line: str
    file: Path | None

    @property
    def label(self) -> str:
        """The comment of the key, or else its type."""
        kind, _, rest = self.line.partition(" ")
        return rest.partition(" ")[2] or kind

    @property
    def origin(self) -> str:
        """The name of the key's file, or the agent."""
        return tr("agent") if self.file is None else self.file.name


async def find_keys(folder: Path | None = None, clock: Clock = SYSTEM) -> list[PublicKey]:
    """Return the keys of the agent and of `~/.ssh`, each once."""
    keys = [*await _of_agent(clock), *_of_files(folder)]
    # A key may be in both: the agent's entry counts then, since the agent signs without a passphrase.
    return list({key.line.split(" ")[1]: key for key in reversed(keys)}.values())[::-1]


def read_key(path: Path) -> PublicKey:
    """Read a public key, for a private one the public key beside it. Raises KeyTrouble."""
    path = path.expanduser()
    public = path if path.suffix == ".pub" else path.with_name(f"{path.name}.pub")
    try:
        with public.open(encoding="utf-8") as file:
            line = file.read(_LONGEST).strip()
    except (OSError, UnicodeDecodeError):
        raise KeyTrouble(tr("There is no public key {file}.", file=str(public))) from None
    if not _is_key(line):
        raise KeyTrouble(tr("{file} does not contain a public SSH key.", file=str(public)))
    return PublicKey(line, public)


async def sign_text(key: PublicKey, challenge: str, clock: Clock = SYSTEM) -> str:
    """Sign a challenge like `ssh-keygen -Y sign -n scoville`. Raises KeyTrouble."""
    with TemporaryDirectory(prefix="scoville-") as folder:
        file = key.file
        if file is None:
            file = Path(folder) / "key.pub"
            file.write_text(f"{key.line}\n", encoding="utf-8")
        # With a private key beside it ssh-keygen signs by that; with a public key alone it asks the agent.
        elif file.with_suffix("").exists():
            file = file.with_suffix("")
        # OpenSSH's own tool knows agents, hardware keys and every type of key; a library knows some of each.
        command = ["ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", str(file)]
        status, out, err = await _run_program(command, challenge.encode(), clock)
    if status != 0 or not out:
        raise KeyTrouble(_refusal_text(key, err))
    return out.decode("ascii", "replace")


def _refusal_text(key: PublicKey, err: str) -> str:
    """Return the reason why a key did not sign, as a sentence."""
    if "passphrase" in err or "incorrect" in err:
        return tr("The key {key} has a passphrase. Run ssh-add in a shell first.", key=key.origin)
    last = (err.strip().splitlines() or [""])[-1]
    return tr("ssh-keygen could not sign with {key}. In English: {message}", key=key.origin, message=last)


async def _of_agent(clock: Clock) -> list[PublicKey]:
    try:
        status, out, _ = await _run_program(["ssh-add", "-L"], b"", clock)
    # Without an agent there may be keys in files.
    except KeyTrouble:
        return []
    lines = out.decode("utf-8", "replace").splitlines() if status == 0 else []
    return [PublicKey(line, None) for line in lines if _is_key(line)]


def _of_files(folder: Path | None) -> list[PublicKey]:
    found = []
    for path in sorted((folder or Path("~/.ssh").expanduser()).glob("*.pub")):
        try:
            found.append(read_key(path))
        # One unreadable file must not hide the other keys.
        except KeyTrouble:
            continue
    return found


def _is_key(line: str) -> bool:
    parts = line.split(" ")
    return len(parts) > 1 and "\n" not in line and parts[0].startswith(("ssh-", "ecdsa-", "sk-"))


async def _run_program(command: Sequence[str], given: bytes, clock: Clock) -> tuple[int, bytes, str]:
    """Run a program in its own session, so that it cannot ask on this terminal. Raises KeyTrouble."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env={**os.environ, **_ALONE}
        )
    except OSError:
        raise KeyTrouble(
            tr("{program} is not installed on this computer; it is part of OpenSSH.", program=command[0])
        ) from None
    try:
        async with clock.limit(TIMEOUT):
            out, err = await process.communicate(given)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise KeyTrouble(tr("The key did not sign in time.")) from None
    return process.returncode or 0, out, err.decode("utf-8", "replace")
