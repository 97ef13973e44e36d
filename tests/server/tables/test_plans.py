"""Conditional moves by correspondence: played when due, forgotten when none fits, known to their player alone."""

import asyncio

import msgspec
import pytest

from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.plan import FollowPlan, Plan, PlanFollowed, describe_plan
from scoville_server.tables.actions.play import Play
from scoville_server.tables.archive.export import export_to
from scoville_server.tables.model.records import Played
from scoville_server.tables.model.table import Table, list_due_plans
from scoville_server.tables.observers import list_changes
from scoville_server.tables.state_machine import MOST_EXTRAS
from scoville_server.tables.watching.audience import sight_of
from scoville_server.tables.watching.project import project_change, project_snapshot
from scoville_shared.errors import Code
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    DAY_MS,
    BanRequest,
    ClockParams,
    CreateRequest,
    JoinRequest,
    PlanLine,
    PlanLineParams,
    PlanReply,
    PlanRequest,
    PlayRequest,
    ShowPlanRequest,
    StartRequest,
    TableClock,
    TableSettings,
)
from tests.server.conftest import Start
from tests.server.tables.actors import Room
from tests.support.accounts import connect_admin
from tests.support.core import connect_user
from tests.support.server import Caller, core_of, until
from tests.support.tables import (
    carry_out,
    decide_accepted,
    play_out,
    records_of,
    refusal_of,
    start_table,
    user_of,
    watcher_of,
)

DAYS = TableClock(move_ms=2 * DAY_MS, absence_ms=None)
PASS, TAKE = {"action": "pass"}, {"action": "take"}
NAMES = ("Anna", "Ben", "Cleo")


def game(**opened: object) -> Table:
    """Three players at No Thanks!; the first to move is the mover."""
    return start_table(*NAMES, game="no_thanks", clock=DAYS, **opened)


def name_at(table: Table, seat: int) -> str:
    return NAMES[seat % len(NAMES)]


def mover(table: Table) -> int:
    return table.pending[0]


def move(table: Table, move: dict[str, str] = PASS) -> Table:
    """The mover plays by hand, and no plan is followed yet."""
    return carry_out(table, Play(user=user_of(name_at(table, mover(table))), move=move))


def plan(table: Table, seat: int, *lines: PlanLine, most: int = 1) -> Table:
    return carry_out(table, Plan(user=user_of(name_at(table, seat)), lines=lines, most=most))


def follow(table: Table) -> Table:
    """Let all planned moves happen that are due."""
    while due := list_due_plans(table):
        table = carry_out(table, FollowPlan(seat=due[0]))
    return table


def reply(table: Table, seat: int) -> PlanReply:
    return describe_plan(table, user_of(name_at(table, seat)))


def test_the_first_line_that_counts_is_played() -> None:
    table = game()
    first = mover(table)
    second = (first + 1) % 3
    lines = (
        PlanLine(when={"pot": 9}, move=TAKE),
        PlanLine(when={"fact": "passed", "pot": 1}, move=TAKE),
        PlanLine(move=PASS),
    )
    table = plan(table, second, *lines)
    assert reply(table, second) == PlanReply(plan_lines=[*lines], moves_left=1)
    assert not list_due_plans(table), "it is not its turn"
    table = follow(move(table))
    assert (table.moves[-1].seat, table.moves[-1].move, table.moves[-1].mover) == (second, TAKE, "player")
    assert reply(table, second) == PlanReply(ended="done")


def test_plan_makes_several_moves_until_its_stop() -> None:
    table = game()
    planner = (mover(table) + 1) % 3
    table = plan(table, planner, PlanLine(when={"fact": "turned_up"}), PlanLine(move=PASS), most=30)
    for _ in range(2):
        table = follow(move(table))
        assert table.moves[-1].seat == planner
        table = move(table)
    assert reply(table, planner).moves_left == 28
    table = move(table, TAKE)  # the one before the planner takes and turns up the next card
    table = follow(move(table))
    assert mover(table) == planner
    assert reply(table, planner) == PlanReply(ended="stopped")
    assert reply(move(table), planner) == PlanReply(), "it is told until the next move"


def test_a_plan_without_a_fitting_line_ends() -> None:
    table = game()
    planner = (mover(table) + 1) % 3
    table = follow(move(plan(table, planner, PlanLine(when={"fact": "took", "pot": 1}, move=TAKE))))
    assert (mover(table), reply(table, planner).ended) == (planner, "unmet"), "one fact must have both"


def test_a_planned_move_that_is_illegal_ends_the_plan() -> None:
    table = start_table(*NAMES, game="high_card", clock=DAYS)
    anna = user_of("Anna")
    table = carry_out(table, Play(user=anna, move={"card": table.state.hands[0][0]}))
    foreign = next(card for card in range(1, 100) if card not in table.state.hands[0])
    table = plan(table, 0, PlanLine(move={"card": foreign}))
    for seat in (1, 2):
        table = carry_out(table, Play(user=user_of(NAMES[seat]), move={"card": table.state.hands[seat][0]}))
    table = follow(table)
    assert (table.played[0], reply(table, 0).ended) == (1, "illegal")


