"""Worlds that a View could come from: the unseen cards dealt to the other hands and the deck."""

from itertools import islice

from scoville_shared.engine.dice import Dice
from scoville_shared.games.chilli_chase.cards import DECK
from scoville_shared.games.chilli_chase.state import Secret, State
from scoville_shared.games.chilli_chase.view import View


def imagine(view: View, dice: Dice) -> State:
    """Deal the cards that are neither in the Hot Pile nor in the viewer's hand, every deal equally likely."""
    unseen = list(DECK)
    for card in (*view.board.hot, *view.hand):
        unseen.remove(card)
    hidden = iter(dice.stream("chilli_chase/imagine").shuffled(unseen))
    hands = tuple(
        view.hand if seat == view.seat else tuple(sorted(islice(hidden, size)))
        for seat, size in enumerate(view.board.hands)
    )
    deck = tuple(hidden)
    assert len(deck) == view.board.deck, "a View accounts for all 36 cards"
    return State(view.board, Secret(dice, hands, deck))
