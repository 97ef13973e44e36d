"""Registry of the commands: by subject, by the name that is typed, completed, as lines of help, and typed in the chat.

A slash command of the chat, such as `/w Anna hello`, is a command of the registry, typed among the messages. Each
further key of a completion goes on to the next name.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from scoville_client.i18n.language import render, tr
from scoville_client.session.chat_channels import WHISPERS
from scoville_client.session.commands import admin, at_table, chat, clubs, daily, players, tables, tournaments
from scoville_client.session.commands.command import ANYWHERE, STAFF, Caller, Command, Context, Misuse, known_names
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.session import Session
from scoville_shared.engine.phrases import Phrase


class NamePlace(NamedTuple):
    """A line that ends in the beginning of a name: what stands before it, and what is typed of it."""

    before: str
    typed: str


def after_command(commands: Iterable[str], mark: str = "") -> Callable[[str], NamePlace | None]:
    """Return a function that finds the name after one of some commands, each behind `mark`."""
    names = "|".join(re.escape(name) for name in commands)
    line = re.compile(rf"(?P<before>{re.escape(mark)}(?:{names})\s+)(?P<typed>.*)", re.IGNORECASE | re.DOTALL)

    def find_place(text: str) -> NamePlace | None:
        found = line.fullmatch(text)
        return None if found is None else NamePlace(found["before"], found["typed"])

    return find_place


def fitting_names(names: Iterable[str], typed: str) -> list[str]:
    """Return the names that begin with a text, in alphabetical order, each once."""
    begun = typed.casefold()
    return sorted({name for name in names if name and name.casefold().startswith(begun)}, key=str.casefold)


class NameCompletion:
    """Completes the name at the end of a line.

    Args:
        names: Returns the names to choose from.
        find: Finds the beginning of a name in a line; None where there is none.
    """

    def __init__(self, names: Callable[[], Sequence[str]], find: Callable[[str], NamePlace | None]) -> None:
        self._names = names
        self._find = find
        self._shown = ""
        self._place = NamePlace("", "")
        self._at = 0

    def complete_line(self, text: str, step: int = 1) -> str | None:
        """Return a line with its name completed, by the next name if the line was completed before.

        Returns None where no name is typed, or where none fits.
        """
        again = bool(self._shown) and text == self._shown
        place = self._place if again else self._find(text)
        if place is None:
            return None
        names = fitting_names(self._names(), place.typed)
        if not names:
            return None
        # Shift+Tab begins with the last name.
        first = 0 if step > 0 else len(names) - 1
        self._at = (self._at + step) % len(names) if again else first
        self._place = place
        self._shown = f"{place.before}{names[self._at]} "
        return self._shown


class Group(NamedTuple):
    """Commands of one subject."""

    title: Phrase
    commands: tuple[Command, ...]


async def _list_admin_commands(to: Caller) -> Sequence[str]:
    return [help_line(command, to.mark) for command in admin.COMMANDS]


_ADMIN: Final = Command(("admin",), (), Phrase("List the commands of admins."), _list_admin_commands)
TABLES: Final = Group(Phrase("Tables"), tables.COMMANDS)
DAILY: Final = Group(Phrase("Daily deal"), daily.COMMANDS)
TOURNAMENTS: Final = Group(Phrase("Tournaments"), tournaments.COMMANDS)
TABLE: Final = Group(Phrase("At the table"), at_table.COMMANDS)
CHAT: Final = Group(Phrase("Chat"), chat.COMMANDS)
CLUBS: Final = Group(Phrase("Clubs"), clubs.COMMANDS)
PLAYERS: Final = Group(Phrase("Players"), players.COMMANDS)
SERVER: Final = Group(Phrase("The server"), (*admin.ABOUT_SERVER, _ADMIN, *admin.COMMANDS))
GROUPS: Final = (TABLES, DAILY, TOURNAMENTS, TABLE, CHAT, CLUBS, PLAYERS, SERVER)
"""Every command that acts on a session, whatever the front end. Front ends add commands of their own."""
COMMANDS: Final = tuple(command for group in GROUPS for command in group.commands)


def command_named(name: str) -> Command:
    """Return the command with a first name."""
    return next(command for command in COMMANDS if command.names[0] == name)


def help_of(name: str) -> str:
    """Return the help of the command with a first name, untranslated."""
    return command_named(name).help.text


def context_of(session: Session) -> Context:
    """Return where the user of a session is."""
    if session.connection.offline:
        return "menu"
    return "lobby" if session.table is None else session.table.info.status


def is_offered(command: Command, session: Session) -> bool:
    """Whether a command is possible where the user is, and is not for others."""
    return context_of(session) in command.contexts and _may_use(command, session)


def _may_use(command: Command, session: Session) -> bool:
    lobby, name = session.lobby, session.name
    if command.who not in STAFF or lobby.is_admin(name):
        return True
    return command.who == "moderator" and lobby.is_moderator(name)


def find_command(
    typed: str, context: Context, commands: Iterable[Command] = COMMANDS, *, admin: bool = False
) -> tuple[Command, str] | None:
    """Return the command that a line begins with, and the rest of the line; None if it begins with none.

    The commands of admins begin with the word admin. An `admin` may leave it out where no other command has the name.
    """
    words = typed.split(maxsplit=2)
    spelled = [" ".join(words[:count]).casefold() for count in (2, 1) if len(words) >= count]
    here = [command for command in commands if context in command.contexts]
    # Two words first: "club date" is a command of its own, and "date" would be the argument of "club".
    for name in spelled:
        for command in here:
            if name in command.names:
                return command, _after_words(typed, name.count(" ") + 1)
    if admin and spelled:
        for command in here:
            if command.who in STAFF and f"admin {spelled[-1]}" in command.names:
                return command, _after_words(typed, 1)
    return None


def explain_unknown(typed: str, context: Context, commands: Sequence[Command], mark: str = "") -> str:
    """Return why a line is no command here: it is one elsewhere, or nowhere."""
    if any(find_command(typed, each, commands) is not None for each in ANYWHERE):
        if context == "lobby":
            return tr("You are not at a table; join one first.")
        return tr("This command does not work here.")
    name = f"{mark}{typed.split(maxsplit=1)[0] if typed else ''}"
    return tr("There is no command {name} here. Type {command} for help.", name=repr(name), command=f"{mark}help")


def _after_words(typed: str, count: int) -> str:
    rest = typed.split(maxsplit=count)
    return rest[count] if len(rest) > count else ""


def help_line(command: Command, mark: str = "") -> str:
    """Return a command, its other names, its arguments and its help as a line."""
    names = f" {tr('or')} ".join(f"{mark}{name}" for name in command.names)
    usage = " ".join([names, *(tr(argument.label) for argument in command.takes)])
    return f"{usage}: {render(command.help)}"


def summarize_groups(groups: Iterable[Group], offered: Callable[[Command], bool], mark: str = "") -> list[str]:
    """Return a line per group with the names of its commands that are `offered`, then how one is explained."""
    lines, example = [], ""
    for group in groups:
        names = [f"{mark}{command.names[0]}" for command in group.commands if offered(command)]
        if names:
            lines.append(tr("{title}: {names}.", title=render(group.title), names=names))
            example = example or names[0].removeprefix(mark)
    if lines:
        help_on = f"{mark}help {example}"
        lines.append(tr("Type help and a command for details, such as: {command}", command=help_on))
    return lines


def explain_command(name: str, context: Context, commands: Iterable[Command], mark: str = "") -> list[str]:
    """Return the help of the commands with a name: of those that work here, else of all. Raises Misuse."""
    wanted = " ".join(name.removeprefix(mark).casefold().split())
    meant = [each for each in commands if wanted in each.names]
    if not meant:
        raise Misuse(
            tr("There is no command {name}. Type {command} for a list.", name=repr(name), command=f"{mark}help")
        )
    lines = []
    # Two commands may share a name in different places.
    for command in [each for each in meant if context in each.contexts] or meant:
        lines.append(help_line(command, mark))
        lines += [tr("Only the host can do this.")] if command.who == "host" else []
        lines += [tr("This command does not work here.")] if context not in command.contexts else []
        lines += map(render, command.more)
    names = [each.names[0] for each in commands if context in each.contexts and each.who not in STAFF]
    further = [f"{mark}{each}" for each in names if each.startswith(f"{wanted} ") and each not in meant[0].names]
    return [*lines, tr("See also: {names}.", names=", ".join(further))] if further else lines


def other_names(session: Session) -> list[str]:
    """Return the names of other users that this client knows."""
    return [name for name in known_names(session) if name != session.name]


def name_completion(
    session: Callable[[], Session], commands: Sequence[Command] = COMMANDS, mark: str = ""
) -> NameCompletion:
    """Return the completion of names after the commands that take one; the session may be another one each time."""
    return NameCompletion(lambda: other_names(session()), place_of_name(commands, mark))


def place_of_name(commands: Sequence[Command] = COMMANDS, mark: str = "") -> Callable[[str], NamePlace | None]:
    """Return a function that finds the beginning of a name after a command that takes one."""
    return after_command((name for command in commands if command.takes_name for name in command.names), mark)


MARK: Final = "/"


def is_command(text: str) -> bool:
    """Whether a chat text is a command; two slashes begin a message that starts with one."""
    return text.startswith(MARK) and not text.startswith(2 * MARK)


class SlashCommands:
    """Runs commands that are typed behind a slash in the chat.

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

    def make_invitation(self) -> Invitation:
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
