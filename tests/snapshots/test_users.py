"""Snapshots of profiles and lists of users, each with its expected content."""

import time
from collections.abc import Callable, Iterator

import pytest
from textual.pilot import Pilot

from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.themes import DARK, LIGHT
from tests.snapshots.lobby_app import LobbyApp
from tests.support.screens import NARROW, WIDE, Player

Compare = Callable[..., bool]
sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every clock shows the same."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def means(*wanted: str) -> Callable[[Pilot[int]], object]:
    """Wait until all of it is on the screen."""

    async def met(pilot: Pilot[int]) -> None:
        player = Player(pilot.app, pilot)  # type: ignore[arg-type]
        for words in wanted:
            await player.sees(words)

    return met


def shown(compare: Compare, ask: Callable[[ScovilleApp], object], look: str, size: tuple[int, int], *want: str) -> bool:
    return compare(LobbyApp(ask, look), terminal_size=size, run_before=means(*want))


@sizes
def test_talk_lies_over_the_lobby_and_marks_what_is_mine(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert shown(
        snap_compare, lambda app: app.navigation.open_chat(), DARK.name, size, "[Lobby]", "▸ 12:03 Anna: I do."
    )


@sizes
def test_a_profile_on_a_light_ground(snap_compare: Compare, size: tuple[int, int]) -> None:
    wanted = ("Finished 48 of 50 games", "rank 3")
    assert shown(snap_compare, lambda app: app.navigation.open_profile("Ben"), LIGHT.name, size, *wanted)


@sizes
def test_the_best_with_the_doubt_about_each(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert shown(
        snap_compare, lambda app: app.navigation.open_leaderboards(), DARK.name, size, "▸   2. Anna (you)", "212 games"
    )


@sizes
def test_a_name_of_ones_own_with_its_key_and_tokens(snap_compare: Compare, size: tuple[int, int]) -> None:
    wanted = ("You have claimed this name; you can log", "Key anna@laptop")
    assert shown(snap_compare, lambda app: app.navigation.open_account(), LIGHT.name, size, *wanted)


@sizes
def test_reactions_are_one_digit_away(snap_compare: Compare, size: tuple[int, int]) -> None:
    def react(app: ScovilleApp) -> None:
        from scoville_client.tui.screens.table.actions import ReactDialog

        app.push_screen(ReactDialog())

    assert shown(snap_compare, react, DARK.name, size, "6 Hurry up!")


@sizes
def test_the_daily_deal_says_what_there_is_to_do(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert shown(
        snap_compare, lambda app: app.navigation.open_daily(), DARK.name, size, "3 days in a row", "Dicht dran"
    )
