"""Every theme is legible in every number of colours, and one of them for colour-blind eyes."""

from itertools import combinations

import pytest
from rich._palettes import EIGHT_BIT_PALETTE, STANDARD_PALETTE
from rich.color import Color, ColorSystem
from textual.theme import Theme

from scoville_client.settings.checks import all_settings
from scoville_client.tui.terminal.colours import Colours
from scoville_client.tui.themes import LOOKS, THEMES, for_terminal
from tests.support.colour_vision import BLINDNESS, Colour, colour, contrast, distance

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
        return colour(text)
    red, green, blue = (STANDARD_PALETTE if colours == "16" else EIGHT_BIT_PALETTE)[code]
    return red / 255, green / 255, blue / 255


@pytest.mark.parametrize("colours", ["true", "256", "16"])
@every_theme
def test_text_has_contrast_on_everything_that_it_lies_on(theme: Theme, colours: Colours) -> None:
    seen = shown(theme, colours)
    for name, look in LOOKS.items():
        papers = [look.background] if look.background else ["background", "surface", "panel"]
        for paper in papers:
            ratio = contrast(seen[look.colour], seen[paper])
            assert ratio >= LEAST, f"{name} ({look.colour} on {paper}): {ratio:.2f}"
    assert contrast(seen["foreground"], seen["hover"]) >= LEAST
    assert seen["hover"] not in (seen["background"], seen["surface"], seen["panel"])


@pytest.mark.parametrize("colours", ["true", "256", "16"])
@every_theme
def test_what_means_something_else_looks_different(theme: Theme, colours: Colours) -> None:
    seen = shown(theme, colours)
    for names in (("pepper1", "pepper2", "pepper3"), ("background", "band"), ("foreground", "primary", "secondary")):
        for one, other in combinations(names, 2):
            assert distance(seen[one], seen[other]) >= TOLD_APART, (one, other)


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
            assert distance(seen[one], seen[other], blindness) >= TOLD_APART, (one, other)


def test_the_high_contrast_is_higher_than_any_other() -> None:
    for name in {look.colour for look in LOOKS.values()} - {"background"}:
        seen = shown(THEMES["high-contrast"], "true")
        assert contrast(seen[name], seen["background"]) >= 9, name


def test_the_settings_name_the_themes() -> None:
    assert all_settings()["theme"].choices == ("auto", *THEMES)
