"""Two looks: embers in the dark, and chilies on paper."""

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
