"""Guided rounds of Chilli Chase: a card of the first hand hits the user's own Chilli Score."""

from collections.abc import Sequence

from scoville_client.tutorial.lesson import Callout, Lesson, seed_of
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.state import View

_AGAIN = Phrase("Round 2 is yours. Hits for the others count for them, so leave totals that they cannot use.")
_END = Phrase("That was it: five points win. After a hit for somebody else you may take a new Chilli Score.")


def list_callouts(view: View, rounds: int) -> Sequence[Callout]:
    """Point at the total, the Chilli Score and the choices; then at the points."""
    if rounds:
        return (Callout("seats", _AGAIN) if rounds == 1 else Callout("", _END),)
    board, mine = view.board, 0 if view.seat is None else view.seat
    return (
        Callout("total", Phrase("The total is {total}. Every card changes it.", {"total": board.total})),
        Callout(
            "own seat",
            Phrase(
                "Your Chilli Score is {score}. Each time the total hits it, you get a point; five points win.",
                {"score": board.scores[mine]},
            ),
        ),
        Callout(
            "choices",
            Phrase("Each card can make several totals. One that is your Chilli Score gives you a point."),
        ),
    )


def goes_on(view: View) -> bool:
    """Whether the user has hit another player's score, and may take a new one."""
    return view.board.choosing and view.board.mover == view.seat


LESSON = Lesson(
    seed=seed_of(12),
    options={},
    bots=("Anna", "Ben"),
    choices="choices",
    callouts=list_callouts,
    goes_on=goes_on,
)
