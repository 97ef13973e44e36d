"""An independent No Thanks!, as simple as possible, written from the rulebook alone."""


class Plain:
    """A round from any position: the circle, and the cards of all players."""

    def __init__(self, deck, cards, chips, pot, mover):
        self.deck, self.cards, self.chips = list(deck), [list(mine) for mine in cards], list(chips)
        self.pot, self.mover = pot, mover

    def copy(self):
        return Plain(self.deck, self.cards, self.chips, self.pot, self.mover)

    def choices(self):
        if not self.deck:
            return []
        return ["take", "pass"] if self.chips[self.mover] > 0 else ["take"]

    def do(self, choice):
        if choice == "take":
            self.cards[self.mover].append(self.deck.pop(0))
            self.chips[self.mover] += self.pot
            self.pot = 0
        else:
            self.chips[self.mover] -= 1
            self.pot += 1
            self.mover = (self.mover + 1) % len(self.chips)

    def scores(self):
        return tuple(self._points(mine) - chips for mine, chips in zip(self.cards, self.chips, strict=True))

    def _points(self, cards):
        points, last = 0, None
        for card in sorted(cards):
            if last is None or card != last + 1:
                points += card
            last = card
        return points
