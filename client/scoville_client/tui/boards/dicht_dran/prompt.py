"""The line beneath the hand, and what each card of a hand would do in this round, as far as its holder can know."""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.tui.drawing.status import BoardStatus
from scoville_shared.engine.phrases import Filling, Phrase, Who
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.round import nearest
from scoville_shared.games.dicht_dran.state import Board, View
from scoville_shared.ids import Seat


class Weighed(NamedTuple):
    """A card compared with this round's target and gap; `closest` of its hand, the higher one of two (A10)."""

    card: int
    peppers: int
    distance: int
    fits: bool
    closest: bool


def weigh(board: Board, hand: Sequence[int], peppers: Sequence[int]) -> list[Weighed]:
    """Compare every card of `hand` with the target and gap, in its order."""
    low, high = board.gap
    target = board.target_card
    best = closest(board, hand)
    return [Weighed(card, peppers[card], abs(card - target), low < card < high, card == best) for card in hand]


def closest(board: Board, hand: Sequence[int]) -> int | None:
    """Find the card of `hand` that comes closest to the target; None for an empty hand."""
    return nearest(board.target_card, tuple(hand)) if hand else None


def prospect(weighed: Weighed, target: int) -> Phrase:
    """Describe the effect of a card in a line."""
    fields = {"card": weighed.card, "distance": weighed.distance, "target": target, "n": weighed.peppers}
    if weighed.fits:
        return Phrase(
            "{card} is {distance} from {target}. It fits the gap: discarded for free if it does not win.", fields
        )
    return Phrase(
        "{card} is {distance} from {target}. Outside the gap: unless it wins, you draw {n} card.",
        fields,
        "{card} is {distance} from {target}. Outside the gap: unless it wins, you draw {n} cards.",
        weighed.peppers,
    )


def short_prospect(weighed: Weighed, target: int) -> Phrase:
    """Describe the same in few words."""
    fields = {"card": weighed.card, "distance": weighed.distance, "target": target, "n": weighed.peppers}
    if weighed.fits:
        return Phrase("{card}: {distance} from {target}, fits the gap", fields)
    return Phrase(
        "{card}: {distance} from {target}, or draw {n} card",
        fields,
        "{card}: {distance} from {target}, or draw {n} cards",
        weighed.peppers,
    )


def prompt(view: View, selected: int | None, *, short: bool, status: BoardStatus = BoardStatus()) -> Phrase:  # noqa: B008
    """Describe what the user should know or do now; `short` for few columns."""
    if view.board.over:
        return Phrase("The game is over.")
    if status.place is not None:
        return status.for_viewer(choosing(view))
    if view.seat is None:
        return Phrase("You are watching this game.")
    if view.pick is not None:
        return _waiting(view, view.pick)
    if selected not in view.hand:
        return Phrase("Your hand is empty.")
    weighed = weigh(view.board, view.hand, peppers_by_card(view.board.options.peppers))
    card = next(each for each in weighed if each.card == selected)
    say = short_prospect if short else prospect
    return say(card, view.board.target_card)


def _waiting(view: View, pick: int) -> Phrase:
    return Phrase("You have chosen {card}. Waiting for {others}.", {"card": pick, "others": _undecided(view)})


def choosing(view: View) -> Phrase:
    """Name the players who have not chosen a card yet."""
    if not any(view.chosen):
        return Phrase("Each player chooses a card.")
    return Phrase("Choosing: {others}.", {"others": _undecided(view)})


def _undecided(view: View) -> list[Filling]:
    return [Who(Seat(seat)) for seat, chosen in enumerate(view.chosen) if not chosen]
