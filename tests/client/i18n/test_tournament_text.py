"""Duplicate evenings in words: percentages, the barometer after a deal, and what is told of it."""

import pytest
from msgspec.structs import replace

from scoville_client.i18n import tournament_text
from scoville_client.i18n.language import render, set_language
from scoville_client.session.tournaments import has_new_results
from scoville_shared.protocol.messages import (
    ShowTournamentReply,
    TableClock,
    TournamentInfo,
    TournamentStanding,
    TournamentTable,
    TournamentTeam,
)

INFO = TournamentInfo(
    id="1",
    name="Friday",
    format="duplicate",
    game="no_thanks",
    options={},
    seat_count=2,
    level="sensible",
    clock=TableClock(move_ms=30_000),
    stage="running",
    director="Anna",
    starts_ms=0,
    round_count=3,
    round_number=2,
    scored_count=2,
    half_points_per_deal=4,
)


def standing(place: int, name: str, by_deal: list[int | None], *, you: bool = False) -> TournamentStanding:
    half_points = sum(points or 0 for points in by_deal)
    return TournamentStanding(
        place=place,
        name=name,
        half_points=half_points,
        opposition=0,
        game_count=len(by_deal),
        half_points_by_deal=by_deal,
        you=you,
    )


ANNA, BEN, CHLOE = standing(1, "Anna", [4, 3]), standing(2, "Ben", [2, 2]), standing(3, "Chloe", [0, 1], you=True)


def test_the_barometer_has_the_best_the_user_and_the_teams() -> None:
    teams = [TournamentTeam(place=1, member_names=["Anna", "Chloe"], half_points=8)]
    shown = ShowTournamentReply(tournament_info=INFO, standings=[ANNA, BEN, CHLOE], pairings=[], teams=teams)
    assert tournament_text.barometer_lines(shown, 1) == [
        "Friday: deal 2 of 3 is over.",
        "1. Anna: 88 %",
        "3. Chloe (you): 12 %",
        "1. Anna & Chloe: 50 %",
    ]


def test_chance_is_told_where_there_are_several_deals() -> None:
    three = replace(INFO, scored_count=3)
    assert tournament_text.standing_text(standing(1, "Anna", [4, 3, 4]), three) == "92 % (± 16 by chance), 3 deals"
    assert tournament_text.standing_text(BEN, INFO) == "50 %, 2 deals"
    one = replace(INFO, scored_count=1)
    assert tournament_text.standing_text(standing(1, "Anna", [4]), one) == "100 %, 1 deal"
    assert tournament_text.standing_text(ANNA, INFO, short=True) == "88 %"


def test_shares_of_seats_are_shown_after_the_deal() -> None:
    playing = TournamentTable(table="t", round_number=2, players=["Anna", None])
    assert tournament_text.table_text(playing, INFO) == "deal 2: Anna, a bot, the results follow"
    over = replace(playing, places=[1, 2], half_points_by_seat=[3, 0], scores_by_seat=[21, 40])
    assert tournament_text.table_text(over, INFO) == "deal 2: Anna 75 % (21), a bot 0 % (40)"


def test_each_step_is_told_in_its_words() -> None:
    said = [
        render(tournament_text.news_sentence(info, "changed"))
        for info in (
            replace(INFO, round_number=0, scored_count=0),
            INFO,
            replace(INFO, round_number=3),
            replace(INFO, grace_left_ms=120_000),
        )
    ]
    assert said == [
        "Friday begins.",
        "Friday: deal 2 is over.",
        "Friday: deal 3 begins.",
        "Friday waits two minutes for players who are not here.",
    ]
    later = replace(INFO, round_number=3), replace(INFO, grace_left_ms=120_000)
    assert [has_new_results(info) for info in (INFO, *later)] == [True, False, False]
    assert tournament_text.stage_text(INFO) == "deal 2 of 3"
    assert tournament_text.stage_text(replace(INFO, grace_left_ms=120_000)) == "waits for players, 2 minutes at most"


@pytest.mark.parametrize(
    ("reason", "told", "line"),
    [
        ("Anna", "Friday wurde von Anna abgesagt.", "Abgesagt von Anna."),
        ("Anna: rain", "Friday wurde abgesagt von Anna: rain", "Abgesagt von Anna: rain"),
    ],
)
def test_cancelled_tournament_names_the_canceller(reason: str, told: str, line: str) -> None:
    cancelled = replace(INFO, stage="cancelled", reason=reason)
    set_language("de")
    try:
        assert render(tournament_text.news_sentence(cancelled, "changed")) == told
        assert line in tournament_text.about_lines(cancelled, [])
    finally:
        set_language("en")


@pytest.mark.parametrize(
    ("language", "half_points", "games", "said"),
    [
        ("en", 2, 1, "1 point, 1 game"),
        ("en", 1, 2, "½ points, 2 games"),
        ("de", 2, 1, "1 Punkt, 1 Spiel"),
        ("fr", 3, 0, "1½ point, 0 partie"),
    ],
)
def test_points_and_games_are_counted(language: str, half_points: int, games: int, said: str) -> None:
    set_language(language)
    swiss = replace(INFO, format="swiss", half_points_per_deal=None)
    assert tournament_text.standing_text(replace(ANNA, half_points=half_points, game_count=games), swiss) == said


def test_a_tournament_that_nobody_has_entered_counts_no_players() -> None:
    called = replace(INFO, stage="announced", starts_in_ms=120_000, entrant_count=0)
    assert tournament_text.describe_tournament(called, ()) == (
        "Friday: starts in 2 minutes, no_thanks, duplicate evening, 3 deals"
    )
    assert tournament_text.describe_tournament(replace(called, entrant_count=1), ()).endswith(", 3 deals, 1 player")
