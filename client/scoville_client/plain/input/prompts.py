"""Prompts for passwords and codes, hidden at a terminal, and for SSH keys."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from scoville_client.i18n.language import tr
from scoville_client.plain.input.stdin import TypedLines
from scoville_client.plain.output import TextOutput
from scoville_client.session.identity.ssh_keys import KeyTrouble, PublicKey, find_keys, read_key, sign_text
from scoville_runtime.clock import SYSTEM, Clock


class KeyPrompt:
    """Lists the SSH keys of this user on `output`, and takes the choice from the typed lines."""

    def __init__(self, output: TextOutput, reader: TypedLines, clock: Clock = SYSTEM) -> None:
        self._output = output
        self._reader = reader
        self._clock = clock

    async def ask_signature(self, text: Callable[[], Awaitable[str]]) -> tuple[str, str]:
        """Return the chosen key's line, and its signature of what `text` composes.

        Raises ValueError when nothing is chosen or the key does not sign, and as `text` does.
        """
        try:
            key = await self._choose_key(await find_keys(clock=self._clock))
            composed = await text()
            self._output.say("Signing … If your key is on a security device, touch it.")
            return key.line, await sign_text(key, composed, self._clock)
        except KeyTrouble as trouble:
            raise ValueError(str(trouble)) from trouble

    async def _choose_key(self, keys: Sequence[PublicKey]) -> PublicKey:
        for number, key in enumerate(keys, 1):
            self._output.say("{number}. {key}, from {origin}", number=number, key=key.label, origin=key.origin)
        if not keys:
            self._output.say("No key found in ~/.ssh or in the agent. Create one with ssh-keygen -t ed25519.")
        self._output.say("Type the number of an SSH key, or the path of a key file.")
        typed = (await self._reader.read_next() or "").strip()
        if not typed:
            raise ValueError(tr("Nothing entered; nothing was changed."))
        if typed.isdecimal() and typed.isascii():
            if not 1 <= int(typed) <= len(keys):
                raise ValueError(tr("There is no SSH key {number}.", number=typed))
            return keys[int(typed) - 1]
        return read_key(Path(typed))


class PasswordPrompt:
    """Asks for a password on `output`, and takes it from the typed lines."""

    def __init__(self, output: TextOutput, reader: TypedLines) -> None:
        self._output = output
        self._reader = reader

    async def ask_password(self, sentence: str) -> str:
        """Ask for a password, hidden at a terminal. Raises ValueError when none is typed."""
        typed = await self.ask_or_key(sentence)
        if not typed:
            raise ValueError(tr("Nothing entered; nothing was changed."))
        return typed

    async def ask_or_key(self, sentence: str) -> str:
        """Ask for a password, hidden at a terminal; empty if the user wants to use an SSH key instead."""
        self._output.say("{message}", message=sentence)
        return await self._reader.read_secret() or ""

    async def ask_new(self, sentence: str) -> str:
        """Ask for a new password, twice where it is hidden. Raises ValueError."""
        return await self.ask_again(await self.ask_password(sentence))

    async def ask_again(self, typed: str) -> str:
        """Ask for a new password once more where it is hidden. Raises ValueError when the two differ."""
        if self._reader.hides and await self.ask_password(tr("Type it once more.")) != typed:
            raise ValueError(tr("The two entries differ; nothing was changed."))
        return typed
