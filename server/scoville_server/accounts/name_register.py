"""Register of the users' names: taken names and their owners. Names that look alike count as one."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from scoville_server.accounts.claims import Claims
from scoville_server.accounts.model.naming.permitted import check_permitted, free_name, is_reserved
from scoville_server.accounts.model.naming.skeleton import fold_name, is_same_name, looks_of
from scoville_shared.protocol.messages import NameRefusal
from scoville_shared.text import clean_name


class Bearer(Protocol):
    """A user who has a name."""

    @property
    def name(self) -> str:
        """Their present name."""

    @property
    def idle(self) -> bool:
        """Whether they are neither connected nor at a table."""


B = TypeVar("B", bound=Bearer)


class NameRegister(Generic[B]):
    """Present users by name and by look; the owners of claimed names come from `claims`."""

    def __init__(self, claims: Claims) -> None:
        self._claims = claims
        self._by_name: dict[str, B] = {}
        self._by_look: dict[str, B] = {}

    def add_bearer(self, bearer: B) -> None:
        """Add a user under their present name; they replace an idle user who has the same."""
        self._by_name[fold_name(bearer.name)] = bearer
        self._by_look.update(dict.fromkeys(looks_of(bearer.name), bearer))

    def drop_bearer(self, bearer: B) -> None:
        """Remove a user, who is about to change their name or to be forgotten."""
        if self._by_name.get(fold_name(bearer.name)) is bearer:
            del self._by_name[fold_name(bearer.name)]
        for look in looks_of(bearer.name):
            if self._by_look.get(look) is bearer:
                del self._by_look[look]

    def find_bearer(self, name: str) -> B | None:
        """Find a user by name, ignoring case; not by a name that merely looks like it."""
        return self._by_name.get(fold_name(clean_name(name)))

    def is_taken(self, name: str) -> bool:
        """Whether a name, or one that looks like it, is used by a user who is not idle, or claimed."""
        return self._claims.find_owner(name) is not None or any(not bearer.idle for bearer in self._bearers_of(name))

    def choose_free_name(self, wanted: str, shunned: Callable[[str], bool]) -> str:
        """Find a free name for a user who wants `wanted` (cleaned; empty for a random one).

        A name that is taken, or looks like a taken one, gets a number; a name that nobody may have is replaced.

        Args:
            wanted: The requested name.
            shunned: Whether a name is never given to users who did not ask for it.
        """
        base = wanted if check_permitted(wanted) is None else ""
        return free_name(
            base, lambda name: self.is_taken(name) or (name != wanted and (shunned(name) or is_reserved(name)))
        )

    def check_name(self, wanted: str) -> NameRefusal | None:
        """Return why a user who has no name yet cannot have one, or None."""
        if not wanted:
            return None
        found = check_permitted(wanted)
        if found is None and self.is_taken(wanted):
            return "taken" if self._is_anothers(wanted) else "lookalike"
        return found

    def _is_anothers(self, name: str) -> bool:
        """Whether another user has exactly this name, ignoring case."""
        owner = self._claims.find_owner(name)
        account = None if owner is None else self._claims.account_of(owner)
        names = [bearer.name for bearer in self._bearers_of(name) if not bearer.idle]
        return any(is_same_name(name, other) for other in (names if account is None else [*names, account.name]))

    def _bearers_of(self, name: str) -> list[B]:
        return [self._by_look[look] for look in looks_of(name) if look in self._by_look]
