"""Moderation: admins only, everything in the audit log, and bans take effect."""

import asyncio
from typing import Any

import pytest

from scoville_server.accounts.sessions import User
from scoville_server.journal.memory import MemoryJournal
from scoville_server.moderation.every_node import ConnectedUsers
from scoville_server.net.flushes import PORTION
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.support import accounts
from tests.support.core import code_of, connect_user, seat_users
from tests.support.idle import wait_until_idle
from tests.support.server import Caller, core_of, toy_server, until

PASSWORD = "green or red?"


async def admin(server: Server, name: str = "Anna") -> Caller:
    """A configured admin with a claimed name, who has given the code."""
    return await accounts.connect_admin(server, name, PASSWORD)


async def audited(caller: Caller) -> list[tuple[str, str, str]]:
    """What admins did since they became admins."""
    entries = (await caller.call(m.AuditRequest())).entries
    return [(line.by, line.action, line.target) for line in entries if line.action != "become_admin"]


EVERY_ACT = [
    m.UsersRequest(),
    m.AnnounceRequest(text="x"),
    m.KickUserRequest(name="Ben"),
    m.BanRequest(target="Ben"),
    m.UnbanRequest(id=1),
    m.BansRequest(),
    m.CloseTableRequest(table="x"),
    m.AppointRequest(name="Ben"),
    m.AuditRequest(),
    m.ReportsRequest(),
    m.ResolveReportRequest(id=1),
]


@pytest.mark.parametrize("act", EVERY_ACT)
async def test_nobody_else_may(server: Server, act: Any) -> None:
    assert await code_of(await connect_user(server, "Ben"), act) == "not_allowed"


async def test_the_name_alone_makes_no_admin(server: Server) -> None:
    assert await code_of(await connect_user(server, "Anna"), m.UsersRequest()) == "not_allowed"


async def test_an_admin_sees_who_is_here(server: Server) -> None:
    anna = await admin(server)
    await connect_user(server, "Ben")
    users = (await anna.call(m.UsersRequest())).users
    assert {(user.name, user.claimed) for user in users} == {("Anna", True), ("Ben", False)}


async def test_everybody_hears_an_announcement(server: Server) -> None:
    anna, ben = await admin(server), await connect_user(server, "Ben")
    await anna.call(m.AnnounceRequest(text="Down for a minute at nine."))
    assert m.AnnouncedNotice(text="Down for a minute at nine.") in ben.peer.heard
    assert await audited(anna) == [("Anna", "announce", None)]


async def test_a_kicked_user_gets_a_notice_and_can_reconnect(server: Server) -> None:
    anna, ben = await admin(server), await connect_user(server, "Ben")
    await anna.call(m.KickUserRequest(name="ben", reason="Cool down."))
    assert ben.peer.bye == m.ByeNotice(code="kicked", message="Cool down.", reason="Cool down.")
    await connect_user(server, "Ben")


async def test_a_banned_name_is_hung_up_on_and_stays_out(server: Server) -> None:
    anna, ben = await admin(server), await connect_user(server, "Ben")
    await anna.call(m.BanRequest(target="Ben", reason="spam"))
    assert ben.peer.bye is not None
    assert ben.peer.bye.code == "banned"
    with pytest.raises(Exception, match="You are banned from this server: spam"):
        await connect_user(server, "BEN")
    assert (await anna.call(m.BansRequest())).bans[0].target == "Ben"
    await anna.call(m.UnbanRequest(id=1))
    await connect_user(server, "Ben")


async def test_user_banned_from_chat_can_play(server: Server) -> None:
    anna, ben = await admin(server), await connect_user(server, "Ben")
    await anna.call(m.BanRequest(target="Ben", scope="chat"))
    assert await code_of(ben, m.SayRequest(text="hello")) == "muted"
    await ben.create("high_card", 2)


async def test_user_banned_from_tables_keeps_their_seat(server: Server) -> None:
    anna = await admin(server)
    table, [ben, _] = await seat_users(server, "Ben", "Cleo")
    await anna.call(m.BanRequest(target="Ben", scope="tables"))
    assert (await ben.call(m.JoinRequest(table=table))).seat == 0
    assert await code_of(ben, m.CreateRequest(game="high_card", seat_count=2)) == "banned"


async def test_nobody_bans_themselves(server: Server) -> None:
    assert await code_of(await admin(server), m.BanRequest(target="anna")) == "bad_params"


async def test_a_closed_table_says_why(server: Server) -> None:
    anna = await admin(server)
    table, [ben, _] = await seat_users(server, "Ben", "Cleo")
    await ben.call(m.WatchRequest(table=table))
    await anna.call(m.CloseTableRequest(table=table, reason="Not here."))
    assert ben.peer.events[-1].event == m.Closed(seq=3, reason="Not here.")
    assert await code_of(ben, m.WatchRequest(table=table)) == "unknown_table"


