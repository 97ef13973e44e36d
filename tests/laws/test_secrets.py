"""Views and facts are the same bytes whatever is hidden from their seat."""

from random import Random

import msgspec
from hypothesis import strategies as st

from tests.support.games import dice, law, positions, some, walk


def view_bytes(game, state, watcher):
    return msgspec.msgpack.encode(game.codec.encode_plain(game.view(state, watcher)))


@law
def test_a_view_is_equal_in_all_its_worlds(game, seats, data):
    position = data.draw(positions(game, seats))
    chance = data.draw(dice())
    for watcher in position.deal.watchers:
        view = game.view(position.state, watcher)
        world = game.imagine(view, chance)
        assert game.view(world, watcher) == view
        assert view_bytes(game, world, watcher) == view_bytes(game, position.state, watcher)


@law
def test_everybody_can_see_which_round_it_is(game, seats, data):
    position = data.draw(positions(game, seats))
    chance = data.draw(dice())
    for watcher in position.deal.watchers:
        world = game.imagine(game.view(position.state, watcher), chance)
        assert game.round(world) == game.round(position.state)


@law
def test_an_imagined_world_can_be_played_to_its_end(game, seats, data):
    position = data.draw(positions(game, seats))
    watcher = data.draw(st.sampled_from(position.deal.watchers))
    world = game.imagine(game.view(position.state, watcher), data.draw(dice()))
    assert game.pending(world) == game.pending(position.state)
    for moment in walk(position.deal, world, Random(data.draw(st.integers(0, 2**32)))):
        world = moment.state
    assert game.outcome(world) is not None


@law
def test_the_same_chance_imagines_the_same_world(game, seats, data):
    position = data.draw(positions(game, seats))
    view = game.view(position.state, data.draw(st.sampled_from(position.deal.watchers)))
    chance = data.draw(dice())
    first, again = (game.codec.pack_state(game.imagine(view, chance)) for _ in range(2))
    assert first == again


@law
def test_a_simultaneous_choice_shows_only_that_it_was_made(game, seats, data):
    position = data.draw(positions(game, seats))
    pending = game.pending(position.state)
    for mover in pending if len(pending) > 1 else ():
        others = [watcher for watcher in position.deal.watchers if watcher != mover]
        seen = set()
        for move in some(game.moves(game.view(position.state, mover))):
            step = game.apply(position.state, mover, move)
            addressed = [game.codec.encode_plain(fact.fact) for fact in step.facts if fact.to != mover]
            views = [view_bytes(game, step.state, watcher) for watcher in others]
            seen.add(msgspec.msgpack.encode([addressed, views]))
        assert len(seen) == 1


@law
def test_facts_are_addressed_to_seats_of_the_table(game, seats, data):
    position = data.draw(positions(game, seats))
    for moment in position.moments[1:]:
        assert all(addressed.to in position.deal.watchers for addressed in moment.step.facts)
