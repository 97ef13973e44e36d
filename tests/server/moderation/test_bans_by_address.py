"""Bans of addresses: input, refused hellos, and connections that are already open."""

import pytest

from scoville_runtime.clock import Clock
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support.core import code_of
from tests.support.server import Caller, toy_server
from tests.support.virtual_time import NOON_MS

PASSWORD = "green or red?"
SAME = [
    ("192.0.2.7:4711", "192.0.2.7"),
    ("192.0.2.7:4711", "192.0.2.0/24"),
    ("192.0.2.7:4711", "::ffff:192.0.2.7"),
    ("::ffff:192.0.2.7:4711", "192.0.2.7"),
    ("2001:db8:1:2::5:4711", "2001:db8:1:2::5"),
    ("2001:db8:1:2::5:4711", "2001:db8:1:2::/64"),
    ("fe80::5%eth0:4711", "fe80::5"),
]


async def admin(server: Server) -> Caller:
    caller = await Caller(server).hello("Anna")
    await caller.call(m.ClaimNameRequest(password=PASSWORD))
    await caller.call(m.BecomeAdminRequest(code=server.admin_codes["Anna"]))
    return caller


def at(server: Server, address: str) -> Caller:
    """A connection from an address, before hello."""
    return Caller(server, address)


async def test_address_bans_are_audited_by_number_only(server: Server) -> None:
    anna = await admin(server)
    ban = (await anna.call(m.BanRequest(kind="address", target="192.0.2.7", reason="spam"))).ban
    await anna.call(m.UnbanRequest(id=ban.id))
    entries = [entry for entry in (await anna.call(m.AuditRequest())).entries if "ban" in entry.action]
    assert [(entry.action, entry.target) for entry in entries] == [
        ("ban address from server", f"ban {ban.id}"),
        ("unban", str(ban.id)),
    ]
    assert "192.0.2.7" not in repr(entries)


@pytest.mark.parametrize(("address", "banned"), SAME)
async def test_a_banned_address_is_refused_and_its_users_kicked(server: Server, address: str, banned: str) -> None:
    anna = await admin(server)
    ben = await at(server, address).hello("Ben")
    carl = await at(server, "198.51.100.9:4711").hello("Carl")

    ban = (await anna.call(m.BanRequest(kind="address", target=banned, reason="spam"))).ban

    assert [bye.code for bye in byes(ben)] == ["banned"]
    assert byes(carl) == []
    assert await code_of(at(server, address), m.HelloRequest(protocol=1, name="Dora")) == "banned"
    assert await code_of(at(server, address), m.HelloRequest(protocol=1, token=ben.welcome.token)) == "banned"
    await anna.call(m.UnbanRequest(id=ban.id))
    await at(server, address).hello("Dora")


async def test_an_ipv6_ban_spares_the_neighbours(server: Server) -> None:
    anna = await admin(server)
    await anna.call(m.BanRequest(kind="address", target="2001:db8:1:2::5"))
    await at(server, "2001:db8:1:2::6:4711").hello("Ben")
    assert await code_of(at(server, "2001:db8:1:2::5:4711"), m.HelloRequest(protocol=1)) == "banned"


async def test_a_ban_from_the_tables_lets_users_in_and_spectate(server: Server) -> None:
    anna = await admin(server)
    await anna.call(m.BanRequest(kind="address", target="192.0.2.7", scope="tables"))
    ben = await at(server, "192.0.2.7:4711").hello("Ben")
    assert await code_of(ben, m.CreateRequest(game="high_card", seat_count=2)) == "banned"
    assert (await ben.call(m.ListTablesRequest())).tables == []


async def test_a_ban_that_is_over_keeps_nobody_out() -> None:
    now = [0.0]
    server = toy_server(Settings(admins=("Anna",)), clock=Clock(lambda: NOON_MS, lambda: now[0]))
    await server.start()
    anna = await admin(server)
    await anna.call(m.BanRequest(kind="address", target="192.0.2.7", duration_ms=60_000))
    assert await code_of(at(server, "192.0.2.7:4711"), m.HelloRequest(protocol=1)) == "banned"

    now[0] += 60

    await at(server, "192.0.2.7:4711").hello("Ben")
    assert (await anna.call(m.BansRequest())).bans == []
    await server.close()


def byes(caller: Caller) -> list[m.ByeNotice]:
    return [caller.peer.bye] if caller.peer.bye is not None else []
