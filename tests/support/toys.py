"""Two tiny games with hidden information, for tests that hold for every game.

High Card is simultaneous: every player plays a card, the highest wins the round. Heap is turn-based: take one to
three sticks; who takes the last one scores ten, and everybody adds a secret bonus card.
"""

from collections.abc import Iterable
from enum import StrEnum

import msgspec
from msgspec import Struct

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Addressed, AnyGame, Game, Info, Outcome, Refusal, Step, Text, rank_places
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat


class Reason(StrEnum):
    """Why the toys refuse a move, and how they end."""

    NOT_YOUR_TURN = "not_your_turn"
    CARD_NOT_HELD = "card_not_held"
    TOO_FEW_STICKS = "too_few_sticks"
    PLAYED_OUT = "played_out"


class ToyText(Text):
    """As few words as will do."""

    def describe_fact(self, fact) -> Phrase | None:
        return Phrase("{who} did something.", {"who": Who(fact.seat)})

    def describe_move(self, move) -> Phrase:
        return Phrase("move")

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        return Phrase("No: {reason}.", {"reason": refusal.reason.value})

    def describe_table(self, view) -> Iterable[Phrase]:
        return []


# --- High Card -----------------------------------------------------------------------------------------


class HighOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many cards each gets."""

    rounds: int = 3


class Lay(Struct, frozen=True):
    """Lay a card."""

    card: int


class Chosen(Struct, frozen=True, tag_field="fact", tag="chosen"):
    """A seat has laid a card, face down."""

    seat: Seat


class Noted(Struct, frozen=True, tag_field="fact", tag="noted"):
    """Which card it was, for the seat alone."""

    seat: Seat
    card: int


class RoundWon(Struct, frozen=True, tag_field="fact", tag="round_won"):
    """All cards are turned over."""

    seat: Seat
    cards: tuple[int, ...]


class HighState(Struct, frozen=True):
    """Hands, the cards laid face down, rounds won."""

    hands: tuple[tuple[int, ...], ...]
    laid: tuple[int | None, ...]
    won: tuple[int, ...]


class HighView(Struct, frozen=True):
    """A seat's own hand; of the others whether they have laid."""

    seat: Seat | None
    hand: tuple[int, ...]
    mine: int | None
    chosen: tuple[bool, ...]
    sizes: tuple[int, ...]
    won: tuple[int, ...]


class HighCard(Game[HighOptions, HighState, Lay, HighView, Chosen | Noted | RoundWon]):
    """The simultaneous toy."""

    info = Info(slug="high_card", title="High Card", seats=(2, 5), official=(2, 5), rules_version=1, max_moves=100)
    codec = Codec(options=HighOptions, state=HighState, moves=(Lay,), view=HighView, fact=Chosen | Noted | RoundWon)
    text = ToyText()

    def setup(self, options: HighOptions, seats: int, dice: Dice) -> HighState:
        deck = dice.open_stream("high_card/deck").shuffle_cards(range(1, 41))
        hands = tuple(tuple(deck[s * options.rounds : (s + 1) * options.rounds]) for s in range(seats))
        return HighState(hands, (None,) * seats, (0,) * seats)

    def pending(self, state: HighState) -> frozenset[Seat]:
        return frozenset(Seat(s) for s, hand in enumerate(state.hands) if hand and state.laid[s] is None)

    def check(self, state: HighState, seat: Seat, move: Lay) -> Refusal | None:
        if seat not in self.pending(state):
            return Refusal(Reason.NOT_YOUR_TURN)
        return None if move.card in state.hands[seat] else Refusal(Reason.CARD_NOT_HELD, {"card": move.card})

    def apply(self, state: HighState, seat: Seat, move: Lay) -> Step:
        laid = tuple(move.card if s == seat else card for s, card in enumerate(state.laid))
        facts = [Addressed(None, Chosen(seat)), Addressed(seat, Noted(seat, move.card))]
        if None in laid:
            return Step(msgspec.structs.replace(state, laid=laid), facts)
        winner = Seat(laid.index(max(laid)))
        hands = tuple(tuple(c for c in hand if c != laid[s]) for s, hand in enumerate(state.hands))
        won = tuple(count + (s == winner) for s, count in enumerate(state.won))
        return Step(HighState(hands, (None,) * len(laid), won), [*facts, Addressed(None, RoundWon(winner, laid))])

    def outcome(self, state: HighState) -> Outcome | None:
        return None if self.pending(state) else Outcome(state.won, rank_places(state.won), Reason.PLAYED_OUT)

    def round(self, state: HighState) -> tuple[int, ...]:
        return (sum(state.won),)

    def view(self, state: HighState, seat: Seat | None) -> HighView:
        hand, mine = ((), None) if seat is None else (state.hands[seat], state.laid[seat])
        chosen = tuple(card is not None for card in state.laid)
        return HighView(seat, hand, mine, chosen, tuple(len(h) for h in state.hands), state.won)

    def moves(self, view: HighView) -> Iterable[Lay]:
        return [Lay(card) for card in view.hand]

    def fallback(self, view: HighView) -> Lay:
        return Lay(max(view.hand))

    def imagine(self, view: HighView, dice: Dice) -> HighState:
        unseen = iter(dice.open_stream("imagine").shuffle_cards(set(range(1, 41)) - set(view.hand)))
        hands = tuple(
            view.hand if s == view.seat else tuple(next(unseen) for _ in range(size))
            for s, size in enumerate(view.sizes)
        )
        laid = tuple(
            view.mine if s == view.seat else (hands[s][0] if chosen else None) for s, chosen in enumerate(view.chosen)
        )
        return HighState(hands, laid, view.won)


