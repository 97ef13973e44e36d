"""Rules of Chilli Chase: which of their pages fits a View."""

from scoville_shared.games.chilli_chase.state import View


def find_page(view: View) -> str:
    """Return the page: the end of the game, the new Chilli Score that may be taken, or the turn."""
    if view.board.over:
        return "end"
    return "score" if view.board.choosing else "turn"
