"""What one node does for all: daily deals, clubs' dates, digests and chores, also when that node is lost."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from scoville_server.background.tasks import HOUR_SECONDS
from scoville_server.clubs.model.dates import REMIND_MS, SHOWN_MS
from scoville_server.journal.base import Change
from scoville_server.nodes.members import NodeId
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.digests import Delivery, DigestService
from scoville_server.tables.lifecycle import adoption
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import outcome_of
from tests.cluster.several import SeveralServers
from tests.cluster.test_tournaments_of_all import answer_of
from tests.server.clubs.test_clubs import club_of
from tests.server.daily.machine import answer_at_once, begin, show
from tests.support.server import Caller
from tests.support.virtual_time import NOON_MS, in_virtual_time

HOUR_MS = 3_600_000
DAY = 86_400


async def started(names: str = "ab", **more: Any) -> SeveralServers:
    servers = SeveralServers(names, **more)
    await servers.start()
    return servers


def doers(servers: SeveralServers) -> dict[str, tuple[bool, bool]]:
    """Whether each node has the daily deals, and clubs and tournaments."""
    cores = {name: servers.core(name) for name in servers.servers if not servers.is_dead(name)}
    return {name: (core.daily.days._serves, core.club_agenda._serves) for name, core in cores.items()}


@in_virtual_time
async def test_one_node_has_the_tasks_and_another_one_inherits_them() -> None:
    servers = await started("abc", make_catalog=GameCatalog)
    mine, none = (True, True), (False, False)
    assert doers(servers) == {"a": mine, "b": none, "c": none}
    servers.kill("a")
    await asyncio.sleep(2)
    assert doers(servers) == {"b": mine, "c": none}


@in_virtual_time
async def test_node_gives_its_tasks_to_one_that_comes() -> None:
    servers = SeveralServers("ab", make_catalog=GameCatalog)
    await servers.start_server(NodeId("b"))
    await asyncio.sleep(3)
    assert doers(servers) == {"b": (True, True)}
    await servers.start_server(NodeId("a"))
    await asyncio.sleep(3)
    assert doers(servers) == {"a": (True, True), "b": (False, False)}


# --- daily deals ------------------------------------------------------------------------------------------


async def play_daily(user: Caller) -> None:
    """Play the deal of the day to its end, whichever node has its table."""
    for _ in range(600):
        shown = await answer_of(user, m.ShowDailyRequest())
        if shown is not None and shown.deals[0].state == "finished":
            return
        joined = await answer_of(user, m.PlayDailyRequest())
        for _ in range(40) if joined is not None else ():
            seen = await answer_of(user, m.PollRequest(table=joined.info.table))
            if seen is None:
                break
            if seen.info.status == "finished":
                return
            moves = await answer_of(user, m.MovesRequest(table=joined.info.table))
            if moves is not None and moves.moves:
                await answer_of(user, m.PlayRequest(table=joined.info.table, move=moves.moves[0]))
            await asyncio.sleep(1)
        await asyncio.sleep(1)
    raise AssertionError("the game does not end")


def answer_searches(servers: SeveralServers) -> None:
    for name in servers.servers:
        servers.core(name).thinking_pool.insist_on_work = answer_at_once


@in_virtual_time
async def test_daily_deal_is_played_at_the_node_that_has_it_and_seen_everywhere() -> None:
    servers = await started("abc", make_catalog=GameCatalog)
    answer_searches(servers)
    ben, cleo = await servers.come("Ben", "b"), await servers.come("Cleo", "c")
    promised = (await show(ben)).upcoming
    assert promised == (await show(cleo)).upcoming
    await play_daily(ben)
    assert len(servers.core("a").tables) == 1
    await asyncio.sleep(1)
    [mine] = (await show(ben)).deals
    assert (mine.state, (await show(ben)).streak) == ("finished", 1)
    assert await outcome_of(ben.call(m.PlayDailyRequest())) == Code.DEAL_PLAYED
    compared = await ben.call(m.CompareDailyRequest(day=mine.day))
    assert [result.you for result in compared.results] == [True]
    assert compared.par is not None


@pytest.mark.parametrize("is_kept", [False, True])
@in_virtual_time
async def test_daily_deal_goes_on_once_wherever_its_node_dies(is_kept: bool) -> None:
    for write in (0, 1, 2, 3, 5, 20, 70, 80, 82, 84):
        servers = await started("ab", make_catalog=GameCatalog)
        answer_searches(servers)
        ben = await servers.come("Ben", "b")
        before = await show(ben)
        servers.kill_at_write("a", write, is_kept=is_kept)
        await play_daily(ben)
        await asyncio.sleep(5)
        shown, where = await show(ben), f"killed at write {write}"
        # A node that draws a day again breaks what was promised for it.
        assert shown.upcoming == before.upcoming, where
        [deal] = shown.deals
        assert (deal.state, deal.commitment) == ("finished", before.deals[0].commitment), where
        assert (shown.streak, deal.finished_count) == (1, 1), where
        assert await outcome_of(ben.call(m.PlayDailyRequest())) == Code.DEAL_PLAYED, where


@in_virtual_time
async def test_par_is_played_by_the_next_node_where_one_was_lost_meanwhile() -> None:
    servers = await started("ab", make_catalog=GameCatalog)
    answer_searches(servers)
    servers.core("a").daily.on_finished.__self__._thinking = Unanswering()
    ben = await servers.come("Ben", "b")
    await play_daily(ben)
    await asyncio.sleep(5)
    day = (await show(ben)).deals[0].day
    assert (await ben.call(m.CompareDailyRequest(day=day))).par is None
    servers.kill("a")
    await asyncio.sleep(5)
    compared = await ben.call(m.CompareDailyRequest(day=day))
    assert compared.par is not None
    assert [result.you for result in compared.results] == [True]


class Unanswering:
    """Searches that never end."""

    def insist_on_work(self, *_: object) -> None:
        """Answer nothing."""


@pytest.mark.parametrize("is_kept", [False, True])
@in_virtual_time
async def test_deal_is_closed_and_revealed_once_wherever_its_node_dies(
    is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adoption, "LOOK_SECONDS", 600.0)
    almost_midnight = NOON_MS + 12 * HOUR_MS - NOON_MS % HOUR_MS - 60_000
    for write in range(2):
        servers = await started("ab", make_catalog=GameCatalog, start_ms=almost_midnight)
        ben = await servers.come("Ben", "b")
        before = await show(ben)
        assert (await begin(ben)) in servers.core("a").tables
        await asyncio.sleep(before.next_in_ms / 1000 + 12 * 3_600 - 30)
        shown = await show(ben)
        assert [(deal.state, deal.closes_in_ms is None) for deal in shown.deals] == [
            ("open", False),
            ("playing", False),
        ]
        servers.kill_at_write("a", write, is_kept=is_kept)
        await asyncio.sleep(90)
        proof = await ben.call(m.ProveDailyRequest(day=before.today))
        assert servers.is_dead("a")
        assert all(each.server_seed is not None for each in proof.proofs)
        assert [deal.state for deal in (await show(ben)).deals] == ["open", "unfinished"]


# --- clubs ------------------------------------------------------------------------------------------------


def heard(user: Caller, kind: type[Any]) -> list[Any]:
    return [notice for notice in user.peer.heard if isinstance(notice, kind)]


@in_virtual_time
async def test_one_of_two_clubs_gets_a_name_that_both_nodes_take_for_free(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = await started()
    anna, ben = await servers.come("Anna", "a"), await servers.come("Ben", "b")
    # Now each of them founds clubs.
    servers.part_nodes()
    await asyncio.sleep(2)
    write, first = servers.journals["b"].write, m.CreateClubRequest(name="Night Owls")

    async def write_late(changes: Sequence[Change]) -> None:
        if any(change.book == "clubs" for change in changes):
            monkeypatch.undo()
            await anna.call(first)
        await write(changes)

    monkeypatch.setattr(servers.journals["b"], "write", write_late)
    # It looks alike.
    assert await outcome_of(ben.call(m.CreateClubRequest(name="night 0wls"))) == "bad_club_name"
    assert [club.club_name for club in (await anna.call(m.ListClubsRequest())).clubs] == ["Night Owls"]
    assert (await ben.call(m.ListClubsRequest())).clubs == []
    assert await outcome_of(ben.call(m.CreateClubRequest(name="Barn Owls"))) == "ok"


@in_virtual_time
async def test_users_of_three_nodes_share_a_club() -> None:
    servers = await started("abc")
    anna, ben, cleo = [await servers.come(*each) for each in (("Anna", "a"), ("Ben", "b"), ("Cleo", "c"))]
    await asyncio.sleep(1)
    club = await club_of(ben, cleo, anna)
    assert await outcome_of(cleo.call(m.CreateClubRequest(name="peppers"))) == Code.BAD_CLUB_NAME
    table = await cleo.create("high_card", 2)
    await cleo.call(m.JoinRequest(table=table))
    await asyncio.sleep(1)
    for user in (anna, ben):
        assert [each.table for each in (await user.call(m.ShowClubBoardRequest(club=club))).tables] == [table]


@pytest.mark.parametrize("is_kept", [False, True])
@in_virtual_time
async def test_members_are_reminded_once_wherever_the_node_dies(is_kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adoption, "LOOK_SECONDS", 600.0)
    for write in range(2):
        servers = await started("abc")
        ben, cleo = await servers.come("Ben", "b"), await servers.come("Cleo", "c")
        await asyncio.sleep(1)
        club = await club_of(ben, cleo)
        await ben.call(m.AddDateRequest(club=club, name="Friday night", starts_in_ms=HOUR_MS))
        servers.kill_at_write("a", write, is_kept=is_kept)
        await asyncio.sleep((HOUR_MS - REMIND_MS) / 1000 + 60)
        # The notice follows its write: who dies between them sends none, and nobody else does.
        expected = 0 if is_kept and write == 0 else 1
        assert [len(heard(user, m.ClubDueNotice)) for user in (ben, cleo)] == [expected] * 2
        await asyncio.sleep((REMIND_MS + SHOWN_MS) / 1000)
        assert [len(heard(user, m.ClubDueNotice)) for user in (ben, cleo)] == [expected] * 2
        assert servers.is_dead("a")
        assert (await ben.call(m.ShowClubRequest(club=club))).club_dates == []


# --- chores -----------------------------------------------------------------------------------------------


class Receiver:
    """Takes the digests of all nodes."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def check_url(self, url: str) -> None:
        """Any one will do."""

    async def post_body(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        self.bodies.append(body)
        return 200


async def owing_move(servers: SeveralServers, receiver: Receiver) -> None:
    """Ben, who is away, owes a move at a table of `b`, and has a digest."""
    for name in servers.servers:
        digests: DigestService = servers.core(name).digests
        digests._delivery = Delivery(digests._delivery.reach, receiver)
    ben, anna = await servers.come("Ben", "b"), await servers.come("Anna", "b")
    await ben.call(m.SetDigestRequest(url="https://digests.example/ben"))
    clock = m.ClockParams(move_ms=3 * DAY * 1000, absence_ms=None)
    opened = await ben.call(m.CreateRequest(game="high_card", seat_count=2, clock=clock))
    for user in (ben, anna):
        await user.call(m.JoinRequest(table=opened.info.table))
    await ben.call(m.StartRequest(table=opened.info.table))
    assert opened.info.table in servers.core("b").tables
    ben.hang_up()


@in_virtual_time
async def test_one_node_sends_a_digest_of_what_waits_at_all_nodes() -> None:
    servers, receiver = await started("abc", digests="internet"), Receiver()
    await owing_move(servers, receiver)
    await asyncio.sleep(2 * HOUR_SECONDS)
    assert len(receiver.bodies) == 1
    servers.kill("a")
    await asyncio.sleep(2 * HOUR_SECONDS)
    assert len(receiver.bodies) == 1
    await asyncio.sleep(DAY)
    assert len(receiver.bodies) == 2


@in_virtual_time
async def test_one_node_deletes_what_is_old() -> None:
    servers = await started("abc")
    calls: list[str] = []
    for name in servers.servers:
        retention = servers.core(name).retention
        servers.core(name)._hourly._chores = (_note_call(calls, name), retention.delete_old)
    await asyncio.sleep(HOUR_SECONDS + 10)
    assert calls == ["a"]
    servers.kill("a")
    await asyncio.sleep(HOUR_SECONDS)
    # The dead process is still there in this test, and notes its own call.
    assert [call for call in calls[1:] if call != "a"] == ["b"]


def _note_call(calls: list[str], name: str) -> Any:
    async def note() -> None:
        calls.append(name)

    return note


@in_virtual_time
async def test_two_nodes_that_found_clubs_at_once_give_no_name_twice() -> None:
    servers = await started("ab")
    anna, ben = await servers.come("Anna", "a"), await servers.come("Ben", "b")
    servers.part_nodes()
    founded = [outcome_of(user.call(m.CreateClubRequest(name=name))) for user, name in ((anna, "Owls"), (ben, "0wls"))]
    assert sorted(await asyncio.gather(*founded)) == [Code.BAD_CLUB_NAME, "ok"]
    # The name is free again once its club is gone.
    service = servers.core("a").clubs
    [(club, _)] = service.list_clubs()
    await service._delete_club(club)
    assert await outcome_of(ben.call(m.CreateClubRequest(name="Owls"))) == "ok"
    assert await outcome_of(anna.call(m.CreateClubRequest(name="OWLS"))) == Code.BAD_CLUB_NAME
    # A node of an earlier version leaves the row of the name behind.
    [(club, _)] = service.list_clubs()
    await service._book.drop_row(club)
    assert await outcome_of(anna.call(m.CreateClubRequest(name="Owls"))) == "ok"
