"""Commands as values: names, typed arguments, help, who may use them, and what they do on the session."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

from scoville_client.i18n.language import InputError, render, tr
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.new_table.typed_table import name_game
from scoville_client.session.session import Session
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Params

T = TypeVar("T")

Context = Literal["menu", "lobby", "waiting", "playing", "finished"]
"""Where the user is: without a server, in the lobby, or at a table before, in or after its game."""
ANYWHERE: Final[tuple[Context, ...]] = ("menu", "lobby", "waiting", "playing", "finished")
ONLINE: Final[tuple[Context, ...]] = ("lobby", "waiting", "playing", "finished")
AT_TABLE: Final[tuple[Context, ...]] = ("waiting", "playing", "finished")
WITH_VIEW: Final[tuple[Context, ...]] = ("playing", "finished")

Role = Literal["user", "host", "moderator", "admin"]
"""Who may use a command. The server decides; this is for the help."""
STAFF: Final[tuple[Role, ...]] = ("moderator", "admin")
"""Roles whose commands begin with the word admin, and are listed for them alone."""

_LONGEST_NUMBER: Final = 9
"""Most digits of a number; the protocol has no longer ones."""
_LONGEST_SHOWN: Final = 60


class Misuse(InputError, ValueError):
    """A command was typed wrongly; the text is a sentence for the user."""


class Caller(Protocol):
    """The front end in which a command is typed.

    Attributes:
        mark: The sign before the name of a command: a slash in the chat.
        numbered: Ids of the tables in the order of the last numbered list.
    """

    mark: str
    numbered: list[str]

    @property
    def session(self) -> Session: ...

    def make_invitation(self) -> Invitation:
        """Return every way in which others join."""

    async def ask_password(self, question: str) -> str:
        """Ask for a password of a table. Raises Misuse where none is given."""

    @property
    def open_whispers(self) -> Callable[[str], None] | None:
        """Opens the conversation with a user; None where all messages stand below each other."""


class Argument(NamedTuple):
    """An argument of a command: how the help writes it, how it is split off a text, and what is said without it.

    `split` returns the value and the rest of the text; it is called for a text that is not empty. Without `missing` the
    argument may be left out, and its value is `default` then.
    """

    label: str
    split: Callable[[Caller, str], tuple[Any, str]]
    missing: Phrase | None = None
    default: Any = ""


class Command(NamedTuple):
    """A command. The first of its `names` is shown; `run` receives the caller and a value per argument.

    `run` returns lines to show, and raises Misuse, or as `Request` does. `sends` are the requests that it can lead to,
    `more` are details for its own help.
    """

    names: tuple[str, ...]
    takes: tuple[Argument, ...]
    help: Phrase
    run: Callable[..., Awaitable[Sequence[str]]]
    contexts: tuple[Context, ...] = ONLINE
    sends: tuple[type[Params], ...] = ()
    who: Role = "user"
    more: tuple[Phrase, ...] = ()

    def usage_text(self, mark: str = "") -> str:
        """Return the first name and the arguments as they are typed, the name behind `mark`."""
        return " ".join([f"{mark}{self.names[0]}", *(tr(argument.label) for argument in self.takes)])

    @property
    def takes_name(self) -> bool:
        """Whether the command is followed by the name of a user."""
        return bool(self.takes) and self.takes[0].split in (split_name, whole_name)

    async def run_typed(self, caller: Caller, typed: str) -> Sequence[str]:
        """Run the command with the arguments that are typed after its name."""
        values: list[Any] = []
        rest = typed.strip()
        for argument in self.takes:
            if rest:
                value, rest = argument.split(caller, rest)
                values.append(value)
            elif argument.missing is not None:
                sentence = render(argument.missing)
                raise Misuse(tr("{missing} Type {form}", missing=sentence, form=self.usage_text(caller.mark)))
            else:
                values.append(argument.default)
        if rest:
            # Without it the command would do something else than the user meant, and not say so.
            raise Misuse(
                tr(
                    "{typed} does not belong to this command. Type {form}",
                    typed=repr(rest[:_LONGEST_SHOWN]),
                    form=self.usage_text(caller.mark),
                )
            )
        try:
            return await self.run(caller, *values)
        except InputError as fault:
            # Front ends know Misuse, whichever part of the session has found the fault.
            raise Misuse(str(fault)) from None


# --- arguments ------------------------------------------------------------------------------------------


def split_word(caller: Caller, typed: str) -> tuple[str, str]:  # noqa: ARG001 - as all that split
    """Split off the first word."""
    word, _, rest = typed.partition(" ")
    return word, rest.strip()


def split_text(_: Caller, typed: str) -> tuple[str, str]:
    """Take all that was typed as one argument."""
    return typed, ""


def split_words(_: Caller, typed: str) -> tuple[list[str], str]:
    """Take all that was typed as a list of words."""
    return typed.split(), ""


def whole_game(_: Caller, typed: str) -> tuple[str, str]:
    """Take all that was typed as the name of a game, as people say it."""
    return name_game(typed), ""


def split_number(caller: Caller, typed: str) -> tuple[int, str]:  # noqa: ARG001 - as all that split
    """Split off a number, such as 7 or #7."""
    word, _, rest = typed.partition(" ")
    return parse_number(word.removeprefix("#")), rest.strip()


