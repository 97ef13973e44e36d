"""Tokens: several for each person, good until they have not been used for a long time, worthless once dropped."""

from collections.abc import Sequence

import pytest

from scoville_server.accounts.model.account import Token
from scoville_server.accounts.model.limits import DAY_MS, AccountLimits
from scoville_server.accounts.tokens import NOTED_MS, Tokens
from scoville_server.journal.base import Entry, JournalError
from scoville_server.journal.books import Book
from scoville_server.journal.memory import MemoryJournal
from scoville_shared.ids import UserId

ANNA, BEN = UserId("anna"), UserId("ben")
LIMITS = AccountLimits(tokens=3, token_days=90, guest_token_days=30)
NOW = 1_000 * DAY_MS


class MoodyJournal(MemoryJournal):
    """A journal that may be full."""

    full = False

    async def note(self, entries: Sequence[Entry]) -> None:
        if self.full:
            raise JournalError("The disk is full.")
        await super().note(entries)


class Drawer:
    """Tokens, the book they are kept in, and the journal below."""

    def __init__(self, journal: MoodyJournal | None = None) -> None:
        self.journal = journal or MoodyJournal()
        self.book = Book("tokens", Token, self.journal)
        self.tokens = Tokens(self.book, LIMITS)

    async def again(self, *people: UserId, now_ms: int = NOW) -> "Drawer":
        """What the next run of the server knows."""
        later = Drawer(self.journal)
        later.book.restore((await self.journal.open()).books)
        later.tokens.restore(people, now_ms)
        return later

    def issue(self, user: UserId = ANNA, now_ms: int = NOW, claimed: bool = False) -> str:
        return self.tokens.issue(user, "a test", claimed, now_ms)[0]

    def whose(self, shown: str, now_ms: int = NOW) -> UserId | None:
        found = self.tokens.find(shown, now_ms)
        return None if found is None else found[1].user


def test_each_of_several_tokens_proves_its_person() -> None:
    drawer = Drawer()
    first, second, third = drawer.issue(), drawer.issue(), drawer.issue(BEN)
    assert [drawer.whose(shown) for shown in (first, second, third, "made up", "")] == [ANNA, ANNA, BEN, None, None]


def test_of_too_many_tokens_the_longest_unused_goes() -> None:
    drawer = Drawer()
    shown = [drawer.issue(now_ms=NOW + number) for number in range(3)]
    key, _ = drawer.tokens.find(shown[0], NOW) or ("", None)
    drawer.tokens.use(key, claimed=False, now_ms=NOW + NOTED_MS)
    drawer.issue(now_ms=NOW + NOTED_MS + 1)
    assert [drawer.whose(one) for one in shown] == [ANNA, None, ANNA]


def test_when_the_server_holds_too_many_tokens_whoever_gets_another_keeps_two() -> None:
    drawer = Drawer()
    drawer.tokens = Tokens(drawer.book, AccountLimits(tokens=20, tokens_total=10))
    shown = [drawer.issue() for _ in range(10)]
    others = drawer.issue(BEN)
    shown.append(drawer.issue())
    assert [drawer.whose(one) for one in shown] == [None] * 9 + [ANNA] * 2
    assert drawer.whose(others) == BEN


def test_a_token_expires_when_it_was_not_used_for_its_days() -> None:
    drawer = Drawer()
    guest, owner = drawer.issue(), drawer.issue(BEN, claimed=True)
    almost = NOW + 30 * DAY_MS - 1
    assert (drawer.whose(guest, almost), drawer.whose(owner, almost)) == (ANNA, BEN)
    assert (drawer.whose(guest, almost + 1), drawer.whose(owner, almost + 1)) == (None, BEN)
    assert drawer.whose(owner, NOW + 90 * DAY_MS) is None


def test_each_use_lets_it_hold_on_but_is_noted_once_an_hour() -> None:
    drawer = Drawer()
    shown = drawer.issue()
    key, _ = drawer.tokens.find(shown, NOW) or ("", None)
    assert not drawer.tokens.use(key, claimed=False, now_ms=NOW + NOTED_MS - 1)
    assert drawer.tokens.use(key, claimed=False, now_ms=NOW + 20 * DAY_MS)
    assert drawer.whose(shown, NOW + 49 * DAY_MS) == ANNA


def test_a_token_holds_longer_once_the_name_is_claimed() -> None:
    drawer = Drawer()
    shown = drawer.issue()
    key, _ = drawer.tokens.find(shown, NOW) or ("", None)
    assert drawer.tokens.use(key, claimed=True, now_ms=NOW + 1)
    assert drawer.whose(shown, NOW + 89 * DAY_MS) == ANNA


async def test_what_is_kept_is_there_in_the_next_run_and_what_was_dropped_is_not() -> None:
    drawer = Drawer()
    kept, dropped, never = drawer.issue(), drawer.issue(), drawer.issue(BEN)
    await drawer.tokens.keep(ANNA)
    key, _ = drawer.tokens.find(dropped, NOW) or ("", None)
    drawer.tokens.drop([key])
    assert drawer.whose(dropped) is None
    await drawer.tokens.keep(ANNA)
    later = await drawer.again(ANNA, BEN)
    assert [later.whose(shown) for shown in (kept, dropped, never)] == [ANNA, None, None]


async def test_what_is_kept_lets_nobody_in() -> None:
    drawer = Drawer()
    shown = drawer.issue()
    await drawer.tokens.keep(ANNA)
    assert [key for key, _ in drawer.book.items() if shown in key] == []
    assert shown not in repr([*drawer.book.items()])


async def test_tokens_that_expired_or_that_nobody_has_are_tidied_away() -> None:
    drawer = Drawer()
    drawer.issue()
    drawer.issue(BEN, claimed=True)
    for user in (ANNA, BEN):
        await drawer.tokens.keep(user)
    later = await drawer.again(ANNA, now_ms=NOW + 31 * DAY_MS)
    await later.tokens.tidy()
    assert len(later.book) == 0


async def test_a_write_that_fails_is_made_up_for_by_the_next() -> None:
    drawer = Drawer()
    shown = drawer.issue()
    await drawer.tokens.keep(ANNA)
    drawer.tokens.forget(ANNA)
    drawer.journal.full = True
    with pytest.raises(JournalError):
        await drawer.tokens.keep(ANNA)
    drawer.journal.full = False
    await drawer.tokens.keep(ANNA)
    assert (await drawer.again(ANNA)).whose(shown) is None
