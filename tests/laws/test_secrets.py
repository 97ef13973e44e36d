"""Views and facts are the same bytes whatever is hidden from their seat."""

from tests.support.games import laws_of

test_law = laws_of("secrets")
