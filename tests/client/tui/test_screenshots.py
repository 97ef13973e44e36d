"""The pictures of the screens: every class of screen has one, or a reason to have none; documents show some of them."""

import importlib
import pkgutil
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import scoville_client.doors.hosting
import scoville_client.tui.screens
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.letters import Pen, draw_text
from scoville_client.tui.screens.base import BaseScreen

ROOT = Path(__file__).parents[3]


def script() -> Any:
    spec = spec_from_file_location("screenshots", ROOT / "scripts" / "lib" / "screenshots.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def screens() -> tuple[set[str], set[str]]:
    """Every class of screen that is no base of others, and those that are."""
    for package in (scoville_client.tui.screens, scoville_client.doors.hosting):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    leaves: set[str] = set()
    bases: set[str] = set()
    waiting: list[type[BaseScreen[Any]]] = [BaseScreen]
    while waiting:
        screen = waiting.pop()
        below = [each for each in screen.__subclasses__() if each.__module__.startswith("scoville_client.")]
        waiting += below
        (bases if below else leaves).add(screen.__name__)
    return leaves, bases


def test_every_screen_has_a_picture_or_a_reason() -> None:
    drawn = script()
    shown = {scene.shows for scene in drawn.SCENES}
    leaves, bases = screens()
    assert leaves - shown == set(drawn.LEFT_OUT) - bases
    assert shown <= leaves | bases, "a scene shows a screen that there is no longer"
    assert len({scene.name for scene in drawn.SCENES}) == len(drawn.SCENES)


def test_documents_show_their_pictures_without_web_requests() -> None:
    page = (ROOT / "docs" / "screens.md").read_text(encoding="utf-8")
    shown = re.findall(r"\(pictures/([a-z-]+)\.svg\)", page)
    assert sorted(shown) == sorted(script().IN_DOCS)
    for name in shown:
        picture = (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        assert "@font-face" not in picture
        assert "url(http" not in picture


def test_pictures_of_another_version_are_named(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(ROOT)
    drawn = script()
    for name in drawn.CHECKED:
        text = (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
        (tmp_path / f"{name}.svg").write_text(text.replace("font-family", "font-kind"), encoding="utf-8")
    assert drawn.check_documents(tmp_path) == 0, "a font changes no text"
    board = tmp_path / "dicht-dran.svg"
    board.write_text(board.read_text(encoding="utf-8").replace("Dicht", "Fern"), encoding="utf-8")
    assert drawn.check_documents(tmp_path) == 1
    assert "dicht-dran.svg shows another screen" in capsys.readouterr().out


def test_signs_of_a_picture_have_a_place_each() -> None:
    svg = '<text class="a" x="10" y="5" textLength="36" clip-path="b">A\u00a0&lt;</text>'
    placed = script().with_placed_signs(svg)
    assert placed.count("<text") == 2
    assert 'x="10.00">A</text>' in placed
    assert 'x="34.00">&lt;</text>' in placed


def test_what_a_large_letter_encloses_counts_as_drawn() -> None:
    canvas = Canvas(40, 16)
    draw_text(canvas, 2, 1, "on", Pen(4, 2), "text")
    canvas.put(0, 15, "█" * 40)
    boxes = script().boxes_of_letters([canvas.line(y) for y in range(16)])
    assert sorted(boxes) == [(2, 3, 13, 12), (18, 3, 33, 12)], "the line is no letter"


def test_letters_of_a_line_are_one_text() -> None:
    canvas = Canvas(80, 8)
    draw_text(canvas, 0, 0, "it is", Pen(2, 1), "text")
    draw_text(canvas, 60, 0, "1", Pen(2, 1), "text")
    boxes = script().boxes_of_letters([canvas.line(y) for y in range(8)])
    assert len(boxes) == 5
    assert len(script().join_letters(boxes)) == 2, "the figure at the right is none of its words"
