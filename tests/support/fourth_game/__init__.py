"""A game from outside: two tiny distributions as pip would leave them, the game and a board for it.

`game/` is the smallest complete game there can be, an example to begin a new one from; `board/` draws it.
"""

from pathlib import Path

GAME = Path(__file__).parent / "game"
BOARD = Path(__file__).parent / "board"
GOLDEN = Path(__file__).parent / "golden"
