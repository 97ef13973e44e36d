"""Bounds of moderation."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Number, Seconds


class ModerationLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of moderation; the descriptions give the reasons."""

    bans: Annotated[
        Number,
        Meta(description="Bans in force: all of them are listed in one reply, of a few hundred kilobytes."),
    ] = 1_000
    audit_entries: Annotated[
        Number,
        Meta(
            description="Latest entries of the audit log that a server without a data folder keeps. With one it keeps "
            "all of them, in a file."
        ),
    ] = 5_000
    reports: Annotated[
        Number, Meta(description="Open reports. When nobody has read so many, one more does not help.")
    ] = 500
    reports_per_user: Annotated[
        Number,
        Meta(description="Reports of one user in `reports_seconds`: more would be a quarrel and no report."),
    ] = 5
    reports_per_address: Annotated[Number, Meta(description="Reports from one address in the same time.")] = 20
    reports_seconds: Annotated[Seconds, Meta(description="The period over which reports count.")] = 3_600.0
    reports_shown: Annotated[
        Number,
        Meta(
            description="Reports in one reply, the oldest ones: no admin handles more at once, and each may include "
            "many messages."
        ),
    ] = 20
    reported_messages: Annotated[
        Number, Meta(description="Chat messages attached to a report, so that an admin sees the context.")
    ] = 20
