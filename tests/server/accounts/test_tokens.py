"""Tokens: several per user, valid until unused for a long time, invalid once dropped."""

from collections.abc import Sequence

import pytest

from scoville_server.accounts.model.account_limits import DAY_MS, AccountLimits
from scoville_server.accounts.tokens import WRITTEN_MS, Tokens
from scoville_server.journal.base import Change, JournalError
from scoville_server.journal.memory import MemoryJournal
from scoville_shared.ids import UserId

ANNA, BEN = UserId("anna"), UserId("ben")
LIMITS = AccountLimits(tokens=3, token_days=90, guest_token_days=30)
NOW = 1_000 * DAY_MS


class MoodyJournal(MemoryJournal):
    """A journal that may be full."""

    full = False

    async def write(self, changes: Sequence[Change]) -> None:
        if self.full:
            raise JournalError("The disk is full.")
        await super().write(changes)


class Drawer:
    """Tokens, the book they are kept in, and the journal below."""

    def __init__(self, journal: MoodyJournal | None = None) -> None:
        self.journal = journal or MoodyJournal()
        self.tokens = Tokens(self.journal, LIMITS)
        self.book = self.tokens._book

    async def again(self, *users: UserId, now_ms: int = NOW) -> "Drawer":
        """The tokens of the server's next run."""
        later = Drawer(self.journal)
        later.tokens.restore_sessions(users, now_ms)
        return later

    def issue(self, user: UserId = ANNA, now_ms: int = NOW, claimed: bool = False) -> str:
        return self.tokens.issue_token(user, "a test", "guest", claimed, now_ms)[0]

    def whose(self, shown: str, now_ms: int = NOW) -> UserId | None:
        found = self.tokens.find_session(shown, now_ms)
        return None if found is None or found.reused else found.session.user

    def use(self, token: str, now_ms: int = NOW, claimed: bool = False) -> str:
        """Use a token; returns the next one."""
        shown = self.tokens.find_session(token, now_ms)
        assert shown is not None
        assert not shown.reused
        return self.tokens.use_token(shown, claimed, now_ms)

    def reused(self, token: str) -> bool:
        shown = self.tokens.find_session(token, NOW)
        return shown is not None and shown.reused


def test_each_of_several_tokens_proves_its_user() -> None:
    drawer = Drawer()
    first, second, third = drawer.issue(), drawer.issue(), drawer.issue(BEN)
    assert [drawer.whose(shown) for shown in (first, second, third, "made up", "")] == [ANNA, ANNA, BEN, None, None]


def test_of_too_many_tokens_the_longest_unused_goes() -> None:
    drawer = Drawer()
    shown = [drawer.issue(now_ms=NOW + number) for number in range(3)]
    drawer.use(shown[0], now_ms=NOW + WRITTEN_MS)
    drawer.issue(now_ms=NOW + WRITTEN_MS + 1)
    assert [drawer.whose(one) for one in shown] == [ANNA, None, ANNA]


def test_a_full_server_keeps_two_tokens_of_a_user() -> None:
    drawer = Drawer()
    drawer.tokens = Tokens(drawer.journal, AccountLimits(tokens=20, tokens_total=10))
    shown = [drawer.issue() for _ in range(10)]
    others = drawer.issue(BEN)
    shown.append(drawer.issue())
    assert [drawer.whose(one) for one in shown] == [None] * 9 + [ANNA] * 2
    assert drawer.whose(others) == BEN


def test_an_unused_token_expires() -> None:
    drawer = Drawer()
    guest, owner = drawer.issue(), drawer.issue(BEN, claimed=True)
    almost = NOW + 30 * DAY_MS - 1
    assert (drawer.whose(guest, almost), drawer.whose(owner, almost)) == (ANNA, BEN)
    assert (drawer.whose(guest, almost + 1), drawer.whose(owner, almost + 1)) == (None, BEN)
    assert drawer.whose(owner, NOW + 90 * DAY_MS) is None


