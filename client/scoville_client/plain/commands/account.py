"""Commands about users: account, profiles, leaderboards."""

from collections.abc import Sequence

from scoville_client.i18n.dates import day
from scoville_client.i18n.language import render, tr
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command import ONLINE, Command
from scoville_client.plain.input.parsing import named, one, whole_name
from scoville_client.plain.profile_text import facts_of, leader_line
from scoville_client.session.identity.session_text import origin_text
from scoville_client.session.identity.warnings import warning_text
from scoville_shared.protocol.messages import ChangePasswordReply, KeyInfo, SessionInfo


async def _log_in(app: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(tr("Type login and your name."))
    name, account = " ".join(after), app.session.account
    if app.is_hosted:
        password = await app.passwords.ask(tr("Type the password of {name}.", name=name))
        await app.session.connection.switch_user(account.log_in(name, password))
        return
    question = tr("Type the password of {name}, or an empty line to use an SSH key.", name=name)
    if password := await app.passwords.ask_or_key(question):
        await app.session.connection.switch_user(account.log_in(name, password))
    else:
        key, signature = await app.keys.signed(lambda: account.text_to_sign("log-in", name))
        await app.session.connection.switch_user(account.log_in_by_key(name, key, signature))


async def _web_code(app: LineModeApp, after: list[str]) -> None:
    actions = app.session.account
    if after:
        await app.session.connection.switch_user(actions.log_in_by_web_code("".join(after)))
        return
    made = await actions.create_web_code()
    seconds = made.valid_ms // 1000
    app.output.say("Code {code}: it logs you in once, within {seconds} seconds.", code=made.code, seconds=seconds)


async def _log_out(app: LineModeApp, _: list[str]) -> None:
    await app.session.connection.switch_user(app.session.account.log_out())


async def _claim(app: LineModeApp, _: list[str]) -> None:
    account = app.session.account
    if app.is_hosted and not app.session.connection.has_door_key:
        await account.claim(await app.passwords.ask_new(tr("Type a password of at least 8 characters.")))
    elif password := await app.passwords.ask_or_key(_question_of_claim(app)):
        await account.claim(await app.passwords.repeated(password))
    elif app.is_hosted:
        await account.claim_by_door_key()
    else:
        await account.claim_by_key(*await app.keys.signed(lambda: account.text_to_sign("claim")))
    app.output.say("You have claimed the name {name}. To use it elsewhere, type login {name}.", name=app.session.name)


def _question_of_claim(app: LineModeApp) -> str:
    if app.is_hosted:
        return tr("Type a password of at least 8 characters, or an empty line for the SSH key you came with.")
    return tr("Type a password of at least 8 characters, or an empty line to use an SSH key.")


async def _password(app: LineModeApp, _: list[str]) -> None:
    await _confirm(app, tr("Type your current password."))
    new = await app.passwords.ask_new(tr("Type the new password, at least 8 characters."))
    _say_changed(app, await app.session.account.change_password(new))


async def _confirm(app: LineModeApp, question: str) -> None:
    """Ask for the password, or else for an SSH key, and confirm with it who the user is."""
    actions = app.session.account
    account = await actions.show()
    if account.has_password:
        await actions.confirm(await app.passwords.ask(question))
    elif account.claimed and not app.is_hosted:  # a door says how long ago a key was proved
        app.output.say("Confirm with an SSH key that it is you.")
        await actions.confirm_by_key(*await app.keys.signed(lambda: actions.text_to_sign("confirm")))


async def _add_key(app: LineModeApp, _: list[str]) -> None:
    actions = app.session.account
    if app.is_hosted and not app.session.connection.has_door_key:
        raise ValueError(tr("You came without an SSH key. Come with the one that you want to add."))
    await _confirm(app, tr("Type your password to add an SSH key."))
    if app.is_hosted:
        await actions.add_door_key()
    else:
        await actions.add_key(*await app.keys.signed(lambda: actions.text_to_sign("add-key")))
    _say_keys(app, (await actions.show()).keys)


async def _remove_key(app: LineModeApp, after: list[str]) -> None:
    key = one(after, tr("Type removekey and the fingerprint of a key; type account for the keys."))
    await _confirm(app, tr("Type your password to remove an SSH key."))
    await app.session.account.remove_key(key)
    app.output.say("The SSH key has been removed.")


def _say_changed(app: LineModeApp, changed: ChangePasswordReply) -> None:
    app.output.say("Your password has been changed; all other sessions have ended.")
    _say_keys(app, changed.keys)


def _say_keys(app: LineModeApp, keys: Sequence[KeyInfo]) -> None:
    for key in keys:
        app.output.say(
            "You can log in with the SSH key {key} {comment}", key=key.fingerprint, comment=key.comment or ""
        )


async def _recover(app: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(tr("Type recover and your name."))
    name, actions = " ".join(after), app.session.account
    code = await app.passwords.ask(tr("Type the recovery code that an admin gave you."))
    new = await app.passwords.ask_new(tr("Type the new password, at least 8 characters."))
    await app.session.connection.switch_user(actions.recover(name, code, new))
    app.output.say("Your password has been changed; all other sessions have ended.")
    _say_keys(app, (await actions.show()).keys)


async def _delete(app: LineModeApp, _: list[str]) -> None:
    name = app.session.name
    await _confirm(app, tr("Type your password to delete the account {name}. This cannot be undone.", name=name))
    await app.session.connection.switch_user(app.session.account.delete())
    app.output.say("The account {name} has been deleted.", name=name)


async def _release(app: LineModeApp, _: list[str]) -> None:
    await _confirm(app, tr("Type your password to give up your name."))
    await app.session.account.release()
    app.output.say("You have given up your name; you are a guest again.")


async def _account(app: LineModeApp, _: list[str]) -> None:
    account = await app.session.account.show()
    if account.claimed:
        app.output.say("You are {name} and have claimed that name.", name=account.name)
    else:
        app.output.say("You are {name}, a guest. Type claim to keep the name.", name=account.name)
    if account.has_password:
        app.output.say("You can log in with a password.")
    _say_keys(app, account.keys)
    for session in account.sessions:
        _say_session(app, session)
    for warning in account.warnings:
        app.output.say("{day}: {text}", day=day(warning.at_ms), text=render(warning_text(warning)))


def _say_session(app: LineModeApp, session: SessionInfo) -> None:
    fields = {
        "id": session.id,
        "client": session.client or "",
        "day": day(session.used_ms),
        "origin": origin_text(session),
    }
    if session.current:
        app.output.say("Session {id}, this one: {client}, {origin}", **fields)
    else:
        app.output.say("Session {id}: {client}, {origin}, last used {day}", **fields)


async def _end_session(app: LineModeApp, after: list[str]) -> None:
    which = one(after, tr("Type end and the ID of a session, or end all; type account for the IDs."))
    await app.session.account.end_session("" if which == "all" else which)
    app.output.say("The sessions have been ended." if which == "all" else "The session has been ended.")


async def _profile(app: LineModeApp, after: list[str]) -> None:
    name = whole_name(app.session, after) if after else ""
    app.output.write(facts_of(await app.session.account.profile(name)))


async def _leaders(app: LineModeApp, after: list[str]) -> None:
    game = one(after, tr("Type leaders and a game; type games to list them."))
    leaders = await app.session.account.leaders(game)
    if not leaders:
        app.output.say("Nobody is ranked in this game yet.")
    app.output.write(map(leader_line, leaders))


async def _report(app: LineModeApp, after: list[str]) -> None:
    name, text = named(app.session, after)
    if not text:
        raise ValueError(tr("Type report, a name, and what happened."))
    at = app.session.table
    await app.session.account.report(name, text, "" if at is None else at.id)
    app.output.say("Your report has been sent to the admins.")


async def _code(app: LineModeApp, after: list[str]) -> None:
    if not after:
        raise ValueError(tr("Type code and the admin code that the server printed."))
    await app.session.account.become_admin("".join(after))
    app.output.say("You are now an admin of this server.")


COMMANDS: tuple[Command, ...] = (
    Command(("profile",), "[NAME]", "show your profile or that of another user", ONLINE, _profile),
    Command(("leaders",), "GAME", "show the leaderboard of a game", ONLINE, _leaders),
    Command(("claim",), "", "claim your name with a password or an SSH key", ONLINE, _claim),
    Command(("login",), "NAME", "log in to a claimed name; asks for the password or an SSH key", ONLINE, _log_in),
    Command(("webcode",), "[CODE]", "show a code that logs you in in a browser, or log in with it", ONLINE, _web_code),
    Command(("logout",), "", "log out and become a guest", ONLINE, _log_out),
    Command(("account",), "", "show your account and where you are logged in", ONLINE, _account),
    Command(("password",), "", "change your password", ONLINE, _password),
    Command(("addkey",), "", "add an SSH key to your account", ONLINE, _add_key),
    Command(("removekey",), "FINGERPRINT", "remove an SSH key from your account", ONLINE, _remove_key),
    Command(("end",), "ID", "end a session, or all others with end all", ONLINE, _end_session),
    Command(("release",), "", "give your name up", ONLINE, _release),
    Command(("recover",), "NAME", "log in with an admin's recovery code", ONLINE, _recover),
    Command(("delete",), "", "delete your account", ONLINE, _delete),
    Command(("code",), "CODE", "become an admin with the code that the server printed", ONLINE, _code),
    Command(("report",), "NAME TEXT", "report a user to the admins", ONLINE, _report),
)
