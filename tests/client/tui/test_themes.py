"""Every theme is legible in every number of colours, and one of them for colour-blind eyes."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import pytest
from rich._palettes import EIGHT_BIT_PALETTE, STANDARD_PALETTE
from rich.color import Color, ColorSystem
from textual.theme import Theme

from scoville_client.settings.checks import all_settings
from scoville_client.tui.terminal.colours import Colours
from scoville_client.tui.themes import LOOKS, THEMES, for_terminal

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


def read_colour(text: str) -> Colour:
    """Read a colour such as #8fce55."""
    red, green, blue = (int(text[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def measure_contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of WCAG 2, from 1 to 21."""
    dark, light = sorted(_times(_XYZ, _linear(each))[1] for each in (one, other))
    return (light + 0.05) / (dark + 0.05)


def measure_distance(one: Colour, other: Colour, blindness: str = "none") -> float:
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


LEAST = 4.5
"""The least contrast of text in WCAG 2, level AA."""
TOLD_APART = 15
"""Distance of colours that mean different things."""
_SYSTEMS = {"256": ColorSystem.EIGHT_BIT, "16": ColorSystem.STANDARD}

every_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def shown(theme: Theme, colours: Colours) -> dict[str, Colour]:
    """The theme's colours by name, as a terminal shows them."""
    theme = for_terminal(theme, colours)
    named = {name: getattr(theme, name) for name in ("primary", "secondary", "accent", "foreground", "background")}
    named |= {name: getattr(theme, name) for name in ("surface", "panel", "success", "warning", "error")}
    return {name: _shown(text, colours) for name, text in (named | theme.variables).items()}


def _shown(text: str, colours: Colours) -> Colour:
    full = Color.parse(text)
    system = _SYSTEMS.get(colours)
    code = None if system is None else full.downgrade(system).number
    if code is None:
        return read_colour(text)
    red, green, blue = (STANDARD_PALETTE if colours == "16" else EIGHT_BIT_PALETTE)[code]
    return red / 255, green / 255, blue / 255


@pytest.mark.parametrize("colours", ["true", "256", "16"])
@every_theme
def test_text_has_contrast_on_everything_that_it_lies_on(theme: Theme, colours: Colours) -> None:
    seen = shown(theme, colours)
    for name, look in LOOKS.items():
        papers = [look.background] if look.background else ["background", "surface", "panel"]
        for paper in papers:
            ratio = measure_contrast(seen[look.colour], seen[paper])
            assert ratio >= LEAST, f"{name} ({look.colour} on {paper}): {ratio:.2f}"
    assert measure_contrast(seen["foreground"], seen["hover"]) >= LEAST
    assert seen["hover"] not in (seen["background"], seen["surface"], seen["panel"])


@pytest.mark.parametrize("colours", ["true", "256", "16"])
@every_theme
def test_what_means_something_else_looks_different(theme: Theme, colours: Colours) -> None:
    seen = shown(theme, colours)
    for names in (("pepper1", "pepper2", "pepper3"), ("background", "band"), ("foreground", "primary", "secondary")):
        for one, other in combinations(names, 2):
            assert measure_distance(seen[one], seen[other]) >= TOLD_APART, (one, other)


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("colours", ["true", "256", "16"])
def test_one_theme_is_for_colour_blind_eyes(colours: Colours, blindness: str) -> None:
    seen = shown(THEMES["colour-blind"], colours)
    for names in (
        ("pepper1", "pepper2", "pepper3"),
        ("success", "error"),
        ("background", "band"),
        ("primary", "secondary"),
    ):
        for one, other in combinations(names, 2):
            assert measure_distance(seen[one], seen[other], blindness) >= TOLD_APART, (one, other)


def test_the_high_contrast_is_higher_than_any_other() -> None:
    for name in {look.colour for look in LOOKS.values()} - {"background"}:
        seen = shown(THEMES["high-contrast"], "true")
        assert measure_contrast(seen[name], seen["background"]) >= 9, name


def test_the_settings_name_the_themes() -> None:
    assert all_settings()["theme"].choices == ("auto", *THEMES)
