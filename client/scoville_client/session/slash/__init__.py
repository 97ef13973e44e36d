"""Slash commands of the chat, such as `/w Anna hello`."""

from collections.abc import Sequence

from scoville_client.i18n.language import render, tr
from scoville_client.session.completion import NameCompletion, after_command
from scoville_client.session.conversations import Conversations
from scoville_client.session.slash.admin import FOR_ADMINS
from scoville_client.session.slash.parsing import Command, Misuse, name_and_rest
from scoville_client.session.slash.user import FOR_EVERYBODY
from scoville_shared.engine.phrases import Phrase

__all__ = ["COMMANDS", "Misuse", "completion", "is_command", "name_and_rest", "run_command"]


def is_command(text: str) -> bool:
    """Whether a chat text is a command; two slashes begin a message that starts with one."""
    return text.startswith("/") and not text.startswith("//")


async def run_command(talk: Conversations, text: str) -> Sequence[str]:
    """Run a typed command and return lines to show. Raises Misuse, and as `Request` does."""
    name, _, rest = text[1:].strip().partition(" ")
    command = next((each for each in COMMANDS if each.name == name.lower()), None)
    if command is None:
        known = " ".join(f"/{each.name}" for each in _offered(talk))
        raise Misuse(tr("There is no command /{name}. The commands are: {known}", name=name, known=known))
    return await command.run(talk, rest.strip())


def completion(talk: Conversations) -> NameCompletion:
    """Return the completion of names after the commands that take one."""
    named = (each.name for each in COMMANDS if each.takes.startswith("NAME"))
    own = talk.session.name
    return NameCompletion(lambda: [name for name in talk.names() if name != own], after_command(named, "/"))


async def _help(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    return [f"/{each.name} {_form(each)}".rstrip() + f": {render(each.help)}" for each in _offered(talk)]


def _form(command: Command) -> str:
    return tr(command.takes) if command.takes else ""


def _offered(talk: Conversations) -> list[Command]:
    return [each for each in COMMANDS if talk.looks_after or not each.admin]


COMMANDS = (*FOR_EVERYBODY, Command("help", "", Phrase("List these commands."), _help), *FOR_ADMINS)
