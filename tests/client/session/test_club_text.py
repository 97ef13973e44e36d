"""Clubs in words: standings with their forecast, dates, and the ends of seasons."""

from scoville_client.i18n.club_text import board_lines, season_sentence, season_text, standing_name, standing_text
from scoville_client.i18n.language import render
from scoville_shared.protocol.messages import (
    ClubBoardReply,
    ClubLeaders,
    ClubSeason,
    ClubSeasonNotice,
    ClubStanding,
    LeaderboardEntry,
)

ANNA = ClubStanding(name="Anna", division=2, season_points=14, game_count=5, forecast=1, you=True)
BEN = ClubStanding(name="Ben", division=2, season_points=1, game_count=1, forecast=-1)
CARL = ClubStanding(name="Carl", division=3, season_points=0, game_count=0, forecast=0)


def test_a_standing_says_what_would_happen_now() -> None:
    assert (standing_name(ANNA), standing_text(ANNA)) == (
        "Anna (you) ↑",
        "division 2, 14 points, would go up, 5 games",
    )
    assert (standing_name(BEN), standing_text(BEN)) == ("Ben ↓", "division 2, 1 point, would go down, 1 game")
    assert (standing_name(CARL), standing_text(CARL)) == ("Carl", "division 3, has not played")


def test_the_end_of_a_season_is_in_hours_or_days() -> None:
    assert "in 47 hours" in season_text(ClubSeason(ends_in_ms=47 * 3_600_000, club_standings=[]))
    assert "in 3 days" in season_text(ClubSeason(ends_in_ms=80 * 3_600_000, club_standings=[]))


def test_a_board_without_tables_says_so_and_lists_the_best() -> None:
    entry = LeaderboardEntry(place=1, name="Anna", rating=21.4, sigma=2.0, game_count=9)
    board = ClubBoardReply(
        tables=[],
        club_season=ClubSeason(ends_in_ms=1, club_standings=[ANNA]),
        club_leaders=[ClubLeaders(game="heap", leaders=[entry])],
    )
    lines = board_lines(board, [])
    assert lines[0] == "No member sits at a table."
    assert lines[-1] == "Best at heap: 1. Anna 21"


def test_each_move_of_a_season_has_its_sentence() -> None:
    said = [
        season_sentence(ClubSeasonNotice(club="c", club_name="Peppers", division=2, rose=rose)) for rose in (1, 0, -1)
    ]
    texts = [render(each) for each in said if each is not None]
    assert [text.partition(": ")[2] for text in texts] == [
        "you go up to division 2.",
        "you stay in division 2.",
        "you go down to division 2.",
    ]
    assert season_sentence(ClubSeasonNotice(club="c", club_name="Peppers", division=2, rose=7)) is None
