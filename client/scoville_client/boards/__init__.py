"""How each game looks. A game without a board of its own is shown in its sentences."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoville_client.boards.board import Board


def find(slug: str) -> "type[Board]":
    """Find the board of a game by its slug; loads no other."""
    own = f"{__name__}.{slug}"
    name = f"{own}.board" if find_spec(own) is not None else f"{__name__}.sentences"
    board: type[Board] = import_module(name).BOARD
    return board
