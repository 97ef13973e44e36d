"""Settings of how often users may guess at tables and invite others to them."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Number, Seconds


class GuessLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many wrong codes and passwords cost no wait; the descriptions give the reasons."""

    per_user: Annotated[
        Number, Meta(description="Wrong codes and passwords of one user, until each further one doubles the wait.")
    ] = 5
    per_address: Annotated[
        Number, Meta(description="The same for one address: a whole class mistypes a code before it has to wait.")
    ] = 30
    per_table: Annotated[
        Number,
        Meta(
            description="Wrong passwords and keys of one table, from all addresses together; users who were there "
            "before count apart."
        ),
    ] = 60
    seconds: Annotated[Seconds, Meta(description="How long without a failure until all failures are forgotten.")] = (
        600.0
    )


class InvitationLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many invitations users send and receive in a period; the descriptions give the reasons."""

    sent: Annotated[
        Number,
        Meta(description="Invitations of one user in `invitations.seconds`: as many friends as fit any table, twice."),
    ] = 12
    sent_per_address: Annotated[Number, Meta(description="The same for one address.")] = 48
    received: Annotated[
        Number, Meta(description="Invitations that one user receives, however many users send them.")
    ] = 30
    received_per_address: Annotated[
        Number, Meta(description="Invitations that one user receives from one address.")
    ] = 12
    seconds: Annotated[Seconds, Meta(description="The period over which invitations count.")] = 60.0
