"""Clubs of a server: rights, secrecy, chat, calls, restarts, erasure and the end."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_server.clubs.model.club import CLOSED_MS, Member
from scoville_server.journal.base import JournalError
from scoville_server.server import Server
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.server.conftest import Start
from tests.support.core import code_of, connect_user
from tests.support.idle import wait_until_idle
from tests.support.server import Caller, SlowBookJournal, core_of, toy_server, until


async def owner(server: Server, name: str) -> Caller:
    user = await connect_user(server, name)
    await user.call(m.ClaimNameRequest(password="correct horse battery"))
    return user


def name_of(user: Caller) -> str:
    assert user.welcome is not None
    return user.welcome.name


async def club_of(anna: Caller, *members: Caller, name: str = "Peppers") -> str:
    """Create a club of Anna's with members; returns its id."""
    club = (await anna.call(m.CreateClubRequest(name=name))).info_of_club.club
    for member in members:
        await anna.call(m.InviteToClubRequest(club=club, name=name_of(member)))
        await member.call(m.AcceptClubRequest(club=club))
    return club


async def members_of(user: Caller, club: str) -> list[tuple[str, bool]]:
    return [(each.name, each.leads) for each in (await user.call(m.ShowClubRequest(club=club))).members]


async def clubs_of(user: Caller) -> list[m.ClubInfo]:
    clubs: list[m.ClubInfo] = (await user.call(m.ListClubsRequest())).clubs
    return clubs


def changes_in(user: Caller) -> list[tuple[str, str, str | None]]:
    """List what a user was told of clubs."""
    told = [notice for notice in user.peer.heard if isinstance(notice, m.ClubChangedNotice)]
    return [(notice.club_change, notice.name, notice.by) for notice in told]


async def test_a_club_comes_together_by_invitations(start: Start) -> None:
    server = await start()
    anna, ben, carl = [await owner(server, name) for name in ("Anna", "Ben", "Carl")]
    club = await club_of(anna, ben)
    assert await members_of(ben, club) == [("Anna", True), ("Ben", False)]
    await anna.call(m.InviteToClubRequest(club=club, name="Carl"))
    [invited] = await clubs_of(carl)
    assert (invited.club_name, invited.invited_by) == ("Peppers", "Anna")
    assert await code_of(carl, m.ShowClubRequest(club=club)) == Code.UNKNOWN_CLUB
    await carl.call(m.DeclineClubRequest(club=club))
    assert await clubs_of(carl) == []
    assert await code_of(carl, m.AcceptClubRequest(club=club)) == Code.UNKNOWN_CLUB
    assert changes_in(anna) == [
        ("invited", "Ben", "Anna"),
        ("joined", "Ben", None),
        ("invited", "Carl", "Anna"),
        ("declined", "Carl", None),
    ]
    assert changes_in(carl) == [("invited", "Carl", "Anna")]


async def test_members_who_act_at_once_share_a_write() -> None:
    server = toy_server(journal=(slow := SlowBookJournal("clubs")))
    await server.start()
    anna, *others = [await owner(server, name) for name in ("Anna", "Ben", "Carl", "Dora", "Emil", "Fay")]
    club = await club_of(anna, *others)
    slow.gate.clear()
    before = slow.writes
    # The one who is banned acts in the same write, and is refused as by a later one.
    acts = [anna.call(m.BanFromClubRequest(club=club, name="Fay"))]
    acts += [each.call(m.SetCallsRequest(club=club, calls=False)) for each in others]
    requests = [asyncio.ensure_future(act) for act in acts]
    await wait_until_idle()
    slow.gate.set()
    results = await asyncio.gather(*requests, return_exceptions=True)
    assert slow.writes - before <= 2, "nobody waits for a write of each of the others"
    assert [getattr(result, "code", None) for result in results] == [None] * 5 + [Code.UNKNOWN_CLUB]
    assert len(await members_of(anna, club)) == 5
    assert [each.calls for each in await clubs_of(others[0])] == [False]
    await server.close()


