"""Puzzles and what is hidden: a puzzle says what its seat knew, and what is sent before an attempt has no answer."""

import msgspec
import pytest

from scoville_shared.games.registry import load_game
from scoville_shared.puzzles.pool import describe_puzzle, load_pool
from scoville_shared.puzzles.puzzle import Puzzle
from scoville_shared.values import Plain

HIDDEN = {"dicht_dran": {"pile", "discard", "picks"}, "no_thanks": {"deck", "dice"}, "chilli_chase": {"dice"}}
"""Names of what only the state has; sizes of the first two are public and numbers."""


def list_lists(value: Plain, path: str = "") -> dict[str, list[object]]:
    """Find every list in plain data by its path."""
    found: dict[str, list[object]] = {}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        if isinstance(each, list | tuple):
            found[f"{path}/{key}"] = [*each]
        found |= list_lists(each, f"{path}/{key}")
    return found


@pytest.mark.parametrize("slug", HIDDEN)
def test_a_puzzle_is_the_view_of_its_seat_alone(slug: str) -> None:
    game = load_game(slug)
    for puzzle in load_pool(slug).puzzles:
        view = game.codec.decode_view(puzzle.view)
        assert view.seat == puzzle.seat
        # Rebuilt by the game from what the view knows, so nothing beside it has come along.
        assert msgspec.json.decode(msgspec.json.encode(view)) == puzzle.view
        assert not {path.split("/")[-1] for path in list_lists(puzzle.view)} & HIDDEN[slug]


def test_the_question_has_no_answer() -> None:
    names = {field.name for field in msgspec.structs.fields(Puzzle)}
    for slug in HIDDEN:
        pool = load_pool(slug)
        for puzzle in pool.puzzles:
            sent = msgspec.to_builtins(describe_puzzle(pool, puzzle))
            assert {"id", "view", "options", "seat"} <= sent.keys() & names
            assert not {"choices", "reason", "exact", "rating"} & sent.keys()
