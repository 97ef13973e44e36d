"""Which page of the rules fits what is asked of a player just now."""

from scoville_shared.games.no_thanks.state import View


def page(view: View) -> str:
    """Name the page: the end of the game, taking for want of chips, or the two answers."""
    if view.board.over:
        return "end"
    return "no-chips" if view.chips == 0 and view.seat == view.board.mover else "turn"
