"""QR codes in cells: two modules above each other in a half block, or each module two blanks wide."""

from typing import Final

BORDER: Final = 2
"""Light modules around the code. The standard asks for four; scanners are content with two on a dark screen."""

_HALVES: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
_DARK, _LIGHT = "on #000000", "on #ffffff"
_INK: Final = "#000000 on #ffffff"

Run = tuple[str, str]
"""Text, and its style in Textual's notation, empty for none."""


def modules(text: str) -> list[list[bool]]:
    """Return the modules of a QR code with its border, row by row; True is dark."""
    import segno

    rows = segno.make_qr(text, error="l", boost_error=False).matrix_iter(border=BORDER)
    return [[bool(module) for module in row] for row in rows]


def drawn(square: list[list[bool]], *, half_blocks: bool, colour: bool) -> list[list[Run]]:
    """Draw modules as rows of runs.

    With colours dark modules are black on white in every theme. Without them light modules are drawn and dark ones left
    out, which is right where the terminal is dark.
    """
    if half_blocks:
        ink = square if colour else [[not module for module in row] for row in square]
        style = _INK if colour else ""
        blank = [False] * len(square)
        pairs = zip(ink[::2], [*ink[1::2], blank], strict=False)
        return [[("".join(_HALVES[pair] for pair in zip(*rows, strict=True)), style)] for rows in pairs]
    if colour:
        return [[("  ", _DARK if module else _LIGHT) for module in row] for row in square]
    return [[("".join("  " if module else "██" for module in row), "")] for row in square]


def size_of(rows: list[list[Run]]) -> tuple[int, int]:
    """Return columns and rows that a drawn code takes."""
    return sum(len(text) for text, _ in rows[0]), len(rows)