async def test_founders_of_clubs_do_not_wait_for_each_other() -> None:
    server = toy_server(journal=(slow := SlowBookJournal("clubs")))
    await server.start()
    anna, ben, carl, dora = [await owner(server, name) for name in ("Anna", "Ben", "Carl", "Dora")]
    slow.gate.clear()
    founded = {anna: "Peppers", ben: "Onions", carl: "Leeks"}
    requests = [asyncio.ensure_future(user.call(m.CreateClubRequest(name=name))) for user, name in founded.items()]
    await wait_until_idle()
    assert slow.writes == 3, "one write of the disk takes all of them"
    assert await code_of(dora, m.CreateClubRequest(name="PEPPERS!")) == Code.BAD_CLUB_NAME, "it is being written"
    slow.gate.set()
    assert {reply.info_of_club.club_name for reply in await asyncio.gather(*requests)} == {*founded.values()}
    assert await code_of(dora, m.CreateClubRequest(name="onions")) == Code.BAD_CLUB_NAME
    await server.close()


async def test_a_name_is_free_again_where_the_write_fails() -> None:
    server = toy_server(journal=(slow := SlowBookJournal("clubs")))
    await server.start()
    anna, ben = [await owner(server, name) for name in ("Anna", "Ben")]
    slow.refusal = JournalError("The disk is full.")
    assert await code_of(anna, m.CreateClubRequest(name="Peppers")) == Code.NOT_SAVED
    slow.refusal = None
    assert await club_of(ben) in core_of(server).clubs.list_ids()
    await server.close()


async def test_clubs_founded_at_once_make_room_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.clubs.service.MOST_CLUBS", 4)
    server = toy_server(journal=(slow := SlowBookJournal("clubs")))
    await server.start()
    users = [await owner(server, name) for name in ("Anna", "Ben", "Carl", "Dora", "Emil", "Fay", "Gus")]
    for user, name in zip(users[:4], ("Leeks", "Beets", "Chard", "Cress"), strict=True):
        await club_of(user, name=name)
    slow.gate.clear()
    names = ("Fennel", "Garlic", "Ginger")
    requests = [
        asyncio.ensure_future(user.call(m.CreateClubRequest(name=name)))
        for user, name in zip(users[4:], names, strict=True)
    ]
    await wait_until_idle()
    slow.gate.set()
    await asyncio.gather(*requests)
    left = [club.name for _, club in core_of(server).clubs.list_clubs()]
    assert {*names} < {*left}
    assert len(left) == 4, "no more clubs than needed have made room"
    await server.close()


async def test_only_leaders_lead_and_strangers_learn_nothing(start: Start) -> None:
    server = await start()
    anna, ben, carl = [await owner(server, name) for name in ("Anna", "Ben", "Carl")]
    club = await club_of(anna, ben)
    requests: list[m.Params] = [
        m.InviteToClubRequest(club=club, name="Carl"),
        m.PromoteMemberRequest(club=club, name="Ben"),
        m.DemoteLeaderRequest(club=club, name="Anna"),
        m.BanFromClubRequest(club=club, name="Anna"),
        m.UnbanFromClubRequest(club=club, name="Carl"),
        m.CloseClubRequest(club=club),
    ]
    for request in requests:
        assert await code_of(ben, request) == Code.NOT_LEADER
        assert await code_of(carl, request) == Code.UNKNOWN_CLUB
    assert await code_of(anna, m.DemoteLeaderRequest(club=club, name="Anna")) == Code.LAST_LEADER
    await anna.call(m.PromoteMemberRequest(club=club, name="Ben"))
    await ben.call(m.DemoteLeaderRequest(club=club, name="Anna"))
    assert await code_of(anna, m.CloseClubRequest(club=club)) == Code.NOT_LEADER, "rights are those of now"


