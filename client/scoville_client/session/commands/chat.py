"""Commands of the chat: say, whisper, react, read, ignore, mute."""

from collections.abc import Sequence

from scoville_client.i18n.clock_text import time_of_day
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.name_text import in_words
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.session.chat_channels import LOBBY, WHISPERS
from scoville_client.session.commands.command import (
    ANY_NAME,
    AT_TABLE,
    NAME,
    NO_TEXT,
    TEXT,
    WHOLE_NAME,
    Argument,
    Caller,
    Command,
    Misuse,
    parse_number,
    split_text,
    split_words,
)
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    IgnoredRequest,
    IgnoreRequest,
    MessageInfo,
    MuteRequest,
    Reaction,
    ReactRequest,
    ReadChatRequest,
    SayRequest,
)

_LINES = 20
"""Earlier messages that are shown without a number."""
_CHANNELS = {"lobby": LOBBY, "whispers": WHISPERS}


async def _send_message(to: Caller, text: str) -> Sequence[str]:
    at = to.session.table
    await to.session.chat.send_message(text, table="" if at is None else at.id)
    return ()


async def _send_whisper(to: Caller, name: str, text: str) -> Sequence[str]:
    if text:
        line = await to.session.chat.send_message(text, to=name)
        name = line.to or name
    elif to.open_whispers is None:
        raise Misuse(tr("{missing} Type {form}", missing=render(NO_TEXT), form=f"{to.mark}whisper NAME TEXT"))
    if to.open_whispers is not None:
        to.open_whispers(name)
    return ()


async def _read_messages(to: Caller, words: Sequence[str]) -> Sequence[str]:
    at = to.session.table
    channel = next((_CHANNELS[word] for word in words if word in _CHANNELS), LOBBY if at is None else at.id)
    wanted = next((parse_number(word) for word in words if word not in _CHANNELS), _LINES)
    lines = await to.session.chat.read_channel(channel)
    return message_rows(lines[max(0, len(lines) - wanted) :], to.session.name)


def message_rows(lines: Sequence[MessageInfo], me: str) -> list[str]:
    """Return messages as rows with their times."""
    rows = [f"{time_of_day(line.at_ms)} {render(message_phrase(line, me))}" for line in lines]
    return rows or [tr("There are no messages yet.")]


async def _send_reaction(to: Caller, typed: str) -> Sequence[str]:
    begun = typed.casefold()
    fitting = [each for each in REACTIONS if begun and any(name.startswith(begun) for name in _names_of(each))]
    if begun in map(str, range(1, len(REACTIONS) + 1)):  # as the screens number them
        fitting = [[*REACTIONS][int(begun) - 1]]
    if len(fitting) != 1:
        names = [f"{number} {render(each.name)}" for number, each in enumerate(REACTIONS.values(), 1)]
        raise Misuse(tr("Type {command} and one of: {reactions}.", command=f"{to.mark}react", reactions=names))
    await to.session.chat.send_reaction(to.session.current_table.id, fitting[0])
    return ()


def _names_of(reaction: Reaction) -> tuple[str, str]:
    """Return the names of a reaction: the protocol's, and the translated one."""
    return reaction, render(REACTIONS[reaction].name).casefold()


async def _ignore_user(to: Caller, name: str) -> Sequence[str]:
    if not name:
        return await _list_ignored(to)
    await to.session.chat.ignore_user(name)
    return [tr("You are ignoring {name}. Type {command} to undo it.", name=name, command=f"{to.mark}unignore {name}")]


async def _stop_ignoring(to: Caller, name: str) -> Sequence[str]:
    await to.session.chat.ignore_user(name, ignored=False)
    return [tr("You are no longer ignoring {name}.", name=name)]


async def _list_ignored(to: Caller) -> Sequence[str]:
    names = await to.session.chat.read_ignored()
    return [tr("You are ignoring: {names}.", names=names) if names else tr("You are not ignoring anybody.")]


async def _mute_user(to: Caller, name: str) -> Sequence[str]:
    await to.session.chat.mute_user(to.session.current_table.id, name)
    return [
        tr("{name} is muted at this table. Type {command} to undo it.", name=name, command=f"{to.mark}unmute {name}")
    ]


async def _unmute_user(to: Caller, name: str) -> Sequence[str]:
    await to.session.chat.mute_user(to.session.current_table.id, name, muted=False)
    return [tr("{name} can chat at this table again.", name=name)]


def message_phrase(line: MessageInfo, me: str, club: str = "") -> Phrase:
    """Return a chat message as a phrase, with the name of its `club` where that has to be said.

    A colon alone behind the name would let somebody called Verified, or a server, write the lines of the client.
    """
    if line.to and line.name == me:
        return Phrase("You whisper to {name}: {text}", {"name": line.to, "text": line.text})
    name = in_words(line.name, claimed=line.claimed, moderator=line.moderator)
    if line.to:
        return Phrase("{name} whispers: {text}", {"name": name, "text": line.text})
    if club:
        return Phrase("{name} says in {club}: {text}", {"name": name, "club": club, "text": line.text})
    if line.channel == "table" and line.seat is None:
        return Phrase("{name} (spectator) says: {text}", {"name": name, "text": line.text})
    return Phrase("{name} says: {text}", {"name": name, "text": line.text})


COMMANDS = (
    Command(
        ("say",), (TEXT,), Phrase("Send a message to your table or to the lobby."), _send_message, sends=(SayRequest,)
    ),
    Command(
        ("whisper", "w"),
        (NAME, Argument("TEXT", split_text)),
        Phrase("Send a private message to a user."),
        _send_whisper,
        sends=(SayRequest,),
    ),
    Command(
        ("chat",),
        (Argument("[lobby or whispers] [NUMBER]", split_words, default=[]),),
        Phrase("Show earlier messages."),
        _read_messages,
        sends=(ReadChatRequest,),
        more=(Phrase("For example: chat 50, chat lobby, chat whispers."),),
    ),
    Command(
        ("react",),
        (Argument("REACTION", split_text),),
        Phrase("Send a reaction, such as: react thanks."),
        _send_reaction,
        AT_TABLE,
        sends=(ReactRequest,),
    ),
    Command(
        ("ignore",),
        (ANY_NAME,),
        Phrase("Hide a user's messages; without a name: list the users you ignore."),
        _ignore_user,
        sends=(IgnoreRequest, IgnoredRequest),
    ),
    Command(
        ("unignore",), (WHOLE_NAME,), Phrase("Show a user's messages again."), _stop_ignoring, sends=(IgnoreRequest,)
    ),
    Command(("ignored",), (), Phrase("List the users you ignore."), _list_ignored, sends=(IgnoredRequest,)),
    Command(
        ("mute",),
        (WHOLE_NAME,),
        Phrase("Stop a user from chatting at your table."),
        _mute_user,
        AT_TABLE,
        sends=(MuteRequest,),
        who="host",
    ),
    Command(
        ("unmute",),
        (WHOLE_NAME,),
        Phrase("Let a user chat at your table again."),
        _unmute_user,
        AT_TABLE,
        sends=(MuteRequest,),
        who="host",
    ),
)
