"""Legal moves of every game, and that each game ends."""

from tests.support.games import laws_of

test_law = laws_of("moves")
