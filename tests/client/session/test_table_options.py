"""Drafts of new tables, with options in plain words."""

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import LANGUAGES, set_language
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.new_table.options import Draft, list_offered_games
from scoville_client.session.new_table.settings import PACE_MS
from scoville_shared.bots.registry import list_equal_levels

GAMES = list_offered_games()
EQUAL = [(game.slug, seats) for game in GAMES for seats in range(2, 8) if list_equal_levels(game.slug, seats)]


def value(draft: Draft, line: str) -> str:
    return next(each.value for each in draft.list_lines() if each.id == line)


def test_the_games_are_those_that_are_installed() -> None:
    assert {"chilli_chase", "dicht_dran", "no_thanks"} <= {game.slug for game in GAMES}


def test_a_draft_begins_as_the_game_is_usually_played() -> None:
    table = Draft(GAMES, "dicht_dran").table
    assert (table.game, table.seats, table.options["cycles"], table.settings) == ("dicht_dran", 4, 2, {})


def test_a_night_belongs_to_tables_with_days_for_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    draft = Draft(GAMES, "no_thanks", shared=True)
    assert "night" not in {line.id for line in draft.list_lines()}
    for _ in range(2):
        draft.change_line("clock", -1)
    assert (value(draft, "clock"), value(draft, "night")) == ("3 days a move", "off")
    draft.change_line("night", 1)
    assert (value(draft, "clock"), value(draft, "night")) == ("3 days a move", "22:00–7:00 (Europe/Berlin)")
    assert draft.table.clock == {
        "move_ms": 259_200_000,
        "night": {"begins": 22, "ends": 7, "zone": "Europe/Berlin"},
    }
    draft.change_line("clock", 2)
    assert draft.table.clock == {}


def test_nobody_needs_days_against_bots() -> None:
    draft = Draft(GAMES, "no_thanks")
    draft.change_line("clock", -1)
    assert value(draft, "clock") == "30:00 + 0:15 a game"


def test_large_numbers_are_typed() -> None:
    draft = Draft(GAMES, "chilli_chase")
    for digit in "1200":
        draft.type_character("cap", digit)
    for digit in "45":
        draft.type_character("turn_limit", digit)
    assert (draft.table.options["cap"], draft.table.options["turn_limit"]) == (1200, 45)
    draft.erase_character("turn_limit")
    draft.type_character("turn_limit", "2")
    assert draft.table.options["turn_limit"] == 42


def test_large_numbers_step_by_size_and_small_by_one() -> None:
    draft = Draft(GAMES, "chilli_chase")
    draft.change_line("turn_limit", 1)
    draft.change_line("points", 1)
    draft.change_line("extended", 1)
    options = draft.table.options
    assert (options["turn_limit"], options["points"], options["extended"]) == (400, 6, True)


def test_seat_counts_that_no_rulebook_knows_are_marked() -> None:
    draft = Draft(GAMES, "dicht_dran")
    assert "unofficial" not in value(draft, "seats")
    draft.type_character("seats", "2")
    assert value(draft, "seats") == "2  (unofficial)"
    draft.type_character("seats", "9")
    assert draft.table.seats == 2


def test_six_and_seven_players_of_no_thanks_are_official() -> None:
    draft = Draft(GAMES, "no_thanks")
    draft.type_character("seats", "7")
    assert value(draft, "seats") == "7"


def test_another_game_brings_its_own_options() -> None:
    draft = Draft(GAMES, "dicht_dran")
    while draft.table.game != "no_thanks":
        draft.change_line("game", 1)
    assert "rounds" in draft.table.options
    assert "cycles" not in draft.table.options


def test_bot_levels_are_those_of_the_game() -> None:
    draft = Draft(GAMES, "dicht_dran")
    chosen = set()
    for _ in (*GAMES[0].levels, "adaptive"):
        draft.change_line("bots", 1)
        chosen.add(draft.table.settings.get("bot_level", "sensible"))
    assert chosen == {*GAMES[0].levels, "adaptive"}
    while draft.table.settings.get("bot_level") != "easy":
        draft.change_line("bots", 1)
    assert value(draft, "bots") == "easy"
    assert draft.explain_line("bots") == "plays the card closest to the target; 1 to 4: another level for that seat"


def choose_level(draft: Draft, level: str) -> None:
    while draft.table.settings.get("bot_level", "sensible") != level:
        draft.change_line("bots", 1)


def test_the_draft_tells_which_levels_are_equally_strong() -> None:
    draft = Draft(GAMES, "dicht_dran", shared=True)
    draft.change_line("more", 1)
    choose_level(draft, "easy")
    draft.type_character("seats", "2")
    equal = "qually strong with 2 players: easy, casual, sensible"
    assert draft.explain_line("bots") == f"plays the card closest to the target; e{equal}"
    assert draft.explain_line("absent_level").endswith(f"away. E{equal}.")
    choose_level(draft, "strong")
    assert "equally" not in draft.explain_line("bots")
    assert draft.explain_line("absent_level").endswith("away.")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("slug", "seats"), EQUAL)
def test_equal_levels_are_explained_within_three_lines(slug: str, seats: int, language: str) -> None:
    set_language(language)
    draft = Draft(GAMES, slug, shared=True)
    draft.change_line("more", 1)
    draft.type_character("seats", str(seats))
    for level in list_equal_levels(slug, seats):
        choose_level(draft, level)
        for line in ("bots", "absent_level"):
            assert len(list(wrap_lines(draft.explain_line(line), 64))) <= 2, (level, line)
            assert len(list(wrap_lines(draft.explain_line(line), 40))) <= 3, (level, line)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", ["dicht_dran", "no_thanks", "chilli_chase"])
