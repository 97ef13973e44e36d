"""Guided rounds, rules and a television of a package whose code raises: a notice names it, and the client goes on."""

import signal
from pathlib import Path

import pytest

from scoville_client.i18n.language import load_catalog
from scoville_client.rules import rules_pages
from scoville_client.session.start_options import Start
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tutorial import guided_game
from scoville_client.tutorial.guided_game import GuidedGame
from scoville_client.tutorial.lesson import LessonFailed
from tests.outside.faulty_games import forget_found_packages, on_path
from tests.outside.new_game import SLUG, install_package, write_template
from tests.support.screens import at_the_screen, start_practice


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return install_package(write_template(tmp_path / "package"), tmp_path / "site")


def break_code(package: Path, file: str, before: str) -> None:
    path = package / file
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, f"raise ValueError('boom')\n{before}"), encoding="utf-8")


async def test_guided_rounds_that_raise_are_named(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_code(package, "tutorial.py", "LESSON = ")
    with on_path(monkeypatch, package.parent):
        async with at_the_screen(Start(kind="tutorial", game=SLUG)) as player:
            await player.until(lambda: "package stone-heap 1.0" in " ".join(player.text.split()))


@pytest.mark.parametrize(
    ("fault", "said"), [("while True: pass", "did not end"), ("raise KeyboardInterrupt", "KeyboardInterrupt")]
)
def test_guided_rounds_end_with_their_bots(
    fault: str, said: str, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = package / "bots.py"
    text = bots.read_text(encoding="utf-8")
    found = "        heap = view.heap\n"
    assert found in text
    bots.write_text(text.replace(found, f"        {fault}\n{found}"), encoding="utf-8")
    monkeypatch.setattr(guided_game, "SCREEN_SECONDS", 0.05)
    monkeypatch.setattr(signal, "getsignal", lambda _: print)
    with on_path(monkeypatch, package.parent):
        guided = GuidedGame(SLUG)
        with pytest.raises(LessonFailed, match=f"stone-heap 1.0.*{said}"):
            list(guided.play_move(guided.at.legal_moves()[0]))


async def test_guided_rounds_go_on_without_their_board(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = package / "board.py"
    text = board.read_text(encoding="utf-8")
    board.write_text(
        text.replace("        stones = ", "        raise ValueError('boom')\n        stones = "), encoding="utf-8"
    )
    with on_path(monkeypatch, package.parent):
        async with at_the_screen(Start(kind="tutorial", game=SLUG)) as player:
            await player.sees("14 stones lie in the heap.")
            assert player.where == "tutorial"
            assert type(player.app.screen.query_one(Board)) is SentencesBoard


async def test_a_television_falls_back_to_sentences(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = package / "board.py"
    text = board.read_text(encoding="utf-8")
    found = "        view, names = self.at.view, self.at.names\n"
    assert found in text
    board.write_text(text.replace(found, f"        raise ValueError('boom')\n{found}"), encoding="utf-8")
    with on_path(monkeypatch, package.parent):
        async with at_the_screen(start_practice(game=SLUG, players=2), size=(200, 50)) as player:
            await player.sees("12 stones lie in the heap.")
            shown = player.app.screen.query_one(Board)
            shown.big = True
            shown.repaint()
            await player.until(lambda: type(shown) is SentencesBoard)
            await player.sees("stone-heap 1.0")


@pytest.fixture(autouse=True)
def fresh_catalogs() -> None:
    load_catalog.cache_clear()
    rules_pages.cache_clear()
    forget_found_packages()
