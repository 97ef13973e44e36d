"""Whole clauses in few rows: what is left out leaves no sign of it behind."""

from scoville_client.i18n.wrapping import wrap_whole_clauses


def test_a_clause_that_ends_early_ends_like_a_sentence() -> None:
    english = "It costs a chip; the card comes back with more chips."
    french = "Cela coûte un jeton\u202f; la carte revient avec plus de jetons."
    assert wrap_whole_clauses(english, 30, 1) == ["It costs a chip."]
    assert wrap_whole_clauses(french, 30, 1) == ["Cela coûte un jeton."]
