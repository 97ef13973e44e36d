"""Plans as they are typed and read back, and the user who is told that one has ended."""

import asyncio
from typing import Any

import pytest

from scoville_client.session.changes import Change, PlanEnded
from scoville_client.session.table.plans import PlanWatch, describe_fields, parse_plan, write_plan
from scoville_client.session.table.table import AtTable
from scoville_server.tables.watching.project import project_snapshot
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import DAY_MS, Params, PlanLine, PlanLineParams, PlanReply, TableClock
from tests.support.tables import start_table

DAYS = TableClock(move_ms=2 * DAY_MS, absence_ms=None)


def at_table(game: str = "no_thanks", mine: bool = False) -> AtTable:
    """Anna's table by correspondence, at which she waits, or may move."""
    table = start_table("Anna", "Ben B", "Cleo", game=game, clock=DAYS)
    seat = Seat(table.pending[0] if mine else (table.pending[0] + 1) % 3)
    return AtTable(table.game, project_snapshot(table, 0, seat, lambda _: True))


@pytest.mark.parametrize(
    ("typed", "lines", "most"),
    [
        ("pass", [PlanLine(move={"action": "pass"})], 1),
        (
            "3x stop if fact=turned_up; take if pot=5 seat=Cleo; pass",
            [
                PlanLine(when={"fact": "turned_up"}),
                PlanLine(when={"pot": 5, "seat": 2}, move={"action": "take"}),
                PlanLine(move={"action": "pass"}),
            ],
            3,
        ),
        ("stop if seat=2 open=true", [PlanLine(when={"seat": 1, "open": True})], 1),
    ],
)
def test_a_plan_is_read_back_as_it_was_typed(typed: str, lines: list[PlanLine], most: int) -> None:
    at = at_table()
    params, times = parse_plan(at, typed)
    assert ([PlanLine(when=dict(each.when), move=each.move) for each in params], times) == (lines, most)
    assert write_plan(at, PlanReply(plan_lines=lines, moves_left=most)) == typed


def test_cards_and_formulas_are_planned_by_word_or_by_field() -> None:
    assert parse_plan(at_table("dicht_dran"), "47") == ([PlanLineParams(move={"card": 47})], 1)
    chilli = at_table("chilli_chase")
    move = {"card": 5, "op": "+", "left": "total"}
    assert parse_plan(chilli, "card=5 op=+ left=total") == ([PlanLineParams(move=move)], 1)
    assert write_plan(chilli, PlanReply(plan_lines=[PlanLine(move=move)], moves_left=1)) == "card=5 op=+ left=total"


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("jump", "not a move"),
        ("pass if", "pass if"),
        ("pass if pot", "not a condition"),
        ("pass if seat=Zoe", "Zoe"),
        ("card=5", "not a move"),
        ("99x pass", "1 to 30"),
        ("; ".join(["pass"] * 9), "8 lines"),
    ],
)
def test_invalid_plan_is_explained(typed: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_plan(at_table(), typed)


def test_conditions_name_what_the_game_tells() -> None:
    assert "fact=passed seat=… card=… pot=…" in describe_fields(at_table().game)
    assert "run=" not in describe_fields(at_table().game), "a condition has one value"


async def test_user_learns_at_each_turn_why_a_plan_ended() -> None:
    asked: list[Params] = []
    told: list[Change] = []

    async def request(params: Params, _: type[Any], /) -> Any:
        asked.append(params)
        return PlanReply(ended="unmet")

    watch = PlanWatch(request, told.append)
    at = at_table()
    for _ in range(3):
        watch.follow_table(at)
        await asyncio.sleep(0)
    assert (len(asked), len(told)) == (1, 1)
    at.pending = frozenset({at.seat or Seat(0)})
    for _ in range(3):
        watch.follow_table(at)
        await asyncio.sleep(0)
    assert len(asked) == 2
    assert told == [PlanEnded(Phrase("Your plan has ended: none of its conditions held when it was your turn."))] * 2