async def test_an_admin_appoints_others_whose_names_are_theirs(server: Server) -> None:
    anna, ben = await admin(server), await connect_user(server, "Ben")
    assert await code_of(anna, m.AppointRequest(name="Ben")) == "not_claimed"
    await ben.call(m.ClaimNameRequest(password=PASSWORD))
    await anna.call(m.AppointRequest(name="Ben"))
    await ben.call(m.UsersRequest())
    await anna.call(m.AppointRequest(name="Ben", admin=False))
    assert await code_of(ben, m.UsersRequest()) == "not_allowed"
    assert await code_of(anna, m.AppointRequest(name="Anna", admin=False)) == "bad_params"


async def test_a_report_keeps_its_chat_until_handled(server: Server) -> None:
    anna, ben, cleo = await admin(server), await connect_user(server, "Ben"), await connect_user(server, "Cleo")
    await ben.call(m.SayRequest(text="Grrr!"))
    await cleo.call(m.ReportRequest(name="Ben", text="He growls."))
    [report] = (await anna.call(m.ReportsRequest())).reports
    assert (report.by, report.name, report.text, report.context) == ("Cleo", "Ben", "He growls.", ["Ben: Grrr!"])
    await anna.call(m.ResolveReportRequest(id=report.id, note="He may."))
    assert (await anna.call(m.ReportsRequest())).reports == []
    assert await code_of(anna, m.ResolveReportRequest(id=report.id)) == "bad_params"


async def test_reports_are_no_way_to_make_noise(server: Server) -> None:
    ben, _ = await connect_user(server, "Ben"), await connect_user(server, "Cleo")
    for _number in range(5):
        await ben.call(m.ReportRequest(name="Cleo", text="Nothing."))
    assert await code_of(ben, m.ReportRequest(name="Cleo", text="Nothing.")) == "slow_down"
    assert await code_of(ben, m.ReportRequest(name="Nobody", text="Nothing.")) == "unknown_user"


async def test_a_former_admins_name_gives_no_rights(server: Server) -> None:
    anna = await admin(server)
    await anna.call(m.ReleaseNameRequest())
    assert await code_of(anna, m.UsersRequest()) == "not_allowed"
    anna.hang_up()
    assert await code_of(await accounts.connect_owner(server, "Anna", PASSWORD), m.UsersRequest()) == "not_allowed"


async def test_the_same_after_a_restart() -> None:
    journal = MemoryJournal()
    for owner in ("the first", "the next", "after the name was out of the configuration"):
        server = toy_server(Settings(admins=() if owner == "the next" else ("Anna",)), journal)
        await server.start()
        if owner == "the first":
            await (await admin(server)).call(m.ReleaseNameRequest())
        elif owner == "the next":
            await accounts.connect_owner(server, "Anna", PASSWORD)
        else:
            anna = await connect_user(server)
            await anna.call(m.LoginRequest(name="Anna", password=PASSWORD))
            assert await code_of(anna, m.UsersRequest()) == "not_allowed"
            await anna.call(m.BecomeAdminRequest(code=server.admin_codes["Anna"]))
            await anna.call(m.UsersRequest())
        await server.close()


async def test_no_ban_is_about_who_looks_after_the_server(server: Server) -> None:
    anna, ben = await admin(server), await connect_user(server, "Ben")
    await ben.call(m.ClaimNameRequest(password=PASSWORD))
    await anna.call(m.AppointRequest(name="Ben"))
    assert await code_of(ben, m.BanRequest(target="Anna")) == "bad_params"
    await anna.call(m.AppointRequest(name="Ben", admin=False))
    await anna.call(m.BanRequest(target="Ben"))
    assert ben.peer.bye is not None


async def test_a_banned_name_is_refused_on_return(server: Server) -> None:
    anna, ben = await admin(server), await connect_user(server, "Ben")
    await anna.call(m.BanRequest(target="Zed"))
    with pytest.raises(Exception, match="You are banned"):
        await connect_user(server, "Zed", ben.welcome.token)


async def test_of_many_reports_the_oldest_are_shown(server: Server) -> None:
    anna = await admin(server)
    for number in range(25):
        await (await connect_user(server)).call(m.ReportRequest(name="Anna", text=str(number)))
    reports = (await anna.call(m.ReportsRequest())).reports
    assert [report.text for report in reports] == [str(number) for number in range(20)]


async def test_nobody_is_given_a_banned_name(server: Server) -> None:
    anna, friendly = await admin(server), await connect_user(server)
    name = friendly.welcome.name
    await anna.call(m.BanRequest(target=name, scope="chat"))
    friendly.hang_up()
    newcomer = await connect_user(server)
    assert newcomer.welcome.name != name
    await newcomer.call(m.SayRequest(text="hello"))


