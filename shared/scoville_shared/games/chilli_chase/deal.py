"""How Chilli Chase begins: a dealer, three cards each, the opening card and everybody's Chilli Score."""

from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.games.chilli_chase.cards import DECK, DIE, HAND_SIZE
from scoville_shared.games.chilli_chase.options import Options
from scoville_shared.games.chilli_chase.state import Secret, State
from scoville_shared.games.chilli_chase.view import Board
from scoville_shared.ids import Seat


def lay_out(options: Options, seats: int, dice: Dice, dealer: Seat | None = None) -> State:
    """Lay out a game. The dealer is drawn by lot; a rematch names the former dealer's left neighbour (C4)."""
    if dealer is None:
        dealer = Seat(dice.stream("chilli_chase/dealer").below(seats))
    order = [Seat((dealer + place) % seats) for place in range(1, seats + 1)]
    cards = dice.stream("chilli_chase/deck").shuffled(DECK)
    dealt = {seat: cards[HAND_SIZE * place : HAND_SIZE * (place + 1)] for place, seat in enumerate(order)}
    opening, *deck = cards[HAND_SIZE * seats :]
    rolls = dict(zip(order, roll_scores(dice.stream("chilli_chase/dice"), seats), strict=True))
    board = Board(
        options=options,
        dealer=dealer,
        turn=1,
        mover=order[0],
        choosing=False,
        total=opening,
        hot=(opening,),
        deck=len(deck),
        recycled=0,
        hands=(HAND_SIZE,) * seats,
        scores=tuple(rolls[seat] for seat in sorted(order)),
        points=(0,) * seats,
        over=False,
    )
    hands = tuple(tuple(sorted(dealt[seat])) for seat in sorted(order))
    return State(board, Secret(dice, hands, tuple(deck)))


def dealer_after(state: State) -> Seat:
    """Name who deals the next game of the same players: the dealer's left neighbour (C4)."""
    return Seat((state.board.dealer + 1) % len(state.board.hands))


def roll_scores(die: Stream, seats: int) -> list[int]:
    """Roll a Chilli Score for each player, clockwise from the dealer's left; a clash is rolled again (C3)."""
    rolls: list[int] = []
    while len(rolls) < seats:
        roll = die.below(DIE) + 1
        if roll not in rolls:
            rolls.append(roll)
    return rolls
