"""A round of No Thanks! from its deal to its scores."""

from typing import NamedTuple

from msgspec.structs import replace

from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks.cards import CARDS, DECK_SIZE, chips_each, playable
from scoville_shared.games.no_thanks.facts import Fact, RoundBegan, RoundScored, TurnedUp
from scoville_shared.games.no_thanks.options import Options
from scoville_shared.games.no_thanks.state import Secret, State
from scoville_shared.games.no_thanks.view import Board
from scoville_shared.ids import Seat


class Score(NamedTuple):
    """A finished round, by seat: what the cards count, that less the chips, and the sum of all rounds."""

    points: tuple[int, ...]
    scores: tuple[int, ...]
    totals: tuple[int, ...]


def first_round(options: Options, seats: int, dice: Dice) -> State:
    """Begin the game."""
    return deal(options, dice, number=1, rounds=(), totals=(0,) * seats)


def deal(
    options: Options, dice: Dice, number: int, rounds: tuple[tuple[int, ...], ...], totals: tuple[int, ...]
) -> State:
    """Lay out a round: 24 of the 33 cards (B15), and a starter by lot (B6), who turns the first card."""
    seats = len(totals)
    card, *deck = dice.stream(f"no_thanks/round/{number}/deck").shuffled(playable(options))[:DECK_SIZE]
    starter = Seat(dice.stream(f"no_thanks/round/{number}/starter").below(seats))
    chips = (chips_each(options, seats),) * seats
    board = Board(
        options=options,
        round=number,
        card=card,
        pot=0,
        left=len(deck),
        mover=starter,
        cards=((),) * seats,
        chips=chips if options.open_chips else None,
        rounds=rounds,
        totals=totals,
        removed=(),
        over=False,
    )
    removed = tuple(sorted(set(CARDS) - {card, *deck}))
    return State(board, Secret(dice, tuple(deck), removed), chips)


def finish(state: State) -> tuple[State, list[Fact]]:
    """The last card is taken: score at once (B8), then end the game or deal the next round (B13)."""
    board = state.board
    score = _scored(state)
    removed = state.secret.removed if board.options.show_removed else ()
    told = RoundScored(board.round, score.points, state.chips, score.scores, score.totals, removed)
    rounds = (*board.rounds, score.scores)
    if board.round == board.options.rounds:
        done = replace(
            board, card=None, pot=0, chips=state.chips, rounds=rounds, totals=score.totals, removed=removed, over=True
        )
        return State(done, state.secret, state.chips), [told]
    following = deal(board.options, state.secret.dice, board.round + 1, rounds, score.totals)
    return following, [told, *_opening(following.board)]


def _scored(state: State) -> Score:
    points = state.board.points
    scores = tuple(cards - chips for cards, chips in zip(points, state.chips, strict=True))
    totals = tuple(total + score for total, score in zip(state.board.totals, scores, strict=True))
    return Score(points, scores, totals)


def _opening(board: Board) -> list[Fact]:
    return [RoundBegan(board.round, board.mover), TurnedUp(board.mover, board.card_up, board.left)]
