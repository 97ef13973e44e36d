"""How each game looks. A game without a board of its own is shown in its sentences."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoville_client.session.table.table import AtTable
    from scoville_client.tui.boards.board import Board
    from scoville_shared.installed import Extension

GROUP = "scoville.boards"
"""The entry-point group in which other distributions name their boards, each by the slug of its game."""


def find_board(slug: str) -> "type[Board]":
    """Find the board of a game by its slug, here or in another distribution; loads no other.

    One of another distribution never raises: see `outside.py`.
    """
    own = f"{__name__}.{slug}"
    # Looked for, not imported: the game may have no board of ours.
    if find_spec(own) is not None:
        return _board_of(f"{own}.board")
    return _from_outside(slug) or _board_of(f"{__name__}.sentences")


def find_board_of(at: "AtTable") -> "type[Board]":
    """Find the board of a table: that of sentences where this client does not have the game, whatever is installed."""
    return find_board(at.info.game) if at.by_sentences is None else _board_of(f"{__name__}.sentences")


def _board_of(module: str) -> "type[Board]":
    board: type[Board] = import_module(module).BOARD
    return board


def _from_outside(slug: str) -> "type[Board] | None":
    from scoville_shared.installed import list_installed

    entry = list_installed(GROUP).get(slug)
    return None if entry is None else _load_guarded(entry)


@cache
def _load_guarded(entry: "Extension") -> "type[Board]":
    """Load a board once; a failure is remembered, since half of its modules may have been imported."""
    from scoville_client.tui.boards.outside import load_outside

    return load_outside(entry)
