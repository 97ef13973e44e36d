"""The page of the rules that fits the moment."""

from scoville_shared.games.dicht_dran.state import View


def page(view: View) -> str:
    """Return the page: the end of the game, or the choice of a card."""
    return "end" if view.board.over else "choose"
