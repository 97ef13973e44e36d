"""Table codes: easy to say, hard to guess."""

import pytest

from scoville_server.accounts.model.word_codes import FIRST, SECOND, draw_free_code, read_code


@pytest.mark.parametrize("words", [FIRST, SECOND])
def test_the_words_are_many_short_and_distinguished_by_their_beginnings(words: list[str]) -> None:
    assert len(words) >= 200
    assert len({word[:4] for word in words}) == len(words)
    assert all(word.isascii() and word.isalpha() and word.islower() and len(word) <= 10 for word in words)


def test_a_code_is_two_listed_words_and_unique() -> None:
    class AllButOne:
        def __contains__(self, code: object) -> bool:
            return not str(code).startswith(FIRST[0])

    first, second = draw_free_code(AllButOne()).split("-")
    assert first.startswith(FIRST[0])
    assert second in SECOND


def test_codes_grow_to_three_words_when_needed() -> None:
    taken = {f"{first}-{second}" for first in FIRST for second in SECOND}
    words = draw_free_code(taken).split("-")
    assert len(words) == 3
    assert {*words[:2]} <= {*FIRST}
    assert words[2] in SECOND
    assert read_code(" ".join(words)) == "-".join(words)


@pytest.mark.parametrize("written", ["brave-otter", "Brave Otter", " BRAVE_otter\t", "brave--otter."])
def test_however_a_code_is_written_it_is_the_same(written: str) -> None:
    assert read_code(written) == "brave-otter"
