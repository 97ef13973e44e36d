"""Updates of Textual's compositor are rows of strips, and can be written in another way."""

from collections.abc import Iterable
from typing import Any

import pytest
from rich.console import Console
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from scoville_client.tui.textual_hooks.updates import CompositorUpdate, RewrittenUpdate, strips_of
from tests.support import frames as frames  # Textual without waits


def texts(update: CompositorUpdate) -> list[tuple[int, int, str]]:
    def written(strips: Iterable[Strip]) -> str:
        return "".join(strip.text for strip in strips)

    return [(y, x, written(strips)) for y, x, strips in strips_of(update)]


def test_a_layout_is_whole_rows() -> None:
    strips: Any = [[Strip.blank(3)], [Strip.blank(3)]]
    assert texts(LayoutUpdate(strips, Region(2, 5, 3, 2))) == [(5, 2, "   "), (6, 2, "   ")]


def test_chops_are_cut_to_what_has_changed() -> None:
    chops: Any = [{0: Strip.blank(4), 4: None, 6: Strip.blank(4)}]
    update = ChopsUpdate(chops, [(0, 1, 8)], [[4, 6, 10]])
    assert texts(update) == [(0, 0, "    "), (0, 6, "  ")]


def test_an_unknown_update_is_refused() -> None:
    with pytest.raises(TypeError, match="CompositorUpdate"):
        list(strips_of(CompositorUpdate()))


def test_an_update_is_written_as_it_is_rewritten() -> None:
    assert RewrittenUpdate(CompositorUpdate(), lambda _: "cells").render_segments(Console()) == "cells"
