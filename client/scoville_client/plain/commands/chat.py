"""Commands of the chat: say, whisper, react, read, ignore."""

from scoville_client.i18n.dates import time_of_day
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import AT_TABLE, ONLINE, Command
from scoville_client.plain.input.parsing import named, number, whole_name
from scoville_client.plain.notices import spoken
from scoville_client.session.chat.channels import LOBBY, WHISPERS
from scoville_shared.protocol.messages import MessageInfo, Reaction

LINES = 20


async def _say(app: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(tr("Type say and your message."))
    at = app.session.table
    await app.session.chat.say(" ".join(after), table="" if at is None else at.id)


async def _whisper(app: LineModeApp, after: list[str]) -> None:
    name, text = named(app.session, after)
    if not text:
        raise ValueError(tr("Type whisper, a name, and your message."))
    await app.session.chat.say(text, to=name)


async def _chat(app: LineModeApp, after: list[str]) -> None:
    """Write the last messages of the current channel or of the given one, as many as requested."""
    at = app.session.table
    contexts = {"lobby": LOBBY, "whispers": WHISPERS}
    channel = next((contexts[word] for word in after if word in contexts), LOBBY if at is None else at.id)
    wanted = next((number(word) for word in after if word not in contexts), LINES)
    lines = await app.session.chat.read(channel)
    if not lines:
        app.output.say("There are no messages yet.")
    for line in lines[max(0, len(lines) - wanted) :]:
        said = render(spoken(line, app.session.name))
        app.output.say("{time} {line}", time=_time(line), line=said)


def _time(line: MessageInfo) -> str:
    return time_of_day(line.at_ms)


async def _react(app: LineModeApp, after: list[str]) -> None:
    typed = " ".join(after).casefold()
    table_argument = [each for each in REACTIONS if typed and any(name.startswith(typed) for name in _names(each))]
    if len(table_argument) != 1:
        names = [render(each.name) for each in REACTIONS.values()]
        raise ValueError(tr("Type react and one of: {reactions}.", reactions=names))
    await app.session.chat.react(app.table.id, table_argument[0])


def _names(reaction: Reaction) -> tuple[str, str]:
    """Return the names of a reaction: the protocol's, and the translated one."""
    return reaction, render(REACTIONS[reaction].name).casefold()


async def _ignore(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after)
    await app.session.chat.ignore(name)
    app.output.say("You are ignoring {name}.", name=name)


async def _unignore(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after)
    await app.session.chat.ignore(name, ignored=False)
    app.output.say("You are no longer ignoring {name}.", name=name)


async def _ignored(app: LineModeApp, _: list[str]) -> None:
    names = await app.session.chat.read_ignored()
    if names:
        app.output.say("You are ignoring: {names}.", names=names)
    else:
        app.output.say("You are not ignoring anybody.")


async def _mute(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after)
    await app.session.chat.mute(app.table.id, name)
    app.output.say("{name} is muted at this table.", name=name)


async def _unmute(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after)
    await app.session.chat.mute(app.table.id, name, muted=False)
    app.output.say("{name} can chat at this table again.", name=name)


COMMANDS: tuple[Command, ...] = (
    Command(("say",), "TEXT", "send a message to your table or to the lobby", ONLINE, _say),
    Command(("whisper",), "NAME TEXT", "send a private message to a user", ONLINE, _whisper),
    Command(("chat",), "[lobby or whispers] [NUMBER]", "show earlier messages", ONLINE, _chat),
    Command(("react",), "REACTION", "send a reaction, such as: react thanks", AT_TABLE, _react),
    Command(("ignore",), "NAME", "hide a user's messages", ONLINE, _ignore),
    Command(("unignore",), "NAME", "show a user's messages again", ONLINE, _unignore),
    Command(("ignored",), "", "list the users you ignore", ONLINE, _ignored),
    Command(("mute",), "NAME", "stop a user from chatting at your table", AT_TABLE, _mute),
    Command(("unmute",), "NAME", "let a user chat at your table again", AT_TABLE, _unmute),
)
