"""A game of another package whose sentences raise is shown in plain data, and its package is named."""

from pathlib import Path

import pytest

from scoville_outside.safe_text import SafeText, with_safe_text
from scoville_shared.engine.dice import Dice
from scoville_shared.games import registry
from tests.outside.faulty_games import HEALTHY, on_path, write_package


@pytest.mark.parametrize("raised", ["raise ValueError('boom')", "raise SystemExit(3)", "return 7"])
def test_sentences_that_fail_are_plain_data(raised: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head, _, tail = HEALTHY.partition("    def describe_fact(self, fact):")
    _, _, rest = tail.partition("class Counting(Game):")
    methods = "".join(
        f"    def {name}(self, value):\n        {raised}\n\n"
        for name in ("describe_fact", "describe_move", "describe_refusal", "describe_table", "describe_turn")
    )
    write_package(tmp_path, "faulty", f"{head}{methods}\n\nclass Counting(Game):{rest}")
    with on_path(monkeypatch, tmp_path):
        original = registry.load_game("faulty")
        game = with_safe_text(original)
        view = game.view(game.setup(game.codec.decode_options({}), 2, Dice(bytes(32))), None)
        first, plain = [phrase.render(()) for phrase in game.text.describe_table(view)]
        assert "package faulty 1.0" in first
        assert plain == "left: 9, mover: 0"
        assert game.text.describe_move(game.moves(view)[0]).render(()) == "take: 1"
        assert with_safe_text(game) is game
        assert not isinstance(original.text, SafeText)


def test_our_own_games_are_left_as_they_are() -> None:
    game = registry.load_game("no_thanks")
    assert with_safe_text(game) is game


def test_texts_that_are_no_phrases_are_found_at_loading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "faulty", HEALTHY.replace('Phrase("Take one after the other.")', '"Take."'))
    with on_path(monkeypatch, tmp_path), pytest.raises(registry.BrokenGame, match=r"'Take\.', which is no Phrase"):
        registry.load_game("faulty")
