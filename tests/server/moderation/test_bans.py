"""Bans apply to the right users, to the right actions, until they expire."""

from typing import Any

import pytest

from scoville_server.journal.base import Conflict
from scoville_server.journal.memory import MemoryJournal
from scoville_server.moderation.bans import Ban, Bans
from scoville_server.moderation.model.ban_index import BanSubject
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import UserId

NOW = 1_000_000


def ban(
    kind: str = "name", target: str = "Zed", scope: str = "server", until_ms: int | None = None, **more: Any
) -> Ban:
    fields: dict[str, Any] = {"kind": kind, "target": target, "scope": scope, "until_ms": until_ms, **more}
    return Ban(id=0, reason="spam", by="Anna", since_ms=NOW, **fields)


def somebody(name: str = "Ben", host: str = "192.0.2.7", user: str = "p1", keys: tuple[str, ...] = ()) -> BanSubject:
    return BanSubject(UserId(user), name, host, keys)


async def bans(*some: Ban) -> Bans:
    made = Bans(10, MemoryJournal())
    for each in some:
        await made.add_ban(each, NOW)
    return made


@pytest.mark.parametrize("name", ["Zed", "zed", "ZED", "Z e d", "Z\N{CYRILLIC SMALL LETTER IE}d"])
async def test_a_name_is_banned_with_all_that_look_like_it(name: str) -> None:
    assert (await bans(ban())).find_ban("server", somebody(name), NOW) is not None


async def test_users_of_a_banned_name_are_banned_by_all_names() -> None:
    held = await bans(ban(user="p1"))
    assert held.find_ban("server", somebody("Harmless"), NOW) is not None
    assert held.find_ban("server", somebody("Harmless", user="p2"), NOW) is None


@pytest.mark.parametrize(
    ("network", "host", "hit"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.0/24", "192.0.2.200", True),
        ("192.0.2.7/24", "192.0.2.200", True),
        ("2001:db8::/64", "2001:db8::", True),
        ("2001:db8::/64", "192.0.2.7", False),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("192.0.2.7", "", False),
    ],
)
async def test_an_address_is_banned_alone_or_with_its_network(network: str, host: str, hit: bool) -> None:
    held = await bans(ban("address", network))
    assert (held.find_ban("server", somebody(host=host), NOW) is not None) == hit


async def test_a_key_is_banned_by_its_fingerprint() -> None:
    held = await bans(ban("key", "SHA256:abc"))
    assert held.find_ban("server", somebody(keys=("SHA256:abc",)), NOW) is not None
    assert held.find_ban("server", somebody(keys=("SHA256:xyz",)), NOW) is None


async def test_a_server_ban_covers_everything() -> None:
    server, chat = await bans(ban()), await bans(ban(scope="chat"))
    assert all(server.find_ban(scope, somebody("Zed"), NOW) for scope in ("server", "chat", "tables"))
    assert [bool(chat.find_ban(scope, somebody("Zed"), NOW)) for scope in ("server", "chat", "tables")] == [
        False,
        True,
        False,
    ]


async def test_a_ban_that_is_over_holds_no_more() -> None:
    held = await bans(ban(until_ms=NOW + 1000))
    assert held.find_ban("server", somebody("Zed"), NOW + 999) is not None
    assert held.find_ban("server", somebody("Zed"), NOW + 1000) is None
    assert held.bans_in_force(NOW + 1000) == []


async def test_a_lifted_ban_ends_and_numbers_are_not_reused() -> None:
    held = await bans(ban(), ban(target="Yan"))
    await held.lift_ban(2)
    assert (await held.add_ban(ban(target="Xen"), NOW)).id == 3
    with pytest.raises(ScovilleError, match="There is no ban 2"):
        await held.lift_ban(2)


async def test_bans_outlive_the_server() -> None:
    journal = MemoryJournal()
    first = Bans(10, journal)
    await first.add_ban(ban(), NOW)
    second = Bans(10, journal)
    assert second.find_ban("server", somebody("Zed"), NOW) is not None
    assert (await second.add_ban(ban(target="Yan"), NOW)).id == 2