def split_name(caller: Caller, typed: str) -> tuple[str, str]:
    """Split off a name: the longest known one that fits, one in quotes, or else the first word."""
    if typed.startswith('"') and '"' in typed[1:]:
        name, _, rest = typed[1:].partition('"')
        return name, rest.strip()
    begun = typed.casefold()
    fits = [name for name in known_names(caller.session) if f"{begun} ".startswith(f"{name.casefold()} ")]
    if fits:
        name = max(fits, key=len)
        return name, typed[len(name) :].strip()
    name, _, rest = typed.partition(" ")
    return name, rest.strip()


def whole_name(caller: Caller, typed: str) -> tuple[str, str]:
    """Take all of a text as a name, in its owner's spelling where it is known."""
    name, rest = split_name(caller, typed)
    return f"{name} {rest}".rstrip(), ""


def parse_number(word: str) -> int:
    """Parse a whole number. Raises Misuse."""
    if not (word.isascii() and word.isdigit()) or len(word) > _LONGEST_NUMBER:
        raise Misuse(tr("{typed} is not a number.", typed=repr(word[:_LONGEST_SHOWN])))
    return int(word)


def pick_numbered(rows: Sequence[T], number: int, missing: str) -> T:
    """Return the row of a list that is numbered from 1 on. Raises Misuse, with the sentence for a number not there."""
    if not 1 <= number <= len(rows):
        raise Misuse(missing)
    return rows[number - 1]


_NO_NAME = Phrase("The name is missing.")
NO_TEXT = Phrase("The text is missing.")
NAME = Argument("NAME", split_name, _NO_NAME)
WHOLE_NAME = Argument("NAME", whole_name, _NO_NAME)
ANY_NAME = Argument("[NAME]", whole_name)
TEXT = Argument("TEXT", split_text, NO_TEXT)
REASON = Argument("[REASON]", split_text)
NUMBER = Argument("NUMBER", split_number, Phrase("The number is missing."))
TABLE = Argument("TABLE", split_word, Phrase("The table is missing."))
GAME = Argument("GAME", whole_game, Phrase("The game is missing."))
ANY_GAME = Argument("[GAME]", whole_game)
NEW_TABLE = Argument("[GAME] [PLAYERS] [OPTION=VALUE ...] [private] [...]", split_words, default=[])


# --- names ----------------------------------------------------------------------------------------------


def known_names(session: Session) -> list[str]:
    """Return all names that this client knows, each once: at the table, in the lobby and in the chat."""
    at = session.table
    here = [] if at is None else [*(seat.name for seat in at.info.seats), *at.audience.spectators]
    seated = (seat.name for table in session.lobby.tables for seat in table.seats)
    chat = session.chat
    return [
        name
        for name in dict.fromkeys([*here, *session.lobby.users, *chat.ignored, *seated, *chat.known_names()])
        if name
    ]


def seat_of(caller: Caller, name: str) -> int:
    """Return the seat of a player at the current table, by name or number. Raises Misuse."""
    for seat, info in enumerate(caller.session.current_table.info.seats):
        if (info.name or "").casefold() == name.casefold() or name == str(seat + 1):
            return seat
    command = f"{caller.mark}who"
    raise Misuse(tr("No player called {name} is at this table; type {command}.", name=name, command=command))
