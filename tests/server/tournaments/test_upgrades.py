"""A server whose games have changed ends the tournaments that it cannot play any more, and says why."""

from collections.abc import Collection
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import render
from scoville_client.i18n.tournament_text import about_lines, news_sentence
from scoville_outside.guard import GameFailed
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.protocol import messages as m
from tests.server.tournaments.host import SETTLED, Host, heard, show
from tests.server.tournaments.test_duplicate import begin, play_table
from tests.server.tournaments.test_tournaments import call_up
from tests.support.server import core_of
from tests.support.toys import TOYS, find_toy


@pytest.fixture
def host() -> Host:
    return Host()


def shelf_with(version: int = 1, without: Collection[str] = ()) -> GameCatalog:
    """Return the toys, High Card with other rules, or without some of them."""

    def load(slug: str) -> Any:
        game = find_toy(slug)
        if slug != "high_card":
            return game
        changed = type("Changed", (type(game),), {"info": replace(game.info, rules_version=version)})
        return changed()

    return GameCatalog(slugs=lambda: sorted({*TOYS} - {*without}), load=load)


@pytest.mark.parametrize(
    ("played", "catalog", "ending"),
    [
        ("duplicate", shelf_with(2), ("cancelled", "rules_changed")),
        ("duplicate", shelf_with(without=["high_card"]), ("cancelled", "game_gone")),
        ("swiss", shelf_with(without=["high_card"]), ("cancelled", "game_gone")),
        ("arena", shelf_with(without=["high_card"]), ("cancelled", "game_gone")),
        ("knockout", shelf_with(without=["high_card"]), ("cancelled", "game_gone")),
        ("swiss", shelf_with(2), ("running", None)),
    ],
)
async def test_what_cannot_be_played_any_more_is_cancelled(
    host: Host, played: m.TournamentFormat, catalog: GameCatalog, ending: tuple[str, str | None]
) -> None:
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben")
        number = await call_up(callers[0], played, seat_count=2, round_count=2)
        for caller in callers:
            await caller.call(m.EnterTournamentRequest(tournament=number))
    host.catalog = catalog
    async with host.run() as server:
        (anna, _) = await host.connect(server, "Anna", "Ben")
        await host.pass_time(3_600)
        info = (await show(anna, number)).tournament_info
        assert (info.stage, info.fault) == ending
        if info.fault:
            (news,) = [each for each in heard(anna, m.TournamentChangedNotice) if each.tournament_info.fault]
            assert render(news_sentence(news.tournament_info, "changed")).startswith("Evening is over: ")
            assert "Cancelled by" not in "".join(about_lines(info, []))


async def test_stopped_evening_keeps_its_results(host: Host) -> None:
    async with host.run() as server:
        number, callers = await begin(host, server, "Anna", "Ben")
        for caller in callers:
            await play_table(host, number, caller)
        shown = await show(callers[0], number)
        before = shown.standings
        assert shown.tournament_info.scored_count == 1
    host.catalog = shelf_with(2)
    async with host.run() as server:
        (anna, _) = await host.connect(server, "Anna", "Ben")
        await host.pass_time(SETTLED + 60)
        shown = await show(anna, number)
        assert (shown.tournament_info.stage, shown.tournament_info.fault) == ("finished", "rules_changed")
        assert [each.half_points for each in shown.standings] == [each.half_points for each in before]


async def test_too_few_entrants_is_translated(host: Host) -> None:
    async with host.run() as server:
        (anna,) = await host.connect(server, "Anna")
        number = await call_up(anna)
        await anna.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(3_601)
        info = (await show(anna, number)).tournament_info
        assert (info.stage, info.fault) == ("cancelled", "too_few")
        sentence = "Evening is over: Fewer than two players were there at its start."
        assert render(news_sentence(info, "changed")) == sentence


async def test_failure_that_passes_cancels_no_tournament(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben")
        number = await call_up(callers[0], seat_count=2)
        for caller in callers:
            await caller.call(m.EnterTournamentRequest(tournament=number))

        def fail(*_: object) -> None:
            raise GameFailed("high_card", "decode_options", "it took too long", timed_out=True)

        monkeypatch.setattr(core_of(server).opener, "check_request", fail)
        await host.pass_time(3_601)
        assert (await show(callers[0], number)).tournament_info.stage == "running"