async def test_no_two_clubs_look_alike_and_guests_have_none(start: Start) -> None:
    server = await start()
    anna = await owner(server, "Anna")
    await club_of(anna)
    for name in ("peppers", "PEPPERS!", "Admin", "Pеppers"):  # noqa: RUF001 - the Cyrillic letter is the point
        assert await code_of(anna, m.CreateClubRequest(name=name)) == Code.BAD_CLUB_NAME
    guest = await connect_user(server, "Zoe")
    assert await code_of(guest, m.CreateClubRequest(name="Others")) == Code.NOT_CLAIMED
    [club] = await clubs_of(anna)
    assert await code_of(anna, m.InviteToClubRequest(club=club.club, name="Zoe")) == Code.CLUB_GUEST


async def test_ban_ends_membership_and_chat_at_once(start: Start) -> None:
    server = await start()
    anna, ben = await owner(server, "Anna"), await owner(server, "Ben")
    club = await club_of(anna, ben)
    await ben.call(m.SayRequest(text="Hello", club=club))
    await anna.call(m.BanFromClubRequest(club=club, name="Ben", reason="noise"))
    assert changes_in(ben)[-1] == ("banned", "Ben", "Anna")
    for request in (
        m.SayRequest(text="Again", club=club),
        m.ReadChatRequest(channel="club", club=club),
        m.ShowClubRequest(club=club),
    ):
        assert await code_of(ben, request) == Code.UNKNOWN_CLUB
    [ban] = (await anna.call(m.ShowClubRequest(club=club))).club_bans
    assert (ban.name, ban.by, ban.reason) == ("Ben", "Anna", "noise")
    assert await code_of(anna, m.InviteToClubRequest(club=club, name="Ben")) == Code.CLUB_BANNED
    await anna.call(m.UnbanFromClubRequest(club=club, name="Ben"))
    assert await code_of(ben, m.AcceptClubRequest(club=club)) == Code.UNKNOWN_CLUB, "an invitation is needed again"


async def test_acts_that_change_nothing_are_not_announced(start: Start) -> None:
    server = await start()
    anna, ben, carl, dora = [await owner(server, name) for name in ("Anna", "Ben", "Carl", "Dora")]
    club = await club_of(anna, ben, carl)
    await anna.call(m.BanFromClubRequest(club=club, name="Dora"))
    await anna.call(m.PromoteMemberRequest(club=club, name="Carl"))
    before = [changes_in(user) for user in (anna, ben, carl, dora)]
    await anna.call(m.InviteToClubRequest(club=club, name="Ben"))
    await ben.call(m.AcceptClubRequest(club=club))
    await ben.call(m.DeclineClubRequest(club=club))
    await anna.call(m.PromoteMemberRequest(club=club, name="Carl"))
    await anna.call(m.DemoteLeaderRequest(club=club, name="Ben"))
    await anna.call(m.UnbanFromClubRequest(club=club, name="Ben"))
    await anna.call(m.BanFromClubRequest(club=club, name="Dora", reason="noise"))
    assert [changes_in(user) for user in (anna, ben, carl, dora)] == before
    [ban] = (await anna.call(m.ShowClubRequest(club=club))).club_bans
    assert ban.reason == "noise"


async def test_strangers_hear_nothing_of_a_club(start: Start) -> None:
    server = await start()
    anna, ben, zoe = [await owner(server, name) for name in ("Anna", "Ben", "Zoe")]
    club = await club_of(zoe, ben, name="Anna Is Stupid")
    for _ in range(2):
        await zoe.call(m.BanFromClubRequest(club=club, name="Anna"))
        await zoe.call(m.UnbanFromClubRequest(club=club, name="Anna"))
    assert changes_in(anna) == []
    await zoe.call(m.InviteToClubRequest(club=club, name="Anna"))
    assert [each.invited_by for each in await clubs_of(anna)] == ["Zoe"]
    await zoe.call(m.BanFromClubRequest(club=club, name="Anna"))
    heard = changes_in(anna)
    assert heard == [("invited", "Anna", "Zoe"), ("banned", "Anna", "Zoe")]
    await zoe.call(m.UnbanFromClubRequest(club=club, name="Anna"))
    await anna.call(m.IgnoreRequest(name="Zoe"))
    await zoe.call(m.InviteToClubRequest(club=club, name="Anna"))
    assert (await clubs_of(anna), changes_in(anna)) == ([], heard)
    assert (await zoe.call(m.ShowClubRequest(club=club))).invited_names == ["Anna"], "Zoe does not learn of it"
    await zoe.call(m.BanFromClubRequest(club=club, name="Anna"))
    assert changes_in(anna) == heard
    assert changes_in(ben)[-1] == ("banned", "Anna", "Zoe")


