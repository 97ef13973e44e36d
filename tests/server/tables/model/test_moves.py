"""A move is judged once: `decide` hands the step that it has made to `evolve`."""

from collections import Counter
from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from scoville_server.tables.actions.play import Play, PlayForSeat
from scoville_server.tables.actions.warn import WarnOfClock
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import evolve
from scoville_shared.engine.codec import Codec
from scoville_shared.games.registry import list_usable
from scoville_shared.ids import Seat
from tests.support.tables import NOON, decide_accepted, start_rated, start_table
from tests.support.toys import HighCard


def fallback_of(table: Table, seat: Seat) -> Any:
    return table.game.codec.encode_plain(table.game.fallback(table.game.view(table.state, seat)))


def play_fallback(table: Table, seat: Seat) -> Play | PlayForSeat:
    """Return the command of a player or a bot that plays the fallback move."""
    move, user = fallback_of(table, seat), table.seats[seat].user
    return PlayForSeat(seat=seat, move=move, nth=table.played[seat]) if user is None else Play(user=user, move=move)


@pytest.mark.parametrize("game", [*list_usable(), "high_card", "heap"])
@pytest.mark.parametrize("start_game", [start_table, start_rated])
def test_recovery_makes_the_step_of_a_move(game: str, start_game: Callable[..., Table]) -> None:
    table = start_game("Anna", "Ben", seats=3, game=game)
    while table.pending:
        # A minute for a move is too short for one that comes after 70 seconds: the clocks are compared as well.
        now_ms = NOON + 70_000 * len(table.moves)
        decision = decide_accepted(table, play_fallback(table, table.pending[0]), now_ms)
        assert decision.after == reduce(evolve, decision.records, table)
        table = decision.after
    assert table.status == "finished"


def test_recovery_finds_the_takeover_after_timeouts() -> None:
    table, now_ms = start_rated("Anna", "Ben", game="heap"), NOON
    while table.seats[0].human:
        seat, now_ms = table.pending[0], now_ms + 60_000
        if seat == 0:
            table = decide_accepted(table, WarnOfClock(seat=seat), now_ms).after
            move = fallback_of(table, seat)
            decision = decide_accepted(
                table, PlayForSeat(seat=seat, move=move, nth=table.played[seat], mover="clock"), now_ms
            )
        else:
            decision = decide_accepted(table, play_fallback(table, seat), now_ms)
        assert decision.after == reduce(evolve, decision.records, table)
        table = decision.after
    assert table.stalls == {0: 1}


def test_the_rules_judge_a_move_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def count(owner: type, name: str) -> None:
        original = getattr(owner, name)

        def counted(*args: object) -> object:
            calls[name] += 1
            return original(*args)

        monkeypatch.setattr(owner, name, counted)

    table = start_table("Anna", "Ben")
    command = play_fallback(table, Seat(0))
    count(HighCard, "check")
    count(HighCard, "apply")
    count(Codec, "decode_move")
    decide_accepted(table, command)
    assert calls == {"decode_move": 1, "check": 1, "apply": 1}
