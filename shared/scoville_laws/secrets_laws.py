"""Views and facts are the same bytes whatever is hidden from their seat."""

from random import Random
from typing import Any

import msgspec

from scoville_laws.law import Luck, demand, law
from scoville_laws.tables import draw_dice, draw_position, pick_some, walk
from scoville_shared.engine.contract import AnyGame
from scoville_shared.ids import Seat


def _view_bytes(game: AnyGame, state: Any, watcher: Seat | None) -> bytes:
    return msgspec.msgpack.encode(game.codec.encode_plain(game.view(state, watcher)))


@law
def a_view_is_equal_in_all_its_worlds(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    chance = draw_dice(luck)
    for watcher in position.deal.watchers:
        view = game.view(position.state, watcher)
        world = game.imagine(view, chance)
        seen = game.view(world, watcher)
        demand(seen == view, f"watcher {watcher} sees {view}, and in the world imagined from it {seen}")
        same = _view_bytes(game, world, watcher) == _view_bytes(game, position.state, watcher)
        demand(same, f"the View of watcher {watcher} has other bytes in the world imagined from it")


@law
def everybody_can_see_which_round_it_is(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    chance = draw_dice(luck)
    for watcher in position.deal.watchers:
        imagined = game.round(game.imagine(game.view(position.state, watcher), chance))
        known = game.round(position.state)
        demand(imagined == known, f"it is round {known}; watcher {watcher} imagines round {imagined}")


@law
def an_imagined_world_can_be_played_to_its_end(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    watcher = luck.choice(position.deal.watchers)
    world = game.imagine(game.view(position.state, watcher), draw_dice(luck))
    pending, imagined = game.pending(position.state), game.pending(world)
    demand(imagined == pending, f"{sorted(pending)} are pending; watcher {watcher} imagines {sorted(imagined)}")
    for moment in walk(position.deal, world, Random(luck.getrandbits(32))):
        world = moment.state
    demand(game.outcome(world) is not None, f"the world that watcher {watcher} imagines has no outcome")


@law
def the_same_chance_imagines_the_same_world(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    view = game.view(position.state, luck.choice(position.deal.watchers))
    chance = draw_dice(luck)
    first, again = (game.codec.pack_state(game.imagine(view, chance)) for _ in range(2))
    demand(first == again, "the same dice imagine two worlds: chance comes from somewhere else")


@law
def a_simultaneous_choice_shows_only_that_it_was_made(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    pending = game.pending(position.state)
    for mover in pending if len(pending) > 1 else ():
        others = [watcher for watcher in position.deal.watchers if watcher != mover]
        seen = set()
        for move in pick_some(game.moves(game.view(position.state, mover))):
            step = game.apply(position.state, mover, move)
            addressed = [game.codec.encode_plain(fact.fact) for fact in step.facts if fact.to != mover]
            views = [_view_bytes(game, step.state, watcher) for watcher in others]
            seen.add(msgspec.msgpack.encode([addressed, views]))
        demand(len(seen) == 1, f"others see what seat {mover} has chosen before everybody has")


@law
def facts_are_addressed_to_seats_of_the_table(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    for step in position.steps:
        wrong = [addressed for addressed in step.facts if addressed.to not in position.deal.watchers]
        demand(not wrong, f"addressed to nobody at a table of {seats}: {wrong}")
