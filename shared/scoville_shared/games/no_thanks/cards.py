"""The cards and chips of No Thanks!."""

from scoville_shared.games.no_thanks.options import Options

CARDS = range(3, 36)
DECK_SIZE = 24
"""How many of the 33 cards are in the game (B15)."""

ROUND_TENS = (10, 20, 30)
CHIPS_BY_SEATS = {3: 11, 4: 11, 5: 11, 6: 9, 7: 7}
TACTICAL_CHIPS = 10
FEWEST_SEATS, MOST_SEATS = min(CHIPS_BY_SEATS), max(CHIPS_BY_SEATS)


def chips_each(options: Options, seats: int) -> int:
    """Count the chips with which each player begins a round (B1, B16)."""
    return TACTICAL_CHIPS if options.tactical else CHIPS_BY_SEATS[seats]


def playable(options: Options) -> list[int]:
    """List the cards that can be in the deck, ascending (B16: tactical leaves out 10, 20 and 30)."""
    return [card for card in CARDS if not (options.tactical and card in ROUND_TENS)]
