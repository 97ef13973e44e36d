"""The cards and the die of Chilli Chase (C1, C2)."""

VALUES = range(1, 7)
SETS = 6
DECK = tuple(VALUES) * SETS
"""All 36 cards, set by set."""

DIE = 12
HAND_SIZE = 3
FEWEST_SEATS, MOST_SEATS = 2, 6