def test_facts_before_the_plan_do_not_count() -> None:
    table = move(game())
    planner = (mover(table) + 1) % 3
    table = follow(move(plan(table, planner, PlanLine(when={"pot": 1}, move=TAKE), PlanLine(move=PASS))))
    assert table.moves[-1].move == PASS


def test_a_move_by_hand_or_the_clock_ends_a_plan() -> None:
    table = plan(game(), (planner := (mover(game()) + 1) % 3), PlanLine(move=PASS), most=5)
    table = move(move(table))  # the planner was quicker than the plan
    assert reply(table, planner) == PlanReply()
    for _ in range(2):
        table = move(table)
    assert (mover(table), list_due_plans(table)) == (planner, [])


def test_only_waiting_players_by_correspondence_plan() -> None:
    table = game()
    line = (PlanLine(move=PASS),)
    assert refusal_of(table, Plan(user=user_of(name_at(table, mover(table))), lines=line)) == Code.YOUR_TURN
    assert refusal_of(table, Plan(user=user_of("Zoe"), lines=line)) == Code.NOT_SEATED
    other = user_of(name_at(table, mover(table) + 1))
    assert refusal_of(table, Plan(user=other, lines=(PlanLine(move={"card": 3}),))) == Code.BAD_MOVE
    assert refusal_of(play_out(table), Plan(user=other, lines=line)) == Code.GAME_OVER
    quick = start_table(*NAMES, game="no_thanks")
    assert refusal_of(quick, Plan(user=user_of(name_at(quick, mover(quick) + 1)), lines=line)) == Code.NO_PLAN
    assert records_of(table, Plan(user=other, lines=())) == (), "there is nothing to forget"


def test_a_plan_is_of_its_player_alone() -> None:
    table = game()
    planner = (mover(table) + 1) % 3
    table = plan(table, planner, PlanLine(move=PASS))
    assert all(describe_plan(table, user_of(name)) == PlanReply() for name in (*NAMES, "Zoe") if name != NAMES[planner])
    left = carry_out(table, Leave(user=user_of(NAMES[planner])))
    assert list_due_plans(move(left)) == [], "a bot plays the seat"
    assert reply(carry_out(table, Plan(user=user_of(NAMES[planner]), lines=())), planner) == PlanReply()


def test_plans_count_among_what_a_seat_may_do() -> None:
    table = game()
    planner = (mover(table) + 1) % 3
    command = Plan(user=user_of(NAMES[planner]), lines=(PlanLine(move=PASS),))
    for _ in range(MOST_EXTRAS):
        table = carry_out(table, command)
    assert refusal_of(table, command) == Code.TOO_MANY
    assert follow(move(table)).moves[-1].seat == planner, "it is followed all the same"


@pytest.mark.parametrize("spectating", ["anybody", "rounds"])
def test_nobody_else_can_tell_a_plan(spectating: str) -> None:
    """Every byte to others is the same with and without a plan, before its move and, with the same move, after it."""
    without = game(settings=TableSettings(spectating=spectating))  # type: ignore[arg-type]
    planner = (mover(without) + 1) % 3
    lines = (PlanLine(when={"pot": 1}, move=PASS), PlanLine(when={"pot": 7}, move=TAKE))
    with_plan = plan(without, planner, *lines)
    assert not list_changes(without, with_plan), "no observer hears of it"
    for name in (*NAMES, "Zoe"):
        assert project_change(without, with_plan, sight_of(without, watcher_of(name))) == []
    for step in (lambda table: table, move, lambda table: follow(table) if table.plans else move(table), play_out):
        without, with_plan = step(without), step(with_plan)
        for seat in (None, *map(Seat, range(3))):
            shown = [
                msgspec.msgpack.encode(project_snapshot(table, 0, seat, lambda _: True, table.latest_ms))
                for table in (without, with_plan)
            ]
            assert shown[0] == shown[1]
    exports = [export_to(table, user_of("Anna"), 0, lambda _: None) for table in (without, with_plan)]
    assert exports[0] == exports[1]


def test_a_move_and_its_plan_are_one_decision() -> None:
    table = game()
    planner = (mover(table) + 1) % 3
    table = move(plan(table, planner, PlanLine(move=PASS), most=2))
    records = decide_accepted(table, FollowPlan(seat=Seat(planner))).records
    assert [type(record) for record in records] == [Played, PlanFollowed]
    once = carry_out(table, FollowPlan(seat=Seat(planner)))
    assert records_of(once, FollowPlan(seat=Seat(planner))) == (), "the same command again changes nothing"


