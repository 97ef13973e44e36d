"""Rules of No Thanks!: take the card, or pay a chip to leave it to your neighbour; fewest points win.

The numbers in brackets are those of the rulings in docs/rules.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Addressed, DailyPlan, Game, Info, Outcome, Refusal, Step, rank_places
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import NOBODY, ONLY
from scoville_shared.engine.tuples import with_item
from scoville_shared.games.no_thanks.facts import AnyFact, Fact, Passed, RoundBegan, RoundScored, Took, TurnedUp
from scoville_shared.games.no_thanks.runs import card_points, run_of
from scoville_shared.games.no_thanks.state import (
    CARDS,
    DECK_SIZE,
    FEWEST_SEATS,
    MOST_ROUNDS,
    MOST_SEATS,
    PASS,
    TACTICAL_CHIPS,
    TAKE,
    Action,
    Board,
    Ending,
    Move,
    Options,
    Reason,
    Secret,
    State,
    View,
    chips_each,
    list_playable,
)
from scoville_shared.games.no_thanks.text import NoThanksText
from scoville_shared.ids import Seat

MOST_DECISIONS = MOST_ROUNDS * DECK_SIZE * (MOST_SEATS * TACTICAL_CHIPS + 1)
"""Every chip can be paid for a card once; then a player has to take it."""


class NoThanks(Game[Options, State, Move, View, Fact]):
    """No Thanks! as an object of the game contract."""

    info = Info(
        slug="no_thanks",
        title="No Thanks!",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(FEWEST_SEATS, MOST_SEATS),
        rules_version=1,
        max_moves=MOST_DECISIONS,
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Move,), view=View, fact=AnyFact
    )
    text = NoThanksText()
    daily_plans = (
        DailyPlan(levels=("easy",) * 2),
        DailyPlan(levels=("casual",) * 2),
        DailyPlan(levels=("casual", "casual", "sensible"), options={"open_chips": True}),
        DailyPlan(levels=("sensible",) * 3),
        DailyPlan(levels=("sensible",) * 4),
        DailyPlan(levels=("sensible", "sensible", "sensible", "strong")),
        DailyPlan(levels=("strong", "sensible", "strong", "sensible", "strong"), options={"tactical": True}),
    )

    def setup(self, options: Options, seats: int, dice: Dice) -> State:
        return _deal_round(options, dice, number=1, rounds=(), totals=(0,) * seats)

    def pending(self, state: State) -> frozenset[Seat]:
        """Return the seat that has to decide on the card."""
        return NOBODY if state.board.over else ONLY[state.board.mover]

    def check(self, state: State, seat: Seat, move: Move) -> Refusal | None:
        """Check that it is the seat's turn, and that it has a chip to pay for a pass (B2)."""
        board = state.board
        if board.over:
            return Refusal(Reason.GAME_OVER)
        if seat != board.mover:
            return Refusal(Reason.NOT_YOUR_TURN, {"mover": board.mover})
        if move.action is Action.PASS and not state.chips[seat]:
            return Refusal(Reason.NO_CHIPS, {"card": board.card_up})
        return None

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State, Fact]:
        """Pay a chip, or take the card; all of it is public."""
        return _pay_chip(state, seat) if move.action is Action.PASS else _take_card(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        """Rank the totals of all rounds: fewest points win, ties share (B11)."""
        if not state.board.over:
            return None
        totals = state.board.totals
        return Outcome(scores=totals, places=rank_places([-total for total in totals]), reason=Ending.ROUNDS_PLAYED)

    def round(self, state: State) -> tuple[int, ...]:
        """Number the round, and the card within it, so that late spectators see what became of each card."""
        return (state.board.round, DECK_SIZE - state.board.left)

    def view(self, state: State, seat: Seat | None) -> View:
        """Show the board and the seat's own chips (B4, B5, B9); to a spectator the board alone."""
        return View(board=state.board, seat=seat, chips=None if seat is None else state.chips[seat])

    def moves(self, view: View) -> Sequence[Move]:
        """Offer to take, and with a chip in hand to pass (B2)."""
        if view.board.over or view.seat != view.board.mover:
            return ()
        return (TAKE, PASS) if view.chips else (TAKE,)

    def fallback(self, view: View) -> Move:
        """Take a card that costs nothing or cannot be declined; else pass."""
        taking = view.board.weigh_taking(view.board.mover)
        costs = taking is not None and taking.change > 0
        return PASS if costs and view.chips else TAKE

    def imagine(self, view: View, dice: Dice) -> State:
        """Invent the deck, the removed cards and the chips in other hands; every deck is equally likely."""
        board = view.board
        seen = {card for cards in board.cards for card in cards} | {board.card}
        unseen = [card for card in list_playable(board.options) if card not in seen]
        deck = tuple(dice.open_stream("no_thanks/imagine/deck").shuffle_cards(unseen)[: board.left])
        removed = tuple(card for card in CARDS if card not in seen and card not in deck)
        chips = _imagine_chips(view, dice) if board.chips is None else board.chips
        return State(board, Secret(dice, deck, removed), chips)


def _deal_round(
    options: Options, dice: Dice, number: int, rounds: tuple[tuple[int, ...], ...], totals: tuple[int, ...]
) -> State:
    """Deal a round: 24 of the 33 cards (B15), and a starter by lot (B6), who turns the first card."""
    seats = len(totals)
    # Cut after the shuffle: which cards are out is as random as their order, and follows from the same seed.
    card, *deck = dice.open_stream(f"no_thanks/round/{number}/deck").shuffle_cards(list_playable(options))[:DECK_SIZE]
    starter = Seat(dice.open_stream(f"no_thanks/round/{number}/starter").draw_below(seats))
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
    # Of all 33 cards: the three that the tactical game leaves out are removed like the others (B16).
    removed = tuple(sorted(set(CARDS) - {card, *deck}))
    return State(board, Secret(dice, tuple(deck), removed), chips)


def _pay_chip(state: State, seat: Seat) -> Step[State, Fact]:
    """Pay a chip; the left-hand neighbour faces the same decision."""
    board = state.board
    chips = with_item(state.chips, seat, state.chips[seat] - 1)
    after = replace(
        board,
        pot=board.pot + 1,
        mover=Seat((seat + 1) % len(chips)),
        # None: hidden chips (B4) are no public knowledge, though a careful watcher can count them.
        chips=chips if board.options.open_chips else None,
    )
    paid: Fact = Passed(seat, board.card_up, after.pot)
    return Step(State(after, state.secret, chips), (Addressed(None, paid),))


def _take_card(state: State, seat: Seat) -> Step[State, Fact]:
    """Take the card and its chips, then turn up the next card; the last card ends the round at once (B8)."""
    board, card = state.board, state.board.card_up
    mine = tuple(sorted((*board.cards[seat], card)))
    taken = State(
        replace(board, cards=with_item(board.cards, seat, mine)),
        state.secret,
        # Those of the last card count as well (B8).
        with_item(state.chips, seat, state.chips[seat] + board.pot),
    )
    took: Fact = Took(seat, card, board.pot, run_of(card, mine), card_points(mine))
    after, further = _turn_up(taken, seat) if board.left else _finish_round(taken)
    return Step(after, [Addressed(None, fact) for fact in (took, *further)])


def _turn_up(state: State, seat: Seat) -> tuple[State, list[Fact]]:
    """Turn the next card; the taker faces it first (B7)."""
    secret = state.secret
    card, *deck = secret.deck
    board = replace(
        state.board,
        card=card,
        pot=0,
        left=len(deck),
        chips=state.chips if state.board.options.open_chips else None,
    )
    after = State(board, Secret(secret.dice, tuple(deck), secret.removed), state.chips)
    return after, [TurnedUp(seat, card, len(deck))]


def _finish_round(state: State) -> tuple[State, list[Fact]]:
    """Score the round (B8), then end the game or deal the next round (B13)."""
    board = state.board
    points = board.points
    scores = tuple(cards - chips for cards, chips in zip(points, state.chips, strict=True))
    totals = tuple(total + score for total, score in zip(board.totals, scores, strict=True))
    removed = state.secret.removed if board.options.show_removed else ()
    scored = RoundScored(board.round, points, state.chips, scores, totals, removed)
    rounds = (*board.rounds, scores)
    if board.round == board.options.rounds:
        done = replace(
            board, card=None, pot=0, chips=state.chips, rounds=rounds, totals=totals, removed=removed, over=True
        )
        return State(done, state.secret, state.chips), [scored]
    following = _deal_round(board.options, state.secret.dice, board.round + 1, rounds, totals)
    after = following.board
    return following, [scored, RoundBegan(after.round, after.mover), TurnedUp(after.mover, after.card_up, after.left)]


def _imagine_chips(view: View, dice: Dice) -> tuple[int, ...]:
    """Hand out the chips that are neither in the pot nor the viewer's, one by one, by lot."""
    seats = len(view.board.cards)
    chips = [0] * seats
    if view.seat is not None and view.chips is not None:
        chips[view.seat] = view.chips
    others = [seat for seat in map(Seat, range(seats)) if seat != view.seat]
    chance = dice.open_stream("no_thanks/imagine/chips")
    for _ in range(chips_each(view.board.options, seats) * seats - view.board.pot - sum(chips)):
        chips[others[chance.draw_below(len(others))]] += 1
    return tuple(chips)


GAME = NoThanks()
