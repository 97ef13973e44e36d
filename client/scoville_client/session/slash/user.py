"""Slash commands of every user."""

from collections.abc import Sequence

from scoville_client.i18n.language import tr
from scoville_client.session.chat.channels import WHISPERS
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.session.slash.parsing import Command, Misuse, somebody
from scoville_client.session.table.deal_text import describe_deal
from scoville_client.session.table.vote import read_vote
from scoville_shared.engine.phrases import Phrase


async def _whisper(talk: Conversations, typed: str) -> Sequence[str]:
    name, text = somebody(talk, typed, "/w NAME TEXT")
    if text:
        line = await talk.session.chat.say(text, to=name)
        name = line.to or name
    talk.go(Conversation(WHISPERS, name))
    return ()


async def _ignore(talk: Conversations, typed: str) -> Sequence[str]:
    if not typed:
        names = await talk.session.chat.read_ignored()
        return [
            tr("You are ignoring: {names}", names=", ".join(names)) if names else tr("You are not ignoring anybody.")
        ]
    name, _ = somebody(talk, typed, "/ignore NAME")
    await talk.session.chat.ignore(name)
    talk.forget(name)
    return [tr("You are ignoring {name}. Type /unignore to undo it.", name=name)]


async def _unignore(talk: Conversations, typed: str) -> Sequence[str]:
    name, _ = somebody(talk, typed, "/unignore NAME")
    await talk.session.chat.ignore(name, ignored=False)
    return [tr("You are no longer ignoring {name}.", name=name)]


async def _mute(talk: Conversations, typed: str) -> Sequence[str]:
    name, _ = somebody(talk, typed, "/mute NAME")
    await talk.session.chat.mute(_table(talk), name)
    return [tr("{name} is muted at this table. Type /unmute to undo it.", name=name)]


async def _unmute(talk: Conversations, typed: str) -> Sequence[str]:
    name, _ = somebody(talk, typed, "/unmute NAME")
    await talk.session.chat.mute(_table(talk), name, muted=False)
    return [tr("{name} can chat at this table again.", name=name)]


async def _report(talk: Conversations, typed: str) -> Sequence[str]:
    name, text = somebody(talk, typed, "/report NAME TEXT")
    if not text:
        raise Misuse(tr("What happened? Type {form}", form="/report NAME TEXT"))
    await talk.session.account.report(name, text, talk.room.table)
    return [tr("The admins will read your report. To hide the messages, type /ignore {name}.", name=name)]


async def _vote(talk: Conversations, typed: str) -> Sequence[str]:
    table, at = _table(talk), talk.session.table
    assert at is not None, "there is a table"
    try:
        against, agree = read_vote(at.vote, typed, [seat.name or "" for seat in at.info.seats])
    except ValueError as error:
        raise Misuse(str(error)) from error
    await talk.session.table_actions.vote(table, against, agree=agree)
    return [tr("Your vote counts.")]


async def _deal(talk: Conversations, typed: str) -> Sequence[str]:  # noqa: ARG001 - as all commands
    if talk.session.table is None:
        raise Misuse(tr("You are not at a table; join one first."))
    return describe_deal(talk.session.table)


async def _code(talk: Conversations, typed: str) -> Sequence[str]:
    if not typed:
        raise Misuse(tr("The code is missing: type {form}", form="/code CODE"))
    await talk.session.account.become_admin(typed)
    return [tr("You are now an admin of this server.")]


def _table(talk: Conversations) -> str:
    if talk.session.table is None:
        raise Misuse(tr("You are not at a table; join one first."))
    return talk.session.table.id


FOR_EVERYBODY = (
    Command("w", "NAME TEXT", Phrase("Send a private message."), _whisper),
    Command("ignore", "NAME", Phrase("Hide a user's messages; without a name: list the users you ignore."), _ignore),
    Command("unignore", "NAME", Phrase("Show a user's messages again."), _unignore),
    Command("mute", "NAME", Phrase("Mute a user at your table."), _mute),
    Command("unmute", "NAME", Phrase("Unmute a user."), _unmute),
    Command("vote", "NAME", Phrase("Vote to kick a player; the others type /vote yes or /vote no."), _vote),
    Command(
        "deal", "", Phrase("Show the commitment and the random numbers, to compare them with other players."), _deal
    ),
    Command("code", "CODE", Phrase("Become an admin with the code that the server printed."), _code),
    Command("report", "NAME TEXT", Phrase("Report a user to the admins."), _report),
)