# --- Heap ----------------------------------------------------------------------------------------------


class HeapOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many sticks there are."""

    sticks: int = 9


class Take(Struct, frozen=True):
    """Take sticks."""

    sticks: int


class Took(Struct, frozen=True, tag_field="fact", tag="took"):
    """A seat took sticks."""

    seat: Seat
    sticks: int


class HeapState(Struct, frozen=True):
    """The heap, whose turn it is, everybody's secret bonus."""

    sticks: int
    turn: Seat
    bonus: tuple[int, ...]


class HeapView(Struct, frozen=True):
    """The heap and one's own bonus."""

    seat: Seat | None
    sticks: int
    turn: Seat
    seats: int
    bonus: int | None


class Heap(Game[HeapOptions, HeapState, Take, HeapView, Took]):
    """The turn-based toy."""

    info = Info(slug="heap", title="Heap", seats=(2, 4), official=(2, 4), rules_version=1, max_moves=100)
    codec = Codec(options=HeapOptions, state=HeapState, moves=(Take,), view=HeapView, fact=Took)
    text = ToyText()

    def setup(self, options: HeapOptions, seats: int, dice: Dice) -> HeapState:
        bonus = tuple(dice.open_stream("heap/bonus").shuffle_cards(range(5))[:seats])
        return HeapState(options.sticks, Seat(dice.open_stream("heap/starter").draw_below(seats)), bonus)

    def pending(self, state: HeapState) -> frozenset[Seat]:
        return frozenset({state.turn}) if state.sticks else frozenset()

    def check(self, state: HeapState, seat: Seat, move: Take) -> Refusal | None:
        if seat not in self.pending(state):
            return Refusal(Reason.NOT_YOUR_TURN)
        return None if 1 <= move.sticks <= min(3, state.sticks) else Refusal(Reason.TOO_FEW_STICKS)

    def apply(self, state: HeapState, seat: Seat, move: Take) -> Step:
        left = state.sticks - move.sticks
        turn = Seat((seat + 1) % len(state.bonus)) if left else seat
        return Step(HeapState(left, turn, state.bonus), [Addressed(None, Took(seat, move.sticks))])

    def outcome(self, state: HeapState) -> Outcome | None:
        if state.sticks:
            return None
        scores = tuple(bonus + 10 * (seat == state.turn) for seat, bonus in enumerate(state.bonus))
        return Outcome(scores, rank_places(scores), Reason.PLAYED_OUT)

    def view(self, state: HeapState, seat: Seat | None) -> HeapView:
        bonus = None if seat is None else state.bonus[seat]
        return HeapView(seat, state.sticks, state.turn, len(state.bonus), bonus)

    def moves(self, view: HeapView) -> Iterable[Take]:
        return [Take(count) for count in range(1, min(3, view.sticks) + 1)] if view.seat == view.turn else []

    def fallback(self, view: HeapView) -> Take:
        return Take(1)

    def imagine(self, view: HeapView, dice: Dice) -> HeapState:
        others = iter(dice.open_stream("imagine").shuffle_cards(set(range(5)) - {view.bonus}))
        bonus = tuple(view.bonus if s == view.seat else next(others) for s in range(view.seats))
        return HeapState(view.sticks, view.turn, bonus)


TOYS: dict[str, AnyGame] = {"heap": Heap(), "high_card": HighCard()}


def find_toy(slug: str) -> AnyGame:
    """Find a toy; raises as the registry does."""
    try:
        return TOYS[slug]
    except KeyError:
        raise ScovilleError(Code.UNKNOWN_GAME, f"There is no game called {slug!r} here.") from None