async def test_plans_are_followed_when_they_are_due(room: Room) -> None:
    actor = room.actor(game())
    await asyncio.sleep(0)
    first = mover(actor.table)
    for seat in ((first + 1) % 3, (first + 2) % 3):
        command = Plan(
            user=user_of(NAMES[seat]), lines=(PlanLine(when={"fact": "turned_up"}), PlanLine(move=PASS)), most=30
        )
        await actor.carry_out(command)
    for _ in range(3):
        await actor.carry_out(Play(user=user_of(NAMES[first]), move=PASS))
        await until(lambda: actor.table.pending == [first])
    assert actor.table.played == (3, 3, 3)


async def correspondence(*users: Caller) -> str:
    """Start a game of two by correspondence."""
    request = CreateRequest(game="high_card", seat_count=2, clock=ClockParams(move_ms=2 * DAY_MS))
    table: str = (await users[0].call(request)).info.table
    for user in users:
        await user.call(JoinRequest(table=table))
    await users[0].call(StartRequest(table=table))
    return table


async def test_a_plan_outlives_a_kill_and_reaches_its_player_alone(start: Start) -> None:
    server = await start()
    anna, ben = [await connect_user(server, name) for name in ("Anna", "Ben")]
    table = await correspondence(anna, ben)
    hands = core_of(server).tables.find_table(table).table.state.hands
    await anna.call(PlayRequest(table=table, move={"card": hands[0][0]}))
    lines = [PlanLine(move={"card": hands[0][1]})]
    await anna.call(PlanRequest(table=table, plan_lines=[PlanLineParams(move=lines[0].move)]))
    again = await start(server)
    actor = core_of(again).tables.find_table(table)
    await until(lambda: actor.table.plans != {})
    assert describe_plan(actor.table, actor.table.seats[0].user or user_of("")) == PlanReply(
        plan_lines=lines, moves_left=1
    )
    assert describe_plan(actor.table, actor.table.seats[1].user or user_of("")) == PlanReply()
    await actor.carry_out(Play(user=actor.table.seats[1].user or user_of(""), move={"card": hands[1][0]}))
    await until(lambda: actor.table.played == (2, 1))


async def test_plan_of_a_banned_user_goes_on(start: Start) -> None:
    """The others have done nothing for which they should wait; the ban holds for the user, who can plan no more."""
    server = await start(admins=("Dora",))
    anna, ben = [await connect_user(server, name) for name in ("Anna", "Ben")]
    dora = await connect_admin(server, "Dora")
    table = await correspondence(anna, ben)
    actor = core_of(server).tables.find_table(table)
    hands = actor.table.state.hands
    await anna.call(PlayRequest(table=table, move={"card": hands[0][0]}))
    lines = [PlanLineParams(move={"card": card}) for card in hands[0][1:2]]
    await anna.call(PlanRequest(table=table, plan_lines=lines))
    await dora.call(BanRequest(target="Anna"))
    assert anna.peer.bye is not None
    await ben.call(PlayRequest(table=table, move={"card": hands[1][0]}))
    await until(lambda: actor.table.played == (2, 1))
    assert actor.table.seats[0].human, "the seat is kept as long as the clock runs"


async def test_player_learns_at_their_turn_how_a_plan_ended(start: Start) -> None:
    server = await start()
    anna, ben = [await connect_user(server, name) for name in ("Anna", "Ben")]
    table = await correspondence(anna, ben)
    actor = core_of(server).tables.find_table(table)
    hands = actor.table.state.hands
    await anna.call(PlayRequest(table=table, move={"card": hands[0][0]}))
    await anna.call(PlanRequest(table=table, plan_lines=[PlanLineParams()]))
    played = asyncio.ensure_future(ben.call(PlayRequest(table=table, move={"card": hands[1][0]})))
    await until(lambda: actor.table.pending == [0, 1])
    assert await anna.call(ShowPlanRequest(table=table)) == PlanReply(ended="stopped")
    await played
    await anna.call(PlayRequest(table=table, move={"card": hands[0][1]}))
    assert await anna.call(ShowPlanRequest(table=table)) == PlanReply()
    assert await ben.call(ShowPlanRequest(table=table)) == PlanReply()


def test_a_plan_is_small_whatever_is_asked_for() -> None:
    """A seat plans up to 600 times in a game, and all of it stays in the journal as long as the game."""
    fields = {f"{n:024}": "x" * 24 for n in range(4)}
    largest = PlanRequest(table="t", plan_lines=[PlanLineParams(when=fields, move=TAKE)] * 8)
    assert convert(largest, PlanRequest) == largest
    assert len(msgspec.msgpack.encode(largest)) < 2_000
    for when in ({**fields, "more": 1}, {"x" * 25: 1}, {"fact": "x" * 25}, {"fact": [1]}):
        with pytest.raises(msgspec.ValidationError):
            convert(PlanRequest(table="t", plan_lines=[PlanLineParams(when=when)]), PlanRequest)  # type: ignore[arg-type]


def convert(request: PlanRequest, kind: type[PlanRequest]) -> PlanRequest:
    """Read a request as the server does."""
    return msgspec.convert(msgspec.to_builtins(request), kind)
