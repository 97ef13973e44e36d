"""States imagined from a View: any deck of unseen cards, any split of unseen chips."""

from random import Random

import pytest

from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import CARDS, Options, list_playable
from tests.shared.games.no_thanks.tables import LISA, PETER, SABRINA, lay_out
from tests.support.games import Deal, walk_table

CHANCE = Dice(b"i" * 32)
TABLES = [Options(), Options(open_chips=True), Options(rounds=2, show_removed=True), Options(tactical=True)]


@pytest.mark.parametrize("options", TABLES, ids=["as usual", "open chips", "two rounds", "tactical"])
@pytest.mark.parametrize("seats", [3, 5, 7])
def test_an_imagined_world_keeps_cards_and_chips(options, seats):
    deal = Deal(GAME, options, seats, Dice(bytes([seats]) * 32))
    for moment in walk_table(deal, deal.setup(), Random(seats)):
        state = moment.state
        for watcher in deal.watchers:
            world = GAME.imagine(GAME.view(state, watcher), CHANCE)
            assert GAME.view(world, watcher) == GAME.view(state, watcher)
            assert sum(world.chips) == sum(state.chips)
            assert set(world.secret.deck) <= set(list_playable(options))
            taken = [card for cards in world.board.cards for card in cards]
            lying = [] if world.board.card is None else [world.board.card]
            assert sorted([*taken, *lying, *world.secret.deck, *world.secret.removed]) == list(CARDS)
            assert list(world.secret.removed) == sorted(world.secret.removed)
            assert world.secret.dice == CHANCE
            if options.open_chips:
                assert world.chips == state.chips


def test_b4_hidden_chips_are_split_by_lot_among_the_others():
    state = lay_out([11, 16], chips=(3, 20, 8), pot=2)
    worlds = [GAME.imagine(GAME.view(state, LISA), Dice(bytes([number]) * 32)) for number in range(80)]
    assert {world.chips[LISA] for world in worlds} == {8}
    assert {sum(world.chips) for world in worlds} == {31}
    assert len({world.chips[PETER] for world in worlds}) > 8
    assert abs(sum(world.chips[PETER] - world.chips[SABRINA] for world in worlds)) < 80


def test_b4_others_may_have_no_chip_at_all():
    view = GAME.view(lay_out([11, 16], chips=(1, 0, 20), pot=12), LISA)
    worlds = [GAME.imagine(view, Dice(bytes([number]) * 32)) for number in range(20)]
    assert {world.chips for world in worlds} == {(1, 0, 20), (0, 1, 20)}


def test_a_spectator_knows_nobodys_chips():
    worlds = [GAME.imagine(GAME.view(lay_out([11, 16]), None), Dice(bytes([number]) * 32)) for number in range(80)]
    assert all(len({world.chips[seat] for world in worlds}) > 8 for seat in (PETER, SABRINA, LISA))


def test_deck_and_chips_have_their_own_labels():
    view = GAME.view(lay_out([11, 16, 30], chips=(11, 11, 11)), PETER)
    world = GAME.imagine(view, CHANCE)
    unseen = [card for card in CARDS if card != 11]
    assert world.secret.deck == tuple(CHANCE.open_stream("no_thanks/imagine/deck").shuffle_cards(unseen)[:2])
    drawn = CHANCE.open_stream("no_thanks/imagine/chips")
    lisas = sum(drawn.draw_below(2) for _ in range(22))
    assert world.chips == (11, 22 - lisas, lisas)
