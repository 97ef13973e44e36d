"""Commands about people: who I am here, what is known of me and others."""

from scoville_client.i18n.dates import day
from scoville_client.i18n.language import words
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import ONLINE, Command
from scoville_client.plain.parsing import named, one, whole_name
from scoville_client.plain.profile_text import facts_of, leader_line
from scoville_shared.protocol.messages import TokenInfo


async def _log_in(desk: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(words("Type login and your name."))
    name = " ".join(after)
    password = await desk.secret(words("Type the password of {name}.", name=name))
    await desk.session.become(desk.session.account.log_in(name, password))


async def _log_out(desk: LineModeApp, _: list[str]) -> None:
    await desk.session.become(desk.session.account.log_out())


async def _claim(desk: LineModeApp, _: list[str]) -> None:
    password = await desk.new_secret(words("Type a password of at least 8 characters; it proves that you are you."))
    await desk.session.account.claim(password)
    desk.voice.say("The name {name} is yours for good. Elsewhere, type login {name}.", name=desk.session.name)


async def _password(desk: LineModeApp, _: list[str]) -> None:
    account = await desk.session.account.show()
    old = await desk.secret(words("Type your password as it is now.")) if account.password else ""
    new = await desk.new_secret(words("Type the new password, of at least 8 characters."))
    await desk.session.account.change_password(new, old)
    desk.voice.say("Your password is another one now.")


async def _release(desk: LineModeApp, _: list[str]) -> None:
    account = await desk.session.account.show()
    password = await desk.secret(words("Type your password to give your name up.")) if account.password else ""
    await desk.session.account.release(password)
    desk.voice.say("The name is yours no more; you are a guest.")


async def _account(desk: LineModeApp, _: list[str]) -> None:
    account = await desk.session.account.show()
    if account.claimed:
        desk.voice.say("You are {name}; the name is your own.", name=account.name)
    else:
        desk.voice.say("You are {name}, a guest. Type claim to keep the name.", name=account.name)
    if account.password:
        desk.voice.say("A password proves who you are.")
    for key in account.keys:
        desk.voice.say("A key proves who you are: {key} {comment}", key=key.fingerprint, comment=key.comment)
    for token in account.tokens:
        _say_token(desk, token)


def _say_token(desk: LineModeApp, token: TokenInfo) -> None:
    fields = {"id": token.id, "client": token.client, "day": day(token.used_ms)}
    if token.current:
        desk.voice.say("Logged in here, token {id}: {client}", **fields)
    else:
        desk.voice.say("Logged in elsewhere, token {id}: {client}, last used {day}", **fields)


async def _revoke(desk: LineModeApp, after: list[str]) -> None:
    which = one(after, words("Type revoke and the id of a token, or revoke all; type account to hear the ids."))
    await desk.session.account.revoke("" if which == "all" else which)
    desk.voice.say("It is worth nothing any more.")


async def _profile(desk: LineModeApp, after: list[str]) -> None:
    name = whole_name(desk.session, after) if after else ""
    desk.voice.tell(facts_of(await desk.session.account.profile(name)))


async def _leaders(desk: LineModeApp, after: list[str]) -> None:
    game = one(after, words("Type leaders and a game; type games to list them."))
    leaders = await desk.session.account.leaders(game)
    if not leaders:
        desk.voice.say("Nobody is ranked at this game yet.")
    desk.voice.tell(map(leader_line, leaders))


async def _report(desk: LineModeApp, after: list[str]) -> None:
    name, text = named(desk.session, after)
    if not text:
        raise ValueError(words("Type report, a name, and what they did."))
    at = desk.session.table
    await desk.session.account.report(name, text, "" if at is None else at.id)
    desk.voice.say("Whoever looks after this server is told.")


COMMANDS: tuple[Command, ...] = (
    Command(("profile",), "[NAME]", "tell what is known of you or of somebody", ONLINE, _profile),
    Command(("leaders",), "GAME", "tell who is best at a game", ONLINE, _leaders),
    Command(("claim",), "", "make your name your own, by a password", ONLINE, _claim),
    Command(("login",), "NAME", "be the person whose name it is; the password is asked for", ONLINE, _log_in),
    Command(("logout",), "", "be a guest again", ONLINE, _log_out),
    Command(("account",), "", "tell who you are here, and where you are logged in", ONLINE, _account),
    Command(("password",), "", "set another password", ONLINE, _password),
    Command(("revoke",), "ID", "let a token prove nothing any more, or with all every other one", ONLINE, _revoke),
    Command(("release",), "", "give your name up", ONLINE, _release),
    Command(("report",), "NAME TEXT", "tell whoever looks after this server of somebody", ONLINE, _report),
)
