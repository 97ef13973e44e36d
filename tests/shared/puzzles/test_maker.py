"""The maker: the same seed makes the same puzzle, its best move is clear, and ten times the playouts agree."""

import pytest

from scoville_shared.bots.machine import Machine
from scoville_shared.coach.no_thanks.coach import CardCoach
from scoville_shared.games.no_thanks import GAME
from scoville_shared.puzzles import maker
from scoville_shared.puzzles.maker import GAP, RATINGS, confirm_answer, make_puzzle
from scoville_shared.puzzles.pool import check_puzzle
from tests.support.machines import MACHINES

SEED = bytes(4)
NUMBERS = range(6)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The fast machine, with a tenth of the playouts."""
    monkeypatch.setattr(CardCoach, "advice_playouts", 750)
    return MACHINES["compiled"]()


def test_the_same_seed_makes_the_same_puzzle(machine: Machine) -> None:
    found = [(number, made) for number in NUMBERS if (made := make_puzzle(GAME, SEED, number, machine)) is not None]
    assert found, "most games have a clear decision"
    for number, made in found[:2]:
        puzzle = made.puzzle
        assert make_puzzle(GAME, SEED, number, machine) == made
        assert check_puzzle(GAME, puzzle) == ""
        assert puzzle.choices[1].behind >= round(1_000 * GAP)
        assert {*made.solved_by} <= RATINGS.keys()
        assert GAME.codec.decode_view(puzzle.view).board.chips is not None, "chips are open: nobody has counted them"
        assert confirm_answer(GAME, puzzle, machine)
    assert len({made.puzzle.id for _, made in found}) == len(found)


def test_a_move_that_only_weak_players_allow_is_no_puzzle(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    number = next(number for number in NUMBERS if make_puzzle(GAME, SEED, number, machine) is not None)
    monkeypatch.setattr(maker, "_is_best_among", lambda *_: False)
    made = make_puzzle(GAME, SEED, number, machine)
    assert made is None or made.puzzle.exact, "only what is solved needs no assumption"


def test_an_answer_that_strong_players_contradict_is_not_confirmed(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = (make_puzzle(GAME, SEED, number, machine) for number in NUMBERS)
    puzzle = next(made.puzzle for made in found if made is not None and not made.puzzle.exact)
    assert confirm_answer(GAME, puzzle, machine)
    monkeypatch.setattr(maker, "_is_best_among", lambda _game, level, *_: level != "master")
    assert not confirm_answer(GAME, puzzle, machine)


def test_the_best_move_must_be_far_ahead(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maker, "GAP", 1.1)
    assert all(make_puzzle(GAME, SEED, number, machine) is None for number in NUMBERS[:3])
