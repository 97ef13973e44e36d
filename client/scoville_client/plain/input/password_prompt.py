"""Prompt for passwords and codes, hidden at a terminal."""

from scoville_client.i18n.language import tr
from scoville_client.plain.input.stdin import TypedLines
from scoville_client.plain.output import TextOutput


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
        return await self._reader.secret() or ""

    async def ask_new(self, sentence: str) -> str:
        """Ask for a new password, twice where it is hidden. Raises ValueError."""
        return await self.ask_again(await self.ask_password(sentence))

    async def ask_again(self, typed: str) -> str:
        """Ask for a new password once more where it is hidden. Raises ValueError when the two differ."""
        if self._reader.hides and await self.ask_password(tr("Type it once more.")) != typed:
            raise ValueError(tr("The two entries differ; nothing was changed."))
        return typed
