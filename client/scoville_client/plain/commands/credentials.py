"""Commands that ask for a password or an SSH key: logging in, claiming a name, and changes of credentials."""

from collections.abc import Sequence

from scoville_client.i18n.language import tr
from scoville_client.plain.app import LineModeApp
from scoville_client.session.commands.command import Argument, Command, split_text, split_word
from scoville_client.session.commands.players import key_line
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AddDoorKeyRequest,
    AddKeyRequest,
    ChallengeRequest,
    ChangePasswordRequest,
    ClaimNameRequest,
    ConfirmRequest,
    DeleteAccountRequest,
    LoginByKeyRequest,
    LoginRequest,
    RecoverRequest,
    ReleaseNameRequest,
    RemoveKeyRequest,
)


async def _log_in(app: LineModeApp, name: str) -> Sequence[str]:
    account, switch_user = app.session.account, app.session.connection.switch_user
    if app.is_hosted:
        password = await app.passwords.ask_password(tr("Type the password of {name}.", name=name))
        await switch_user(account.log_in(name, password))
        return ()
    question = tr("Type the password of {name}, or an empty line to use an SSH key.", name=name)
    if password := await app.passwords.ask_or_key(question):
        await switch_user(account.log_in(name, password))
    else:
        key, signature = await app.keys.ask_signature(lambda: account.text_to_sign("log-in", name))
        await switch_user(account.log_in_by_key(name, key, signature))
    return ()


async def _claim_name(app: LineModeApp) -> Sequence[str]:
    account, has_door_key = app.session.account, app.session.connection.has_door_key
    if app.is_hosted and not has_door_key:
        await account.claim_name(await app.passwords.ask_new(tr("Type a password of at least 8 characters.")))
    elif password := await app.passwords.ask_or_key(_question_of_claim(app)):
        await account.claim_name(await app.passwords.ask_again(password))
    elif app.is_hosted:
        await account.claim_by_door_key()
    else:
        await account.claim_by_key(*await app.keys.ask_signature(lambda: account.text_to_sign("claim")))
    name = app.session.name
    return [tr("You have claimed the name {name}. To use it elsewhere, type login {name}.", name=name)]


def _question_of_claim(app: LineModeApp) -> str:
    if app.is_hosted:
        return tr("Type a password of at least 8 characters, or an empty line for the SSH key you came with.")
    return tr("Type a password of at least 8 characters, or an empty line to use an SSH key.")


async def _change_password(app: LineModeApp) -> Sequence[str]:
    await _confirm_user(app, tr("Type your current password."))
    new = await app.passwords.ask_new(tr("Type the new password, at least 8 characters."))
    changed = await app.session.account.change_password(new)
    return [_password_changed(), *map(key_line, changed.keys)]


def _password_changed() -> str:
    return tr("Your password has been changed; all other sessions have ended.")


async def _confirm_user(app: LineModeApp, question: str) -> None:
    """Ask for the password, or else for an SSH key, and confirm with it who the user is."""
    actions = app.session.account
    account = await actions.show_account()
    if account.has_password:
        await actions.confirm_user(await app.passwords.ask_password(question))
    elif account.claimed and not app.is_hosted:  # a door says how long ago a key was proved
        app.output.say("Confirm with an SSH key that it is you.")
        await actions.confirm_by_key(*await app.keys.ask_signature(lambda: actions.text_to_sign("confirm")))


async def _add_key(app: LineModeApp) -> Sequence[str]:
    actions = app.session.account
    if app.is_hosted and not app.session.connection.has_door_key:
        raise ValueError(tr("You came without an SSH key. Come with the one that you want to add."))
    await _confirm_user(app, tr("Type your password to add an SSH key."))
    if app.is_hosted:
        await actions.add_door_key()
    else:
        await actions.add_key(*await app.keys.ask_signature(lambda: actions.text_to_sign("add-key")))
    return [key_line(key) for key in (await actions.show_account()).keys]


async def _remove_key(app: LineModeApp, fingerprint: str) -> Sequence[str]:
    await _confirm_user(app, tr("Type your password to remove an SSH key."))
    await app.session.account.remove_key(fingerprint)
    return [tr("The SSH key has been removed.")]


async def _recover_account(app: LineModeApp, name: str) -> Sequence[str]:
    actions = app.session.account
    code = await app.passwords.ask_password(tr("Type the recovery code that an admin gave you."))
    new = await app.passwords.ask_new(tr("Type the new password, at least 8 characters."))
    await app.session.connection.switch_user(actions.recover_account(name, code, new))
    return [_password_changed(), *map(key_line, (await actions.show_account()).keys)]


async def _delete_account(app: LineModeApp) -> Sequence[str]:
    name = app.session.name
    await _confirm_user(app, tr("Type your password to delete the account {name}. This cannot be undone.", name=name))
    await app.session.connection.switch_user(app.session.account.delete_account(), to_guest=True)
    return [tr("The account {name} has been deleted.", name=name)]


async def _release_name(app: LineModeApp) -> Sequence[str]:
    await _confirm_user(app, tr("Type your password to give up your name."))
    await app.session.account.release_name()
    return [tr("You have given up your name; you are a guest again.")]


_OWN_NAME = Argument("NAME", split_text, Phrase("The name is missing."))
_PROVED = (ConfirmRequest, ChallengeRequest)

COMMANDS = (
    Command(
        ("claim",),
        (),
        Phrase("Claim your name with a password or an SSH key."),
        _claim_name,
        sends=(ClaimNameRequest, ChallengeRequest),
        more=(
            Phrase("Then nobody else can use the name, or one that looks like it."),
            Phrase("Claimed names are marked as such at the seats and in the chat."),
        ),
    ),
    Command(
        ("login",),
        (_OWN_NAME,),
        Phrase("Log in to a claimed name; asks for the password or an SSH key."),
        _log_in,
        sends=(LoginRequest, LoginByKeyRequest, ChallengeRequest),
    ),
    Command(
        ("password",),
        (),
        Phrase("Change your password."),
        _change_password,
        sends=(ChangePasswordRequest, *_PROVED),
    ),
    Command(
        ("addkey",),
        (),
        Phrase("Add an SSH key to your account."),
        _add_key,
        sends=(AddKeyRequest, AddDoorKeyRequest, *_PROVED),
    ),
    Command(
        ("removekey",),
        (
            Argument(
                "FINGERPRINT", split_word, Phrase("The fingerprint is missing; the command account shows the keys.")
            ),
        ),
        Phrase("Remove an SSH key from your account."),
        _remove_key,
        sends=(RemoveKeyRequest, *_PROVED),
    ),
    Command(("release",), (), Phrase("Give your name up."), _release_name, sends=(ReleaseNameRequest, *_PROVED)),
    Command(
        ("recover",),
        (_OWN_NAME,),
        Phrase("Log in with an admin's recovery code."),
        _recover_account,
        sends=(RecoverRequest,),
    ),
    Command(("delete",), (), Phrase("Delete your account."), _delete_account, sends=(DeleteAccountRequest, *_PROVED)),
)
