"""Views of an untrusted server are plausible only if a state of the game could show them."""

from typing import Any

import pytest
from msgspec.structs import replace

from scoville_shared.engine.dice import Dice
from scoville_shared.engine.plausible import is_plausible
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat

GAMES = ("dicht_dran", "no_thanks", "chilli_chase")
SEATS = 3


def view_of(slug: str, seat: Seat | None) -> Any:
    game = load_game(slug)
    return game.view(game.setup(game.codec.decode_options({}), SEATS, Dice(bytes(32))), seat)


@pytest.mark.parametrize("seat", [None, *map(Seat, range(SEATS))])
@pytest.mark.parametrize("slug", GAMES)
def test_views_of_a_real_game_are_plausible(slug: str, seat: Seat | None) -> None:
    view = view_of(slug, seat)
    assert is_plausible(load_game(slug), view, seat, SEATS)
    assert is_plausible(load_game(slug), view, None, SEATS)


@pytest.mark.parametrize("slug", GAMES)
def test_views_of_other_seats_are_not_valid(slug: str) -> None:
    view = view_of(slug, Seat(0))
    assert not is_plausible(load_game(slug), view, Seat(1), SEATS)
    assert not is_plausible(load_game(slug), view, Seat(0), SEATS - 1)
    assert not is_plausible(load_game(slug), view, Seat(0), SEATS + 1)


@pytest.mark.parametrize(
    ("slug", "changes"),
    [
        ("dicht_dran", {"circle": (1, 2)}),
        ("dicht_dran", {"target": 99}),
        ("dicht_dran", {"hands": (8, 8)}),
        ("no_thanks", {"mover": Seat(7)}),
        ("no_thanks", {"cards": ()}),
        ("chilli_chase", {"mover": Seat(-1)}),
        ("chilli_chase", {"hands": (3, 3, 3, 3)}),
        ("chilli_chase", {"hot": (9,)}),
        ("chilli_chase", {"deck": 2**40}),
    ],
)
def test_views_of_no_game_are_not(slug: str, changes: dict[str, Any]) -> None:
    view = view_of(slug, Seat(0))
    assert not is_plausible(load_game(slug), replace(view, board=replace(view.board, **changes)), Seat(0), SEATS)
