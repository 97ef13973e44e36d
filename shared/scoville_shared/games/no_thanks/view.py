"""What a seat of No Thanks! may know: the public board, and its own chips."""

from msgspec import Struct

from scoville_shared.games.no_thanks.options import Options
from scoville_shared.games.no_thanks.runs import Run, Taking, card_points, runs, taking
from scoville_shared.ids import Seat


class Board(Struct, frozen=True, gc=False, kw_only=True):
    """Everything that lies open on the table, by seat where it is a tuple of the players'.

    `card` lies in the middle with `pot` chips on it, None when the game is over; `left` cards are still face
    down. `mover` is the seat that has to decide. `cards` are everybody's taken cards, sorted. `chips` is None
    while chips are hidden (B4): always, but with open chips and at the end. `rounds` are the scores of the rounds
    that are over, `totals` their sums; fewer is better. `removed` is empty but at the end of a game that shows
    the removed cards (B9).
    """

    options: Options
    round: int
    card: int | None
    pot: int
    left: int
    mover: Seat
    cards: tuple[tuple[int, ...], ...]
    chips: tuple[int, ...] | None
    rounds: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]
    removed: tuple[int, ...]
    over: bool

    @property
    def card_up(self) -> int:
        """The card to decide on, while the game is on."""
        assert self.card is not None, "a card lies in the middle until the game is over"
        return self.card

    @property
    def points(self) -> tuple[int, ...]:
        """The card points of each seat in this round, without chips (B5)."""
        return tuple(card_points(cards) for cards in self.cards)

    def runs(self, seat: Seat) -> list[Run]:
        """Part a seat's cards into runs, single cards among them, the lowest first."""
        return runs(self.cards[seat])

    def taking(self, seat: Seat) -> Taking | None:
        """Weigh what taking the card would do to a seat's score right now; None when no card is left."""
        return None if self.card is None else taking(self.cards[seat], self.card, self.pot)


class View(Struct, frozen=True, gc=False, kw_only=True):
    """What one seat sees; `seat` and its `chips` are None for a spectator."""

    board: Board
    seat: Seat | None
    chips: int | None
