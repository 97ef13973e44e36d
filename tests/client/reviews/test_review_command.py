"""The command `scoville review`: its forms, its processes, and files that cannot be reviewed."""

import re
from pathlib import Path

import pytest

from scoville_client.cli.main import main
from scoville_client.reviews.coaches import progress_bar
from scoville_shared.replay import write_game
from tests.support.exports import play_exported_game


def saved(folder: Path) -> str:
    game = play_exported_game("no_thanks")
    path = folder / "game.jsonl"
    path.write_text(
        "".join(f"{line}\n" for line in write_game(game.header, game.moves, game.outcome)), encoding="utf-8"
    )
    return str(path)


def test_a_review_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", saved(tmp_path), "--percent", "1"]) == 0
    shown = capsys.readouterr().out
    assert "Review of No Thanks!" in shown
    assert re.search(r"[Ff]igures assume", shown)


def test_a_file_that_is_no_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(tmp_path / "none.jsonl")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_the_bar() -> None:
    assert progress_bar(0, 4, 4) == "thinking [....] 0/4"
    assert progress_bar(2, 4, 4) == "thinking [##..] 2/4"
    assert progress_bar(4, 4, 4) == "thinking [####] 4/4"
