"""Claimed names: one owner for a name and all that looks like it, one owner for a key."""

import pytest

from scoville_server.accounts.model.account import Account, RetiredName, SshKey
from scoville_server.accounts.name_register import Claims
from scoville_server.journal.books import Book
from scoville_server.journal.memory import MemoryJournal
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import UserId

ANNA, BEN = UserId("anna"), UserId("ben")
KEY = SshKey(fingerprint="SHA256:anna", line="ssh-ed25519 AAAA", comment="")


def claims(journal: MemoryJournal | None = None, most: int = 10) -> Claims:
    journal = journal or MemoryJournal()
    return Claims(Book("accounts", Account, journal), Book("names.retired", RetiredName, journal), most)


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
    book = Book("accounts", Account, journal)
    later = Claims(book, Book("names.retired", RetiredName, journal), 10)
    later.index_accounts()
    assert (later.find_owner("ANNA"), later.find_key_owner(KEY.fingerprint)) == (ANNA, ANNA)
    assert later.known_account(ANNA).name == "Anna"
    with pytest.raises(ScovilleError) as refused:
        later.known_account(BEN)
    assert refused.value.code == "not_claimed"
