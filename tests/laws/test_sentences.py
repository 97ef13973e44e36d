"""Every fact, move and refusal has a sentence."""

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.play import play_move
from tests.support.games import NAMES, finished, law, moves_like, positions, some


def assert_said(phrase, names):
    sentence = phrase.render(names)
    assert sentence.strip()
    assert "{" not in sentence


@law
def test_every_fact_is_a_sentence_or_silent(game, seats, data):
    for moment in data.draw(finished(game, seats)).moments[1:]:
        for addressed in moment.step.facts:
            phrase = game.text.describe_fact(addressed.fact)
            if phrase is not None:
                assert_said(phrase, NAMES[:seats])


@law
def test_every_legal_move_has_a_name_of_its_own(game, seats, data):
    state = data.draw(positions(game, seats)).state
    for seat in range(seats):
        names = [
            game.text.describe_move(move).render(NAMES[:seats]) for move in some(game.moves(game.view(state, seat)))
        ]
        assert all(names)
        assert len(set(names)) == len(names)


@law
def test_every_refusal_is_explained(game, seats, data):
    state = data.draw(positions(game, seats)).state
    move = data.draw(moves_like(game))
    for seat in range(seats):
        answer = play_move(game, state, seat, move)
        if isinstance(answer, Refusal):
            assert_said(game.text.describe_refusal(answer), NAMES[:seats])


@law
def test_the_table_is_described_to_every_watcher(game, seats, data):
    position = data.draw(positions(game, seats))
    for watcher in position.deal.watchers:
        lines = list(game.text.describe_table(game.view(position.state, watcher)))
        assert lines
        for line in lines:
            assert_said(line, NAMES[:seats])
