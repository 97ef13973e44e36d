"""The maker: the same seed makes the same puzzle, its best move is clear, and ten times the playouts agree."""

import pytest

from scoville_shared.bots.machine import Machine
from scoville_shared.coach.no_thanks.coach import CardCoach
from scoville_shared.games.no_thanks import GAME
from scoville_shared.puzzles import maker
from scoville_shared.puzzles.maker import GAP, RATINGS, Made, confirm_answer, make_puzzle
from scoville_shared.puzzles.pool import check_puzzle
from tests.support.machines import MACHINES

SEED = bytes(4)
NUMBERS = range(4)
PLAYOUTS = 750


@pytest.fixture(autouse=True)
def fewer_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Think with a tenth of the playouts."""
    monkeypatch.setattr(CardCoach, "advice_playouts", PLAYOUTS)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return MACHINES["compiled"]()


@pytest.fixture(scope="module")
def found(machine: Machine) -> dict[int, Made]:
    """The first puzzles, made once for all tests, by their numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CardCoach, "advice_playouts", PLAYOUTS)
        made = ((number, make_puzzle(GAME, SEED, number, machine)) for number in NUMBERS)
        return {number: puzzle for number, puzzle in made if puzzle is not None}


def test_the_same_seed_makes_the_same_puzzle(found: dict[int, Made], machine: Machine) -> None:
    assert len(found) > 1, "most games have a clear decision"
    for number, made in [*found.items()][:2]:
        puzzle = made.puzzle
        assert make_puzzle(GAME, SEED, number, machine) == made
        assert check_puzzle(GAME, puzzle) == ""
        assert puzzle.choices[1].behind >= round(1_000 * GAP)
        assert {*made.solved_by} <= RATINGS.keys()
        assert GAME.codec.decode_view(puzzle.view).board.chips is not None, "chips are open: nobody has counted them"
        assert confirm_answer(GAME, puzzle, machine)
    assert len({made.puzzle.id for made in found.values()}) == len(found)


def test_a_move_that_only_weak_players_allow_is_no_puzzle(
    found: dict[int, Made], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maker, "_is_best_among", lambda *_: False)
    made = make_puzzle(GAME, SEED, next(iter(found)), machine)
    assert made is None or made.puzzle.exact, "only what is solved needs no assumption"


def test_an_answer_that_strong_players_contradict_is_not_confirmed(
    found: dict[int, Made], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = next(made.puzzle for made in found.values() if not made.puzzle.exact)
    assert confirm_answer(GAME, puzzle, machine)
    monkeypatch.setattr(maker, "_is_best_among", lambda _game, level, *_: level != "master")
    assert not confirm_answer(GAME, puzzle, machine)


def test_the_best_move_must_be_far_ahead(
    found: dict[int, Made], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maker, "GAP", 1.1)
    assert make_puzzle(GAME, SEED, next(iter(found)), machine) is None
