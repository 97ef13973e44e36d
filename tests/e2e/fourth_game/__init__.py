"""A game from outside: two small distributions, the game and its board, laid out as pip installs them.

`game/` is the smallest complete game there can be, an example to begin a new one from; `board/` draws it.
"""

from pathlib import Path

GAME = Path(__file__).parent / "game"
BOARD = Path(__file__).parent / "board"
GOLDEN = Path(__file__).parent / "golden"
