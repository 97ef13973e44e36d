"""Watchers at another node receive the same bytes from it, whatever is hidden from them."""

from tests.cluster.elsewhere import everybody_elsewhere
from tests.server.tables.test_leaks import (
    one_code_and_key,
    test_a_choice_that_was_revealed_is_seen,
    test_an_unrevealed_choice_reaches_no_spectator,
    test_round_spectators_are_sent_no_current_round,
)

__all__ = [
    "everybody_elsewhere",
    "one_code_and_key",
    "test_a_choice_that_was_revealed_is_seen",
    "test_an_unrevealed_choice_reaches_no_spectator",
    "test_round_spectators_are_sent_no_current_round",
]
