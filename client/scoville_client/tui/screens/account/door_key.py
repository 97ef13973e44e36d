"""Questions about the SSH key with which a hosted user has come: to claim the name with it, or to add it."""

from collections.abc import Awaitable, Callable

from scoville_client.i18n.language import tr
from scoville_client.session.session import Session

Confirm = Callable[[str, str, str, Callable[[], Awaitable[None]]], None]
"""Asks a question by its heading, its consequences and the word for yes; then calls what was confirmed."""


def ask_to_claim(session: Session, advantages: str, confirm: Confirm) -> None:
    """Ask whether the key shall own the user's name from now on."""
    about = f"{advantages} {tr('Your SSH key logs you in whenever you come with it.')}"
    confirm(tr("Claim the name {name}", name=session.name), about, tr("claim"), session.account.claim_by_door_key)


def ask_to_add(session: Session, confirm: Confirm) -> None:
    """Ask whether the key shall log in to the user's account from now on."""
    key = "" if session.connection.hosted is None else session.connection.hosted.fingerprint
    about = tr("It logs you in whenever you come with it: {key}", key=key)
    confirm(tr("Add your SSH key?"), about, tr("add"), session.account.add_door_key)
