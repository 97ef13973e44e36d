"""Stored identity of a session: the slot whose token it shows, chosen when the server's key is known."""

from collections.abc import Callable, Sequence
from typing import Protocol

from scoville_client.session.identity.tokens import Slot
from scoville_client.session.identity.warnings import IDENTITY_DAMAGED
from scoville_shared.engine.phrases import Phrase

FindSlot = Callable[[Sequence[str]], Slot | None]
"""Locks the slot for a server, by its present key in hex and those that it has replaced; no keys without encryption."""


class User(Protocol):
    """The connection as its stored identity needs it: see `UserConnection`."""

    token: str
    choose_token: Callable[[], str]
    store_token: Callable[[str, str, bool], bool]

    def warn_user(self, sentence: Phrase) -> None:
        """Show a sentence about the user's identity once the connection is open."""

    @property
    def server_keys(self) -> Sequence[str]:
        """The server's key and those that it has replaced, in hex; empty if nothing proves them."""


class StoredIdentity:
    """Makes a connection be the user that an earlier client was on this server, and stores each later token.

    Args:
        connection: The connection, before it is opened.
        requested: The requested name; a name that the user logs in to later was not requested under it.
        find_slot: Locks the slot for a server.
        on_slot: Called with each slot that is chosen.
    """

    def __init__(self, connection: User, requested: str, find_slot: FindSlot, on_slot: Callable[[Slot], None]) -> None:
        self._connection = connection
        self._requested = requested
        self._find_slot = find_slot
        self._on_slot = on_slot
        self._slot: Slot | None = None
        self._key: str | None = None
        connection.choose_token = self._choose_token
        connection.store_token = self._store_token

    def release_slot(self) -> None:
        """Unlock the slot for other clients."""
        if self._slot is not None:
            self._slot.unlock_slot()
            self._slot = None

    def _choose_token(self) -> str:
        """Return the token of the server at the other end: the one in memory, unless its key is another one now."""
        keys = self._connection.server_keys
        key = next(iter(keys), "")
        if key != self._key:
            self.release_slot()
            self._key, self._slot = key, self._find_slot(keys)
            self._connection.token = "" if self._slot is None else self._slot.token
            if self._slot is not None:
                self._on_slot(self._slot)
                if self._slot.damaged is not None:
                    self._connection.warn_user(IDENTITY_DAMAGED.with_fields({"path": str(self._slot.damaged)}))
        return self._connection.token

    def _store_token(self, token: str, name: str, again: bool) -> bool:
        if self._slot is None:  # nothing can be stored
            return True
        requested = self._slot.kept.requested if again else self._requested
        self._requested = self._requested if again else ""
        return self._slot.store_identity(token, name, requested)
