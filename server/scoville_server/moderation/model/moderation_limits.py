"""Bounds of moderation, and how long its data are kept."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Number


class RetentionSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Days after which data are deleted."""

    audit_days: Annotated[
        Number,
        Meta(
            description="Days for which acts of admins stay in the audit log; 0 is forever. The newest one always "
            "stays, so that no number is given twice."
        ),
    ] = 0
    report_days: Annotated[
        Number, Meta(description="Days after which an open report is deleted, with its messages; 0 is never.")
    ] = 0
    chat_days: Annotated[
        Number,
        Meta(description="Days for which messages of the lobby, of tables and whispers are kept; 0 is no limit."),
    ] = 0


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
