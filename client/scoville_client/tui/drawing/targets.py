"""Targets: what a click on a cell of a canvas stands for. A click does what a key does: it goes the way of keys."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple


class Press(NamedTuple):
    """The key that a click presses, as Textual names it."""

    key: str


Target = Hashable
"""A `Press`, or anything that the widget of the canvas knows, such as the id of a row."""


class Link(NamedTuple):
    """A rectangle of cells, its first column and row, and what a click there stands for."""

    x: int
    y: int
    width: int
    height: int
    target: Target


def find_target(links: Sequence[Link], x: int, y: int) -> Target | None:
    """Return the target of a cell: of the link that was made last where several overlap; None without one."""
    for link in reversed(links):
        if link.x <= x < link.x + link.width and link.y <= y < link.y + link.height:
            return link.target
    return None
