"""How long data are kept."""

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
