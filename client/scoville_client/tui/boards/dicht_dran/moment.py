"""Which page of the rules fits what is asked of a player just now."""

from scoville_shared.games.dicht_dran.state import View


def page(view: View) -> str:
    """Name the page: the end of the game, or the choice of a card."""
    return "end" if view.board.over else "choose"
