"""Colours as eyes see them: WCAG contrast, and distances as people with colour blindness perceive them."""

from collections.abc import Sequence
from typing import Final

Colour = tuple[float, float, float]
"""Red, green and blue, from 0 to 1."""
Matrix = Sequence[Sequence[float]]

BLINDNESS: Final[dict[str, Matrix]] = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""What becomes of linear red, green and blue, by Machado, Oliveira and Fernandes (2009) at full severity."""
_XYZ: Final[Matrix] = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE: Final = (0.9505, 1.0, 1.089)


def colour(text: str) -> Colour:
    """Read a colour such as #8fce55."""
    red, green, blue = (int(text[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of WCAG 2, from 1 to 21."""
    dark, light = sorted(_times(_XYZ, _linear(each))[1] for each in (one, other))
    return (light + 0.05) / (dark + 0.05)


def distance(one: Colour, other: Colour, blindness: str = "none") -> float:
    """Return how different two colours look (CIE76; two that lie side by side differ from about 2 on)."""
    ours, theirs = (_lab(each, BLINDNESS[blindness]) for each in (one, other))
    return float(sum((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)) ** 0.5)


def _linear(seen: Colour) -> list[float]:
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in seen]


def _times(matrix: Matrix, parts: Sequence[float]) -> list[float]:
    return [sum(factor * part for factor, part in zip(row, parts, strict=True)) for row in matrix]


def _lab(seen: Colour, blindness: Matrix) -> tuple[float, float, float]:
    kept = [min(max(part, 0.0), 1.0) for part in _times(blindness, _linear(seen))]
    x, y, z = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116
        for part in (value / white for value, white in zip(_times(_XYZ, kept), _WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
