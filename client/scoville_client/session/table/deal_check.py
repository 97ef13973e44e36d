"""Verification of the deal: what this client received, compared with the seed that is revealed at the end."""

from typing import NamedTuple

from scoville_client.session.table.table import AtTable
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.dice import DealTerms, Dice, commitment, table_key
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

VERIFIED = Phrase("This deal is verified: the seed is the one committed to, and your share and your cards are in it.")
NOT_SEEN = Phrase("This deal fits: the seed is the one committed to, with your share; its first cards you did not see.")
NO_SHARE = Phrase(
    "This deal fits: the seed is the one committed to, and your cards are in it. You gave no share of the chance."
)
NOTHING_SEEN = Phrase("The seed is the one committed to. You gave no share of the chance, and saw no first cards.")
PROMISED_LATE = Phrase("The cards fit the seed, but the commitment was told only when you had given your share.")
OTHER_SEED = Phrase("This deal is NOT verified: the seed is not the one that the server had committed to.")
WITHOUT_ME = Phrase("This deal is NOT verified: your share of the chance is not in it.")
OTHER_CARDS = Phrase("This deal is NOT verified: dealt again from the seed, your first cards are others.")


class DealVerdict(NamedTuple):
    """Whether everything fits, and a sentence about it."""

    fits: bool
    phrase: Phrase


def check_deal(at: AtTable) -> DealVerdict | None:
    """Compare the deal of a finished game with what this client received; None if it saw no deal."""
    if at.result is None or at.pledge is None or at.started is None or at.seat is None:
        return None
    seed = bytes.fromhex(at.result.server_seed)
    if commitment(seed, at.pledge.terms).hex() != at.pledge.commitment:
        return DealVerdict(False, OTHER_SEED)
    if len(at.started.nonces) != at.pledge.terms.seats:
        return DealVerdict(False, OTHER_CARDS)
    if at.started.nonces[at.seat] != at.pledge.nonce:
        return DealVerdict(False, WITHOUT_ME)
    if at.dealt is None:
        return DealVerdict(True, NOT_SEEN if at.pledge.nonce else NOTHING_SEEN)
    if not _same_cards(at, at.pledge.terms, seed, at.started.nonces):
        return DealVerdict(False, OTHER_CARDS)
    if not at.pledge.nonce:
        return DealVerdict(True, NO_SHARE)
    return DealVerdict(True, VERIFIED if at.pledge.beforehand else PROMISED_LATE)


def _same_cards(at: AtTable, terms: DealTerms, seed: bytes, nonces: list[str]) -> bool:
    """Deal the committed game again and compare the first View of this seat."""
    if (terms.game, terms.rules_version) != (at.game.info.slug, at.game.info.rules_version):
        return False
    try:
        options = at.game.codec.options(terms.options)
    except CodecError:
        return False
    key = table_key(seed, terms.table, [bytes.fromhex(nonce) for nonce in nonces])
    dealer = None if terms.dealer is None else Seat(terms.dealer)
    dealt = at.game.deal(options, len(nonces), Dice(key), dealer)
    return bool(at.game.view(dealt, at.seat) == at.dealt)
