"""Names that are somebody's own, and how they prove it."""

import secrets
from typing import Final

from scoville_server.accounts.keys import NAMESPACE
from scoville_server.accounts.model import SshKey, Token
from scoville_server.app.desk import Signed
from scoville_server.app.guest import Guest, Handlers
from scoville_server.sessions import Person
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire import messages as m

_CHALLENGE: Final = f"{NAMESPACE.decode()} log-in "


async def _claim(guest: Guest, p: m.ClaimName) -> m.Empty:
    signed = _signed(guest, p.key, p.signature)
    key = await guest.house.desk.proved(signed, guest.source) if p.key else None
    await guest.house.desk.claim(guest.person, p.password, key, guest.source)
    return m.Empty()


async def _log_in(guest: Guest, p: m.LogIn) -> m.LoggedIn:
    _check_not_seated(guest)
    person = await guest.house.desk.by_password(p.name, p.password, guest.source)
    return await _come_in(guest, person)


def _challenge(guest: Guest, _: m.AskChallenge) -> m.Challenge:
    guest.challenge = _CHALLENGE + secrets.token_urlsafe(24)
    return m.Challenge(challenge=guest.challenge)


async def _log_in_by_key(guest: Guest, p: m.LogInByKey) -> m.LoggedIn:
    _check_not_seated(guest)
    person = await guest.house.desk.by_key(_signed(guest, p.key, p.signature), guest.source)
    return await _come_in(guest, person)


async def _change_password(guest: Guest, p: m.ChangePassword) -> m.Empty:
    await guest.house.desk.change_password(guest.person, p.new, p.old, guest.source)
    return m.Empty()


async def _add_key(guest: Guest, p: m.AddKey) -> m.Empty:
    key = await guest.house.desk.proved(_signed(guest, p.key, p.signature), guest.source)
    await guest.house.desk.add_key(guest.person, guest.source, key)
    return m.Empty()


async def _remove_key(guest: Guest, p: m.RemoveKey) -> m.Empty:
    await guest.house.desk.remove_key(guest.person, guest.source, p.fingerprint)
    return m.Empty()


def _show(guest: Guest, _: m.AskAccount) -> m.Account:
    person, people = guest.person, guest.house.people
    account = people.claims.of(person.id)
    return m.Account(
        name=person.name,
        claimed=account is not None,
        password=account is not None and bool(account.password),
        keys=[_key_info(key) for key in (account.keys if account else ())],
        tokens=[_token_info(token, current=key == person.came_by) for key, token in people.tokens.of(person.id)],
    )


async def _revoke(guest: Guest, p: m.RevokeToken) -> m.Empty:
    person, people = guest.person, guest.house.people
    mine = people.tokens.of(person.id)
    revoked = [key for key, token in mine if (token.id == p.id if p.id else key != person.came_by)]
    if p.id and not revoked:
        raise ScovilleError(Code.BAD_PARAMS, f"You have no token {p.id}.")
    guest.house.desk.check_pace(guest.source)
    await people.revoke(person, revoked)
    return m.Empty()


async def _log_out(guest: Guest, _: m.LogOut) -> m.LoggedIn:
    person, people = guest.person, guest.house.people
    _check_not_seated(guest)
    guest.house.desk.check_pace(guest.source)
    came_by, hello = person.came_by, m.Hello(protocol=m.PROTOCOL, client=people.client_of(person))
    person.came_by = ""
    await people.revoke(person, [came_by])
    _check_not_seated(guest)
    greeted = people.greet(hello, guest.peer)
    guest.become(greeted.person, greeted.person.came_by)
    people.forget_if_lost(person)
    return m.LoggedIn(name=greeted.person.name, token=greeted.token)


async def _release(guest: Guest, p: m.ReleaseName) -> m.Empty:
    await guest.house.desk.release(guest.person, p.password, guest.source)
    return m.Empty()


async def _come_in(guest: Guest, person: Person) -> m.LoggedIn:
    """Make a line that of somebody who has proved to be it, once the token they will come back by is kept.

    Raises ScovilleError `banned` for whoever may not come in: the guest who came through the door was somebody else.
    """
    people = guest.house.people
    _check_not_banned(guest, person)
    token, key = people.new_token(person, client=people.client_of(guest.person))
    await people.remember(person)
    _check_not_banned(guest, person)
    _check_not_seated(guest)
    guest.become(person, key)
    return m.LoggedIn(name=person.name, token=token)


def _check_not_banned(guest: Guest, person: Person) -> None:
    banned = guest.house.moderation.forbids("server", person)
    if banned is not None:
        raise banned


def _check_not_seated(guest: Guest) -> None:
    """Refuse whoever sits at a table, as long as its game is not over: of a seat at a finished one nobody sees more."""
    statuses = {guest.house.lobby.find(table).table.status for table in guest.person.tables}
    if statuses - {"finished"}:
        raise ScovilleError(Code.SEATED, "You sit at a table; leave your tables first.")


def _signed(guest: Guest, key: str, signature: str) -> Signed:
    """Use the challenge up, whatever comes of it."""
    challenge, guest.challenge = guest.challenge, ""
    return Signed(key, signature, challenge)


def _key_info(key: SshKey) -> m.KeyInfo:
    return m.KeyInfo(fingerprint=key.fingerprint, comment=key.comment, added_ms=key.added_ms)


def _token_info(token: Token, *, current: bool) -> m.TokenInfo:
    return m.TokenInfo(
        id=token.id,
        client=token.client,
        created_ms=token.created_ms,
        used_ms=token.used_ms,
        expires_ms=token.expires_ms,
        current=current,
    )


HANDLERS: Handlers = {
    m.ClaimName: _claim,
    m.LogIn: _log_in,
    m.AskChallenge: _challenge,
    m.LogInByKey: _log_in_by_key,
    m.ChangePassword: _change_password,
    m.AddKey: _add_key,
    m.RemoveKey: _remove_key,
    m.AskAccount: _show,
    m.RevokeToken: _revoke,
    m.LogOut: _log_out,
    m.ReleaseName: _release,
}
