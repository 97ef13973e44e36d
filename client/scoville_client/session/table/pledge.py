"""Pledge: what a client pins before the deal, so that it can verify the deal afterwards."""

from typing import NamedTuple

from scoville_shared.engine.dice import DealTerms
from scoville_shared.protocol.messages import TableInfo


class Pledge(NamedTuple):
    """What the client pinned before the deal: commitment (hex), the terms that it binds, and the user's nonce (hex).

    `beforehand` is False if the commitment came only after the nonce had been sent.
    """

    commitment: str
    terms: DealTerms
    nonce: str
    beforehand: bool


def pledged(listed: TableInfo | None, joined: TableInfo, nonce: str) -> Pledge | None:
    """Return what the client pinned before the deal, from the table as listed and as joined with a nonce.

    None if an earlier nonce counts. Until the game begins a nonce replaces the ones before, unless it is empty.
    """
    seated_before = listed is not None and listed.your_seat is not None
    if joined.status != "waiting" or (seated_before and not nonce):
        return None
    pinned = listed or joined
    return Pledge(pinned.commitment, deal_terms(pinned), nonce, listed is not None)


def deal_terms(info: TableInfo) -> DealTerms:
    """Return the terms that determine the deal at a table, from its description."""
    return DealTerms(
        table=info.table,
        game=info.game,
        rules_version=info.rules_version,
        options=info.options,
        seats=len(info.seats),
        dealer=info.dealer,
    )