async def test_use_extends_a_session_once_a_minute() -> None:
    drawer = Drawer()
    token = drawer.issue()
    await drawer.tokens.write_sessions(ANNA)
    token = drawer.use(token, NOW + WRITTEN_MS - 1)
    [key] = drawer.tokens.keys
    assert not drawer.tokens.is_due(key)
    token = drawer.use(token, NOW + 20 * DAY_MS)
    assert drawer.tokens.is_due(key)
    assert drawer.whose(token, NOW + 49 * DAY_MS) == ANNA


def test_a_session_lasts_longer_once_the_name_is_claimed() -> None:
    drawer = Drawer()
    token = drawer.use(drawer.issue(), NOW + 1, claimed=True)
    assert drawer.whose(token, NOW + 89 * DAY_MS) == ANNA


def test_each_use_renews_the_token() -> None:
    drawer = Drawer()
    first = drawer.issue()
    lost, second = drawer.use(first), drawer.use(first)
    assert len({first, lost, second}) == 3
    third = drawer.use(second)
    assert [drawer.whose(token) for token in (second, third)] == [ANNA, ANNA]
    assert [drawer.reused(token) for token in (first, lost, second, third)] == [True, True, False, False]


def test_found_token_is_judged_by_its_present_session() -> None:
    drawer = Drawer()
    token = drawer.issue()
    assert drawer.whose(token) == drawer.whose(token) == ANNA
    assert drawer.whose(token, NOW + 31 * DAY_MS) is None
    token = drawer.issue()
    assert drawer.whose(token) == ANNA
    drawer.use(drawer.use(token))
    assert drawer.reused(token)
    token = drawer.issue(BEN)
    assert drawer.whose(token) == BEN
    drawer.tokens.forget_user(BEN)
    assert drawer.whose(token) is None


def test_a_stolen_token_is_noticed_either_way() -> None:
    for order in (("owner", "thief"), ("thief", "owner")):
        drawer = Drawer()
        copied = drawer.issue()
        held = {who: drawer.use(copied) for who in order}
        held[order[0]] = drawer.use(held[order[0]])
        assert not drawer.reused(held[order[0]])
        assert drawer.reused(held[order[1]])


def test_a_token_that_was_changed_is_none_of_this_server() -> None:
    drawer = Drawer()
    token = drawer.issue()
    for at in range(len(token)):
        other = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
        assert drawer.tokens.find_session(other, NOW) is None
    assert drawer.tokens.find_session(token + "A", NOW) is None
    assert drawer.tokens.find_session("é" * 26, NOW) is None


async def test_tokens_newer_than_a_backup_stay_valid() -> None:
    drawer = Drawer()
    first = drawer.issue()
    await drawer.tokens.write_sessions(ANNA)
    second = drawer.use(first)
    third = drawer.use(second)
    fourth = drawer.use(third)
    restored = await drawer.again(ANNA)
    assert restored.whose(fourth) == ANNA
    restored.use(fourth)
    assert [restored.reused(token) for token in (first, second, third, fourth)] == [True, True, True, False]


async def test_the_uses_of_the_last_minute_are_written_together() -> None:
    drawer = Drawer()
    tokens = {user: drawer.issue(user) for user in (ANNA, BEN)}
    await drawer.tokens.write_sessions(ANNA)
    tokens = {user: drawer.use(drawer.use(token)) for user, token in tokens.items()}
    await drawer.tokens.write_uses(lambda user: user == ANNA)
    later = await drawer.again(ANNA, BEN)
    assert later.whose(tokens[ANNA]) == ANNA
    assert len(later.tokens.keys) == 1
    [session] = [session for _, session in later.tokens.sessions_of(ANNA)]
    assert session.step == 2


async def test_kept_values_survive_and_dropped_ones_do_not() -> None:
    drawer = Drawer()
    kept, dropped, never = drawer.issue(), drawer.issue(), drawer.issue(BEN)
    await drawer.tokens.write_sessions(ANNA)
    shown = drawer.tokens.find_session(dropped, NOW)
    assert shown is not None
    drawer.tokens.drop_sessions([shown.key])
    assert drawer.whose(dropped) is None
    await drawer.tokens.write_sessions(ANNA)
    later = await drawer.again(ANNA, BEN)
    assert [later.whose(shown) for shown in (kept, dropped, never)] == [ANNA, None, None]


