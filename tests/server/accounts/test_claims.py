"""Claimed names: one owner for a name and all that looks like it, one owner for a key."""

import pytest

from scoville_server.accounts.model.account import Account, SshKey
from scoville_server.accounts.name_register import Claims
from scoville_server.journal.base import Change, Conflict
from scoville_server.journal.memory import MemoryJournal
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import UserId

ANNA, BEN = UserId("anna"), UserId("ben")
KEY = SshKey(fingerprint="SHA256:anna", line="ssh-ed25519 AAAA", comment="")


def claims(journal: MemoryJournal | None = None, most: int = 10) -> Claims:
    return Claims(journal or MemoryJournal(), most)


def account(name: str, *keys: SshKey) -> Account:
    return Account(name=name, since_ms=0, password="hash", keys=keys)


async def test_a_name_includes_everything_that_looks_alike() -> None:
    held = claims()
    await held.put_account(ANNA, account("Anna"))
    assert [held.find_owner(name) for name in ("anna", "A.n.n.a", "Ànna", "Hanna")] == [ANNA, ANNA, ANNA, None]
    await held.drop_account(ANNA)
    assert (held.find_owner("anna"), held.account_of(ANNA), len(held)) == (None, None, 0)


async def test_a_name_is_reserved_during_its_claim() -> None:
    held = claims()
    held.reserve_name(ANNA, "Anna")
    assert held.find_owner("anna") == ANNA
    assert held.keeps_name(ANNA)
    with pytest.raises(ScovilleError) as refused:
        held.reserve_name(BEN, "ANNA")
    assert refused.value.code == "name_claimed"
    held.unreserve_name("Anna")
    assert held.find_owner("anna") is None


async def test_claimed_names_are_one_per_user_and_bounded() -> None:
    held = claims(most=1)
    await held.put_account(ANNA, account("Anna"))
    for user, code in ((ANNA, "name_claimed"), (BEN, "too_many")):
        with pytest.raises(ScovilleError) as refused:
            held.reserve_name(user, "Ben")
        assert refused.value.code == code


async def test_a_key_has_one_owner_until_removed() -> None:
    held = claims()
    await held.put_account(ANNA, account("Anna", KEY))
    with pytest.raises(ScovilleError, match="belongs to another user"):
        await held.put_account(BEN, account("Ben", KEY))
    assert (held.find_key_owner(KEY.fingerprint), held.account_of(BEN)) == (ANNA, None)
    await held.put_account(ANNA, account("Anna"))
    assert held.find_key_owner(KEY.fingerprint) is None


async def test_names_and_keys_are_known_in_the_next_run() -> None:
    journal = MemoryJournal()
    await claims(journal).put_account(ANNA, account("Anna", KEY))
    later = claims(journal)
    assert (later.find_owner("ANNA"), later.find_key_owner(KEY.fingerprint)) == (ANNA, ANNA)
    assert later.known_account(ANNA).name == "Anna"
    with pytest.raises(ScovilleError) as refused:
        later.known_account(BEN)
    assert refused.value.code == "not_claimed"


async def test_names_and_keys_of_two_nodes_have_one_owner() -> None:
    journal = MemoryJournal()
    first, second = claims(journal), claims(journal)
    await first.put_account(ANNA, account("Anna", KEY))
    assert (second.find_owner("anna"), second.find_key_owner(KEY.fingerprint)) == (ANNA, ANNA)
    second._owners.clear()  # as if it had not heard of that yet
    second._by_key.clear()
    for taken, code in ((account("Ànna"), "name_claimed"), (account("Ben", KEY), "bad_key")):
        with pytest.raises(ScovilleError) as refused:
            await second.put_account(BEN, taken)
        assert refused.value.code == code
    assert first.account_of(BEN) is None


async def test_account_that_another_node_has_changed_is_read_first() -> None:
    journal = MemoryJournal()
    first, second = claims(journal), claims(journal)
    await first.put_account(ANNA, account("Anna"))
    before = second.known_account(ANNA)
    await first.put_account(ANNA, account("Anna", KEY))
    second._book._held[ANNA] = before
    with pytest.raises(Conflict):
        await second.put_account(ANNA, account("Anna"))
    assert first.known_account(ANNA).keys == (KEY,)


async def test_released_and_expired_names_are_free_at_every_node() -> None:
    journal = MemoryJournal()
    first, second = claims(journal), claims(journal)
    await first.put_account(ANNA, account("Anna", KEY))
    await first.drop_account(ANNA, retired_until_ms=10)
    assert (second.find_owner("Anna"), second.find_key_owner(KEY.fingerprint)) == (ANNA, None)
    await second.expire_retired_names(10)
    assert (first.find_owner("Anna"), journal._books["claims"]) == (None, {})
    await second.put_account(BEN, account("Anna", KEY))
    assert first.find_owner("Anna") == BEN


async def test_claim_of_a_user_without_the_name_does_not_count() -> None:
    """An earlier version has deleted an account, and knows nothing of these rows."""
    journal = MemoryJournal()
    held = claims(journal)
    await held.put_account(ANNA, account("Anna"))
    await journal.write([Change("accounts", ANNA, None)])
    await held.put_account(BEN, account("Anna"))
    assert held.find_owner("Anna") == BEN
