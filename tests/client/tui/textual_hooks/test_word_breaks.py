"""Textual's texts are not broken before a French colon, nor by our own wrapping."""

import re

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.textual_hooks.word_breaks import keep_no_break_spaces

MEASURES = [
    "noch 36 h am Zug",
    "36 h left to play",
    "better than 90 % of all",
    "skill 7.5 ± 0.3 % here",
    "after 250 ms or so",
]
SENTENCES = [f"Appuie sur r\u202f{sign} la suite" for sign in ":;!?"]


class Texts(App[None]):
    """Shows the sentences in every width, without any canvas."""

    def compose(self) -> ComposeResult:
        """Give each sentence each width from that of its longest word on."""
        for sentence in [*SENTENCES, *MEASURES]:
            for width in range(9, 24):
                text = Static(sentence, markup=False)
                text.styles.width = width
                yield text


async def test_no_row_of_a_text_begins_with_a_double_punctuation() -> None:
    keep_no_break_spaces()
    async with Texts().run_test(size=(40, 200)) as pilot:
        for text in pilot.app.query(Static):
            rows = [text.render_line(y).text.strip() for y in range(text.size.height)]
            assert not any(row[:1] in ":;!?" or BROKEN.match(row) for row in rows if row), rows
            assert " ".join(row for row in rows if row) == str(text.content)


BROKEN = re.compile(r"(h|ms|%)( |$)|0\.3")
"""A row that begins with a unit, or with the uncertainty of a number."""


@pytest.mark.parametrize("width", range(4, 24))
def test_our_own_wrapping_keeps_them_together(width: int) -> None:
    for sentence in SENTENCES:
        assert not any(row[:1] in ":;!?" for row in wrap_lines(sentence, width))


@pytest.mark.parametrize("width", range(9, 24))
def test_a_number_stays_beside_its_unit(width: int) -> None:
    for sentence in MEASURES:
        rows = [*wrap_lines(sentence, width)]
        assert not any(BROKEN.match(row) for row in rows), rows
        assert " ".join(rows) == sentence
