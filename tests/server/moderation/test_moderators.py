"""Moderators may warn, mute and kick; nothing else, and nobody above them."""

import pytest

from scoville_server.server import Server
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import METHODS
from tests.support import accounts
from tests.support.core import code_of, connect_user
from tests.support.server import Caller, core_of

PASSWORD = "green or red?"

NOT_THEIRS: list[m.Params] = [
    m.UsersRequest(),
    m.AnnounceRequest(text="x"),
    m.BanRequest(target="Ben"),
    m.BanRequest(target="Ben", scope="tables"),
    m.BanRequest(target="192.0.2.0/24", kind="address", scope="chat"),
    m.UnbanRequest(id=1),
    m.BansRequest(),
    m.CloseTableRequest(table="x"),
    m.ClubsRequest(),
    m.ShowClubToAdminRequest(club="x"),
    m.CloseClubAsAdminRequest(club="x", reason="insult"),
    m.AppointRequest(name="Ben"),
    m.AppointModeratorRequest(name="Ben"),
    m.RecoverAccountRequest(name="Ben"),
    m.AuditRequest(),
]
THEIRS: list[m.Params] = [
    m.WarnUserRequest(name="Ben", reason="spam"),
    m.ListWarningsRequest(name="Ben"),
    m.KickUserRequest(name="Ben"),
    m.BanRequest(target="Ben", scope="chat"),
    m.ReportsRequest(),
    m.ResolveReportRequest(id=1),
]


async def staff(server: Server) -> tuple[Caller, Caller]:
    """Return an admin, and a moderator whom they have appointed."""
    anna, mia = await accounts.connect_admin(server, "Anna", PASSWORD), await connect_user(server, "Mia")
    await mia.call(m.ClaimNameRequest(password=PASSWORD))
    await anna.call(m.AppointModeratorRequest(name="Mia"))
    return anna, mia


def test_every_method_of_admins_is_judged() -> None:
    judged = {type(params) for params in (*NOT_THEIRS, *THEIRS)}
    assert {method.params for name, method in METHODS.items() if name.startswith("admin.")} == judged


@pytest.mark.parametrize("act", NOT_THEIRS)
async def test_moderators_may_not_do_what_admins_do(server: Server, act: m.Params) -> None:
    _, mia = await staff(server)
    await connect_user(server, "Ben")
    assert await code_of(mia, act) == "not_allowed"


@pytest.mark.parametrize("act", THEIRS)
async def test_users_may_not_do_what_moderators_do(server: Server, act: m.Params) -> None:
    await staff(server)
    assert await code_of(await connect_user(server, "Ben"), act) == "not_allowed"


@pytest.mark.parametrize("name", ["Anna", "Max"])
async def test_moderators_cannot_act_on_staff(server: Server, name: str) -> None:
    anna, mia = await staff(server)
    max_ = await connect_user(server, "Max")
    await max_.call(m.ClaimNameRequest(password=PASSWORD))
    await anna.call(m.AppointModeratorRequest(name="Max"))
    for act in (
        m.KickUserRequest(name=name),
        m.WarnUserRequest(name=name, reason="x"),
        m.BanRequest(target=name, scope="chat"),
    ):
        assert await code_of(mia, act) == "not_allowed"


async def test_warned_user_sees_it_at_once(server: Server) -> None:
    _, mia = await staff(server)
    ben = await connect_user(server, "Ben")
    await mia.call(m.WarnUserRequest(name="Ben", reason="spam"))
    [notice] = [each for each in ben.peer.heard if isinstance(each, m.AccountWarnedNotice)]
    assert (notice.warning.kind, notice.warning.reason) == ("moderator", "spam")
    history = (await mia.call(m.ListWarningsRequest(name="Ben"))).history
    assert [(each.by, each.reason) for each in history] == [("Mia", "spam")]


async def test_absent_user_sees_the_warning_when_they_connect(server: Server) -> None:
    _, mia = await staff(server)
    ben = await connect_user(server, "Ben")
    assert ben.welcome is not None
    await ben.call(m.ClaimNameRequest(password=PASSWORD))
    ben.hang_up()
    await mia.call(m.WarnUserRequest(name="Ben", reason="spam"))
    again = await connect_user(server, "Ben", ben.welcome.token)
    await core_of(server).background.finish_tasks()
    assert [each.warning.reason for each in again.peer.heard if isinstance(each, m.AccountWarnedNotice)] == ["spam"]


async def test_dismissed_moderator_may_do_nothing(server: Server) -> None:
    anna, mia = await staff(server)
    await anna.call(m.AppointModeratorRequest(name="Mia", moderator=False))
    assert await code_of(mia, m.ReportsRequest()) == "not_allowed"
    actions = [entry.action for entry in (await anna.call(m.AuditRequest())).entries]
    assert actions[-2:] == ["appoint moderator", "dismiss moderator"]


async def test_moderators_have_a_badge(server: Server) -> None:
    anna, mia = await staff(server)
    ben = await connect_user(server, "Ben")
    lobby = await ben.call(m.WatchLobbyRequest())
    assert {user.name: (user.admin, user.moderator) for user in lobby.users} == {
        "Anna": (True, False),
        "Mia": (False, True),
        "Ben": (False, False),
    }
    await ben.call(m.ReadChatRequest())
    for author in (mia, ben):
        await author.call(m.SayRequest(text="Hello"))
    read = await ben.call(m.ReadChatRequest())
    assert [(each.name, each.moderator) for each in read.messages] == [("Mia", True), ("Ben", False)]
    await anna.call(m.AppointModeratorRequest(name="Mia", moderator=False))
    await mia.call(m.SayRequest(text="Bye"))
    assert [each.moderator for each in (await ben.call(m.ReadChatRequest())).messages] == [True, False, False]


async def test_reports_about_staff_are_for_admins_alone(server: Server) -> None:
    anna, mia = await staff(server)
    ben = await connect_user(server, "Ben")
    for name in ("mia", "Anna", "Ben"):
        await ben.call(m.ReportRequest(name=name, text=f"about {name}"))

    async def read(user: Caller) -> list[tuple[int, str]]:
        return [(each.id, each.name) for each in (await user.call(m.ReportsRequest())).reports]

    assert await read(anna) == [(1, "mia"), (2, "Anna"), (3, "Ben")]
    assert await read(mia) == [(3, "Ben")]
    assert [await code_of(mia, m.ResolveReportRequest(id=number)) for number in (1, 2, 9)] == [
        "not_allowed", "not_allowed", "bad_params",
    ]  # fmt: skip
    await mia.call(m.ResolveReportRequest(id=3))
    await anna.call(m.AppointModeratorRequest(name="Mia", moderator=False))
    await anna.call(m.ResolveReportRequest(id=1))
    assert await read(anna) == [(2, "Anna")]
