"""Rules of Chilli Chase: combine a card with the running total of the Hot Pile, and hit your Chilli Score.

The numbers in brackets are those of the rulings in docs/rules.
"""

from collections.abc import Sequence
from itertools import islice

from msgspec.structs import replace

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Addressed, DailyPlan, Game, Info, Outcome, Refusal, Step, rank_places
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.engine.play import NOBODY, ONLY
from scoville_shared.engine.tuples import with_item, without_item
from scoville_shared.games.chilli_chase.arithmetic import Reach, list_choices, result_of
from scoville_shared.games.chilli_chase.facts import (
    AnyFact,
    Drew,
    DrewCard,
    Fact,
    Played,
    PointScored,
    Recycled,
    ScoreChanged,
    ScoreKept,
    ScoreOffered,
)
from scoville_shared.games.chilli_chase.scores import Scores, check_score
from scoville_shared.games.chilli_chase.state import (
    DECK,
    DIE,
    FEWEST_SEATS,
    HAND_SIZE,
    KEEP,
    MOST_SEATS,
    MOST_TURNS,
    Board,
    Ending,
    Keep,
    Move,
    NewScore,
    Options,
    Play,
    Reason,
    Secret,
    State,
    View,
)
from scoville_shared.games.chilli_chase.text import ChilliChaseText
from scoville_shared.ids import Seat

MOST_CHOICES = 2 * MOST_TURNS
"""A turn is a card, and sometimes a Chilli Score."""


