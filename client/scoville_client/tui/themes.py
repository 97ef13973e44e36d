"""Themes: a dark one (embers) and a light one (paper)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from rich.style import Style
from textual.theme import Theme

DARK = Theme(
    name="embers",
    dark=True,
    primary="#e5532d",
    secondary="#7cc4dd",
    accent="#f6b83c",
    foreground="#f3e9dc",
    background="#16100e",
    surface="#1e1613",
    panel="#2a1f1a",
    success="#8cc152",
    warning="#f2913d",
    error="#ff6b57",
    variables={
        "muted": "#a8968a",
        "faint": "#6d5d53",
        "band": "#17333d",
        "pepper1": "#8fce55",
        "pepper2": "#f59a3e",
        "pepper3": "#c58df0",
    },
)

LIGHT = Theme(
    name="paper",
    dark=False,
    primary="#b8320f",
    secondary="#0f6380",
    accent="#8a5a00",
    foreground="#2d1f18",
    background="#fbf6ec",
    surface="#f4ebdb",
    panel="#eadcc6",
    success="#35701a",
    warning="#a85200",
    error="#b3200c",
    variables={
        "muted": "#6f5c50",
        "faint": "#a5917f",
        "band": "#cfe6ee",
        "pepper1": "#35701a",
        "pepper2": "#b85a00",
        "pepper3": "#7331a8",
    },
)


def without_colour(theme: Theme) -> Theme:
    """Replace accent colours by the text colour: converted to grey they would be weaker than normal text."""
    ink = theme.foreground
    return replace(theme, primary=ink or "", secondary=ink, accent=ink, success=ink, warning=ink, error=ink)


class Look(NamedTuple):
    """A style of a canvas as names of theme colours; without a background that of the widget is kept."""

    colour: str = "foreground"
    bold: bool = False
    background: str | None = None


LOOKS = {
    "blank": Look(),
    "text": Look(),
    "strong": Look(bold=True),
    "muted": Look("muted"),
    "faint": Look("faint"),
    "title": Look("primary", bold=True),
    "caption": Look("accent", bold=True),
    "you": Look("accent", bold=True),
    "good": Look("success"),
    "bad": Look("error", bold=True),
    "card": Look(),
    "rim": Look("secondary", bold=True),
    "target": Look("accent", bold=True),
    "selected": Look("primary", bold=True),
    "picked": Look("success", bold=True),
    "gap": Look("secondary"),
    "band": Look("secondary", background="band"),
    "fits": Look("foreground", bold=True, background="band"),
    "outside": Look("muted"),
    "closest": Look("accent", bold=True),
    "selected-pin": Look("background", bold=True, background="primary"),
    "pepper1": Look("pepper1"),
    "pepper2": Look("pepper2"),
    "pepper3": Look("pepper3"),
    "heat1": Look("pepper1"),
    "heat2": Look("accent"),
    "heat3": Look("pepper2"),
    "heat4": Look("primary"),
    "heat5": Look("pepper3"),
}
"""The styles of a canvas by name."""


def look(name: str, colours: Mapping[str, str]) -> Style:
    """Return the style `name` in the colours of the current theme."""
    colour, bold, background = LOOKS[name]
    return Style(color=colours[colour], bold=bold, bgcolor=colours[background] if background else None)
