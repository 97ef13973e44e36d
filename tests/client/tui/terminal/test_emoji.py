"""Emoji have the same width in every terminal, and letters in place of those that it does not show."""

import pytest
from rich.cells import cell_len

from scoville_client.tui.terminal.glyphs import settle_emoji


@pytest.mark.parametrize(
    ("text", "shown", "plain"),
    [
        ("Hi 😀!", "Hi 😀!", "Hi :)!"),
        ("😢", "😢", ":("),
        ("👍🏽", "👍", "+1"),
        ("👩\u200d🚀", "👩", "[]"),
        ("🇩🇪", "DE", "DE"),
        ("🌶", "🌶", "*"),
        ("❤\ufe0f", "<3", "<3"),
        ("Zoë ─│ 辣 ✓", "Zoë ─│ 辣 ✓", "Zoë ─│ 辣 ✓"),
        ("\x1b[1m▸", "\x1b[1m▸", "\x1b[1m▸"),
    ],
)
def test_emoji(text: str, shown: str, plain: str) -> None:
    assert settle_emoji(text, shown=True) == shown
    assert settle_emoji(text, shown=False) == plain
    assert cell_len(shown) == cell_len(plain) == cell_len(text)
