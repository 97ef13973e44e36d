"""Commands about users: account, profiles, leaderboards."""

from scoville_client.i18n.dates import day
from scoville_client.i18n.language import words
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import ONLINE, Command
from scoville_client.plain.parsing import named, one, whole_name
from scoville_client.plain.profile_text import facts_of, leader_line
from scoville_shared.protocol.messages import TokenInfo


async def _log_in(app: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(words("Type login and your name."))
    name = " ".join(after)
    password = await app.secret(words("Type the password of {name}.", name=name))
    await app.session.switch_user(app.session.account.log_in(name, password))


async def _log_out(app: LineModeApp, _: list[str]) -> None:
    await app.session.switch_user(app.session.account.log_out())


async def _claim(app: LineModeApp, _: list[str]) -> None:
    password = await app.new_secret(words("Type a password of at least 8 characters; it proves that you are you."))
    await app.session.account.claim(password)
    app.output.say("The name {name} is yours for good. Elsewhere, type login {name}.", name=app.session.name)


async def _password(app: LineModeApp, _: list[str]) -> None:
    account = await app.session.account.show()
    old = await app.secret(words("Type your password as it is now.")) if account.password else ""
    new = await app.new_secret(words("Type the new password, of at least 8 characters."))
    await app.session.account.change_password(new, old)
    app.output.say("Your password is another one now.")


async def _release(app: LineModeApp, _: list[str]) -> None:
    account = await app.session.account.show()
    password = await app.secret(words("Type your password to give your name up.")) if account.password else ""
    await app.session.account.release(password)
    app.output.say("The name is yours no more; you are a guest.")


async def _account(app: LineModeApp, _: list[str]) -> None:
    account = await app.session.account.show()
    if account.claimed:
        app.output.say("You are {name}; the name is your own.", name=account.name)
    else:
        app.output.say("You are {name}, a guest. Type claim to keep the name.", name=account.name)
    if account.password:
        app.output.say("A password proves who you are.")
    for key in account.keys:
        app.output.say("A key proves who you are: {key} {comment}", key=key.fingerprint, comment=key.comment)
    for token in account.tokens:
        _say_token(app, token)


def _say_token(app: LineModeApp, token: TokenInfo) -> None:
    fields = {"id": token.id, "client": token.client, "day": day(token.used_ms)}
    if token.current:
        app.output.say("Logged in here, token {id}: {client}", **fields)
    else:
        app.output.say("Logged in elsewhere, token {id}: {client}, last used {day}", **fields)


async def _revoke(app: LineModeApp, after: list[str]) -> None:
    which = one(after, words("Type revoke and the id of a token, or revoke all; type account to hear the ids."))
    await app.session.account.revoke("" if which == "all" else which)
    app.output.say("It is worth nothing any more.")


async def _profile(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after) if after else ""
    app.output.tell(facts_of(await app.session.account.profile(name)))


async def _leaders(app: LineModeApp, after: list[str]) -> None:
    game = one(after, words("Type leaders and a game; type games to list them."))
    leaders = await app.session.account.leaders(game)
    if not leaders:
        app.output.say("Nobody is ranked at this game yet.")
    app.output.tell(map(leader_line, leaders))


async def _report(app: LineModeApp, after: list[str]) -> None:
    name, text = named(app.session, after)
    if not text:
        raise ValueError(words("Type report, a name, and what they did."))
    at = app.session.table
    await app.session.account.report(name, text, "" if at is None else at.id)
    app.output.say("Whoever looks after this server is told.")


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
