"""Legal moves of every game, and that each game ends."""

from itertools import permutations

from hypothesis import strategies as st

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.play import play_move
from tests.support.games import finished, law, moves_like, positions, some


@law
def test_somebody_is_pending_until_there_is_an_outcome(game, seats, data):
    for moment in data.draw(finished(game, seats)).moments:
        assert (game.outcome(moment.state) is None) == bool(game.pending(moment.state))


@law
def test_an_outcome_ranks_every_seat(game, seats, data):
    outcome = game.outcome(data.draw(finished(game, seats)).state)
    assert len(outcome.scores) == len(outcome.places) == seats
    assert min(outcome.places) == 1


@law
def test_a_game_ends_within_its_bound(game, seats, data):
    assert len(data.draw(finished(game, seats)).moments) - 1 <= game.info.max_moves


@law
def test_pending_seats_have_moves_and_legal_fallbacks(game, seats, data):
    state = data.draw(positions(game, seats)).state
    for seat in game.pending(state):
        view = game.view(state, seat)
        assert list(game.moves(view))
        assert game.check(state, seat, game.fallback(view)) is None


@law
def test_the_moves_of_a_view_are_exactly_the_legal_ones(game, seats, data):
    position = data.draw(positions(game, seats))
    written = data.draw(st.lists(moves_like(game), max_size=5))
    for seat in position.deal.seated:
        legal = game.moves(game.view(position.state, seat))
        offered = some(legal)
        assert len(set(offered)) == len(offered), "a move is offered twice"
        assert all(game.check(position.state, seat, move) is None for move in offered)
        for move in written if len(offered) == len(legal) else ():
            assert (game.check(position.state, seat, move) is None) == (move in legal)


@law
def test_who_is_not_pending_may_at_most_withdraw(game, seats, data):
    position = data.draw(positions(game, seats))
    pending = game.pending(position.state)
    for seat in position.deal.seated:
        if seat not in pending:
            for move in some(game.moves(game.view(position.state, seat))):
                assert seat in game.pending(game.apply(position.state, seat, move).state)


@law
def test_the_number_of_the_round_never_falls(game, seats, data):
    rounds = [game.round(moment.state) for moment in data.draw(positions(game, seats)).moments]
    assert rounds == sorted(rounds)


@law
def test_a_spectator_has_no_moves(game, seats, data):
    assert not list(game.moves(game.view(data.draw(positions(game, seats)).state, None)))


@law
def test_playing_leaves_the_state_as_it_was(game, seats, data):
    position = data.draw(positions(game, seats))
    before = game.codec.pack_state(position.state)
    for seat in position.deal.seated:
        for move in [*some(game.moves(game.view(position.state, seat))), data.draw(moves_like(game))]:
            play_move(game, position.state, seat, move)
    assert game.codec.pack_state(position.state) == before


@law
def test_the_order_of_simultaneous_choices_does_not_matter(game, seats, data):
    state = data.draw(positions(game, seats)).state
    choices = {
        seat: data.draw(st.sampled_from(some(game.moves(game.view(state, seat))))) for seat in game.pending(state)
    }
    ends = set()
    for order in permutations(sorted(choices)):
        after = state
        for seat in order:
            step = play_move(game, after, seat, choices[seat])
            assert not isinstance(step, Refusal)
            after = step.state
        ends.add(game.codec.pack_state(after))
    assert len(ends) == 1


@law
def test_a_refusal_changes_nothing_and_names_a_reason(game, seats, data):
    position = data.draw(positions(game, seats))
    move = data.draw(moves_like(game))
    for seat in position.deal.seated:
        answer = play_move(game, position.state, seat, move)
        if isinstance(answer, Refusal):
            assert answer.reason.value
