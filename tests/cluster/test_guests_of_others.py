"""A guest of another node, who has written nothing yet, is found by name like a user of one's own."""

import asyncio
from typing import TypeVar

import pytest

from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.several import PASSWORD, SeveralServers
from tests.support.server import Caller
from tests.support.virtual_time import in_virtual_time

HEARD_SECONDS = 1.0
"""After which a message of one node has reached the other."""


async def come_together() -> tuple[SeveralServers, Caller, Caller]:
    """Return Anna, an admin at one node, and Ben, a guest of the other one."""
    several = SeveralServers(admins=("Anna",))
    await several.start()
    anna = await several.come("Anna", "a")
    await anna.call(m.BecomeAdminRequest(code=several.servers["a"].admin_codes["Anna"]))
    ben = await Caller(several.servers["b"]).hello("Ben")
    await asyncio.sleep(HEARD_SECONDS)
    return several, anna, ben


T = TypeVar("T")


def heard(user: Caller, kind: type[T]) -> list[T]:
    return [notice for notice in user.peer.heard if isinstance(notice, kind)]


@in_virtual_time
async def test_whispers_reach_a_guest_of_another_node() -> None:
    _, anna, ben = await come_together()
    await anna.call(m.SayRequest(text="psst", to="ben"))
    await asyncio.sleep(HEARD_SECONDS)
    assert [notice.message.text for notice in heard(ben, m.SaidNotice)] == ["psst"]


@in_virtual_time
async def test_a_guest_of_another_node_is_ignored_and_has_a_profile() -> None:
    _, anna, ben = await come_together()
    assert (await anna.call(m.ProfileRequest(name="Ben"))).name == "Ben"
    await anna.call(m.IgnoreRequest(name="Ben", ignored=True))
    await ben.call(m.SayRequest(text="psst", to="Anna"))
    await asyncio.sleep(HEARD_SECONDS)
    assert heard(anna, m.SaidNotice) == []


@in_virtual_time
@pytest.mark.parametrize("claims", [False, True])
async def test_a_user_of_another_node_is_kicked(claims: bool) -> None:
    _, anna, ben = await come_together()
    if claims:
        await ben.call(m.ClaimNameRequest(password=PASSWORD))
        await asyncio.sleep(HEARD_SECONDS)
    await anna.call(m.KickUserRequest(name="Ben", reason="enough"))
    await asyncio.sleep(HEARD_SECONDS)
    assert ben.peer.bye is not None
    assert (ben.peer.bye.code, ben.peer.bye.reason) == (Code.KICKED, "enough")


@in_virtual_time
async def test_a_guest_of_another_node_is_warned() -> None:
    _, anna, ben = await come_together()
    await anna.call(m.WarnUserRequest(name="Ben", reason="enough"))
    await asyncio.sleep(HEARD_SECONDS)
    assert [notice.warning.reason for notice in heard(ben, m.AccountWarnedNotice)] == ["enough"]


@in_virtual_time
async def test_a_guest_of_another_node_is_banned_under_any_name() -> None:
    several, anna, ben = await come_together()
    await anna.call(m.BanRequest(kind="name", target="Ben", scope="server", reason="enough"))
    await asyncio.sleep(HEARD_SECONDS)
    assert ben.peer.bye is not None
    assert ben.peer.bye.code == Code.BANNED
    bans = several.core("b").moderation._records.bans
    assert [ban.user for ban in bans.bans_in_force(0)] != [""]


@in_virtual_time
async def test_messages_of_a_club_come_once_to_members_at_any_node() -> None:
    several, anna, _ = await come_together()
    ben = await several.come("Bella", "b")
    club = (await anna.call(m.CreateClubRequest(name="Hot"))).info_of_club.club
    await anna.call(m.InviteToClubRequest(club=club, name="Bella"))
    await asyncio.sleep(HEARD_SECONDS)
    await ben.call(m.AcceptClubRequest(club=club))
    await asyncio.sleep(HEARD_SECONDS)
    await anna.call(m.SayRequest(text="hello", club=club))
    await asyncio.sleep(HEARD_SECONDS)
    assert [notice.message.text for notice in heard(ben, m.SaidNotice)] == ["hello"]


@in_virtual_time
async def test_an_announcement_comes_once_to_users_of_any_node() -> None:
    _, anna, ben = await come_together()
    await anna.call(m.AnnounceRequest(text="soon"))
    await asyncio.sleep(HEARD_SECONDS)
    assert [notice.text for user in (anna, ben) for notice in heard(user, m.AnnouncedNotice)] == ["soon", "soon"]


@in_virtual_time
async def test_a_change_of_a_club_is_told_once_to_members_at_any_node() -> None:
    several, anna, _ = await come_together()
    bella = await several.come("Bella", "b")
    club = (await anna.call(m.CreateClubRequest(name="Hot"))).info_of_club.club
    await anna.call(m.InviteToClubRequest(club=club, name="Bella"))
    await asyncio.sleep(HEARD_SECONDS)
    assert [notice.club_change for notice in heard(bella, m.ClubChangedNotice)] == ["invited"]
    await bella.call(m.AcceptClubRequest(club=club))
    await asyncio.sleep(HEARD_SECONDS)
    assert [notice.club_change for notice in heard(anna, m.ClubChangedNotice)] == ["invited", "joined"]