def test_every_line_is_explained_in_a_line(slug: str, language: str) -> None:
    set_language(language)
    draft = Draft(GAMES, slug, shared=True)
    draft.change_line("more", 1)
    draft.change_line("spectating", -1)
    draft.change_line("start", 1)
    lines = [line.id for line in draft.list_lines()]
    assert {"rounds_behind", "countdown_ms", "absent_level"} <= set(lines)
    assert len(lines) <= draft.most_lines
    for line in lines:
        assert 1 <= len(list(wrap_lines(draft.explain_line(line), 64))) <= 2, line
        assert len(list(wrap_lines(draft.explain_line(line), 40))) <= 3, line


def test_digits_vary_the_bot_of_a_seat() -> None:
    draft = Draft(GAMES, "dicht_dran")
    assert [char for char in "0145" if draft.takes_character("bots", char)] == ["1", "4"]
    draft.type_character("bots", "3")
    assert value(draft, "bots") == "sensible, seat 3: strong"
    assert draft.table.settings == {"bot_levels": [None, None, "strong"]}
    for _ in draft.table.settings["bot_levels"] and GAMES[0].levels[1:]:
        draft.type_character("bots", "3")
    assert draft.table.settings == {}
    draft.type_character("bots", "1")
    draft.change_line("game", 1)
    assert draft.table.settings == {}


def test_bots_move_briskly_at_shared_tables() -> None:
    draft = Draft(GAMES, "dicht_dran", shared=True, pace_ms=PACE_MS)
    assert draft.table.settings == {"bot_pace_ms": PACE_MS}
    draft.change_line("more", 1)
    assert (value(draft, "bot_pace_ms"), value(draft, "absent_level")) == ("brisk", "bots as above")
    draft.change_line("absent_level", -1)
    draft.change_line("bot_pace_ms", -1)
    assert draft.table.settings == {"absent_level": "master"}
    assert value(draft, "bot_pace_ms") == "at once"


def test_a_table_with_a_coach_is_unrated_and_says_so() -> None:
    draft = Draft(GAMES, "dicht_dran", shared=True)
    draft.change_line("more", 1)
    assert "rated" in [line.id for line in draft.list_lines()]
    draft.change_line("coach", 1)
    assert draft.table.settings == {"coach": True}
    assert "rated" not in [line.id for line in draft.list_lines()]
    assert value(draft, "coach") == "players may ask it"
    draft.change_line("more", 1)
    assert value(draft, "more") == "players may ask the coach, not rated"


def test_levels_of_another_server_are_offered_without_an_explanation() -> None:
    [game] = [game for game in GAMES if game.slug == "dicht_dran"]
    draft = Draft([replace(game, levels=["brilliant"])], "dicht_dran")
    draft.change_line("bots", 1)
    assert (draft.table.settings, value(draft, "bots"), draft.explain_line("bots")) == (
        {"bot_level": "brilliant"}, "brilliant", "",
    )  # fmt: skip


def test_a_server_that_lists_no_levels_gets_no_request() -> None:
    draft = Draft([replace(GAMES[0], levels=[])], "dicht_dran")
    draft.change_line("bots", 1)
    assert "bot_level" not in draft.table.settings


def test_a_clock_is_typed_and_nought_is_no_limit() -> None:
    draft = Draft(GAMES, "dicht_dran")
    assert value(draft, "clock") == "no limit"
    for char in "300+5":
        assert draft.takes_character("clock", char)
        draft.type_character("clock", char)
    assert draft.table.clock == {"bank_ms": 300_000, "increment_ms": 5000}
    draft.change_line("bots", 1)
    draft.type_character("clock", "0")
    assert (draft.table.clock, value(draft, "clock")) == ({}, "no limit")
    draft.type_character("clock", "9")
    for char in "99999999":
        draft.type_character("clock", char)
    assert draft.table.clock["move_ms"] <= 604_800_000


def test_the_turn_limit_cannot_be_turned_off() -> None:
    draft = Draft(GAMES, "chilli_chase")
    draft.type_character("turn_limit", "0")
    assert draft.table.options["turn_limit"] == 0
    assert "turn_limit" in (draft.find_fault() or "")
    draft.type_character("turn_limit", "5")
    draft.type_character("turn_limit", "0")
    assert draft.table.options["turn_limit"] == 50
    assert draft.find_fault() is None


def test_forbidden_options_are_reported_before_any_request() -> None:
    draft = Draft(GAMES, "chilli_chase")
    for _ in range(20):
        draft.change_line("points", -1)
    assert draft.table.options["points"] == 3
    draft.type_character("cap", "7")
    assert "cap" in (draft.find_fault() or "")


def test_bots_can_adapt_to_the_player() -> None:
    draft = Draft(GAMES, "no_thanks")
    draft.change_line("bots", -1)  # from sensible, past casual, easy and random
    for _ in range(3):
        draft.change_line("bots", -1)
    assert draft.table.settings == {"bot_level": "adaptive"}
    assert (value(draft, "bots"), "two games of five" in draft.explain_line("bots")) == ("adaptive", True)
    draft.change_line("game", 1)
    assert value(draft, "bots") == "adaptive"
