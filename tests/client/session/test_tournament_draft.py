"""Draft of a tournament: what its lines make of the request."""

from datetime import datetime, timedelta

import pytest

from scoville_client.session.new_table.options import list_offered_games
from scoville_client.session.new_table.tournament_draft import TournamentDraft
from tests.support.clock import FakeClock


def draft() -> TournamentDraft:
    return TournamentDraft(list_offered_games(), "no_thanks", clock=FakeClock().clock)


def lines_of(made: TournamentDraft) -> dict[str, str]:
    return {line.id: line.value for line in made.list_lines()}


def type_text(made: TournamentDraft, line: str, text: str) -> None:
    for char in text:
        assert made.takes_character(line, char)
        made.type_character(line, char)


def test_usual_tournament_needs_no_change() -> None:
    fields = draft().fields
    wanted = {"format": "swiss", "game": "no_thanks", "seat_count": 4, "round_count": 4, "starts_in_ms": 900_000}
    assert {key: fields[key] for key in wanted} == wanted
    assert not fields.keys() & {"lasts_ms", "team_size", "clock", "club"}


@pytest.mark.parametrize(
    ("played", "length", "asked"),
    [
        ("arena", "60 minutes", {"lasts_ms": 3_600_000}),
        ("swiss", "5 rounds", {"round_count": 5}),
        ("knockout", None, {}),
        ("duplicate", "5 deals", {"round_count": 5, "team_size": 0}),
    ],
)
def test_each_format_has_its_length(played: str, length: str | None, asked: dict[str, int]) -> None:
    made = draft()
    while made.fields["format"] != played:
        made.change_line("format", 1)
    made.change_line("length", 1)
    assert lines_of(made).get("length") == length
    assert {key: made.fields[key] for key in ("lasts_ms", "round_count", "team_size") if key in made.fields} == asked
    assert ("teams" in lines_of(made)) == (played == "duplicate")


def test_tournament_draft_tells_which_levels_are_equally_strong() -> None:
    made = TournamentDraft(list_offered_games(), "chilli_chase", clock=FakeClock().clock)
    made.change_line("seats", 2)
    assert made.explain_line("level") == "How well the bots play that take free seats."
    made.change_line("level", 1)
    assert made.fields["level"] == "strong"
    assert made.explain_line("level") == (
        "How well the bots play that take free seats. Equally strong with 6 players: strong, master."
    )


def test_impossible_time_of_day_is_a_fault() -> None:
    made = draft()
    type_text(made, "start", "29:00")
    assert "not a time" in (made.find_fault() or "")
    for _ in range(5):
        made.erase_character("start")
    assert (made.find_fault(), lines_of(made)["start"]) == (None, "in 15 minutes")
    type_text(made, "start", "2130-01-01T20:30")
    assert "more than 60 days" in (made.find_fault() or "")
    for _ in range(16):
        made.erase_character("start")
    later = datetime.fromtimestamp(FakeClock().clock.date_ms() / 1000) + timedelta(days=50)
    type_text(made, "start", f"{later:%Y-%m-%dT20:30}")
    assert made.find_fault() is None
    assert made.fields["starts_in_ms"] > 49 * 86_400_000
    made.change_line("start", 1)
    assert lines_of(made)["start"] == "in 15 minutes", "the arrows lead back to the minutes"


def test_empty_name_has_a_default() -> None:
    made = draft()
    assert made.fields["name"] == "Tournament"
    type_text(made, "name", "q:? Grüße")
    assert made.fields["name"] == "q:? Grüße"
    for _ in range(20):
        made.erase_character("name")
    assert made.fields["name"] == "Tournament"


def test_options_of_the_game_and_its_levels_are_lines() -> None:
    made = draft()
    before = made.fields["options"]["rounds"]
    made.change_line("rounds", 1)
    made.change_line("level", 1)
    type_text(made, "clock", "30")
    fields = made.fields
    assert fields["options"]["rounds"] == before + 1
    assert (fields["level"], fields["clock"]) == ("strong", {"move_ms": 30_000})
    made.change_line("game", 1)
    assert made.fields["game"] != "no_thanks"
    assert len(lines_of(made)) <= made.most_lines


def test_every_line_is_explained() -> None:
    made = draft()
    for _ in range(4):
        made.change_line("format", 1)
        assert all(made.explain_line(line) for line in lines_of(made))
