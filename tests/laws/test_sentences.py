"""Every fact, move and refusal has a sentence."""

from tests.support.games import laws_of

test_law = laws_of("sentences")
