"""The memory of a player who watches every card of Chilli Chase: the turned deck, and who drew what."""

from scoville_shared.games.chilli_chase.facts import Drew, Fact, Played, Recycled
from scoville_shared.ids import Seat


class Memory:
    """The Hot Pile in its order, which becomes the deck (C22), and the cards of it that others have drawn.

    Before the pile is turned over for the first time nothing of this is known, nor after it was shuffled.
    """

    def __init__(self) -> None:
        self._pile: list[int] = []
        self.deck: list[int] = []
        self.hands: dict[Seat, list[int]] = {}

    def observe_fact(self, fact: Fact) -> None:
        """Remember a fact."""
        match fact:
            case Played(seat=seat, card=card, before=before):
                self._pile = [*(self._pile or [before]), card]  # the first card of all lay there as the total
                if card in self.hands.get(seat, []):
                    self.hands[seat].remove(card)
            case Recycled(shuffled=shuffled):
                self.deck = [] if shuffled else self._pile[:-1]
                self._pile = self._pile[-1:]
            case Drew(seat=seat) if self.deck:
                self.hands.setdefault(seat, []).append(self.deck.pop(0))