async def test_a_muted_name_cannot_be_evaded_by_renaming(server: Server) -> None:
    anna = await admin(server)
    await anna.call(m.BanRequest(target="Zed", scope="chat"))
    assert await code_of(await connect_user(server, "Zed"), m.SayRequest(text="hello")) == "muted"


async def test_act_without_effect_is_not_logged(server: Server) -> None:
    """5,100 bans lifted that there were not pushed the real lines out."""
    anna, ben, carl = (
        await admin(server),
        await accounts.connect_owner(server, "Ben"),
        await connect_user(server, "Carl"),
    )
    ban = (await anna.call(m.BanRequest(target="Zed"))).ban
    await anna.call(m.AppointRequest(name="Ben"))
    before = await audited(anna)

    for _ in range(50):
        assert await code_of(anna, m.UnbanRequest(id=ban.id + 1)) == "bad_params"
    assert await code_of(anna, m.BanRequest(kind="address", target="nowhere")) == "bad_params"
    assert await code_of(anna, m.ResolveReportRequest(id=7)) == "bad_params"
    assert await code_of(anna, m.AppointRequest(name="Carl")) == "not_claimed"
    assert await code_of(anna, m.AppointRequest(name="Anna", admin=False)) == "bad_params"
    await anna.call(m.AppointRequest(name="Ben"))
    carl.hang_up()
    await anna.call(m.KickUserRequest(name="Ben"))
    ben.hang_up()
    await anna.call(m.KickUserRequest(name="Ben"))

    assert await audited(anna) == [*before, ("Anna", "kick", "Ben")]


async def test_one_of_many_lifts_is_audited(server: Server) -> None:
    anna = await admin(server)
    ban = (await anna.call(m.BanRequest(target="Zed"))).ban

    answers = await asyncio.gather(*(anna.call(m.UnbanRequest(id=ban.id)) for _ in range(20)), return_exceptions=True)

    assert sum(not isinstance(answer, Exception) for answer in answers) == 1
    assert [did for _, did, _ in await audited(anna)] == ["ban name from server", "unban"]


async def test_the_list_of_very_many_users_is_made_in_portions(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = await admin(server)
    for number in range(2 * PORTION):
        await connect_user(server, f"User {number}")
    seen: list[str] = []
    describe = ConnectedUsers._describe_user

    def counted(connected: ConnectedUsers, user: User) -> m.AdminUserInfo:
        seen.append(user.name)
        return describe(connected, user)

    monkeypatch.setattr(ConnectedUsers, "_describe_user", counted)
    asked = asyncio.ensure_future(anna.call(m.UsersRequest()))
    most = 0
    while not asked.done():
        before = len(seen)
        await asyncio.sleep(0)
        most = max(most, len(seen) - before)
    assert (most, len((await asked).users)) == (PORTION, 2 * PORTION + 1)


async def test_very_many_users_are_checked_for_a_ban_in_portions(server: Server) -> None:
    anna = await admin(server)
    users = [await connect_user(server, f"User {number}") for number in range(2 * PORTION)]
    await anna.call(m.BanRequest(target=f"User {2 * PORTION - 1}"))
    await anna.call(m.BanRequest(target="User 0"))
    assert not users[-1].peer.closed
    await until(lambda: users[0].peer.closed and users[-1].peer.closed)
    assert not any(user.peer.closed for user in users[1:-1])


async def test_an_appointment_that_is_refused_is_not_in_the_log(server: Server) -> None:
    anna, _ = await admin(server), await connect_user(server, "Ben")
    before = await audited(anna)
    assert await code_of(anna, m.AppointModeratorRequest(name="Ben")) == "not_claimed"
    assert await audited(anna) == before


async def test_who_is_being_appointed_cannot_be_banned_meanwhile(server: Server) -> None:
    anna, ben = await admin(server), await connect_user(server, "Ben")
    await ben.call(m.ClaimNameRequest(password=PASSWORD))
    core = core_of(server)
    acting, appointed = core.sessions.known_user("Anna"), core.sessions.known_user("Ben")
    async with core.moderation._acting:  # as during another act
        appointing = core.moderation.appoint_admin(acting, appointed, admin_from_now=True)
        banning = core.moderation.add_ban(acting, m.BanRequest(target="Ben"))
        acts = [asyncio.create_task(appointing), asyncio.create_task(banning)]
        await wait_until_idle()
    refused = await asyncio.gather(*acts, return_exceptions=True)
    assert [isinstance(each, ScovilleError) for each in refused] == [False, True]
    assert (await anna.call(m.BansRequest())).bans == []
    assert [action for _, action, _ in await audited(anna)] == ["appoint"]
