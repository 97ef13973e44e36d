"""Rates of what users do beside playing, by user, by address and by who receives it, and their settings."""

from collections.abc import Callable

from msgspec import Struct

from scoville_runtime.clock import SYSTEM
from scoville_server.errors import slow_down
from scoville_server.limits.rate_budgets import Budget, Counter, Inbox, take_all
from scoville_server.limits.throttle import Source
from scoville_shared.ids import UserId


class GuessLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many wrong codes and passwords cost no wait."""

    per_user: int = 5
    """Wrong codes and passwords of one user, until each further one doubles the wait."""
    per_address: int = 30
    """The same for one address: a whole class mistypes a code before it has to wait."""
    per_table: int = 60
    """Wrong passwords and keys of one table, from all addresses together; users who were there before count apart."""
    seconds: float = 600.0
    """How long without a failure until all failures are forgotten."""


class InvitationLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many invitations users send and receive in a period."""

    sent: int = 12
    """Invitations of one user in `invitations.seconds`: as many friends as fit any table, twice."""
    sent_per_address: int = 48
    """The same for one address."""
    received: int = 30
    """Invitations that one user receives, however many users send them."""
    received_per_address: int = 12
    """Invitations that one user receives from one address."""
    seconds: float = 60.0
    """The period over which invitations count."""


class Budgets:
    """Counts openings of tables, actions at tables, and invitations. Each method raises ScovilleError `slow_down`.

    A refused request counts nowhere.

    Args:
        table_creations: Tables opened, by user and by address.
        actions: Actions at all tables together, by user and by address.
        at_table: Actions at one table, by address and in total.
        invitations: Invitations sent, by user and by address.
        invited: Invitations received, by the inviter's address and in total.
        now: Monotonic seconds.
    """

    def __init__(
        self,
        *,
        table_creations: Budget,
        actions: Budget,
        at_table: Inbox,
        invitations: Budget,
        invited: Inbox,
        now: Callable[[], float] = SYSTEM.seconds,
    ) -> None:
        self.now = now
        self._table_creations = table_creations
        self._actions = actions
        self._at_table = at_table
        self._invitations = invitations
        self._invited = invited

    def count_opening(self, source: Source) -> None:
        """Count a table that a user opens."""
        self._take_all(self._table_creations.list_counters(source, self.now()), "You are opening tables too fast")

    def count_action(self, source: Source, table: str = "") -> None:
        """Count an action at a table other than a move; without a table, the search for one."""
        now = self.now()
        at_table = self._at_table.list_counters(table, source, now) if table else []
        self._take_all([*self._actions.list_counters(source, now), *at_table], "You are acting too fast")

    def count_invitation(self, source: Source, guest: UserId) -> None:
        """Count an invitation that a user receives. Raises ScovilleError `slow_down`."""
        now = self.now()
        counters = [*self._invitations.list_counters(source, now), *self._invited.list_counters(guest, source, now)]
        self._take_all(counters, "You are inviting users too fast")

    def _take_all(self, counters: list[Counter], why: str) -> None:
        wait = take_all(counters, self.now())
        if wait is not None:
            raise slow_down(why, wait)
