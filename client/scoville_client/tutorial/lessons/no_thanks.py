"""Guided rounds of No Thanks!: a high card that every player declines comes back with chips."""

from collections.abc import Sequence

from scoville_client.tutorial.lesson import Callout, Lesson, seed_of
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import View

_SEATS = Phrase("Fewest points win: each card counts its number, each chip one less. Chips of others are hidden.")
_BACK = Phrase(
    "The card is back with {n} chip: it costs {points} points now, not {card}. Take it, or wait for more.",
    many="The card is back with {n} chips: it costs {points} points now, not {card}. Take it, or wait for more.",
)
_NEXT = Phrase("The next card. Cards in a row, such as 28 and 29, count only the lowest one.")
_END = Phrase("That was it: take cards for many chips, or in a row. Never run out of chips.")


def list_callouts(view: View, rounds: int) -> Sequence[Callout]:
    """Point at the card, the answers and the seats; then at what has become of the card."""
    board = view.board
    if rounds > 1 or board.card is None:
        return (Callout("", _END),)
    if rounds:
        fields = {"n": board.pot, "points": board.card - board.pot, "card": board.card}
        return (Callout("card", _BACK.with_fields(fields, board.pot) if board.pot else _NEXT),)
    card = {"card": board.card}
    return (
        Callout("card", Phrase("Nobody wants this card: it costs the player who takes it {card} points.", card)),
        Callout("seats", _SEATS),
        Callout(
            "answers",
            Phrase("Take it, or pay a chip to decline; then the next player decides. Both show your new score."),
        ),
    )


LESSON = Lesson(seed=seed_of(2), options={}, bots=("Anna", "Ben"), choices="answers", callouts=list_callouts)
