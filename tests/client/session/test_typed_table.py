"""New tables as people type them: the game by its title, and what else there is in any order."""

import pytest

from scoville_client.session.new_table.typed_table import name_game, parse_table
from scoville_client.session.start_options import DEFAULT_GAME


@pytest.mark.parametrize(
    ("typed", "game", "players"),
    [
        ("no_thanks 4", "no_thanks", 4),
        ("no thanks 4", "no_thanks", 4),
        ("No Thanks! private 5", "no_thanks", 5),
        ("3 Dicht dran clock=3d", "dicht_dran", 3),
        ("chilli coach chase", "chilli_chase", None),
        ("private", DEFAULT_GAME, None),
        ("", DEFAULT_GAME, None),
        ("no thanks players=5", "no_thanks", 5),
        ("no thanks 5 players", "no_thanks", 5),
        ("Seats=5 no thanks private", "no_thanks", 5),
    ],
)
def test_a_game_is_named_as_people_say_it(typed: str, game: str, players: int | None) -> None:
    wanted = parse_table(typed.split())
    assert (wanted.game, wanted.players) == (game, players)


def test_a_name_is_that_for_programs() -> None:
    assert name_game("  No  Thanks! ") == "no_thanks"
    assert name_game("chilli_chase") == "chilli_chase"
    assert name_game("") == ""


def test_a_number_of_players_is_a_number() -> None:
    with pytest.raises(ValueError, match="'many' is not a number of players"):
        parse_table(["players=many"])
