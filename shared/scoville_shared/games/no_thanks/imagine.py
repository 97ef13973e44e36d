"""Worlds that a View could come from: any deck of the unseen cards, any split of the hidden chips."""

from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks.cards import CARDS, chips_each, playable
from scoville_shared.games.no_thanks.state import Secret, State
from scoville_shared.games.no_thanks.view import View
from scoville_shared.ids import Seat


def imagine(view: View, dice: Dice) -> State:
    """Invent the deck, the removed cards and the chips in other hands; every deck is equally likely."""
    board = view.board
    seen = {card for cards in board.cards for card in cards} | {board.card}
    unseen = [card for card in playable(board.options) if card not in seen]
    deck = tuple(dice.stream("no_thanks/imagine/deck").shuffled(unseen)[: board.left])
    removed = tuple(card for card in CARDS if card not in seen and card not in deck)
    chips = _hidden_chips(view, dice) if board.chips is None else board.chips
    return State(board, Secret(dice, deck, removed), chips)


def _hidden_chips(view: View, dice: Dice) -> tuple[int, ...]:
    """Hand out the chips that are neither in the pot nor the viewer's, one by one, by lot."""
    seats = len(view.board.cards)
    chips = [0] * seats
    if view.seat is not None and view.chips is not None:
        chips[view.seat] = view.chips
    others = [seat for seat in map(Seat, range(seats)) if seat != view.seat]
    chance = dice.stream("no_thanks/imagine/chips")
    for _ in range(chips_each(view.board.options, seats) * seats - view.board.pot - sum(chips)):
        chips[others[chance.below(len(others))]] += 1
    return tuple(chips)
