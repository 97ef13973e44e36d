"""Keys that several boards share; each board declares its own as `ACTIONS`."""

from scoville_client.tui.actions import Action

ROWS = (
    Action("up", "up", "↑", "up", "Move up one row.", shown=False),
    Action("down", "down", "↓", "down", "Move down one row.", shown=False),
)
MOVES = (
    Action("left", "left", "← →", "card", "Select the card to the left or right."),
    Action("right", "right", "→", "right", "Select the card to the right.", shown=False),
    Action("play", "enter", "Enter", "play", "Play the selected card, or show the next step."),
)
ENDS = (
    Action("first", "home", "Home", "first card", "Select the lowest card.", shown=False),
    Action("last", "end", "End", "last card", "Select the highest card.", shown=False),
    Action("erase", "backspace", "Backspace", "erase", "Erase the last digit.", shown=False),
)
CARDS = (*MOVES, Action("type", "", "0-9", "number", "Type the number of a card to select it.", shown=False), *ENDS)
STORY = (
    Action("next", "space", "Space", "next step", "Show the next step of the reveal.", shown=False),
    Action("calm", "m", "m", "animation", "Show the reveal step by step, or only its result.", shown=False),
)
USUAL = (*CARDS, *STORY)
"""Actions that the help explains while no game is played."""
