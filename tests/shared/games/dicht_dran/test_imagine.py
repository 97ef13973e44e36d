"""States imagined from a View: each could be the true one, under all options."""

from random import Random

import pytest
from msgspec.structs import replace

from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.game import imagine_won, take_backs_left
from scoville_shared.games.dicht_dran.state import TAKE_BACK, Options, Play
from tests.shared.games.dicht_dran.tables import ANNA, PAUL, all_cards, lay_out
from tests.support.games import Deal, walk_table

CHANCE = Dice(b"i" * 32)
TABLES = [
    Options(cycles=1),
    Options(cycles=2, open_won=True, take_back=True),
    Options(cycles=1, open_won=True, peppers=(1, 2, 3, 3) * 25),
]


def views(options, seats):
    """Yield each state of a random game with all Views of it."""
    deal = Deal(GAME, options, seats, Dice(bytes([seats]) * 32))
    for moment in walk_table(deal, deal.setup(), Random(seats)):
        for watcher in deal.watchers:
            yield moment.state, GAME.view(moment.state, watcher)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("options", TABLES, ids=["as usual", "peppers open", "a host's peppers"])
def test_an_imagined_world_holds_a_hundred_cards(options, seats):
    for state, view in views(options, seats):
        world = GAME.imagine(view, CHANCE)
        assert GAME.view(world, view.seat) == view
        assert all_cards(world) == all_cards(state)
        assert all(list(hand) == sorted(hand) for hand in world.secret.hands)
        assert world.secret.dice == CHANCE
        for seat in range(seats):
            assert (world.picks[seat] is not None) == world.chosen[seat]
            assert world.picks[seat] in (None, *world.secret.hands[seat])


def worlds(view, count=60):
    return [GAME.imagine(view, Dice(bytes([number]) * 32)) for number in range(count)]


def test_hidden_hands_and_choices_are_drawn_by_lot():
    state = play_move(GAME, lay_out([(63, 8), (32, 50)]), PAUL, Play(50)).state
    invented = worlds(GAME.view(state, ANNA))
    assert len({world.secret.hands[PAUL] for world in invented}) > 50
    assert len({world.secret.pile for world in invented}) == 60
    assert {world.secret.hands[PAUL].index(world.picks[PAUL]) for world in invented} == {0, 1}
    assert {world.secret.hands[ANNA] for world in invented} == {(8, 63)}


def test_a_won_1_or_100_lies_with_any_winner():
    state = lay_out([(63,), (32,), (50,)], circle=(5, 67, 38, 7, 12, 80), won=((20,), (1, 100, 21), (22, 23, 24)))
    held = {tuple((1 in pile, 100 in pile) for pile in world.secret.won) for world in worlds(GAME.view(state, None))}
    assert ((False, False), (True, True), (False, False)) in held
    assert ((False, False), (False, False), (True, True)) in held
    assert ((False, True), (True, False), (False, False)) in held
    assert {sum(rims, start=()).count(True) for rims in held} == {2}


def test_a_taken_back_card_is_known_to_its_seat():
    state = lay_out([(63, 8), (32, 50)], take_back=True)
    for seat in (ANNA, PAUL):
        state = play_move(
            GAME, play_move(GAME, state, seat, Play(state.secret.hands[seat][0])).state, seat, TAKE_BACK
        ).state
    world = GAME.imagine(GAME.view(state, ANNA), CHANCE)
    assert world.taken_back == (1, 0)
    assert take_backs_left(world.board.options, world.taken_back[ANNA]) == 8


def test_a_choice_that_is_final_counts_as_never_taken_back():
    world = GAME.imagine(GAME.view(lay_out([(63, 8), (32, 50)]), ANNA), CHANCE)
    assert world.taken_back == (0, 0)


def test_the_same_chance_deals_the_world_that_its_name_draws():
    view = GAME.view(lay_out([(63, 8), (32, 50)]), ANNA)
    order = CHANCE.open_stream("dicht_dran/imagine").shuffle_cards(
        card for card in range(2, 100) if card not in {67, 38, 12, 80, 63, 8}
    )
    assert set(GAME.imagine(view, CHANCE).secret.hands[PAUL]) == set(order[:2])


@pytest.mark.parametrize("number", range(60))
def test_open_peppers_constrain_imagined_choices(number):
    """The unseen cards are no more than what the others won, so that every card has to go to its place."""
    luck = Random(number)
    cards = luck.sample(range(2, 100), 9)
    cuts = sorted(luck.sample(range(10), 3))
    piles = (cards[: cuts[0]], cards[cuts[0] : cuts[1]], cards[cuts[1] : cuts[2]])
    unseen = cards[: cuts[2]]
    view = with_open_peppers([len(pile) for pile in piles], [sum(map(peppers, pile)) for pile in piles])
    invented = imagine_won(view, luck.sample(unseen, len(unseen)), (), CHANCE.open_stream("here"))
    assert [len(pile) for pile in invented] == [len(pile) for pile in piles]
    assert [sum(map(peppers, pile)) for pile in invented] == [sum(map(peppers, pile)) for pile in piles]
    assert sorted(card for pile in invented for card in pile) == sorted(unseen)


def test_peppers_of_a_won_rim_card_count_with_the_others():
    """The 1 has three peppers, the 100 three: a seat that has won a single card with two has won neither."""
    view = with_open_peppers([1, 2, 1], [2, 6, 2])
    assert imagine_won(view, (3, 6), (1, 100), CHANCE.open_stream("here"))[1] == (1, 100)


def test_a_view_that_no_world_fits_is_a_fault():
    view = with_open_peppers([1, 0, 0], [3, 0, 0])
    with pytest.raises(AssertionError):
        imagine_won(view, (2, 3), (), CHANCE.open_stream("here"))


def peppers(card):
    return 1 + (card + 1) % 3


def with_open_peppers(won, counted):
    """A spectator's View of a table whose three players have won cards with these peppers."""
    view = GAME.view(lay_out([(63,), (32,), (50,)], open_won=True), None)
    return replace(view, board=replace(view.board, won=tuple(won), won_peppers=tuple(counted)))
