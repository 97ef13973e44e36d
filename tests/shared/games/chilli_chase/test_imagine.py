"""States imagined from a View: unseen cards in other hands and in the deck."""

from random import Random

import pytest

from scoville_shared.engine.dice import Dice
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import DECK, Options
from tests.shared.games.chilli_chase.tables import A, B, C, lay_out
from tests.support.games import Deal, walk_table

CHANCE = Dice(b"i" * 32)


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_an_invented_world_looks_the_same_and_holds_36_cards(seats):
    deal = Deal(GAME, Options(turn_limit=60), seats, Dice(bytes([seats]) * 32))
    for moment in walk_table(deal, deal.setup(), Random(seats)):
        for watcher in deal.watchers:
            view = GAME.view(moment.state, watcher)
            world = GAME.imagine(view, CHANCE)
            assert GAME.view(world, watcher) == view
            cards = [*world.board.hot, *world.secret.deck, *(card for hand in world.secret.hands for card in hand)]
            assert sorted(cards) == sorted(DECK)
            assert all(list(hand) == sorted(hand) for hand in world.secret.hands)
            assert world.secret.dice == CHANCE


def test_c24_hidden_hands_are_drawn_from_unseen_cards():
    view = GAME.view(lay_out(14, (1, 1, 1), (2, 2, 2), (3, 3, 3), hot=(6,)), A)
    worlds = [GAME.imagine(view, Dice(bytes([number]) * 32)) for number in range(60)]
    assert {world.secret.hands[A] for world in worlds} == {(1, 1, 1)}
    assert len({world.secret.hands[B] for world in worlds}) > 20
    assert len({world.secret.deck for world in worlds}) == 60


def test_they_are_drawn_from_their_own_label():
    view = GAME.view(lay_out(14, (1, 1, 1), (2, 2, 2), (3, 3, 3), hot=(6,)), A)
    unseen = list(DECK)
    for card in (6, 1, 1, 1):
        unseen.remove(card)
    drawn = CHANCE.open_stream("chilli_chase/imagine").shuffle_cards(unseen)
    world = GAME.imagine(view, CHANCE)
    assert world.secret.hands[B] == tuple(sorted(drawn[:3]))
    assert world.secret.hands[C] == tuple(sorted(drawn[3:6]))
    assert world.secret.deck == tuple(drawn[6:])
