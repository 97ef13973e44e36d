"""The client compares the deal with what it saw of it, and says so only when all of it fits."""

from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.session.table.deal_check import (
    NO_SHARE,
    NOT_SEEN,
    NOTHING_SEEN,
    OTHER_CARDS,
    OTHER_SEED,
    PROMISED_LATE,
    VERIFIED,
    WITHOUT_ME,
    check_deal,
)
from scoville_client.session.table.pledge import Pledge
from scoville_client.session.table.table import AtTable
from scoville_shared.engine.dice import DealTerms, Dice, commitment, table_key
from scoville_shared.games.registry import load
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Finished, SeatInfo, Started, TableInfo, TableSnapshot

SEED = bytes(range(32))
NONCES = ["aa" * 32, "", "bb" * 32]
SEATS = [SeatInfo(name=name, kind="human", connected=True) for name in ("Anna", "Paul", "Max")]


def pledge(slug: str = "dicht_dran", dealer: Seat | None = None) -> Pledge:
    terms = DealTerms(
        table="t1",
        game=slug,
        rules_version=load(slug).info.rules_version,
        options={},
        seats=3,
        dealer=dealer,
    )
    return Pledge(commitment(SEED, terms).hex(), terms, NONCES[0], True)


PLEDGE = pledge()


def at_the_end(
    slug: str = "dicht_dran",
    *,
    pinned: Pledge | None = PLEDGE,
    dealt_from: bytes = SEED,
    told: bytes = SEED,
    was_there: bool = True,
    dealer: Seat | None = None,
) -> AtTable:
    """Sit at a table that deals from one seed, tells of one, and is over at once."""
    game = load(slug)
    key = table_key(dealt_from, "t1", [bytes.fromhex(nonce) for nonce in NONCES])
    view: Any = game.codec.plain(game.view(game.deal(game.codec.options({}), 3, Dice(key), dealer), Seat(0)))
    info = TableInfo(
        table="t1",
        game=slug,
        rules_version=1,
        options={},
        seats=SEATS,
        host=0,
        status="waiting",
        commitment=PLEDGE.commitment,
        dealer=dealer,
    )
    started = Started(seq=1, seats=SEATS, nonces=NONCES, pending=[0, 1, 2])
    before = TableSnapshot(info=info, seq=0, seat=0, view=None, pending=[], move_counts=[], events=[])
    after = replace(before, seq=1, view=view, pending=[0, 1, 2], move_counts=[0, 0, 0], events=[started])
    at = AtTable(game, before if was_there else after)
    at.pledge = pinned
    if was_there:
        at.apply(started, view)
    end = Finished(seq=2, scores=[1, 0, 0], places=[1, 2, 2], reason="over", server_seed=told.hex())
    at.apply(end, view)
    return at


@pytest.mark.parametrize("slug", ["dicht_dran", "no_thanks", "chilli_chase"])
def test_a_deal_that_fits_all_that_was_seen_is_verified(slug: str) -> None:
    assert check_deal(at_the_end(slug, pinned=pledge(slug))) == (True, VERIFIED)


@pytest.mark.parametrize("dealer", [Seat(0), Seat(1), Seat(2)])
def test_a_deal_that_went_round_is_verified_as_well(dealer: Seat) -> None:
    assert check_deal(at_the_end("chilli_chase", dealer=dealer, pinned=pledge("chilli_chase", dealer))) == (
        True,
        VERIFIED,
    )


def test_a_seed_other_than_the_one_committed_to_is_found_out() -> None:
    assert check_deal(at_the_end(told=bytes(32), dealt_from=bytes(32))) == (False, OTHER_SEED)


def test_a_commitment_that_was_changed_after_the_nonce_was_given_is_found_out() -> None:
    changed = PLEDGE._replace(commitment=commitment(bytes(32), PLEDGE.terms).hex())
    assert check_deal(at_the_end(pinned=changed)) == (False, OTHER_SEED)


def test_a_deal_without_my_share_is_found_out() -> None:
    assert check_deal(at_the_end(pinned=PLEDGE._replace(nonce="cc" * 32))) == (False, WITHOUT_ME)


def test_cards_that_were_not_dealt_from_the_seed_are_found_out() -> None:
    assert check_deal(at_the_end(dealt_from=bytes(32))) == (False, OTHER_CARDS)


def test_what_was_not_seen_is_not_claimed() -> None:
    assert check_deal(at_the_end(was_there=False)) == (True, NOT_SEEN)
    assert check_deal(at_the_end(pinned=PLEDGE._replace(beforehand=False))) == (True, PROMISED_LATE)
    assert check_deal(at_the_end(pinned=None)) is None


def test_of_a_game_from_a_seed_alone_no_share_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "NONCES", ["", "", ""])
    seed_alone = PLEDGE._replace(nonce="")
    assert check_deal(at_the_end(pinned=seed_alone)) == (True, NO_SHARE)
    assert check_deal(at_the_end(pinned=seed_alone, was_there=False)) == (True, NOTHING_SEEN)
