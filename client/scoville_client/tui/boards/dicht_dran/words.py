"""The line beneath the hand: what the marked card would do, or whom the round waits for."""

from scoville_client.tui.drawing.status import BoardStatus
from scoville_shared.engine.phrases import Fields, Filling, Phrase, Who
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.round import Weighed, weigh_hand
from scoville_shared.games.dicht_dran.state import View
from scoville_shared.ids import Seat


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


def costly(view: View, card: int) -> Phrase | None:
    """Return why a card costs a lot: it is not the closest, it does not fit the gap, and another card would."""
    weighed = weigh_hand(view.board, view.hand, peppers_by_card(view.board.options.peppers))
    mine = next((each for each in weighed if each.card == card), None)
    free = next((each for each in weighed if each.fits), None)
    if mine is None or free is None or mine.fits or mine.closest:
        return None
    fields: Fields = {"card": card, "n": mine.peppers, "free": free.card}
    return Phrase(
        "{card} is not your closest card and costs {n} card, {free} would be free.",
        fields,
        "{card} is not your closest card and costs {n} cards, {free} would be free.",
        mine.peppers,
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
    weighed = weigh_hand(view.board, view.hand, peppers_by_card(view.board.options.peppers))
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