async def test_stored_token_hash_lets_nobody_in() -> None:
    drawer = Drawer()
    shown = drawer.issue()
    await drawer.tokens.write_sessions(ANNA)
    assert [key for key, _ in drawer.book.items() if shown in key] == []
    assert shown not in repr([*drawer.book.items()])


async def test_tokens_that_expired_or_that_nobody_has_are_tidied_away() -> None:
    drawer = Drawer()
    drawer.issue()
    drawer.issue(BEN, claimed=True)
    for user in (ANNA, BEN):
        await drawer.tokens.write_sessions(user)
    later = await drawer.again(ANNA, now_ms=NOW + 31 * DAY_MS)
    await later.tokens.write_dropped()
    assert len(later.book) == 0


async def test_a_failed_write_is_made_up_later() -> None:
    drawer = Drawer()
    shown = drawer.issue()
    await drawer.tokens.write_sessions(ANNA)
    drawer.tokens.forget_user(ANNA)
    drawer.journal.full = True
    with pytest.raises(JournalError):
        await drawer.tokens.write_sessions(ANNA)
    drawer.journal.full = False
    await drawer.tokens.write_sessions(ANNA)
    assert (await drawer.again(ANNA)).whose(shown) is None


class TwoDrawers:
    """The tokens of two nodes on one journal, of which each hears of the other's uses."""

    def __init__(self) -> None:
        journal = MoodyJournal()
        self.first, self.second = Drawer(journal), Drawer(journal)
        for drawer, other in ((self.first, self.second), (self.second, self.first)):
            drawer.tokens.restore_sessions((), NOW)
            drawer.tokens.on_used = other.tokens.note_use

    async def begin(self) -> str:
        token = self.first.issue()
        await self.first.tokens.write_sessions(ANNA)
        return token


async def test_session_of_one_node_is_known_at_the_other() -> None:
    two = TwoDrawers()
    token = await two.begin()
    assert two.second.whose(token) == ANNA
    later = two.second.use(two.second.use(token))
    assert two.first.reused(token)
    assert two.first.whose(later) == ANNA


async def test_older_row_lowers_no_step() -> None:
    two = TwoDrawers()
    token = await two.begin()
    later = two.second.use(two.second.use(token))
    two.first.tokens.on_used = lambda _: None
    await two.first.tokens.write_sessions(ANNA)
    two.first.use(later, now_ms=NOW + 1)
    await two.first.tokens.write_sessions(ANNA)
    assert two.second.reused(token)


async def test_session_that_ends_at_one_node_ends_at_the_other() -> None:
    two = TwoDrawers()
    token = await two.begin()
    ended: list[str] = []
    two.first.tokens.on_ended = lambda session, _: ended.append(session.user)
    two.second.tokens.drop_sessions(two.second.tokens.keys)
    await two.second.tokens.write_sessions(ANNA)
    assert (two.first.whose(token), ended) == (None, [ANNA])


async def test_two_tokens_of_one_step_are_a_copy() -> None:
    two = TwoDrawers()
    token = await two.begin()
    copied: list[str] = []
    two.first.tokens.on_copied = copied.append
    hears, two.second.tokens.on_used = two.second.tokens.on_used, lambda _: None
    two.first.tokens.on_used = lambda _: None
    at_first, at_second = two.first.use(token), two.second.use(token)
    two.first.use(at_first)
    two.second.tokens.on_used = hears
    two.second.use(at_second)
    assert copied == two.first.tokens.keys


async def test_sessions_of_a_stranger_count_once_they_are_known() -> None:
    two = TwoDrawers()
    two.second.tokens.is_user = lambda _: False
    token = await two.begin()
    assert two.second.whose(token) is None
    two.second.tokens.adopt_user(ANNA)
    assert two.second.whose(token) == ANNA
