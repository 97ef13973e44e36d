"""Selection of a card by arrows or by its typed number, as a value without Textual."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace


class Picker(Struct, frozen=True):
    """A sorted hand, the card that is selected (None when there is none), and the digits typed so far."""

    hand: tuple[int, ...] = ()
    selected: int | None = None
    typed: str = ""

    def holding(self, hand: Sequence[int], wanted: int | None = None) -> "Picker":
        """Adopt another hand: keep the selected card if it is still there, else select `wanted`."""
        hand = tuple(hand)
        for card in (self.selected, wanted):
            if card in hand:
                return Picker(hand, card)
        return Picker(hand, hand[0] if hand else None)

    def moved(self, steps: int) -> "Picker":
        """Select the card `steps` to the right; the ends stop."""
        if self.selected is None:
            return self
        index = self.hand.index(self.selected) + steps
        return Picker(self.hand, self.hand[min(max(index, 0), len(self.hand) - 1)])

    def at(self, card: int) -> "Picker":
        """Select `card` if it is in the hand."""
        return Picker(self.hand, card) if card in self.hand else self

    def with_digit(self, digit: str) -> "Picker":
        """Type a digit: selects the card of that number, or the first that begins so.

        A digit that no card allows begins a new number; when none begins with it either, nothing is typed.
        """
        for typed in (self.typed + digit, digit):
            fitting = [card for card in self.hand if str(card).startswith(typed)]
            if fitting:
                return Picker(self.hand, int(typed) if int(typed) in fitting else fitting[0], typed)
        return replace(self, typed="")

    def without_digit(self) -> "Picker":
        """Take the last digit back."""
        shorter = Picker(self.hand, self.selected)
        for digit in self.typed[:-1]:
            shorter = shorter.with_digit(digit)
        return shorter

    def cleared(self) -> "Picker":
        """Clear the typed digits; the selection stays."""
        return replace(self, typed="")
