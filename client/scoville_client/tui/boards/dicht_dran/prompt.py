"""The line beneath the hand: what is asked of me, and what the selected card would do."""

from scoville_client.tui.boards.dicht_dran.weigh import prospect, short_prospect, weigh
from scoville_client.tui.drawing.status import Around
from scoville_shared.engine.phrases import Filling, Phrase, Who
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.state import View
from scoville_shared.ids import Seat


def prompt(view: View, selected: int | None, *, short: bool, around: Around = Around()) -> Phrase:  # noqa: B008
    """Say what the View's seat should know now; `short` for few columns."""
    if view.board.over:
        return Phrase("The game is over.")
    if around.place is not None:
        return around.seen(_choosing(view))
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


def _choosing(view: View) -> Phrase:
    if not any(view.chosen):
        return Phrase("Everybody chooses a card.")
    return Phrase("Choosing: {others}.", {"others": _undecided(view)})


def _undecided(view: View) -> list[Filling]:
    return [Who(Seat(seat)) for seat, chosen in enumerate(view.chosen) if not chosen]
