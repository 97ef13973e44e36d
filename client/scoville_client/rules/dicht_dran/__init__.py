"""Rules of Dicht dran: which of their pages fits a View."""

from scoville_shared.games.dicht_dran.state import View


def find_page(view: View) -> str:
    """Return the page: the end of the game, or the choice of a card."""
    return "end" if view.board.over else "choose"
