"""Texts of Last Stick."""

from collections.abc import Iterable
from typing import ClassVar

from last_stick.values import Fact, Showed, Take, Took, View
from scoville_shared.engine.contract import Refusal, Text
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat

_REFUSALS = {
    "game_over": "The game is over.",
    "not_your_turn": "It is not your turn; {mover} takes.",
    "not_so_many": "Take at least 1 stick and at most {most}.",
}


class LastStickText(Text[Take, View, Fact]):
    """The log, the line mode and, as Last Stick needs no board, what the screen shows."""

    tagline = Phrase("Take one to three sticks; the last one is worth ten points.")
    option_names: ClassVar = {"sticks": Phrase("Sticks in the heap")}

    def describe_fact(self, fact: Fact) -> Phrase | None:
        """Return a fact as a phrase."""
        match fact:
            case Took(seat, sticks, left):
                return Phrase("{who} takes {sticks}; {left} left.", {"who": Who(seat), "sticks": sticks, "left": left})
            case Showed(bonuses):
                return Phrase("The heap is gone. The bonuses are {bonuses}.", {"bonuses": _by_seat(bonuses)})
        raise TypeError(f"Last Stick has no fact like {fact!r}")

    def describe_move(self, move: Take) -> Phrase:
        """Name a move."""
        return Phrase("take {sticks}", {"sticks": move.sticks})

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        """Return a refusal as a phrase."""
        data = refusal.data
        fields = {"mover": Who(Seat(int(data["mover"])))} if "mover" in data else data
        return Phrase(_REFUSALS[refusal.reason], fields)

    def describe_table(self, view: View) -> Iterable[Phrase]:
        """Describe the heap, and the own bonus."""
        yield Phrase("{sticks} sticks lie in the heap.", {"sticks": view.heap.sticks})
        if view.bonus is not None:
            yield Phrase("Your secret bonus is {bonus}.", {"bonus": view.bonus})


def _by_seat(bonuses: tuple[int, ...]) -> list[Phrase]:
    return [Phrase("{who} {bonus}", {"who": Who(Seat(seat)), "bonus": bonus}) for seat, bonus in enumerate(bonuses)]