async def test_bans_of_two_nodes_hold_at_both_until_one_lifts_them() -> None:
    journal = MemoryJournal()
    first, second = Bans(10, journal), Bans(10, journal)
    found: list[bool] = []
    second.on_added = lambda: found.append(second.find_ban("server", somebody("Zed"), NOW) is not None)
    await first.add_ban(ban(), NOW)
    assert found == [True]
    assert (await second.add_ban(ban(target="Yan"), NOW)).id == 2
    await second.lift_ban(1)
    assert [held.find_ban("server", somebody("Zed"), NOW) for held in (first, second)] == [None, None]
    assert first.find_ban("server", somebody("Yan"), NOW) is not None


async def test_two_nodes_give_no_number_twice() -> None:
    journal = MemoryJournal()
    first, second = Bans(10, journal), Bans(10, journal)
    await first.add_ban(ban(), NOW)
    second._latest = 0  # as if it had not heard of that yet
    with pytest.raises(Conflict):
        await second.add_ban(ban(target="Yan"), NOW)
    assert (await second.add_ban(ban(target="Yan"), NOW)).id == 2
    assert [each.target for each in first.bans_in_force(NOW)] == ["Zed", "Yan"]


async def test_bans_are_bounded_and_expired_ones_make_room() -> None:
    held = await bans(*(ban(target=f"Z{n}", until_ms=NOW + 10) for n in range(10)))
    with pytest.raises(ScovilleError) as refused:
        await held.add_ban(ban(), NOW)
    assert refused.value.code == "too_many"
    await held.add_ban(ban(), NOW + 10)
    assert len(held.bans_in_force(NOW + 10)) == 1


@pytest.mark.parametrize(("kind", "whom"), [("address", "somewhere"), ("address", "300.1.1.1"), ("key", "abc")])
async def test_ban_of_an_impossible_target_is_refused(kind: str, whom: str) -> None:
    with pytest.raises(ScovilleError) as refused:
        await bans(ban(kind, whom))
    assert refused.value.code == "bad_params"


def test_a_banned_user_learns_why_and_until_when() -> None:
    error = ban(until_ms=NOW).as_error()
    assert (error.code, error.message) == ("banned", "You are banned from this server: spam.")
    assert error.data == {"reason": "spam", "until_ms": NOW}
    assert ban(scope="chat").as_error().code == "muted"


async def test_of_many_bans_those_are_found_that_are_left() -> None:
    held = await bans(ban(), ban("address", "192.0.2.0/24"), ban("address", "192.0.0.0/16", until_ms=NOW + 10))
    assert held.find_ban("server", somebody("Zed"), NOW) == held.bans_in_force(NOW)[0]
    await held.lift_ban(1)
    assert held.find_ban("server", somebody("Zed"), NOW) == held.bans_in_force(NOW)[0]
    await held.lift_ban(2)
    assert held.find_ban("server", somebody("Zed"), NOW) == held.bans_in_force(NOW)[0]
    await held.add_ban(ban(target="Somebody else"), NOW + 10)
    assert held.find_ban("server", somebody("Zed"), NOW + 10) is None


@pytest.mark.parametrize(
    ("whom", "host"),
    [
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.0/120", "192.0.2.7"),
        ("192.0.2.0/24", "192.0.2.7"),
        ("2001:db8:1:2::5", "2001:db8:1:2::5"),
        ("2001:DB8:1:2:0:0:0:5", "2001:db8:1:2::5"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::5"),
        ("2001:db8::/32", "2001:db8:1:2::5"),
        ("fe80::1%eth0", "fe80::1"),
        (" 192.0.2.7 ", "192.0.2.7"),
    ],
)
async def test_an_address_is_banned_however_it_is_written(whom: str, host: str) -> None:
    held = await bans(ban("address", whom))
    assert held.find_ban("server", somebody(host=host), NOW) is not None
    assert held.find_ban("server", somebody(host="198.51.100.7"), NOW) is None
    assert held.find_ban("server", somebody(host="2001:db9::1"), NOW) is None


async def test_a_network_of_more_than_ipv4_is_one_of_ipv6() -> None:
    held = await bans(ban("address", "::/64"))
    assert held.find_ban("server", somebody(host="192.0.2.7"), NOW) is None
    assert held.find_ban("server", somebody(host="::1"), NOW) is not None
