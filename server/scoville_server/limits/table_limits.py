"""Settings of how often users may guess at tables and invite others to them."""

from msgspec import Struct


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
