"""Bounds of moderation."""

from msgspec import Struct


class ModerationLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of moderation."""

    bans: int = 1_000
    """Bans in force: all of them are listed in one reply, of a few hundred kilobytes."""
    audit_entries: int = 5_000
    """Latest entries of the audit log that a server without a data folder keeps. With one it keeps all of them, in a
    file."""
    reports: int = 500
    """Open reports. When nobody has read so many, one more does not help."""
    reports_per_user: int = 5
    """Reports of one user in `reports_seconds`: more would be a quarrel and no report."""
    reports_per_address: int = 20
    """Reports from one address in the same time."""
    reports_seconds: float = 3_600.0
    """The period over which reports count."""
    reported_messages: int = 20
    """Chat messages attached to a report, so that an admin sees the context."""
