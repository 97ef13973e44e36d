"""Guarantees for programs in other languages: constant values, and words as identifiers."""

from tests.support.games import laws_of

test_law = laws_of("types")
