"""Slash commands of the chat, such as `/w Anna hello`: the commands of the registry, typed among the messages."""

from collections.abc import Callable, Sequence
from typing import Final

from scoville_client.i18n.language import tr
from scoville_client.session.chat_channels import WHISPERS
from scoville_client.session.commands.command import Misuse
from scoville_client.session.commands.registry import (
    COMMANDS,
    GROUPS,
    context_of,
    explain_command,
    explain_unknown,
    find_command,
    is_offered,
    name_completion,
    summarize_groups,
)
from scoville_client.session.completion import NameCompletion
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.session import Session

MARK: Final = "/"


def is_command(text: str) -> bool:
    """Whether a chat text is a command; two slashes begin a message that starts with one."""
    return text.startswith(MARK) and not text.startswith(2 * MARK)


class SlashCommands:
    """Runs what is typed behind a slash in the chat.

    Args:
        conversations: The conversations of the chat.
        invitation: Returns every way in which others join.
    """

    mark = MARK

    def __init__(self, conversations: Conversations, invitation: Callable[[], Invitation]) -> None:
        self.conversations = conversations
        self._invitation = invitation
        self.numbered: list[str] = []

    @property
    def session(self) -> Session:
        """The session of the chat."""
        return self.conversations.session

    def invitation(self) -> Invitation:
        """Return every way in which others join."""
        return self._invitation()

    async def ask_password(self, question: str) -> str:  # noqa: ARG002 - as all callers
        """Refuse: what is typed in the chat can be read by everybody who sees the screen."""
        example = "/enter brave-otter PASSWORD"
        raise Misuse(
            tr("The chat cannot hide a password. Type it with the command, such as {example}", example=example)
        )

    def open_whispers(self, name: str) -> None:
        """Go to the whispers with a user."""
        self.conversations.open_room(Conversation(WHISPERS, name))

    def name_completion(self) -> NameCompletion:
        """Return the completion of names after the commands that take one."""
        return name_completion(lambda: self.session, COMMANDS, self.mark)

    async def run_command(self, text: str) -> Sequence[str]:
        """Run a typed command and return lines to show. Raises Misuse, and as `Request` does."""
        typed = text.removeprefix(self.mark).strip()
        context = context_of(self.session)
        first, _, rest = typed.partition(" ")
        if first.casefold() == "help":
            return explain_command(rest, context, COMMANDS, self.mark) if rest.strip() else self._summarize_commands()
        found = find_command(typed, context, admin=self.session.lobby.is_admin(self.session.name))
        if found is None:
            raise Misuse(explain_unknown(typed, context, COMMANDS, self.mark))
        command, rest = found
        return await command.run_typed(self, rest)

    def _summarize_commands(self) -> list[str]:
        return summarize_groups(GROUPS, lambda command: is_offered(command, self.session), self.mark)
