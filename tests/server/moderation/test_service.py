"""Looking after a server: only admins do, everything is written down, and what is forbidden is."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from scoville_server.config import Settings
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_shared.protocol import messages as m
from tests.support.core import code_of, seated, someone
from tests.support.server import Caller, toy_server

PASSWORD = "green or red?"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = toy_server(Settings(admins=("Anna",)))
    await made.start()
    yield made
    await made.close()


async def admin(server: Server, name: str = "Anna") -> Caller:
    """Somebody whom the configuration names, and whose name is theirs."""
    caller = await someone(server, name)
    await caller.call(m.ClaimName(password=PASSWORD))
    return caller


async def audited(caller: Caller) -> list[tuple[str, str, str]]:
    return [(line.by, line.did, line.whom) for line in (await caller.call(m.ReadAudit())).lines]


EVERY_ACT = [
    m.ListPeople(),
    m.Announce(text="x"),
    m.SendAway(name="Ben"),
    m.Ban(whom="Ben"),
    m.Unban(id=1),
    m.ListBans(),
    m.CloseTable(table="x"),
    m.Appoint(name="Ben"),
    m.ReadAudit(),
    m.ListReports(),
    m.Resolve(id=1),
]


@pytest.mark.parametrize("act", EVERY_ACT)
async def test_nobody_else_may(server: Server, act: Any) -> None:
    assert await code_of(await someone(server, "Ben"), act) == "not_allowed"


async def test_the_name_alone_makes_no_admin(server: Server) -> None:
    assert await code_of(await someone(server, "Anna"), m.ListPeople()) == "not_allowed"


async def test_an_admin_sees_who_is_here(server: Server) -> None:
    anna = await admin(server)
    await someone(server, "Ben")
    people = (await anna.call(m.ListPeople())).people
    assert {(person.name, person.claimed) for person in people} == {("Anna", True), ("Ben", False)}


async def test_everybody_hears_an_announcement(server: Server) -> None:
    anna, ben = await admin(server), await someone(server, "Ben")
    await anna.call(m.Announce(text="Down for a minute at nine."))
    assert m.AnnouncementNotice(text="Down for a minute at nine.") in ben.peer.heard
    assert await audited(anna) == [("Anna", "announce", "")]


async def test_who_is_sent_away_is_told_and_can_come_back(server: Server) -> None:
    anna, ben = await admin(server), await someone(server, "Ben")
    await anna.call(m.SendAway(name="ben", reason="Cool down."))
    assert ben.peer.bye == m.ByeNotice(code="kicked", message="Cool down.")
    await someone(server, "Ben")


async def test_a_banned_name_is_hung_up_on_and_stays_out(server: Server) -> None:
    anna, ben = await admin(server), await someone(server, "Ben")
    await anna.call(m.Ban(whom="Ben", reason="spam"))
    assert ben.peer.bye is not None
    assert ben.peer.bye.code == "banned"
    with pytest.raises(Exception, match="You are banned from this server: spam"):
        await someone(server, "BEN")
    assert (await anna.call(m.ListBans())).bans[0].whom == "Ben"
    await anna.call(m.Unban(id=1))
    await someone(server, "Ben")


async def test_who_may_not_talk_can_still_play(server: Server) -> None:
    anna, ben = await admin(server), await someone(server, "Ben")
    await anna.call(m.Ban(whom="Ben", scope="chat"))
    assert await code_of(ben, m.Say(text="hello")) == "muted"
    await ben.create("high_card", 2)


async def test_who_may_not_play_keeps_the_seat_they_have(server: Server) -> None:
    anna = await admin(server)
    table, [ben, _] = await seated(server, "Ben", "Cleo")
    await anna.call(m.Ban(whom="Ben", scope="tables"))
    assert (await ben.call(m.JoinTable(table=table))).seat == 0
    assert await code_of(ben, m.CreateTable(game="high_card", seats=2)) == "banned"


async def test_nobody_bans_themselves(server: Server) -> None:
    assert await code_of(await admin(server), m.Ban(whom="anna")) == "bad_params"


async def test_a_closed_table_says_why(server: Server) -> None:
    anna = await admin(server)
    table, [ben, _] = await seated(server, "Ben", "Cleo")
    await ben.call(m.WatchTable(table=table))
    await anna.call(m.CloseTable(table=table, reason="Not here."))
    assert ben.peer.events[-1].event == m.TableClosed(seq=3, reason="Not here.")
    assert await code_of(ben, m.WatchTable(table=table)) == "unknown_table"


async def test_an_admin_appoints_others_whose_names_are_theirs(server: Server) -> None:
    anna, ben = await admin(server), await someone(server, "Ben")
    assert await code_of(anna, m.Appoint(name="Ben")) == "not_claimed"
    await ben.call(m.ClaimName(password=PASSWORD))
    await anna.call(m.Appoint(name="Ben"))
    await ben.call(m.ListPeople())
    await anna.call(m.Appoint(name="Ben", admin=False))
    assert await code_of(ben, m.ListPeople()) == "not_allowed"
    assert await code_of(anna, m.Appoint(name="Anna", admin=False)) == "bad_params"


async def test_a_report_waits_with_what_was_said_until_somebody_sees_to_it(server: Server) -> None:
    anna, ben, cleo = await admin(server), await someone(server, "Ben"), await someone(server, "Cleo")
    await ben.call(m.Say(text="Grrr!"))
    await cleo.call(m.Report(name="Ben", text="He growls."))
    [report] = (await anna.call(m.ListReports())).reports
    assert (report.by, report.name, report.text, report.chat) == ("Cleo", "Ben", "He growls.", ["Ben: Grrr!"])
    await anna.call(m.Resolve(id=report.id, note="He may."))
    assert (await anna.call(m.ListReports())).reports == []
    assert await code_of(anna, m.Resolve(id=report.id)) == "bad_params"


async def test_reports_are_no_way_to_make_noise(server: Server) -> None:
    ben, _ = await someone(server, "Ben"), await someone(server, "Cleo")
    for _number in range(5):
        await ben.call(m.Report(name="Cleo", text="Nothing."))
    assert await code_of(ben, m.Report(name="Cleo", text="Nothing.")) == "slow_down"
    assert await code_of(ben, m.Report(name="Nobody", text="Nothing.")) == "unknown_person"


async def test_who_claims_the_name_that_an_admin_gave_up_is_no_admin_by_it(server: Server) -> None:
    anna = await admin(server)
    await anna.call(m.ReleaseName(password=PASSWORD))
    assert await code_of(anna, m.ListPeople()) == "not_allowed"
    anna.hang_up()
    assert await code_of(await admin(server), m.ListPeople()) == "not_allowed"


async def test_the_same_after_a_restart() -> None:
    journal = MemoryJournal()
    for owner in ("the first", "the next", "after the name was out of the configuration"):
        server = toy_server(Settings(admins=() if owner == "the next" else ("Anna",)), journal)
        await server.start()
        if owner == "the first":
            await (await admin(server)).call(m.ReleaseName(password=PASSWORD))
        elif owner == "the next":
            await admin(server)
        else:
            anna = await someone(server)
            await anna.call(m.LogIn(name="Anna", password=PASSWORD))
            await anna.call(m.ListPeople())
        await server.close()


async def test_no_ban_is_about_who_looks_after_the_server(server: Server) -> None:
    anna, ben = await admin(server), await someone(server, "Ben")
    await ben.call(m.ClaimName(password=PASSWORD))
    await anna.call(m.Appoint(name="Ben"))
    assert await code_of(ben, m.Ban(whom="Anna")) == "bad_params"
    await anna.call(m.Appoint(name="Ben", admin=False))
    await anna.call(m.Ban(whom="Ben"))
    assert ben.peer.bye is not None


async def test_who_comes_back_is_not_let_in_under_a_banned_name(server: Server) -> None:
    anna, ben = await admin(server), await someone(server, "Ben")
    await anna.call(m.Ban(whom="Zed"))
    with pytest.raises(Exception, match="You are banned"):
        await someone(server, "Zed", ben.welcome.token)


async def test_of_many_reports_the_oldest_are_shown(server: Server) -> None:
    anna = await admin(server)
    for number in range(25):
        await (await someone(server)).call(m.Report(name="Anna", text=str(number)))
    reports = (await anna.call(m.ListReports())).reports
    assert [report.text for report in reports] == [str(number) for number in range(20)]


async def test_nobody_is_given_a_banned_name(server: Server) -> None:
    anna, friendly = await admin(server), await someone(server)
    name = friendly.welcome.name
    await anna.call(m.Ban(whom=name, scope="chat"))
    friendly.hang_up()
    newcomer = await someone(server)
    assert newcomer.welcome.name != name
    await newcomer.call(m.Say(text="hello"))


async def test_who_asks_for_a_name_that_may_not_talk_does_not_get_round_it(server: Server) -> None:
    anna = await admin(server)
    await anna.call(m.Ban(whom="Zed", scope="chat"))
    assert await code_of(await someone(server, "Zed"), m.Say(text="hello")) == "muted"


async def test_what_changes_nothing_is_not_written_down(server: Server) -> None:
    """5,100 bans lifted that there were not pushed the real lines out."""
    anna, ben, carl = await admin(server), await admin(server, "Ben"), await someone(server, "Carl")
    ban = (await anna.call(m.Ban(whom="Zed"))).ban
    await anna.call(m.Appoint(name="Ben"))
    before = await audited(anna)

    for _ in range(50):
        assert await code_of(anna, m.Unban(id=ban.id + 1)) == "bad_params"
    assert await code_of(anna, m.Ban(kind="address", whom="nowhere")) == "bad_params"
    assert await code_of(anna, m.Resolve(id=7)) == "bad_params"
    assert await code_of(anna, m.Appoint(name="Carl")) == "not_claimed"
    assert await code_of(anna, m.Appoint(name="Anna", admin=False)) == "bad_params"
    await anna.call(m.Appoint(name="Ben"))
    carl.hang_up()
    await anna.call(m.SendAway(name="Ben"))
    ben.hang_up()
    await anna.call(m.SendAway(name="Ben"))

    assert await audited(anna) == [*before, ("Anna", "send_away", "Ben")]


async def test_of_many_who_lift_one_ban_at_once_one_is_written_down(server: Server) -> None:
    anna = await admin(server)
    ban = (await anna.call(m.Ban(whom="Zed"))).ban

    answers = await asyncio.gather(*(anna.call(m.Unban(id=ban.id)) for _ in range(20)), return_exceptions=True)

    assert sum(not isinstance(answer, Exception) for answer in answers) == 1
    assert [did for _, did, _ in await audited(anna)] == ["ban name from server", "unban"]
