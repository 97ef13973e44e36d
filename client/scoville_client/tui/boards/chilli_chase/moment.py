"""The page of the rules that fits the moment."""

from scoville_shared.games.chilli_chase.state import View


def page(view: View) -> str:
    """Return the page: the end of the game, the new Chilli Score that may be taken, or the turn."""
    if view.board.over:
        return "end"
    return "score" if view.board.choosing else "turn"