async def test_who_may_not_chat_bans_without_a_reason(start: Start) -> None:
    server = await start()
    anna, ben = await owner(server, "Anna"), await owner(server, "Ben")
    club, core = await club_of(anna, ben), core_of(server)
    await core.moderation.add_ban(core.sessions.known_user("Ben"), m.BanRequest(target="Anna", scope="chat"))
    assert await code_of(anna, m.BanFromClubRequest(club=club, name="Ben", reason="INSULT")) == Code.MUTED
    await anna.call(m.BanFromClubRequest(club=club, name="Ben"))
    assert await members_of(anna, club) == [("Anna", True)]


async def test_the_chat_of_a_club_is_for_its_members(start: Start) -> None:
    server = await start()
    anna, ben, carl = [await owner(server, name) for name in ("Anna", "Ben", "Carl")]
    club = await club_of(anna, ben)
    said = (await anna.call(m.SayRequest(text="Tonight at eight?", club=club))).message
    assert (said.channel, said.club, said.table) == ("club", club, None)
    await until(lambda: any(isinstance(notice, m.SaidNotice) for notice in ben.peer.heard))
    assert [each.text for each in (await ben.call(m.ReadChatRequest(channel="club", club=club))).messages] == [
        said.text
    ]
    assert not any(isinstance(notice, m.SaidNotice) for notice in carl.peer.heard)
    for request in (m.SayRequest(text="?", club=club), m.ReadChatRequest(channel="club", club=club)):
        assert await code_of(carl, request) == Code.UNKNOWN_CLUB
    again = await start(server)
    kept = core_of(again).chat.channels.messages_since(f"club/{club}")
    assert [each.text for each in kept] == [said.text], "it outlives a kill"


async def test_a_call_admits_and_invites_those_who_want_it(start: Start) -> None:
    server = await start()
    anna, ben, carl, dora = [await owner(server, name) for name in ("Anna", "Ben", "Carl", "Dora")]
    club = await club_of(anna, ben, carl)
    await carl.call(m.SetCallsRequest(club=club, calls=False))
    settings = m.TableSettingsParams(private=True)
    table = (await anna.call(m.CreateRequest(game="high_card", seat_count=3, settings=settings))).info.table
    assert await code_of(anna, m.CallClubRequest(club=club, table=table)) == Code.NOT_SEATED
    await anna.call(m.JoinRequest(table=table))
    assert await code_of(dora, m.CallClubRequest(club=club, table=table)) == Code.UNKNOWN_TABLE
    await anna.call(m.CallClubRequest(club=club, table=table))
    assert [notice.by for notice in ben.peer.heard if isinstance(notice, m.InvitedNotice)] == ["Anna"]
    assert not [notice for notice in carl.peer.heard if isinstance(notice, m.InvitedNotice)]
    await ben.call(m.JoinRequest(table=table))
    assert await code_of(carl, m.JoinRequest(table=table)) == Code.UNKNOWN_TABLE
    for _ in range(4):
        await anna.call(m.CallClubRequest(club=club, table=table))
    assert await code_of(ben, m.CallClubRequest(club=club, table=table)) == Code.SLOW_DOWN


