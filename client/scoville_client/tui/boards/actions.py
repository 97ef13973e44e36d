"""Keys that several boards share; each board declares its own as `ACTIONS`."""

from scoville_client.tui.actions import Action

ROWS = (
    Action("up", "up", "↑", "up", "Go one line up.", shown=False),
    Action("down", "down", "↓", "down", "Go one line down.", shown=False),
)
MOVES = (
    Action("left", "left", "← →", "card", "Select the card to the left or right."),
    Action("right", "right", "→", "right", "Select the card to the right.", shown=False),
    Action("play", "enter", "Enter", "play", "Play the selected card, or see the next step."),
)
CARDS = (
    *MOVES,
    Action("first", "home", "Home", "first", "Select the lowest card.", shown=False),
    Action("last", "end", "End", "last", "Select the highest card.", shown=False),
    Action("erase", "backspace", "Backspace", "erase", "Erase the last digit.", shown=False),
)
STORY = (
    Action("next", "space", "Space", "next step", "Show the next step of the reveal.", shown=False),
    Action("calm", "m", "m", "motion", "Show the reveal step by step, or only its end.", shown=False),
)
USUAL = (*CARDS, *STORY)
"""What the help explains while no game is played."""
