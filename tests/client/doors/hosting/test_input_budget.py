"""One session, or one network, that types without end leaves the others their turns."""

import pytest

from scoville_client.doors.hosting import input_budget
from scoville_client.doors.hosting.input_budget import InputBudget, InputBudgets
from scoville_client.doors.hosting.session_limits import (
    INPUTS_OF_NETWORK,
    INPUTS_OF_NETWORK_RATE,
    INPUTS_OF_SESSION,
    INPUTS_OF_SESSION_RATE,
    SIZES_OF_NETWORK,
    SIZES_OF_SESSION,
)
from tests.client.doors.hosting.hosted import a_server, come, in_the_lobby, shared_by
from tests.support.clock import FakeClock


def taken(budget: InputBudget, most: int = 1_000) -> int:
    return sum(budget.take_inputs() for _ in range(most))


def test_a_session_spends_a_burst_and_then_a_rate() -> None:
    clock = FakeClock()
    budget = InputBudgets(clock.clock).open_budget("")
    assert taken(budget) == INPUTS_OF_SESSION
    clock.advance(1)
    assert taken(budget) == INPUTS_OF_SESSION_RATE
    clock.advance(1_000)
    assert taken(budget) == INPUTS_OF_SESSION


def test_sessions_of_one_network_share_a_budget() -> None:
    clock = FakeClock()
    budgets = InputBudgets(clock.clock)
    flood = [budgets.open_budget(f"2001:db8:1:2::{number}") for number in range(20)]
    neighbour, stranger = budgets.open_budget("2001:db8:1:3::1"), budgets.open_budget("203.0.113.9")
    assert sum(map(taken, flood)) == INPUTS_OF_NETWORK
    clock.advance(1)
    assert sum(map(taken, flood)) == INPUTS_OF_NETWORK_RATE
    assert [taken(neighbour), taken(stranger)] == [INPUTS_OF_SESSION] * 2


def test_expensive_input_is_taken_whole_or_refused() -> None:
    budget = InputBudgets(FakeClock().clock).open_budget("")
    assert [budget.take_inputs(INPUTS_OF_SESSION - 3), budget.take_inputs(4), budget.take_inputs(0)] == [
        True,
        False,
        True,
    ]
    assert taken(budget) == 3
    assert not budget.take_inputs(0)


def test_sessions_without_an_address_share_nothing() -> None:
    budgets = InputBudgets(FakeClock().clock)
    assert [taken(budgets.open_budget("")), taken(budgets.open_budget(""))] == [INPUTS_OF_SESSION] * 2


def test_a_returning_network_keeps_its_used_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_budget, "_MOST_NETWORKS", 3)
    clock = FakeClock()
    budgets = InputBudgets(clock.clock)
    taken(budgets.open_budget("203.0.113.1"))
    for number in range(2, 9):
        budgets.open_budget(f"203.0.113.{number}")
    assert taken(budgets.open_budget("203.0.113.1")) == 0
    assert len(budgets._networks) <= 3


async def test_keys_beyond_the_budget_are_dropped() -> None:
    clock = FakeClock()
    shared = shared_by(clock)
    async with a_server() as server:
        flood = await in_the_lobby(come(server, "Flo", clock=clock, shared=shared, address="203.0.113.1"))
        anna = await in_the_lobby(come(server, "Anna", clock=clock, shared=shared, address="203.0.113.2"))
        for _ in range(INPUTS_OF_SESSION):
            flood.type("\x1b[B")
            await flood.until(lambda: flood.is_up_to_date)
        flood.type("?")
        anna.type("?")
        await anna.until(lambda: type(anna.session._app.screen).__name__ == "HelpDialog")  # type: ignore[union-attr]
        assert type(flood.session._app.screen).__name__ != "HelpDialog"  # type: ignore[union-attr]
        clock.advance(1)
        flood.type("?")
        await flood.until(lambda: type(flood.session._app.screen).__name__ == "HelpDialog")  # type: ignore[union-attr]
        await flood.leaves()
        await anna.leaves()


async def test_sizes_beyond_the_budget_wait() -> None:
    clock = FakeClock()
    async with a_server() as server:
        anna = await in_the_lobby(come(server, clock=clock))
        app = anna.session._app
        assert app is not None
        while anna.session._budget.take_inputs():
            pass
        anna.session.resize((100, 30))
        await anna.until(lambda: anna.is_up_to_date)
        assert app.size == (80, 24)
        clock.advance(1)
        await anna.until(lambda: app.size == (100, 30))
        await anna.leaves()


def test_a_dragged_window_is_never_cut_off() -> None:
    clock = FakeClock()
    budget = InputBudgets(clock.clock).open_budget("203.0.113.1")
    for _ in range(1_000):
        assert budget.take_size()
        clock.advance(0.01)


def test_a_neighbour_of_a_flood_of_sizes_may_send_some() -> None:
    budgets = InputBudgets(FakeClock().clock)
    flood, neighbour = budgets.open_budget("203.0.113.1"), budgets.open_budget("203.0.113.1")
    while flood.take_size():
        pass
    assert sum(neighbour.take_size() for _ in range(1_000)) == SIZES_OF_SESSION


async def test_a_session_that_sends_sizes_without_end_is_disconnected() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        for number in range(SIZES_OF_NETWORK):
            anna.session.resize((80 + number % 2, 24))
        assert not anna.channel.aborted
        anna.session.resize((90, 24))
        assert anna.channel.aborted
        await anna.leaves()
