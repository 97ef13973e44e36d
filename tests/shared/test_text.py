"""Cleaning of texts that other users wrote."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_shared.text import _PLAIN, _few_marks, _is_seen, clean_name, clean_text

HOSTILE = "\x00\x07\x1b\x9b\x7f\u202e\u2066\u200b\u200d\ufe0f\u034f\u0301\u0489\u20e3\u115f\u1161\U000e0041\U0001f336"
TEXTS = st.text(st.one_of(st.sampled_from(HOSTILE), st.characters(), st.sampled_from("aé \u05d0王")), max_size=40)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("well played!", "well played!"),
        ("  two\r\nlines\tand  \u00a0 spaces\u3000", "two lines and spaces"),
        ("\x1b]0;title\x07\x1b[2Jhi", "]0;title[2Jhi"),
        ("abc\u202edef\u2069\u200f", "abcdef"),
        ("so\u00adft zero\u200bwidth\ufeff", "soft zerowidth"),
        ("na\u0308\u0303\u0301\u0316\u0317\u0318ive", "nä\u0316\u0317ive"),
        ("\u0301 \u0301start", "start"),
        ("שלום, Привет, 你好, สวัสดี, हिन्दी, ကြို, 한글", "שלום, Привет, 你好, สวัสดี, हिन्दी, ကြို, 한글"),
        ("\u1112\u1161\u11ab\u1161\u1161\u1161", "한\u1161\u1161"),
        ("30°, ♥ © 5€ → ±1", "30°, ♥ © 5€ → ±1"),
        ("🌶️ hot", ":hot pepper: hot"),
        ("👍🏽", ":thumbs up sign:"),
        ("👨\u200d👧", ":man::girl:"),
        ("🇩🇪", "DE"),
        ("1\ufe0f\u20e3", "1"),
        ("\ue000\u0378\ud800\uffff", ""),
        ("\u2800\u3164\u17b5", ""),
    ],
)
def test_a_text_loses_only_disturbing_characters(given: str, kept: str) -> None:
    assert clean_text(given) == unicodedata.normalize("NFC", kept)


@given(TEXTS)
def test_nothing_that_acts_is_left_and_cleaning_again_changes_nothing(text: str) -> None:
    for kept in (clean_text(text), clean_name(text)):
        assert {unicodedata.category(char)[0] for char in kept} <= {*"LMNPSZ"}
        assert not any(char.isspace() and char != " " for char in kept)
        # Letters beyond U+20000 are wide too, and stay: what goes are the pictures.
        assert not any(unicodedata.category(c) == "So" and c > "\U0001f000" for c in kept)
    assert clean_text(clean_text(text)) == clean_text(text)
    assert clean_name(clean_name(text)) == clean_name(text)


def test_what_passes_without_a_look_would_pass_one() -> None:
    plain = [chr(code) for code in range(0x110000) if _PLAIN.fullmatch(chr(code))]
    assert len(plain) > 500
    assert "".join(_few_marks("".join(char for char in plain if _is_seen(char)))) == "".join(plain)
