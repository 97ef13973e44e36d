"""Last Stick as one object of the game contract."""

from collections.abc import Sequence

from last_stick.text import LastStickText
from last_stick.values import (
    MOST_STICKS,
    MOST_TAKEN,
    AnyFact,
    Ending,
    Fact,
    Heap,
    Options,
    Reason,
    Showed,
    State,
    Take,
    Took,
    View,
)
from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Addressed, Game, Info, Outcome, Refusal, Step, rank_places
from scoville_shared.engine.dice import Dice
from scoville_shared.ids import Seat

BONUSES = range(10)
PRIZE = 10


class LastStick(Game[Options, State, Take, View, Fact]):
    """Take one to three sticks, and be the one who takes the last."""

    info = Info(
        slug="last_stick",
        title="Last Stick",
        seats=(2, 4),
        official=(2, 4),
        rules_version=1,
        max_moves=MOST_STICKS,
        api_version=1,
    )
    codec: Codec[Options, State, Take, View, Fact] = Codec(
        options=Options, state=State, moves=(Take,), view=View, fact=AnyFact
    )
    text = LastStickText()

    def setup(self, options: Options, seats: int, dice: Dice) -> State:
        """Deal a bonus to each and draw who begins."""
        bonuses = dice.open_stream("last_stick/bonuses").shuffle_cards(BONUSES)[:seats]
        starter = Seat(dice.open_stream("last_stick/starter").draw_below(seats))
        return State(Heap(options.sticks, starter, seats), tuple(bonuses))

    def pending(self, state: State) -> frozenset[Seat]:
        """Name the seat whose turn it is."""
        return frozenset({state.heap.mover}) if state.heap.sticks else frozenset()

    def check(self, state: State, seat: Seat, move: Take) -> Refusal | None:
        """Judge a move: in turn, one to three sticks, and no more than there are."""
        heap = state.heap
        if not heap.sticks:
            return Refusal(Reason.GAME_OVER)
        if seat != heap.mover:
            return Refusal(Reason.NOT_YOUR_TURN, {"mover": heap.mover})
        most = min(MOST_TAKEN, heap.sticks)
        return None if 1 <= move.sticks <= most else Refusal(Reason.NOT_SO_MANY, {"most": most})

    def apply(self, state: State, seat: Seat, move: Take) -> Step[State, Fact]:
        """Take the sticks; with the last one everybody shows their bonus."""
        heap = state.heap
        left = heap.sticks - move.sticks
        after = Heap(left, Seat((seat + 1) % heap.seats) if left else seat, heap.seats)
        addressed = [Addressed[Fact](None, Took(seat, move.sticks, left))]
        if not left:
            addressed.append(Addressed(None, Showed(state.bonuses)))
        return Step(State(after, state.bonuses), addressed)

    def outcome(self, state: State) -> Outcome | None:
        """Add the prize to the bonus of the player who took the last stick; most points win."""
        if state.heap.sticks:
            return None
        scores = tuple(bonus + PRIZE * (seat == state.heap.mover) for seat, bonus in enumerate(state.bonuses))
        return Outcome(scores, rank_places(scores), Ending.HEAP_GONE)

    def view(self, state: State, seat: Seat | None) -> View:
        """Show the heap and the own bonus, all of them at the end."""
        own = None if seat is None else state.bonuses[seat]
        return View(state.heap, seat, own, () if state.heap.sticks else state.bonuses)

    def moves(self, view: View) -> Sequence[Take]:
        """Offer what can be taken, to whom it is up to."""
        heap = view.heap
        return [Take(count) for count in range(1, min(MOST_TAKEN, heap.sticks) + 1)] if view.seat == heap.mover else []

    def fallback(self, view: View) -> Take:
        """Take one."""
        return Take(1)

    def imagine(self, view: View, dice: Dice) -> State:
        """Deal the others any bonuses that are not the viewer's."""
        others = iter(
            dice.open_stream("last_stick/imagine").shuffle_cards(bonus for bonus in BONUSES if bonus != view.bonus)
        )
        seats = range(view.heap.seats)
        invented = tuple(view.bonus if seat == view.seat and view.bonus is not None else next(others) for seat in seats)
        return State(view.heap, view.shown or invented)


GAME = LastStick()
