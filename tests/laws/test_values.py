"""Every value of a game survives encoding for the wire and the disk."""

from tests.support.games import laws_of

test_law = laws_of("values")
