"""Reconnect grace: a budget for the game, not for each absence."""

from typing import cast

from scoville_runtime.clock import Clock
from scoville_server.accounts.sessions import User
from scoville_server.tables.lifecycle.reconnect_grace import GRACES, ReconnectGrace
from scoville_shared.ids import TableId
from tests.server.tables.actors import Watch

TABLE, ANNA = TableId("t1"), cast("User", "anna")
GRACE = 60.0


class Seats:
    """The seats of a game under a manual clock, and what happened to them."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.lapsed: list[float] = []
        self.warned: list[float] = []
        clock = Clock(seconds=lambda: self.watch.seconds, call_later=self.watch.later)
        self.grace = ReconnectGrace(
            lambda _, __, left: self.warned.append(left), lambda _, __, gone: self.lapsed.append(gone), clock
        )

    async def lose_connection(self, seconds: float, grace: float = GRACE) -> None:
        """Let Anna be disconnected for so long, and charge it."""
        self.grace.begin_absence(ANNA, TABLE, grace)
        await self.watch.go_on(seconds)
        self.grace.charge_absence(ANNA, TABLE, self.grace.end_absence(ANNA, TABLE))


async def test_returning_before_the_end_works_a_few_times() -> None:
    seats, absences = Seats(), 0
    while not seats.lapsed and absences < 1_000:
        await seats.lose_connection(GRACE - 1)
        absences += 1
    assert absences == GRACES + 1
    assert seats.lapsed == [GRACES]  # the rest of three times 60 seconds after three absences of 59


async def test_a_used_up_budget_waits_no_more() -> None:
    seats = Seats()
    for _ in range(GRACES):
        await seats.lose_connection(GRACE)
    seats.grace.charge_absence(ANNA, TABLE, GRACES * GRACE)
    seats.lapsed.clear()
    seats.warned.clear()
    seats.grace.begin_absence(ANNA, TABLE, GRACE)
    await seats.watch.go_on(0.1)
    assert len(seats.lapsed) == 1
    assert seats.warned == [], "a bot takes over at once, and not in 0 seconds"


async def test_each_absence_waits_for_the_grace_and_warns() -> None:
    seats = Seats()
    await seats.lose_connection(GRACE + 1)
    assert (seats.warned, seats.lapsed) == ([10.0], [GRACE])


async def test_the_next_game_has_a_budget_of_its_own() -> None:
    seats = Seats()
    seats.grace.charge_absence(ANNA, TABLE, GRACES * GRACE)
    seats.grace.forget_table(TABLE)
    await seats.lose_connection(GRACE - 1)
    assert seats.lapsed == []


async def test_forever_is_forever() -> None:
    seats = Seats()
    seats.grace.charge_absence(ANNA, TABLE, GRACES * GRACE)
    await seats.lose_connection(100 * GRACE, grace=0)
    assert seats.lapsed == []
