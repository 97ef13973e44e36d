"""Careers: each game counts once, also after a crash."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from scoville_server.journal.base import Change
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support.core import code_of, connect_user
from tests.support.journals import shared_journal
from tests.support.server import Caller, core_of, toy_server, until

PASSWORD = "green or red?"
GAME = "high_card"
CLOCK = m.ClockParams(move_ms=60_000)


@pytest.fixture
async def journal() -> MemoryJournal:
    return MemoryJournal()


@pytest.fixture
async def server(journal: MemoryJournal) -> AsyncIterator[Server]:
    made = toy_server(journal=journal)
    await made.start()
    yield made
    await made.close()


async def table_of(users: list[Caller], seats: int = 0, **settings: object) -> str:
    """Open a table, seat users and bots, and start the game."""
    params = m.CreateRequest(
        game=GAME, seat_count=seats or len(users), clock=CLOCK, settings=m.TableSettingsParams(**settings)
    )  # type: ignore[arg-type]
    table: str = (await users[0].call(params)).info.table
    for user in users:
        if settings.get("private") and user is not users[0]:
            await users[0].call(m.InviteRequest(table=table, name=user.welcome.name if user.welcome else ""))
        await user.call(m.JoinRequest(table=table))
    await users[0].call(m.StartRequest(table=table, bots="random"))
    return table


async def owner(server: Server, name: str, address: str = "") -> Caller:
    """A user with a claimed name, at an address, or inside this process, where each user is a network of their own."""
    caller = await Caller(server, address).hello(name)
    await caller.call(m.ClaimNameRequest(password=PASSWORD))
    return caller


async def play_on(users: list[Caller], table: str) -> None:
    """Let users play their first legal move until the game is over."""
    while True:
        for user in users:
            moves = (await user.call(m.MovesRequest(table=table))).moves
            seen = await user.call(m.PollRequest(table=table))
            if seen.info.status == "finished":
                return
            if seen.seat in seen.pending:
                await user.call(m.PlayRequest(table=table, move=moves[0]))


async def finished(users: list[Caller], **settings: object) -> str:
    table = await table_of(users, **settings)
    await play_on(users, table)
    return table


async def profile(caller: Caller, name: str = "") -> m.ProfileReply:
    await until(lambda: not caller_chores(caller))
    answer: m.ProfileReply = await caller.call(m.ProfileRequest(name=name))
    return answer


def caller_chores(caller: Caller) -> set[object]:
    return set(core_of(caller.server).background._under_way)  # type: ignore[attr-defined]


async def test_game_counted_by_its_former_owner_counts_once() -> None:
    """A node that takes over starts from what it has read before the end of the game, and from later careers."""
    journal = shared_journal()
    first = toy_server(journal=journal)
    await first.start()
    users = [await owner(first, name) for name in ("Anna", "Ben")]
    table = await table_of(users)
    other = journal.next_view()
    other.stale = await journal.tables()
    await play_on(users, table)
    assert (await profile(users[0])).finished == 1
    journal.hears_nothing = True
    second = toy_server(journal=other)
    await second.start()
    assert users[0].welcome is not None
    anna = await Caller(second).hello("Anna", users[0].welcome.token)
    await until(lambda: core_of(second).tables.find_table(table).table.status == "finished")
    found = await profile(anna)
    assert (found.begun, found.finished, [game.table for game in found.recent]) == (1, 1, [table])
    await second.close()
    await first.close()


async def test_new_user_has_an_empty_career(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    empty = await profile(anna)
    assert (empty.name, empty.claimed, empty.begun, empty.finished, empty.median_pick_ms) == ("Anna", False, 0, 0, None)
    assert (empty.ratings, empty.recent) == ([], [])


@pytest.mark.parametrize("role", ["admin", "moderator"])
async def test_profiles_name_moderators_connected_or_not(server: Server, role: str) -> None:
    ben, anna = await owner(server, "Ben"), await connect_user(server, "Anna")
    records, user = core_of(server).moderation_records, core_of(server).sessions.known_user("Ben")
    none = await profile(anna, "Ben")
    assert (none.admin, none.moderator) == (False, False)
    await (records.admins.add_admin(user, "") if role == "admin" else records.moderators.appoint_user(user, ""))
    for caller, name in (ben, ""), (anna, "Ben"):
        seen = await profile(caller, name)
        assert (seen.admin, seen.moderator) == (role == "admin", role == "moderator")
    ben.hang_up()
    await until(lambda: not user.is_here)
    gone = await profile(anna, "Ben")
    assert (gone.admin, gone.moderator) == (role == "admin", role == "moderator")


async def test_a_game_between_users_counts_for_all_of_them(server: Server) -> None:
    users = [await owner(server, name) for name in ("Anna", "Ben")]
    table = await finished(users)
    mine, his = await profile(users[0]), await profile(users[0], "ben")
    assert [(p.begun, p.finished) for p in (mine, his)] == [(1, 1), (1, 1)]
    assert mine.won + his.won >= 1
    assert mine.median_pick_ms is not None
    [past] = mine.recent
    assert (past.table, past.names, past.your_seat, past.rated) == (table, ["Anna", "Ben"], 0, True)
    assert sorted(rating.game_count for rating in (*mine.ratings, *his.ratings)) == [1, 1]
    better = min((mine, his), key=lambda p: p.recent[0].places[p.recent[0].your_seat])
    assert better.ratings[0].mu >= 25.0


async def test_games_against_bots_and_private_ones_never_count(server: Server) -> None:
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    await play_on(users, await table_of(users, seats=3))
    await finished(users, private=True)
    assert (await profile(users[0])).begun == 0


async def test_a_game_that_is_not_rated_leaves_the_ratings_alone(server: Server) -> None:
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    await finished(users, rated=False)
    known = await profile(users[0])
    assert (known.finished, known.ratings) == (1, [])


async def test_leaver_has_begun_but_not_finished(server: Server) -> None:
    users = [await owner(server, name) for name in ("Anna", "Ben", "Cleo")]
    table = await table_of(users)
    await users[2].call(m.LeaveRequest(table=table))
    await play_on(users[:2], table)
    left = await profile(users[2])
    assert (left.begun, left.finished, left.won) == (1, 0, 0)
    assert left.ratings[0].mu < 25.0


async def gathered(users: list[Caller], games: int, **settings: object) -> None:
    """Play so many games with each other."""
    for _ in range(games):
        table = await finished(users, **settings)
        for user in users:
            await user.call(m.LeaveRequest(table=table))


async def board(caller: Caller) -> list[str]:
    await until(lambda: not caller_chores(caller))
    return [leader.name for leader in (await caller.call(m.LeaderboardRequest(game=GAME))).leaders]


async def test_leaders_need_enough_known_games_and_opponents(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.players.model.rating.MOST_DOUBT", 8.3)
    users = [await owner(server, name) for name in ("Anna", "Ben", "Cleo", "Dora")]
    await gathered(users[:3], 2)
    assert (await profile(users[0])).ratings[0].sigma < 8.3
    assert await board(users[0]) == [], "two others are too few"
    await gathered([users[0], users[3]], 1)
    assert await board(users[0]) == ["Anna"]
    assert (await profile(users[0])).ratings[0].rank == 1
    assert (await profile(users[1])).ratings[0].rank is None
    assert await code_of(users[1], m.LeaderboardRequest(game="chess")) == "unknown_game"


async def test_a_game_with_a_guest_teaches_nobody_anything(server: Server) -> None:
    users = [await owner(server, "Anna"), await connect_user(server, "Ben")]
    await gathered(users, 1)
    for user in users:
        known = await profile(user)
        assert (known.finished, known.ratings, known.recent[0].rated) == (1, [], False)
    await users[1].call(m.ClaimNameRequest(password=PASSWORD))
    assert (await profile(users[1])).ratings == [], "not even if the guest claims the name afterwards"


@pytest.mark.parametrize("home", ["10.0.0.1:1", "10.0.0.9:1"], ids=["own address", "one other address"])
@pytest.mark.parametrize("claimed", [False, True], ids=["guests", "claimed names"])
async def test_a_farm_of_throw_away_accounts_gains_nothing(server: Server, home: str, claimed: bool) -> None:
    anna = await owner(server, "Anna", "10.0.0.1:1")
    for number in range(8):
        if claimed:
            sybil = await owner(server, f"Sybil {number}", home)
        else:
            sybil = await Caller(server, home).hello(f"Sybil {number}")
        table = await table_of([anna, sybil])
        await sybil.call(m.LeaveRequest(table=table))
        await play_on([anna], table)
        await anna.call(m.LeaveRequest(table=table))
        sybil.hang_up()
    known = await profile(anna)
    assert await board(anna) == []
    if home.startswith("10.0.0.1:") or not claimed:
        assert known.ratings == []
    else:
        assert known.ratings[0].rank is None
        assert known.ratings[0].sigma > 7, "a day against one address weighs less than two games"


async def test_a_server_behind_one_address_rates_claimed_names() -> None:
    server = toy_server(Settings(opponents_by_network=False))
    await server.start()
    users = [await owner(server, name, "10.0.0.1:1") for name in ("Anna", "Ben")]
    await gathered(users, 2)
    assert [rating.game_count for rating in (await profile(users[0])).ratings] == [2]
    await server.close()


async def test_player_away_at_the_deal_is_no_opponent(server: Server) -> None:
    anna, ben = await owner(server, "Anna", "10.0.0.1:1"), await owner(server, "Ben", "10.0.0.1:2")
    table = await anna.create(GAME, 2)
    for user in (anna, ben):
        await user.call(m.JoinRequest(table=table))
    ben.hang_up()
    await anna.call(m.StartRequest(table=table, bots="random"))
    again = await connect_user(server, token=ben.welcome.token if ben.welcome else "")
    await play_on([anna, again], table)
    assert (await profile(anna)).ratings == []


async def test_an_unwritten_end_is_made_up_once(server: Server, journal: MemoryJournal) -> None:
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    tokens = [user.welcome.token for user in users if user.welcome is not None]
    await table_of(users)
    await until(lambda: not core_of(server).background._under_way)
    running = {**journal._books["careers"]}
    table = core_of(server).tables.all_tables()[0].table.id
    await play_on(users, table)
    await until(lambda: not core_of(server).background._under_way)
    journal._books["careers"] = running  # as if the server had been killed before it could write
    for _ in range(2):
        again = toy_server(journal=journal)
        await again.start()
        anna = await connect_user(again, token=tokens[0])
        known = await profile(anna)
        assert (known.begun, known.finished, len(known.recent)) == (1, 1, 1)
        await again.close()


async def test_games_enter_careers_before_being_forgotten(server: Server, journal: MemoryJournal) -> None:
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    careers, lock = core_of(server).careers, core_of(server).careers._changing
    async with lock.hold_keys([each.id for each in core_of(server).sessions.connected_users()]):
        table = await finished(users)
        for user in users:
            await user.call(m.LeaveRequest(table=table))
        assert table not in core_of(server).tables
        for _turn in range(50):
            await asyncio.sleep(0)
        assert table in journal._kept
    await until(lambda: table not in journal._kept)
    assert [past.table for past in careers.describe_user(core_of(server).sessions.connected_users()[0]).recent] == [
        table
    ]


class CountingJournal(MemoryJournal):
    """A journal that remembers which books were written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []

    async def write(self, changes: Sequence[Change]) -> None:
        self.written += [change.book for change in changes]
        await super().write(changes)


async def test_a_game_continued_after_restart_is_written_once() -> None:
    journal = CountingJournal()
    first = toy_server(journal=journal)
    await first.start()
    await table_of([await connect_user(first, name) for name in ("Anna", "Ben")])
    await until(lambda: "careers" in journal.written)
    await first.close()
    journal.written.clear()
    second = toy_server(journal=journal)
    await second.start()
    await second.close()
    assert "careers" not in journal.written
