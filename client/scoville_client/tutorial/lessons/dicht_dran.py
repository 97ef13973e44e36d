"""Guided rounds of Dicht dran: one card is close to the target, others fit the gap, the rest costs cards."""

from collections.abc import Sequence

from scoville_client.tutorial.lesson import Callout, Lesson, seed_of
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.round import weigh_hand
from scoville_shared.games.dicht_dran.state import View

_GOT_RID = Phrase("Round 2 is yours. Won peppers count for you (+), peppers left in your hand against you (−).")
_END = Phrase("That was it: win peppers, get rid of cards. A cycle ends with the first empty hand.")


def list_callouts(view: View, rounds: int) -> Sequence[Callout]:
    """Point at the target, the gap and the hand; then at the points."""
    if rounds:
        return (Callout("own seat", _GOT_RID) if rounds == 1 else Callout("", _END),)
    board = view.board
    peppers = peppers_by_card(board.options.peppers)
    low, high = board.gap
    weighed = weigh_hand(board, view.hand, peppers)
    closest = next(each.card for each in weighed if each.closest)
    free = next((each.card for each in weighed if each.fits and not each.closest), closest)
    target: Fields = {"target": board.target_card, "n": peppers[board.target_card]}
    return (
        Callout(
            "target",
            Phrase(
                "The target is {target}. The card closest to it wins it, and its {n} pepper.",
                target,
                "The target is {target}. The card closest to it wins it, and its {n} peppers.",
                peppers[board.target_card],
            ),
        ),
        Callout(
            "gap",
            Phrase("The gap: another card between {low} and {high} is discarded for free.", {"low": low, "high": high}),
        ),
        Callout(
            "hand",
            Phrase(
                "{closest} is your closest card, {free} fits the gap. Any other draws a card for each of its peppers. "
                "Choose one.",
                {"closest": closest, "free": free},
            ),
        ),
    )


LESSON = Lesson(seed=seed_of(52), options={"cycles": 1}, bots=("Anna", "Ben"), choices="hand", callouts=list_callouts)
