"""Rating of a password's strength."""

import pytest

from scoville_client.session.identity.account import password_strength


@pytest.mark.parametrize(
    ("password", "word"),
    [
        ("", "weak"),
        ("chilli7", "weak"),
        ("aaaaaaaaaaaaaaaa", "weak"),
        ("abcdefgh12345678", "weak"),
        ("annaanna2026", "weak"),
        ("habanero", "weak"),
        ("Habanero9", "fair"),
        ("Habanero9!x", "good"),
        ("seven habaneros", "strong"),
        ("correct horse battery staple", "strong"),
    ],
)
def test_a_password_in_a_word(password: str, word: str) -> None:
    assert password_strength(password, "Anna").text == word
