"""A move is explained during a game from what everybody knows: no hand, neither the mover's nor the asker's."""

from typing import Any

import pytest

from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.registry import find_coach
from scoville_shared.coach.sample import weigh_move
from scoville_shared.coach.study import study_moves
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import list_slugs, load_game

OPTIONS: dict[str, dict[str, Any]] = {"no_thanks": {}, "dicht_dran": {"cycles": 1}, "chilli_chase": {"turn_limit": 50}}
NAMES = ["Ada", "Ben", "Cem"]
EVERY, SHORTEST = 29, 40


@pytest.mark.parametrize("slug", list_slugs())
def test_everybody_gets_the_same_explanation(slug: str) -> None:
    game, dice = load_game(slug), Dice(bytes(32))
    kind = find_coach(slug)
    assert kind is not None
    spectator, *seats = coaches = [kind(game) for _ in range(1 + len(NAMES))]
    state, made, explained = game.setup(game.codec.decode_options(OPTIONS[slug]), len(NAMES), dice), 0, set()
    while pending := sorted(game.pending(state)):
        seat, made = pending[0], made + 1
        moves = game.moves(game.view(state, seat))
        step = play_move(game, state, seat, moves[made % len(moves)])
        assert not isinstance(step, Refusal)
        board = game.view(state, None).board
        shown = list(spectator.public_moves([fact.fact for fact in step.facts if fact.to is None]))
        for mover, move in shown:
            found = [coach.public_decision(board, mover, move) for coach in coaches]
            assert all(each == found[0] for each in found)
            if found[0] is None:
                continue
            known = getattr(found[0].view, "hand", ())
            assert len(known) < 2, "at most the card that was played"
            explained.add(mover)
            if made % EVERY == 0:
                sample = study_moves(found[0].question, SHORTEST, 3, INTERPRETED).sample
                for place, figures in enumerate(sample.figures_of_moves()):
                    assert 0 <= figures.win.mean <= 1
                    text = spectator.explain_move(
                        found[0].view, found[0].question, weigh_move(sample.figures_of_moves(), place)
                    ).render(NAMES)
                    assert "{" not in text
        state = step.state
        for addressed in step.facts:
            for number, coach in enumerate(seats):
                if addressed.to in (None, number):
                    coach.observe_fact(addressed.fact)
            if addressed.to is None:
                spectator.observe_fact(addressed.fact)
    assert explained == {0, 1, 2}