class ChilliChase(Game[Options, State, Move, View, Fact]):
    """Chilli Chase as an object of the game contract."""

    info = Info(
        slug="chilli_chase",
        title="Chilli Chase",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(FEWEST_SEATS, MOST_SEATS),
        rules_version=1,
        max_moves=MOST_CHOICES,
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Play, NewScore, Keep), view=View, fact=AnyFact
    )
    text = ChilliChaseText()
    daily_plans = (
        DailyPlan(levels=("easy",) * 2, options={"turn_limit": 60}),
        DailyPlan(levels=("casual",) * 2, options={"turn_limit": 60}),
        DailyPlan(levels=("casual", "casual", "sensible"), options={"turn_limit": 80}),
        DailyPlan(levels=("sensible",) * 3, options={"turn_limit": 80}),
        DailyPlan(levels=("sensible",) * 4, options={"turn_limit": 100}),
        DailyPlan(levels=("sensible", "sensible", "sensible", "strong"), options={"turn_limit": 100}),
        DailyPlan(
            levels=("strong", "sensible", "strong", "sensible", "strong"),
            options={"extended": True, "zero": True, "turn_limit": 120},
        ),
    )

    def setup(self, options: Options, seats: int, dice: Dice) -> State:
        """Deal a first game; its dealer is drawn by lot (C4)."""
        return self.deal(options, seats, dice, None)

    def deal(self, options: Options, seats: int, dice: Dice, dealer: Seat | None) -> State:
        """Deal three cards each and the opening card, and roll the Chilli Scores (C3, C5)."""
        if dealer is None:
            dealer = Seat(dice.open_stream("chilli_chase/dealer").draw_below(seats))
        order = [Seat((dealer + place) % seats) for place in range(1, seats + 1)]
        cards = dice.open_stream("chilli_chase/deck").shuffle_cards(DECK)
        dealt = {seat: cards[HAND_SIZE * place : HAND_SIZE * (place + 1)] for place, seat in enumerate(order)}
        # It lies there before anybody plays: as a Chilli Score it gives no point (C5).
        opening, *deck = cards[HAND_SIZE * seats :]
        rolls = dict(zip(order, roll_scores(dice.open_stream("chilli_chase/dice"), seats), strict=True))
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

    def next_dealer(self, state: State) -> Seat:
        return Seat((state.board.dealer + 1) % len(state.board.hands))

    def pending(self, state: State) -> frozenset[Seat]:
        return NOBODY if state.board.over else ONLY[state.board.mover]

    def check(self, state: State, seat: Seat, move: Move) -> Refusal | None:
        """Check that it is the seat's turn, and that it plays a card or, when one is offered, takes a Chilli Score."""
        board = state.board
        if board.over:
            return Refusal(Reason.GAME_OVER)
        if seat != board.mover:
            return Refusal(Reason.NOT_YOUR_TURN, {"mover": board.mover})
        if isinstance(move, Play):
            return _check_play(state, seat, move)
        if not board.choosing:
            return Refusal(Reason.NO_SCORE_OFFERED)
        return check_score(board, move.score) if isinstance(move, NewScore) else None

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State, Fact]:
        """Play a card, or change or keep the mover's Chilli Score after it, in the order of ruling C19."""
        return _play_card(state, seat, move) if isinstance(move, Play) else _choose_score(state, seat, move)

    def outcome(self, state: State) -> Outcome | None:
        """Rank the points: most win, ties share; by the turn limit if nobody has reached the target (C26)."""
        board = state.board
        if not board.over:
            return None
        reason = Ending.TARGET_REACHED if max(board.points) == board.options.points else Ending.TURN_LIMIT
        return Outcome(scores=board.points, places=rank_places(board.points), reason=reason)

    def round(self, state: State) -> tuple[int, ...]:
        """Count how often the turn has gone once around the table, from 0."""
        return ((state.board.turn - 1) // len(state.board.points),)

    def view(self, state: State, seat: Seat | None) -> View:
        """Show the board and the seat's own hand (C24); to a spectator the board alone."""
        return View(board=state.board, seat=seat, hand=() if seat is None else state.secret.hands[seat])

    def moves(self, view: View) -> Sequence[Move]:
        """List the plays of every card in hand; or, when a change is offered, every Chilli Score there is (C18)."""
        board = view.board
        if board.over or view.seat != board.mover:
            return ()
        # Two million at most (C18): a sequence that makes each as it is asked for.
        if board.choosing:
            return Scores(board)
        return [play for _, way in list_choices(view) for play in way.plays]

    def fallback(self, view: View) -> Move:
        """Hit the own Chilli Score, else help nobody to a point and stay close to the own; keep an offered one."""
        board, seat = view.board, view.board.mover
        if board.choosing:
            return KEEP
        mine = board.scores[seat]

        def merit(choice: tuple[int, Reach]) -> tuple[bool, int]:
            total = choice[1].total
            return total != mine and total in board.scores, abs(total - mine)

        return min(list_choices(view), key=merit)[1].plays[0]

    def imagine(self, view: View, dice: Dice) -> State:
        """Deal the cards that are neither in the Hot Pile nor in the viewer's hand, every deal equally likely."""
        # A View remembers nothing: after the Hot Pile was turned over (C22), who has watched it knows more than this.
        unseen = list(DECK)
        for card in (*view.board.hot, *view.hand):
            unseen.remove(card)
        hidden = iter(dice.open_stream("chilli_chase/imagine").shuffle_cards(unseen))
        hands = tuple(
            view.hand if seat == view.seat else tuple(sorted(islice(hidden, size)))
            for seat, size in enumerate(view.board.hands)
        )
        deck = tuple(hidden)
        assert len(deck) == view.board.deck, "a View accounts for all 36 cards"
        return State(view.board, Secret(dice, hands, deck))


def roll_scores(die: Stream, seats: int) -> list[int]:
    """Roll a Chilli Score for each player, clockwise from the dealer's left; a clash is rolled again (C3)."""
    rolls: list[int] = []
    while len(rolls) < seats:
        roll = die.draw_below(DIE) + 1
        if roll not in rolls:
            rolls.append(roll)
    return rolls


def _check_play(state: State, seat: Seat, play: Play) -> Refusal | None:
    if state.board.choosing:
        return Refusal(Reason.SCORE_OWED)
    if play.card not in state.secret.hands[seat]:
        return Refusal(Reason.CARD_NOT_HELD, {"card": play.card})
    made = result_of(play, state.board.total, state.board.options)
    return made if isinstance(made, Refusal) else None


def _play_card(state: State, seat: Seat, move: Play) -> Step[State, Fact]:
    """Play a card; the player whose Chilli Score the new total is gets a point (C16, C20)."""
    total = result_of(move, state.board.total, state.board.options)
    assert isinstance(total, int), "check has let the play pass"
    # Not compared with the total before: one that stays the same scores again (C15).
    piled = _put_on_pile(state, seat, move.card, total)
    facts = _address_to_all(Played(seat, move.card, move.op, move.left, state.board.total, total))
    scorer = piled.board.find_holder(total)
    return _end_turn(piled, seat, facts) if scorer is None else _give_point(piled, seat, scorer, facts)


def _choose_score(state: State, seat: Seat, move: NewScore | Keep) -> Step[State, Fact]:
    """Change or keep the mover's Chilli Score; then the card is drawn (C18, C19)."""
    board = state.board
    mine = board.scores[seat]
    if isinstance(move, Keep):
        after, fact = replace(board, choosing=False), ScoreKept(seat, mine)
        return _end_turn(State(after, state.secret), seat, _address_to_all(fact))
    after = replace(board, choosing=False, scores=with_item(board.scores, seat, move.score))
    return _end_turn(State(after, state.secret), seat, _address_to_all(ScoreChanged(seat, mine, move.score)))


def _put_on_pile(state: State, seat: Seat, card: int, total: int) -> State:
    board, secret = state.board, state.secret
    hand = without_item(secret.hands[seat], card)
    after = replace(board, total=total, hot=(*board.hot, card), hands=with_item(board.hands, seat, len(hand)))
    return State(after, Secret(secret.dice, with_item(secret.hands, seat, hand), secret.deck))


def _give_point(state: State, seat: Seat, scorer: Seat, facts: list[Addressed[Fact]]) -> Step[State, Fact]:
    """Give the point; the last one ends the game at once, without a change of score (C16)."""
    board = state.board
    points = board.points[scorer] + 1
    won = points == board.options.points
    # After a hit of an opponent's score the mover may take another one; after one of their own it stays (C18, C20).
    offered = not won and scorer != seat
    after = replace(board, points=with_item(board.points, scorer, points), choosing=offered, over=won)
    scored = State(after, state.secret)
    facts += _address_to_all(PointScored(scorer, seat, points))
    if won:
        return Step(scored, facts)
    if offered:
        return Step(scored, [*facts, *_address_to_all(ScoreOffered(seat))])
    return _end_turn(scored, seat, facts)


def _end_turn(state: State, seat: Seat, facts: list[Addressed[Fact]]) -> Step[State, Fact]:
    """Draw a card; the turn passes clockwise, or was the last one (C26)."""
    if not state.secret.deck:
        state = _recycle_pile(state)
        facts += _address_to_all(Recycled(len(state.secret.deck), state.board.options.shuffle))
    board, secret = state.board, state.secret
    # Never empty: at most 18 of the 36 cards are in hands, and all others were in the Hot Pile.
    card, deck = secret.deck[0], secret.deck[1:]
    hand = tuple(sorted((*secret.hands[seat], card)))
    facts += (*_address_to_all(Drew(seat, len(deck))), Addressed(seat, DrewCard(card)))
    after = _pass_turn(replace(board, deck=len(deck), hands=with_item(board.hands, seat, len(hand))))
    return Step(State(after, Secret(secret.dice, with_item(secret.hands, seat, hand), deck)), facts)


def _recycle_pile(state: State) -> State:
    """Turn the Hot Pile over but for its top card, the oldest card first (C22)."""
    board, secret = state.board, state.secret
    *pile, top = board.hot
    # Counted, since each shuffle needs a label of its own: one label always gives the same order.
    recycled = board.recycled + 1
    if board.options.shuffle:
        pile = secret.dice.open_stream(f"chilli_chase/recycle/{recycled}").shuffle_cards(pile)
    return State(replace(board, hot=(top,), recycled=recycled), Secret(secret.dice, secret.hands, tuple(pile)))


def _pass_turn(board: Board) -> Board:
    if board.turn == board.options.turn_limit:
        return replace(board, over=True)
    return replace(board, turn=board.turn + 1, mover=Seat((board.mover + 1) % len(board.points)))


def _address_to_all(fact: Fact) -> list[Addressed[Fact]]:
    return [Addressed(None, fact)]


GAME = ChilliChase()
