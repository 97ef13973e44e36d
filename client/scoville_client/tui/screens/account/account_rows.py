"""Rows of the account dialog: what kind of user this is, what can be changed, keys and sessions."""

from collections.abc import Iterator
from typing import Final

from scoville_client.i18n.dates import day
from scoville_client.i18n.language import tr
from scoville_client.session.identity.hosted import HostedIdentity
from scoville_client.session.identity.session_text import origin_text
from scoville_client.session.session import Session
from scoville_client.tui.widgets.menu import Item
from scoville_shared.protocol.messages import AccountReply, KeyInfo, SessionInfo

SESSION, KEY = "session:", "key:"
"""What the ids of rows with a session or a key begin with; the session's id or the key's fingerprint follows."""
_OF_KEY_FILES: Final = frozenset({"claim_by_key", "log_in_by_key", "add_key"})
_OF_DOOR_KEY: Final = frozenset({"claim_by_door_key", "add_door_key"})


def about_account(account: AccountReply, hosted: HostedIdentity | None) -> str:
    """Describe how the user returns: as a guest, or with the credentials of a claimed name."""
    if not account.claimed:
        return _about_guest(hosted)
    ways = [tr("a password")] * account.has_password + [tr("a key")] * bool(account.keys)
    return tr("You have claimed this name; you can log in with {ways}.", ways=f" {tr('or')} ".join(ways))


def _about_guest(hosted: HostedIdentity | None) -> str:
    if hosted is None:
        return tr("You are a guest: the name is yours as long as this client keeps its token.")
    if hosted.fingerprint:
        return tr("You are a guest: your SSH key leads back to this name as long as the server remembers it.")
    if hosted.resume_code:
        return tr(
            "You are a guest. To come back to this name, connect as the user {user} while the server remembers it.",
            user=f"resume-{hosted.resume_code}",
        )
    return tr("You are a guest: this browser leads back to this name as long as it keeps its cookie.")


def account_items(account: AccountReply, session: Session, *, admin: bool, narrow: bool) -> list[Item]:
    """Return what can be done with an account, and its keys and sessions; without what needs a key that is not there.

    Files with keys are on this computer, which for hosted users is the server's; they have the key of the door instead.
    """
    hosted = session.connection.hosted
    known = [key.fingerprint for key in account.keys]
    is_new = session.connection.has_door_key and hosted is not None and hosted.fingerprint not in known
    left_out = (frozenset() if hosted is None else _OF_KEY_FILES) | (frozenset() if is_new else _OF_DOOR_KEY)
    return [item for item in _all_items(account, admin=admin, narrow=narrow) if item.id not in left_out]


def _all_items(account: AccountReply, *, admin: bool, narrow: bool) -> Iterator[Item]:
    yield Item("profile", tr("My results"))
    if account.claimed:
        yield Item("password", tr("Change the password") if account.has_password else tr("Set a password"))
        yield Item("add_key", tr("Add an SSH key"))
        yield Item("add_door_key", tr("Add an SSH key"), tr("the one you came with"))
        yield Item("web_code", tr("Log in elsewhere"), tr("with a code"))
    else:
        yield Item("claim", tr("Claim the name"), tr("with a password"))
        yield Item("claim_by_key", tr("Claim the name"), tr("with an SSH key"))
        yield Item("claim_by_door_key", tr("Claim the name"), tr("with the SSH key you came with"))
        yield Item("log_in", tr("Log in"), tr("with a password"))
        yield Item("log_in_by_key", tr("Log in"), tr("with an SSH key"))
        yield Item("log_in_by_code", tr("Log in"), tr("with a code from your terminal"))
        yield Item("recover", tr("Log in"), tr("with an admin's recovery code"))
    for key in account.keys:
        yield _key(key)
    for session in account.sessions:
        yield _session(session, narrow=narrow)
    if len(account.sessions) > 1:
        yield Item("others", tr("End all others"))
    if admin:
        yield Item("admin", tr("Admin tools"))
    if account.claimed:
        yield Item("log_out", tr("Log out"))
        yield Item("release", tr("Give up the name"))
        yield Item("delete", tr("Delete the account"))


def _key(key: KeyInfo) -> Item:
    return Item(f"{KEY}{key.fingerprint}", tr("Key {comment}", comment=key.comment or "").rstrip(), key.fingerprint)


def _session(session: SessionInfo, *, narrow: bool) -> Item:
    used = tr("this one") if session.current else day(session.used_ms)
    facts = [used, origin_text(session), *[session.client or ""] * bool(session.client and not narrow)]
    return Item(f"{SESSION}{session.id}", tr("Session {id}", id=session.id), ", ".join(facts))