async def test_a_closed_club_can_be_read_for_thirty_days(start: Start) -> None:
    server = await start()
    anna, ben = await owner(server, "Anna"), await owner(server, "Ben")
    club = await club_of(anna, ben)
    await ben.call(m.SayRequest(text="Farewell", club=club))
    await anna.call(m.CloseClubRequest(club=club))
    assert changes_in(ben)[-1] == ("closed", "Anna", None)
    [closed] = await clubs_of(ben)
    assert closed.closed_by == "Anna"
    assert (await ben.call(m.ReadChatRequest(channel="club", club=club))).messages
    for request in (
        m.SayRequest(text="Still here?", club=club),
        m.InviteToClubRequest(club=club, name="Ben"),
        m.SetCallsRequest(club=club, calls=False),
        m.CloseClubRequest(club=club),
    ):
        assert await code_of(anna, request) == Code.CLUB_CLOSED
    assert await code_of(anna, m.CreateClubRequest(name="Peppers")) == Code.BAD_CLUB_NAME
    core = core_of(server)
    time: Any = core.clubs._users.time
    now = time.now_ms()
    time.may_expire, time.now_ms = lambda: True, lambda: now + CLOSED_MS + 1
    await core.clubs.delete_closed()
    assert await clubs_of(ben) == []
    await until(lambda: f"club/{club}" not in core.chat.channels)
    await anna.call(m.CreateClubRequest(name="Peppers"))


async def test_clubs_outlive_a_kill_and_leave_with_their_users(start: Start) -> None:
    server = await start()
    anna, ben = await owner(server, "Anna"), await owner(server, "Ben")
    club = await club_of(anna, ben)
    [mine] = (await anna.call(m.ExportAccountRequest())).memberships
    assert (mine.club, mine.club_name, mine.leads) == (club, "Peppers", True)
    again = await start(server)
    assert {*core_of(again).clubs.list_members(club)} == {*core_of(server).clubs.list_members(club)}
    assert core_of(again).clubs._names == core_of(server).clubs._names
    await anna.call(m.DeleteAccountRequest())
    await until(lambda: len(core_of(server).clubs.list_members(club)) == 1)
    assert await members_of(ben, club) == [("Ben", True)], "the longest member leads"
    await ben.call(m.LeaveClubRequest(club=club))
    assert await clubs_of(ben) == []


async def test_a_leader_who_is_banned_from_the_server_strands_nobody(start: Start) -> None:
    server = await start()
    anna, ben = await owner(server, "Anna"), await owner(server, "Ben")
    club = await club_of(anna, ben)
    clubs = core_of(server).clubs
    clubs._is_banned = lambda user: user.name == "Anna"
    assert await members_of(ben, club) == [("Anna", True), ("Ben", True)]
    await ben.call(m.CloseClubRequest(club=club))


async def test_a_full_server_drops_the_club_that_was_alone_longest(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoville_server.clubs.service.MOST_CLUBS", 2)
    server = await start()
    anna, ben, carl = [await owner(server, name) for name in ("Anna", "Ben", "Carl")]
    await club_of(anna, name="Alone")
    club = await club_of(anna, ben)
    await club_of(carl, name="Third")
    assert [each.club for each in await clubs_of(anna)] == [club]


async def test_a_club_that_somebody_joins_meanwhile_makes_no_room(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoville_server.clubs.service.MOST_CLUBS", 2)
    server = await start()
    anna, ben, carl = [await owner(server, name) for name in ("Anna", "Ben", "Carl")]
    first, _ = await club_of(anna, name="First"), await club_of(anna, name="Second")
    clubs, user = core_of(server).clubs, core_of(server).sessions.known_user
    async with clubs.changing.hold_keys([first]):
        creating = asyncio.create_task(clubs.create_club("Third", user("Carl").id, lambda: None))
        await wait_until_idle()
        club = clubs._book.get(first)
        assert club is not None
        joined = {**club.members, user("Ben").id: Member(since_ms=1)}
        await clubs._book.put_row(first, replace(club, members=joined))
    await creating
    assert [each.club_name for each in await clubs_of(ben)] == ["First"]
    assert [each.club_name for each in await clubs_of(carl)] == ["Third"]
    assert len(clubs.list_clubs()) == 2
