"""Themes: dark (embers), light (paper), of high contrast, and one for colour-blind eyes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rich.style import Style
from textual.theme import Theme

from scoville_client.tui.drawing.canvas import ADDRESS, HOVERED, PICTURE

DARK = Theme(
    name="dark",
    dark=True,
    primary="#ee6a45",
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
        "muted": "#bfada0",
        "faint": "#9b8a7e",
        "band": "#17333d",
        "hover": "#38291f",
        "pepper1": "#8fce55",
        "pepper2": "#f59a3e",
        "pepper3": "#c58df0",
    },
)

LIGHT = Theme(
    name="light",
    dark=False,
    primary="#a02508",
    secondary="#0b5872",
    accent="#724a00",
    foreground="#2d1f18",
    background="#fbf6ec",
    surface="#f6efe2",
    panel="#f3eee2",
    success="#2a5f14",
    warning="#8a4300",
    error="#b3200c",
    variables={
        "muted": "#574639",
        "faint": "#6d5a4b",
        "band": "#cfe6ee",
        "hover": "#eadfc9",
        "pepper1": "#2a5f14",
        "pepper2": "#8f4600",
        "pepper3": "#6a279e",
    },
)

HIGH_CONTRAST = Theme(
    name="high-contrast",
    dark=True,
    primary="#ffb000",
    secondary="#7fe9ff",
    accent="#ffff00",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#101010",
    success="#5dff5d",
    warning="#ffb000",
    error="#ff8f8f",
    variables={
        "muted": "#e2e2e2",
        "faint": "#b4b4b4",
        "band": "#00005f",
        "hover": "#2b2b2b",
        "pepper1": "#5dff5d",
        "pepper2": "#ffb000",
        "pepper3": "#e9a6ff",
    },
)

COLOUR_BLIND = Theme(
    name="colour-blind",
    dark=True,
    primary="#f28e2b",
    secondary="#82c4ff",
    accent="#ffe066",
    foreground="#f4f1ea",
    background="#10131a",
    surface="#171b24",
    panel="#1f2531",
    success="#7ec8ff",
    warning="#ffd23f",
    error="#ff9d5c",
    variables={
        "muted": "#aab2c0",
        "faint": "#8a93a3",
        "band": "#12304f",
        "hover": "#2a3344",
        "pepper1": "#4da3ff",
        "pepper2": "#ffe066",
        "pepper3": "#e8734a",
    },
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT, HIGH_CONTRAST, COLOUR_BLIND)}
"""The themes by the names that the settings have for them."""


def next_choice(name: str, names: Sequence[str]) -> str:
    """Return the name after `name`, in a circle; the first one after an unknown name."""
    return names[(names.index(name) + 1) % len(names)] if name in names else names[0]


ANSI = {
    "black": "#000000",
    "red": "#aa0000",
    "blue": "#0000aa",
    "magenta": "#aa00aa",
    "white": "#aaaaaa",
    "bright_black": "#555555",
    "bright_red": "#ff5555",
    "bright_green": "#55ff55",
    "bright_yellow": "#ffff55",
    "bright_magenta": "#ff55ff",
    "bright_cyan": "#55ffff",
    "bright_white": "#ffffff",
}
"""Those of sixteen colours that are used, as rich knows them: these become exactly the codes of their names."""

_SIXTEEN = {
    "dark": {
        **dict.fromkeys(("background", "surface", "panel"), "black"),
        **dict.fromkeys(("primary", "error"), "bright_red"),
        **dict.fromkeys(("accent", "warning", "pepper2"), "bright_yellow"),
        **dict.fromkeys(("success", "pepper1"), "bright_green"),
        **dict.fromkeys(("muted", "faint"), "white"),
        "foreground": "bright_white",
        "secondary": "bright_cyan",
        "pepper3": "bright_magenta",
        "band": "blue",
        "hover": "blue",
    },
    "light": {
        **dict.fromkeys(("background", "surface", "panel"), "bright_white"),
        **dict.fromkeys(("primary", "error", "warning", "pepper2"), "red"),
        **dict.fromkeys(("secondary", "success", "pepper1"), "blue"),
        **dict.fromkeys(("accent", "pepper3"), "magenta"),
        **dict.fromkeys(("muted", "faint"), "bright_black"),
        "foreground": "black",
        "band": "white",
        "hover": "white",
    },
    "high-contrast": {
        **dict.fromkeys(("background", "surface", "panel"), "black"),
        **dict.fromkeys(("primary", "accent", "warning", "pepper2"), "bright_yellow"),
        **dict.fromkeys(("success", "pepper1"), "bright_green"),
        **dict.fromkeys(("foreground", "muted"), "bright_white"),
        "secondary": "bright_cyan",
        "faint": "white",
        "error": "bright_red",
        "pepper3": "bright_magenta",
        "band": "blue",
        "hover": "blue",
    },
    "colour-blind": {
        **dict.fromkeys(("background", "surface", "panel"), "black"),
        **dict.fromkeys(("primary", "accent", "warning", "pepper2"), "bright_yellow"),
        **dict.fromkeys(("secondary", "success", "pepper1"), "bright_cyan"),
        **dict.fromkeys(("muted", "faint"), "white"),
        "foreground": "bright_white",
        "error": "bright_magenta",
        "pepper3": "bright_magenta",
        "band": "blue",
        "hover": "blue",
    },
}
"""The colours of each theme in a palette of sixteen. Yellow, green and cyan are no colours for text on white."""


def for_terminal(theme: Theme, colours: str) -> Theme:
    """Return a theme in the `Colours` of a terminal: the nearest of sixteen would often be that of the background."""
    if colours == "none":
        return _without_colour(theme)
    if colours != "16":
        return theme
    chosen: dict[str, Any] = {name: ANSI[ansi] for name, ansi in _SIXTEEN[theme.name].items()}
    variables = {name: chosen.pop(name) for name in theme.variables}
    return replace(theme, variables=variables, **chosen)


def _without_colour(theme: Theme) -> Theme:
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
    PICTURE: Look(),
    "heat1": Look("pepper1"),
    "heat2": Look("accent"),
    "heat3": Look("pepper2"),
    "heat4": Look("primary"),
    "heat5": Look("pepper3"),
}
"""The styles of a canvas by name."""


def find_style(name: str, colours: Mapping[str, str]) -> Style:
    """Return the style `name` in the colours of the current theme."""
    look, _, address = name.removesuffix(HOVERED).partition(ADDRESS)
    colour, bold, background = LOOKS[look]
    if name.endswith(HOVERED) and background is None:  # in the ink that every palette can show on it
        colour, background = "foreground", "hover"
    paper = colours[background] if background else None
    return Style(color=colours[colour], bold=bold, bgcolor=paper, link=address or None)
