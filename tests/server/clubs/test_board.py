"""The board of a club, what admins do with clubs, and what others see of either."""

from scoville_server.server import Server
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.server.clubs.test_clubs import changes_in, club_of, clubs_of, owner
from tests.server.conftest import Start
from tests.support.core import code_of, connect_user
from tests.support.server import Caller, core_of


async def admin_of(server: Server) -> Caller:
    admin = await owner(server, "Olga")
    records = core_of(server).moderation_records
    await records.admins.add_admin(core_of(server).sessions.known_user("Olga"), "the host")
    return admin


async def test_board_lists_tables_that_the_reader_may_know(start: Start) -> None:
    server = await start()
    anna, ben, carl = [await owner(server, name) for name in ("Anna", "Ben", "Carl")]
    club = await club_of(anna, ben)
    private = m.TableSettingsParams(private=True)
    create = m.CreateRequest(game="high_card", seat_count=3, settings=private)
    hidden = (await anna.call(create)).info.table
    await anna.call(m.JoinRequest(table=hidden))
    public = (await carl.call(m.CreateRequest(game="high_card", seat_count=3))).info.table
    await carl.call(m.JoinRequest(table=public))

    async def tables(user: Caller) -> list[str]:
        return [each.table for each in (await user.call(m.ShowClubBoardRequest(club=club))).tables]

    assert await tables(anna) == [hidden]
    assert await tables(ben) == [], "a private table is one's own until the club is called"
    await anna.call(m.CallClubRequest(club=club, table=hidden))
    assert await tables(ben) == [hidden]
    await ben.call(m.JoinRequest(table=public))
    assert {*await tables(anna)} == {hidden, public}
    assert await code_of(carl, m.ShowClubBoardRequest(club=club)) == Code.UNKNOWN_CLUB


async def test_an_admin_lists_shows_and_closes_clubs_with_a_reason(start: Start) -> None:
    server = await start()
    anna, ben = await owner(server, "Anna"), await owner(server, "Ben")
    club = await club_of(anna, ben)
    requests: list[m.Params] = [
        m.ClubsRequest(),
        m.ShowClubToAdminRequest(club=club),
        m.CloseClubAsAdminRequest(club=club, reason="insult"),
    ]
    for request in requests:
        assert await code_of(anna, request) == Code.NOT_ALLOWED
    olga = await admin_of(server)
    [listed] = (await olga.call(m.ClubsRequest())).clubs_of_server
    assert (listed.club_name, listed.member_count, listed.leader_names) == ("Peppers", 2, ["Anna"])
    shown = await olga.call(m.ShowClubToAdminRequest(club=club))
    assert [each.name for each in shown.members] == ["Anna", "Ben"]
    assert await code_of(olga, m.ReadChatRequest(channel="club", club=club)) == Code.UNKNOWN_CLUB
    await olga.call(m.CloseClubAsAdminRequest(club=club, reason="insult"))
    assert changes_in(ben)[-1] == ("closed", "Olga", None)
    assert [each.reason for each in ben.peer.heard if isinstance(each, m.ClubChangedNotice)][-1] == "insult"
    entry = (await olga.call(m.AuditRequest())).entries[-1]
    assert (entry.by, entry.action, entry.target, entry.reason) == ("Olga", "close club", "Peppers", "insult")
    again = await start(server)
    [closed] = [each for _, each in core_of(again).clubs.list_clubs()]
    assert (closed.closed_by, closed.closed_reason) == ("Olga", "insult")
    [mine] = await clubs_of(anna)
    assert (mine.closed_by, mine.closed_reason) == ("Olga", "insult")
    assert await code_of(olga, m.CloseClubAsAdminRequest(club=club, reason="x")) == Code.CLUB_CLOSED
    assert await code_of(olga, m.ShowClubToAdminRequest(club="none")) == Code.UNKNOWN_CLUB


async def test_users_who_see_a_club_can_report_it(start: Start) -> None:
    server = await start()
    anna, ben, carl = [await owner(server, name) for name in ("Anna", "Ben", "Carl")]
    club = await club_of(anna)
    await anna.call(m.InviteToClubRequest(club=club, name="Ben"))
    await anna.call(m.SayRequest(text="a secret", club=club))
    report = m.ReportClubRequest(club=club, text="The name is an insult.")
    assert await code_of(carl, report) == Code.UNKNOWN_CLUB
    await ben.call(report)
    olga = await admin_of(server)
    [open_report] = (await olga.call(m.ReportsRequest())).reports
    assert (open_report.name, open_report.club, open_report.by) == ("Peppers", club, "Ben")
    assert open_report.context == [], "the chat of the club stays private"
    guest = await connect_user(server, "Zoe")
    assert await code_of(guest, report) == Code.UNKNOWN_CLUB


async def test_members_of_one_club_are_friends_at_the_daily_deal(start: Start) -> None:
    server = await start()
    anna, ben, carl = [await owner(server, name) for name in ("Anna", "Ben", "Carl")]
    await club_of(anna, ben)
    clubs, known = core_of(server).clubs, core_of(server).sessions.known_user
    a, b, c = (known(name).id for name in ("Anna", "Ben", "Carl"))
    assert clubs.share_club(a, b)
    assert not clubs.share_club(a, c)
    await anna.call(m.InviteToClubRequest(club=(await clubs_of(anna))[0].club, name="Carl"))
    assert not clubs.share_club(a, c), "an invitation is no membership"
    assert carl.welcome is not None
